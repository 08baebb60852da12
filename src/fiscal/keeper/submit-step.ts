import {
  fdmsReceipt,
  type GatewayAnswer,
  isPartialBuyer,
  type Remark,
  receiptServerTexts,
  remarkOf,
  type SubmitReceiptResponse,
} from '../../fdms/index.ts';
import { parseWall } from '../../kernel/zone.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import { traced } from '../../platform/tracing/tracing.ts';
import { raiseForReceipt } from '../alerts/store.ts';
import type { TakeStep } from '../core/held-lane.ts';
import type { ReceiptKey } from '../core/keys.ts';
import type { Lease } from '../core/lease.ts';
import type { Situation } from '../core/next-step.ts';
import { findLostThrough } from '../devices/head-store.ts';
import { recordEvent } from '../events/store.ts';
import { noteSignature } from '../evidence/evidence.ts';
import { type LeasedTransaction, withLease } from '../lanes/lease-store.ts';
import { advanceLane, settledLane } from '../lanes/pass-receipts.ts';
import { setLane } from '../lanes/store.ts';
import type { Submission } from '../sealed/sealed-receipt.ts';
import { holdForLostRows } from '../sealing/lost-rows.ts';
import { type FailedAttempt, recordAttempt } from '../submission/attempt-store.ts';
import { type Acceptance, dropBuyer, type NextReceipt, recordRefusal } from '../submission/store.ts';
import { askAtOnce, identityOf } from './ask-authority.ts';
import { CONTINUE, type KeeperContext, pause, type StepOutcome } from './context.ts';
import { onDeviceRefusal } from './device-refusal.ts';
import { checkStatus } from './status-step.ts';
import { readTaxRemarks } from './take-taxes.ts';
import { clearUnclear, restUnclear } from './unclear.ts';

/** What a note waits for wakes its lane. This only brings the alert, and takes care of what was not foreseen. */
const HOLD_SECONDS = 60;
const HOLD_ALERT_SECONDS = 15 * 60;

/** Hands the next receipt to the authority and writes down what it said. A lost answer is settled by sending the same again. */
export async function submitStep(
  context: KeeperContext,
  { lease, situation, receipt }: TakeStep<NextReceipt>,
  globalCounter: number,
): Promise<StepOutcome> {
  const { taxpayerId, deviceId } = lease;
  const next = await readSettledNext(context, { taxpayerId, deviceId, globalCounter }, receipt);
  if (next === undefined) return passLost(context, lease, globalCounter);
  // A number that was given twice: the authority may have the first, and must not get the second.
  const other = context.acknowledged.otherThan(lease, next);
  if (other !== undefined && (await holdForLostRows(context, [other]))) return CONTINUE;
  if (next.foreignOriginal?.isOnItsWay === true) return holdBack(context, lease, next);
  const attributes = { 'tillseal.device.id': deviceId, 'tillseal.receipt.global_counter': globalCounter };
  return traced({ name: 'submit receipt', attributes }, next.span, () => submit(context, lease, situation, next));
}

async function submit(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  next: NextReceipt,
): Promise<StepOutcome> {
  const { globalCounter } = next;
  const identity = await identityOf(context, situation.device);
  const receipt = fdmsReceipt(next, await context.sending.sendsWith(next.receipt));
  let isSent = false;
  const answer = await askAtOnce(context, lease, () => {
    isSent = true;
    return context.gateway.submitReceipt(identity, receipt);
  });
  if (answer.kind === 'answered') return accept(context, lease, situation, next, answer.value);
  if (answer.kind === 'unavailable') {
    const attempt = { outcome: 'Unanswered', code: undefined, words: answer.reason } as const;
    if (isSent) await noteAttempt(context, lease, globalCounter, attempt);
    if (answer.unread !== undefined) return restUnclear(context, lease, situation, 'SubmitReceipt', answer.reason);
    return pause(retrySeconds(situation.failures), answer.reason, true);
  }
  if (answer.code === 'RCPT01') {
    await noteAttempt(context, lease, globalCounter, refusedBy(answer));
    return checkStatus(context, lease, situation);
  }
  if (answer.status === 400 || answer.code === 'RCPT02') {
    const hasUnsigned = receipt.buyerData !== undefined || receipt.userInfo !== undefined;
    return refuse(context, lease, next, answer, hasUnsigned);
  }
  await noteAttempt(context, lease, globalCounter, { ...refusedBy(answer), outcome: 'DeviceRefused' });
  return onDeviceRefusal(context, lease, answer);
}

