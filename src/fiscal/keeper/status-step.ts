import type { StatusResponse } from '../../fdms/index.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import { type CounterText, readCounters } from '../core/kept-counters.ts';
import type { Lease } from '../core/lease.ts';
import type { Situation } from '../core/next-step.ts';
import { CLOSE_DAY_LOST, isPast } from '../core/next-step.ts';
import { confirmOpen, forgetCloseAttempt, mayStillAppear, recordClosed, recordCloseFailure } from '../days/store.ts';
import { lockHead, setDayState } from '../devices/store.ts';
import { recordEvent, recordEvents } from '../events/store.ts';
import { type LeasedTransaction, withLease } from '../lanes/lease-store.ts';
import { advanceLane } from '../lanes/pass-receipts.ts';
import { finishClosing, NO_REQUEST, resumeLane, setLane, wakeLane } from '../lanes/store.ts';
import { settleDelivered, settleUndeliverable } from '../submission/store.ts';
import { ask, identityOf } from './ask-authority.ts';
import { explainCloseError } from './close-errors.ts';
import { compareHeads } from './compare-heads.ts';
import { CONTINUE, type KeeperContext, pause, type StepOutcome } from './context.ts';
import { onDeviceRefusal } from './device-refusal.ts';
import { alertUnclear, clearUnclear, restUnclear } from './unclear.ts';

const ASK_AGAIN_SECONDS = 10;
const HELD_SECONDS = 60;
const UNCLEAR_LOOK_SECONDS = 120;
/** An authority that answered CloseDay gets so long to show it, before it is taken for lost. */
const ANSWERED_CLOSE_SECONDS = 60;
/** How often CloseDay is sent before selling continues in the day that the authority shows as open. */
const MAX_LOST_CLOSINGS = 3;
/** Closing takes the authority seconds; nothing can be sealed meanwhile, so a person should know when it takes this long. */
const SLOW_CLOSE_SECONDS = 600;
/** How often the authority is asked again about a receipt that it may have; for how long, see `mayStillAppear`. */
const MAY_APPEAR_SECONDS = 30;

/** Looks how the authority sees the day and brings ours in line: after a closing, after a lost answer, and now and then. */
export async function checkStatus(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  const identity = await identityOf(context, situation.device);
  const answer = await ask(context, lease, () => context.gateway.status(identity));
  const { fiscalDayNumber, dayState } = situation.head;
  const isClosing = dayState === 'CloseInitiated' || dayState === 'Closing';
  if (answer.kind === 'unavailable' && answer.unread !== undefined)
    return unclear(context, lease, situation, answer.reason);
  if (answer.kind === 'unavailable') return pause(ASK_AGAIN_SECONDS, answer.reason, true);
  if (answer.kind === 'refused') return onDeviceRefusal(context, lease, answer);
  const status = answer.value;
  const at = context.clock();
  const words = await withLease(context, lease, async (tx) => {
    await setLane(tx, lease, {
      statusCheckedAt: at,
      authorityCounter: storable(status.lastReceiptGlobalNo),
      authorityDay: storable(status.lastFiscalDayNo),
      authorityDayStatus: status.fiscalDayStatus,
    });
    if (KNOWN_STATES.has(status.fiscalDayStatus)) await clearUnclear(tx, lease, situation, 'GetStatus');
    return compareHeads(tx, lease, status, { holds: situation.device.holds, at });
  });
  if (words !== undefined) {
    context.waiters.releaseDevice(lease.deviceId);
    return pause(HELD_SECONDS, words);
  }
  // The authority has one day at a time. An answer without the day's number means ours, if the authority has had ours open.
  const { lastFiscalDayNo = situation.day?.isOpenConfirmed ? fiscalDayNumber : 0 } = status;
  const isOurDay = lastFiscalDayNo === fiscalDayNumber;
  const error = status.fiscalDayClosingErrorCode;
  switch (status.fiscalDayStatus) {
    case 'FiscalDayClosed':
      if (isOurDay) return adoptClosed(context, lease, situation, status);
      return openingWasLost(context, lease, situation);
    case 'FiscalDayOpened':
      if (!isOurDay || !isClosing) return CONTINUE;
      // Only while our own closing is under way: otherwise this is the error of an earlier one.
      if (error !== undefined) return closeFailed(context, lease, situation, error);
      return closeWasLost(context, lease, situation);
    case 'FiscalDayCloseInitiated':
      if (isOurDay && dayState === 'Closing') return setState(context, lease, situation, 'CloseInitiated');
      return isOurDay && isClosing ? alertWhenSlow(context, lease, situation) : CONTINUE;
    case 'FiscalDayCloseFailed':
      return isOurDay && isClosing ? closeFailed(context, lease, situation, error ?? 'InternalError') : CONTINUE;
    default: {
      const words = `the authority says that the day is ${status.fiscalDayStatus}, which is not known here`;
      context.log.warn({ deviceId: lease.deviceId }, words);
      return isClosing ? unclear(context, lease, situation, words) : CONTINUE;
    }
  }
}

