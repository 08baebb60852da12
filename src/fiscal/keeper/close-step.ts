import { type DayCounter, dayString, type FdmsCounter, sha256 } from '../../fdms/index.ts';
import { formatFixed } from '../../kernel/decimal.ts';
import type { Lease } from '../core/lease.ts';
import type { Situation } from '../core/next-step.ts';
import { countDay } from '../days/count-day.ts';
import { findDay, recordCloseAttempt, type SignedClose, startClose } from '../days/store.ts';
import { lockHead, setDayState } from '../devices/store.ts';
import { withLease } from '../lanes/lease-store.ts';
import { signText } from '../signing/device-key.ts';
import { findUncloseable } from '../submission/store.ts';
import { ask, identityOf } from './ask-authority.ts';
import { CONTINUE, type KeeperContext, pause, type StepOutcome } from './context.ts';
import { onDeviceRefusal } from './device-refusal.ts';
import { checkStatus, closeFailed } from './status-step.ts';

const ASK_AGAIN_SECONDS = 5;

/** Under the head lock: what is sealed before this is in the counters, and nothing is sealed after it. */
export async function startClosing(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  reason: string,
): Promise<StepOutcome> {
  const { taxpayerId, deviceId } = lease;
  await withLease(context, lease, async (tx) => {
    const head = await lockHead(tx, taxpayerId, deviceId);
    if (head?.dayState !== 'Opened' && head?.dayState !== 'CloseFailed') return;
    await setDayState(tx, taxpayerId, deviceId, 'Closing');
    await startClose(tx, { taxpayerId, deviceId, fiscalDayNumber: situation.head.fiscalDayNumber }, reason);
  });
  context.log.info({ deviceId, fiscalDayNumber: situation.head.fiscalDayNumber, reason }, 'closing the fiscal day');
  return CONTINUE;
}

/** Every receipt is with the authority: count, sign, write down what will be sent, and only then send it. */
export async function closeStep(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  const { taxpayerId, deviceId } = lease;
  const { head, device } = situation;
  const uncloseable = await findUncloseable(context.pool, lease, head.fiscalDayNumber);
  if (uncloseable.length > 0) {
    // What is grey waits for a receipt before it; what is red stays so.
    const isRed = uncloseable.some(({ colour }) => colour === 'Red');
    return closeFailed(context, lease, situation, isRed ? 'ReceiptsWithValidationErrors' : 'MissingReceipts');
  }

  const key = { taxpayerId, deviceId, fiscalDayNumber: head.fiscalDayNumber };
  const day = await findDay(context.pool, key);
  if (day === undefined) throw new Error(`day ${head.fiscalDayNumber} of device ${deviceId} was never begun`);
  const { privateKey } = await context.devices.at(context.pool, taxpayerId, deviceId, device.revision);
  const close = await withLease(context, lease, async (tx): Promise<SignedClose> => {
    const counters = await countDay(tx, head);
    const fiscalDayDate = day.openedWall.slice(0, 10);
    const text = dayString({ deviceId, fiscalDayNumber: head.fiscalDayNumber, fiscalDayDate, counters });
    const hash = sha256(text);
    // The same closing keeps its signature (an ECDSA one would differ each time): should the one that was taken for lost
    // arrive after all, the authority signs over what is kept here.
    const isSame = day.keyVersion === device.keyVersion && day.deviceHash?.equals(hash) === true;
    const signature = isSame ? day.deviceSignature : null;
    const signed: SignedClose = {
      counters,
      receiptCount: head.fiscalDayCounter,
      hash,
      signature: signature ?? (await signText(privateKey, text)),
      keyVersion: device.keyVersion,
    };
    await recordCloseAttempt(tx, key, signed, context.clock());
    return signed;
  });
  return send(context, lease, situation, close);
}

async function send(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
  close: SignedClose,
): Promise<StepOutcome> {
  const identity = await identityOf(context, situation.device);
  const answer = await ask(context, lease, () =>
    context.gateway.closeDay(identity, {
      fiscalDayNo: situation.head.fiscalDayNumber,
      fiscalDayCounters: close.counters.map(wireCounter),
      fiscalDayDeviceSignature: { hash: close.hash.toString('base64'), signature: close.signature.toString('base64') },
      receiptCounter: close.receiptCount,
    }),
  );
  // Whether it arrived is found out by the next step, which asks for the day's status.
  if (answer.kind === 'unavailable') return pause(ASK_AGAIN_SECONDS, answer.reason, true);
  if (answer.kind === 'answered' || answer.code === 'FISC03') return initiated(context, lease);
  if (answer.code === 'FISC04') return checkStatus(context, lease, situation);
  if (answer.code?.startsWith('DEV') || answer.status === 401 || answer.status === 403) {
    return onDeviceRefusal(context, lease, answer);
  }
  return closeFailed(context, lease, situation, `Refused: ${answer.detail}`);
}

async function initiated(context: KeeperContext, lease: Lease): Promise<StepOutcome> {
  await withLease(context, lease, async (tx) => {
    const head = await lockHead(tx, lease.taxpayerId, lease.deviceId);
    if (head?.dayState === 'Closing') await setDayState(tx, lease.taxpayerId, lease.deviceId, 'CloseInitiated');
  });
  return CONTINUE;
}

function wireCounter(counter: DayCounter): FdmsCounter {
  const common = {
    fiscalCounterType: counter.type,
    fiscalCounterCurrency: counter.currency,
    fiscalCounterValue: formatFixed(counter.value, 2),
  };
  if (counter.type === 'BalanceByMoneyType') return { ...common, fiscalCounterMoneyType: counter.moneyType };
  return {
    ...common,
    fiscalCounterTaxID: counter.taxId,
    ...(counter.taxPercent === null ? {} : { fiscalCounterTaxPercent: formatFixed(counter.taxPercent, 2) }),
  };
}
