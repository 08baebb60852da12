import { formatWall, parseWall, wallOfInstant } from '../../kernel/zone.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import type { Lease } from '../core/lease.ts';
import type { Situation } from '../core/next-step.ts';
import { confirmOpen, findDay, insertDay } from '../days/store.ts';
import { lockHead, setDayState, startDay } from '../devices/store.ts';
import { recordEvent } from '../events/store.ts';
import { withLease } from '../lanes/lease-store.ts';
import { NO_REQUEST, wakeLane } from '../lanes/store.ts';
import { ask, identityOf } from './ask-authority.ts';
import { refreshConfiguration } from './care-steps.ts';
import { CONTINUE, type KeeperContext, pause, type StepOutcome } from './context.ts';
import { onDeviceRefusal } from './device-refusal.ts';
import { checkStatus } from './status-step.ts';
import { clearTold } from './take-taxes.ts';

const ASK_AGAIN_SECONDS = 10;

/** Number and opening time of the next day are committed before the authority hears of it, and used again on every retry. */
export async function startOpening(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  await withLease(context, lease, (tx) => clearTold(tx, lease, situation));
  // The taxes of the day that begins; an authority that is down must not keep the shop closed.
  const refreshed = await refreshConfiguration(context, lease, situation);
  if (refreshed.kind === 'pause' && !refreshed.isOutage) return refreshed;
  const { taxpayerId, deviceId } = lease;
  const openedAt = new Date(Math.floor(context.clock().getTime() / 1000) * 1000);
  const openedWall = wallOfInstant(situation.device.zone, openedAt.getTime() / 1000);
  await withLease(context, lease, async (tx) => {
    const head = await lockHead(tx, taxpayerId, deviceId);
    if (head?.dayState !== 'Closed') return;
    const fiscalDayNumber = head.fiscalDayNumber + 1;
    await startDay(tx, head, fiscalDayNumber, openedAt);
    await insertDay(tx, { taxpayerId, deviceId, fiscalDayNumber }, openedAt, openedWall);
    await wakeLane(tx, lease, NO_REQUEST);
  });
  return CONTINUE;
}

/**
 * Reports the opening to the authority. If there is no answer, a day that is `Opening` is opened locally, since the one before it is
 * known to be closed, and its OpenDay goes first when the authority is back. FISC01 is settled by looking.
 */
export async function openStep(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  const { taxpayerId, deviceId } = lease;
  const { fiscalDayNumber, dayState } = situation.head;
  const key = { taxpayerId, deviceId, fiscalDayNumber };
  const day = await findDay(context.pool, key);
  const openedWall = day && parseWall(day.openedWall);
  if (openedWall === undefined) throw new Error(`day ${fiscalDayNumber} of device ${deviceId} was never begun`);
  const identity = await identityOf(context, situation.device);
  const request = { fiscalDayNo: fiscalDayNumber, fiscalDayOpened: formatWall(openedWall) };
  const answer = await ask(context, lease, () => context.gateway.openDay(identity, request));
  if (answer.kind === 'answered') {
    // Whether another number is a mistake in the answer or another day only the status tells; nothing is sealed before that.
    if ((answer.value.fiscalDayNo ?? fiscalDayNumber) !== fiscalDayNumber)
      return settleOpening(context, lease, situation);
    return opened(context, lease, fiscalDayNumber, true);
  }
  if (answer.kind === 'unavailable') {
    if (dayState === 'Opening') return opened(context, lease, fiscalDayNumber, false);
    return pause(ASK_AGAIN_SECONDS, answer.reason, true);
  }
  if (answer.code === 'FISC01') return settleOpening(context, lease, situation);
  return onDeviceRefusal(context, lease, answer);
}

async function opened(
  context: KeeperContext,
  lease: Lease,
  fiscalDayNumber: number,
  isConfirmed: boolean,
): Promise<StepOutcome> {
  const { taxpayerId, deviceId } = lease;
  const now = context.clock();
  await withLease(context, lease, async (tx) => {
    const head = await lockHead(tx, taxpayerId, deviceId);
    if (head?.fiscalDayNumber !== fiscalDayNumber) return;
    if (isConfirmed) {
      await confirmOpen(tx, { taxpayerId, deviceId, fiscalDayNumber }, now);
      await settle(tx, 'DayOpenElsewhere', lease);
    }
    if (head.dayState !== 'Opening') return;
    await setDayState(tx, taxpayerId, deviceId, 'Opened');
    const data = { AuthorityDeviceId: deviceId, FiscalDayNumber: fiscalDayNumber, IsKnownToAuthority: isConfirmed };
    await recordEvent(tx, { taxpayerId, type: 'day.opened', at: now, data });
  });
  return CONTINUE;
}

/** Another day's number, or "not while the current day is not closed": ours may be open already (a lost answer), or a day is open elsewhere. */
async function settleOpening(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  const { deviceId } = lease;
  const { fiscalDayNumber } = situation.head;
  const identity = await identityOf(context, situation.device);
  const answer = await ask(context, lease, () => context.gateway.status(identity));
  if (answer.kind === 'unavailable') return pause(ASK_AGAIN_SECONDS, answer.reason, true);
  if (answer.kind === 'refused') return onDeviceRefusal(context, lease, answer);
  const { fiscalDayStatus, lastFiscalDayNo } = answer.value;
  if (fiscalDayStatus !== 'FiscalDayClosed' && lastFiscalDayNo === fiscalDayNumber) {
    return opened(context, lease, fiscalDayNumber, true);
  }
  // A later day than ours puts the device on hold.
  const isAhead = (lastFiscalDayNo ?? 0) > fiscalDayNumber;
  if (fiscalDayStatus === 'FiscalDayClosed' || isAhead) return checkStatus(context, lease, situation);
  const message = `The authority has day ${lastFiscalDayNo} of device ${deviceId} open (${fiscalDayStatus}), which was not opened here. It must be closed there first.`;
  await withLease(context, lease, (tx) => raise(tx, { kind: 'DayOpenElsewhere', ...lease, message }));
  return pause(60, message);
}