/**
 * The next receipt. Where its original seems to be on its way, once more after whatever is being written about that is written:
 * if it still is then, its acceptance will find this lane waiting and wake it.
 */
async function readSettledNext(
  { pool, readReceipt }: KeeperContext,
  key: ReceiptKey,
  atHand: NextReceipt | undefined,
): Promise<NextReceipt | undefined> {
  const next = atHand ?? (await readReceipt(key));
  if (next?.foreignOriginal?.isOnItsWay !== true) return next;
  await settledLane(pool, { ...key, deviceId: next.foreignOriginal.deviceId });
  return readReceipt(key);
}

/** Receipts that an operator has passed over are not there to be sent: the lane goes on behind them. */
async function passLost(context: KeeperContext, lease: Lease, globalCounter: number): Promise<StepOutcome> {
  const through = await findLostThrough(context.pool, lease, globalCounter);
  if (through === undefined) throw new Error(`receipt ${globalCounter} of device ${lease.deviceId} is not there`);
  context.poke(await withLease(context, lease, (tx) => advanceLane(tx, lease, through)));
  return CONTINUE;
}

type Refused = Extract<GatewayAnswer<never>, { kind: 'refused' }>;

function refusedBy({ code, status, detail }: Refused): FailedAttempt {
  return { outcome: 'Refused', code: code ?? `HTTP ${status}`, words: detail };
}

async function noteAttempt(
  context: KeeperContext,
  lease: Lease,
  globalCounter: number,
  attempt: FailedAttempt,
): Promise<void> {
  await withLease(context, lease, (tx) => recordAttempt(tx, { ...lease, globalCounter }, attempt, context.clock()));
}

async function accept(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  next: NextReceipt,
  response: SubmitReceiptResponse,
): Promise<StepOutcome> {
  const { globalCounter, reference } = next;
  const { receiptID, serverDate, receiptServerSignature: signature = {} } = response;
  const texts = receiptServerTexts({
    deviceSignature: next.signature.toString('base64'),
    receiptId: receiptID,
    serverDate: serverDate ?? '',
  });
  const isSigned = signature.signature !== undefined && signature.certificateThumbprint !== undefined;
  const isSignatureValid = isSigned ? await context.evidence.judgeSoon({ texts, signature }) : undefined;
  const acceptance: Acceptance = {
    authorityReceiptId: receiptID,
    serverDate,
    serverHash: bytesOf(signature.hash),
    serverSignature: bytesOf(signature.signature),
    thumbprint: signature.certificateThumbprint,
    isSignatureValid,
    remarks: (response.validationErrors ?? []).map(remarkOf),
  };
  const onTaxes = readTaxRemarks(context, lease, situation, next, acceptance.remarks);
  const also = alertsOf(context, lease, situation, next, acceptance, onTaxes?.write);
  const sinceMs = performance.now();
  const { isWoken } = await context.acceptances.record({ ...lease, globalCounter, reference, acceptance, also });
  const { fiscalDayCounter, hash, date } = next;
  const { fiscalDayNumber } = situation.head;
  const wallSeconds = parseWall(date) ?? 0;
  context.acknowledged.note({ ...lease, globalCounter, fiscalDayNumber, fiscalDayCounter, hash, wallSeconds });
  const { remarks } = acceptance;
  const settled: Submission = {
    state: 'Submitted',
    remarks,
    failedAt: undefined,
    error: undefined,
    isLaneFailing: false,
    isWithoutBuyer: next.isWithoutBuyer,
  };
  context.waiters.settle(lease.deviceId, globalCounter, settled);
  if (isSigned && isSignatureValid === undefined) context.evidence.poke();
  return { kind: 'accepted', globalCounter, isWoken: isWoken || onTaxes?.isDoubted === true, sinceMs };
}

function bytesOf(base64: string | undefined): Buffer | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