const KNOWN_STATES: ReadonlySet<string> = new Set([
  'FiscalDayClosed',
  'FiscalDayOpened',
  'FiscalDayCloseInitiated',
  'FiscalDayCloseFailed',
]);

/** While the day is being closed everything waits for this; otherwise it is only a look. */
async function unclear(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  words: string,
): Promise<StepOutcome> {
  const { dayState } = situation.head;
  if (dayState === 'CloseInitiated' || dayState === 'Closing') {
    return restUnclear(context, lease, situation, 'GetStatus', words);
  }
  await withLease(context, lease, (tx) => alertUnclear(tx, lease, 'GetStatus', words));
  return pause(UNCLEAR_LOOK_SECONDS, words, true);
}

async function alertWhenSlow(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  const { day, head, nowSeconds } = situation;
  if (!isPast(day?.closeSentAtSeconds, SLOW_CLOSE_SECONDS, nowSeconds)) return CONTINUE;
  const message = `The authority has been closing day ${head.fiscalDayNumber} of device ${lease.deviceId} for more than ten minutes and does not say how it ends. Nothing can be sealed on the device until it does: ask the authority.`;
  await withLease(context, lease, (tx) =>
    raise(tx, { kind: 'DayCloseFailed', ...lease, what: dayOf(situation), message }),
  );
  return CONTINUE;
}

async function setState(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  state: 'CloseInitiated' | 'Closing',
): Promise<StepOutcome> {
  await withLease(context, lease, async (tx) => {
    await lockHead(tx, lease.taxpayerId, lease.deviceId);
    await setDayState(tx, lease.taxpayerId, lease.deviceId, state);
    if (state === 'Closing') await forgetCloseAttempt(tx, dayKey(lease, situation));
  });
  return CONTINUE;
}

/** The day is open there as if nothing had been sent: CloseDay is sent again, but not without end. */
async function closeWasLost(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  const { closeAttempts = 0, closeSentAtSeconds } = situation.day ?? {};
  const isAnswered = situation.head.dayState === 'CloseInitiated';
  if (isAnswered && !isPast(closeSentAtSeconds, ANSWERED_CLOSE_SECONDS, situation.nowSeconds)) return CONTINUE;
  if (closeAttempts >= MAX_LOST_CLOSINGS) return closeFailed(context, lease, situation, CLOSE_DAY_LOST);
  return setState(context, lease, situation, 'Closing');
}

/** The authority does not know our day: its OpenDay has to be sent (again) before anything else. */
async function openingWasLost(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  await withLease(context, lease, (tx) => confirmOpen(tx, dayKey(lease, situation), null));
  return CONTINUE;
}

export async function closeFailed(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  error: string,
): Promise<StepOutcome> {
  const { taxpayerId, deviceId } = lease;
  const { fiscalDayNumber } = situation.head;
  const now = context.clock();
  const message = `Day ${fiscalDayNumber} of device ${deviceId} could not be closed: ${explainCloseError(error)}`;
  await withLease(context, lease, async (tx) => {
    await lockHead(tx, taxpayerId, deviceId);
    await setDayState(tx, taxpayerId, deviceId, 'CloseFailed');
    await recordCloseFailure(tx, dayKey(lease, situation), error, now);
    await wakeLane(tx, lease, NO_REQUEST);
    await raise(tx, { kind: 'DayCloseFailed', ...lease, what: dayOf(situation), message });
    const data = { AuthorityDeviceId: deviceId, FiscalDayNumber: fiscalDayNumber, Error: error, Explanation: message };
    await recordEvent(tx, { taxpayerId, type: 'day.close_failed', at: now, data });
  });
  return CONTINUE;
}