/** What an acceptance raises and clears; undefined for a plain one. */
function alertsOf(
  { sending }: KeeperContext,
  lease: Lease,
  situation: Situation,
  next: NextReceipt,
  acceptance: Acceptance,
  onTaxes: ((tx: LeasedTransaction) => Promise<void>) | undefined,
) {
  const { remarks, isSignatureValid, serverSignature, thumbprint } = acceptance;
  const { reference } = next;
  const red = remarks.filter((remark) => remark.colour !== 'Yellow');
  const isUnsigned = serverSignature === undefined || thumbprint === undefined;
  const isPlain = red.length === 0 && isSignatureValid !== false && !isUnsigned && situation.lane.unclear.length === 0;
  if (isPlain && next.foreignOriginal === undefined && onTaxes === undefined) return undefined;
  return async (tx: LeasedTransaction) => {
    const day = { ...lease, fiscalDayNumber: situation.head.fiscalDayNumber };
    await clearUnclear(tx, lease, situation, 'SubmitReceipt');
    if (next.foreignOriginal !== undefined) await settle(tx, 'NoteHeldBack', lease, reference);
    if (red.length > 0) {
      const words = red.map((remark) => `${remark.code} ${remark.words}`).join('; ');
      const message = `${reference} was marked ${red[0]?.colour}: ${words}. ${meaningOf(red)}`;
      await raiseForReceipt(tx, 'ReceiptRed', day, reference, message);
    }
    const isBuyerMarked = red.some(({ code }) => code === 'RCPT043') && !next.isWithoutBuyer;
    if (isBuyerMarked && sending.sends.partialBuyers && isPartialBuyer(next.receipt))
      await sending.refuse(tx, reference);
    if (isUnsigned) await noteSignature(tx, day, 'missing', reference);
    else if (isSignatureValid === false) await noteSignature(tx, day, 'invalid', reference);
    await onTaxes?.(tx);
  };
}

function meaningOf(remarks: readonly Remark[]): string {
  const isKnown = remarks.some(({ colour }) => colour === 'Red' || colour === 'Grey');
  return isKnown
    ? 'The day can only be closed by a person at the authority.'
    : 'What this colour means for the day is not known here; its closing is tried as usual.';
}

/** Malformed to the authority, which a retry never fixes. Only the parts that are not signed may be the cause: it is tried once without. */
async function refuse(
  context: KeeperContext,
  lease: Lease,
  next: NextReceipt,
  answer: Refused,
  hasUnsigned: boolean,
): Promise<StepOutcome> {
  const { taxpayerId, deviceId } = lease;
  const { detail } = answer;
  const { globalCounter, reference } = next;
  const key = { taxpayerId, deviceId, globalCounter };
  const now = context.clock();
  if (hasUnsigned) {
    await withLease(context, lease, async (tx) => {
      await dropBuyer(tx, key, detail, now);
      await recordAttempt(tx, key, refusedBy(answer), now);
    });
    return CONTINUE;
  }
  const message = `The authority refused ${reference}: ${detail}`;
  await withLease(context, lease, async (tx) => {
    await recordRefusal(tx, key, 'Refused', message, now);
    await recordAttempt(tx, key, refusedBy(answer), now);
    await setLane(tx, lease, { stoppedReason: message, failedAt: now, error: message });
    const more = `Nothing more of device ${deviceId} is submitted until an operator decides.`;
    await raise(tx, { kind: 'ReceiptRefused', ...lease, what: reference, message: `${message}. ${more}` });
    const data = { Reference: reference, AuthorityDeviceId: deviceId, GlobalCounter: globalCounter, Error: message };
    await recordEvent(tx, { taxpayerId, type: 'receipt.submission_failed', at: now, data });
  });
  context.waiters.releaseDevice(deviceId);
  return CONTINUE;
}

/** The authority must know the original before its note; on another device's lane it may still be on its way. */
async function holdBack(context: KeeperContext, lease: Lease, next: NextReceipt): Promise<StepOutcome> {
  const original = next.foreignOriginal?.reference ?? '';
  const message = `${next.reference} waits for its original ${original}, which the authority does not have yet`;
  const heldSeconds = (context.clock().getTime() - next.sealedAt.getTime()) / 1000;
  if (heldSeconds > HOLD_ALERT_SECONDS) {
    await withLease(context, lease, (tx) =>
      raise(tx, { kind: 'NoteHeldBack', ...lease, what: next.reference, message }),
    );
  }
  return pause(HOLD_SECONDS, message);
}

/** Backoff with jitter, for ever. */
function retrySeconds(failures: number): number {
  return Math.min(30, 2 ** Math.min(failures, 5)) * (0.75 + Math.random() / 2);
}