/** The day is closed there: by our CloseDay, or by a person. What was not delivered by then never will be. */
async function adoptClosed(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  status: StatusResponse,
): Promise<StepOutcome> {
  const { taxpayerId, deviceId } = lease;
  const { head, lane } = situation;
  const key = dayKey(lease, situation);
  const isManual = status.fiscalDayReconciliationMode === 'Manual';
  const adoptedCounters =
    isManual && status.fiscalDayCounter ? readCounters(status.fiscalDayCounter.map(counterText)) : undefined;
  const now = context.clock();
  const woken = await withLease(context, lease, async (tx) => {
    const current = await lockHead(tx, taxpayerId, deviceId);
    if (current === undefined || current.fiscalDayNumber !== head.fiscalDayNumber) return [];
    const known = Math.max(status.lastReceiptGlobalNo ?? 0, lane.submittedThrough);
    // A lane that is stopped asks for nothing, so it must not wait for an answer.
    if (known < current.globalCounter && !lane.isStopped && (await mayStillAppear(tx, key, known, now))) {
      await setDayState(tx, taxpayerId, deviceId, 'CloseInitiated');
      return undefined;
    }
    const waiting = await advanceLane(tx, lease, current.globalCounter);
    const delivered = await settleLostAnswers(tx, lease, situation, status, now);
    const unsent = current.globalCounter - delivered;
    if (unsent > 0) {
      const error = `The authority closed day ${head.fiscalDayNumber} without this receipt.`;
      await settleUndeliverable(tx, lease, delivered + 1, error, now);
      const message = `Day ${head.fiscalDayNumber} of device ${deviceId} was closed at the authority without what was sealed from number ${delivered + 1} on (receipts: ${unsent}). It is kept as evidence; settle it with the authority.`;
      await raise(tx, { kind: 'ReceiptUndeliverable', ...lease, what: dayOf(situation), message });
    }
    await recordClosed(tx, key, {
      closedAt: now,
      closedText: status.fiscalDayClosed,
      reconciliation: isManual ? 'Manual' : 'Auto',
      serverHash: bytes(status.fiscalDayServerSignature?.hash),
      serverSignature: bytes(status.fiscalDayServerSignature?.signature),
      thumbprint: status.fiscalDayServerSignature?.certificateThumbprint,
      adoptedCounters,
    });
    await setDayState(tx, taxpayerId, deviceId, 'Closed');
    if (lane.isStopped) await resumeLane(tx, lease);
    // Nothing of that day is asked or sent any more.
    await clearUnclear(tx, lease, situation, 'SubmitReceipt');
    await settle(tx, 'NoteHeldBack', lease);
    await settle(tx, ['DayCloseFailed', 'DayNearMaximum'], lease, dayOf(situation));
    await finishClosing(tx, lease);
    const data = {
      AuthorityDeviceId: deviceId,
      FiscalDayNumber: head.fiscalDayNumber,
      Reconciliation: isManual ? 'Manual' : 'Auto',
      ReceiptCount: current.fiscalDayCounter,
    };
    await recordEvent(tx, { taxpayerId, type: 'day.closed', at: now, data });
    return waiting;
  });
  if (woken === undefined) {
    context.waiters.releaseDevice(deviceId);
    const words = `the authority shows day ${head.fiscalDayNumber} as closed without a receipt that it may have`;
    return pause(MAY_APPEAR_SECONDS, words);
  }
  context.evidence.poke();
  context.poke(woken);
  context.waiters.releaseDevice(deviceId);
  return CONTINUE;
}

/**
 * The authority may have more than it could tell us. What it names as its last receipt it has, and all before it: they were sent in
 * order. If a credit note that it has were called undeliverable, the sale could be credited twice. Returns the last number it has.
 */
async function settleLostAnswers(
  tx: LeasedTransaction,
  lease: Lease,
  { lane }: Situation,
  { lastReceiptGlobalNo = 0 }: StatusResponse,
  at: Date,
): Promise<number> {
  const { taxpayerId, deviceId } = lease;
  if (lastReceiptGlobalNo <= lane.submittedThrough) return lane.submittedThrough;
  const range = { from: lane.submittedThrough + 1, through: lastReceiptGlobalNo };
  const delivered = await settleDelivered(tx, lease, range, at);
  await recordEvents(
    tx,
    delivered.map(({ globalCounter, reference }) => {
      const data = { Reference: reference, AuthorityDeviceId: deviceId, GlobalCounter: globalCounter, Remarks: [] };
      return { taxpayerId, type: 'receipt.submitted', at, data };
    }),
  );
  return lastReceiptGlobalNo;
}

function dayKey(lease: Lease, { head }: Situation) {
  return { taxpayerId: lease.taxpayerId, deviceId: lease.deviceId, fiscalDayNumber: head.fiscalDayNumber };
}

function dayOf({ head }: Situation): string {
  return `day ${head.fiscalDayNumber}`;
}

function bytes(base64: string | undefined): Buffer | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

type FdmsCounter = NonNullable<StatusResponse['fiscalDayCounter']>[number];

function counterText(wire: FdmsCounter): CounterText {
  return {
    type: wire.fiscalCounterType,
    currency: wire.fiscalCounterCurrency,
    taxId: wire.fiscalCounterTaxID,
    taxPercent: wire.fiscalCounterTaxPercent ?? null,
    moneyType: wire.fiscalCounterMoneyType,
    value: wire.fiscalCounterValue,
  };
}

/** No device has as many receipts as a column can count: beyond that it only matters that there are more. */
function storable(number = 0): number {
  return Math.min(Math.max(number, 0), 2 ** 31 - 1);
}
