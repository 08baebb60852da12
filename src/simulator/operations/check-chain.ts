/** Finds a receipt's place among those the authority holds, and looks again at those that waited for it. */

import type { SubmittedReceipt } from '../core/receipt.ts';
import { CHAIN_CODES, distinct, type Remark } from '../core/remarks.ts';
import { type ChainPlace, chainRules } from '../core/rules/chain-rules.ts';
import type { Authority } from '../state/authority.ts';
import { listDays } from '../store/days.ts';
import {
  changeRemarks,
  firstOfDay,
  isCounterTaken,
  lastBeforeDay,
  receiptsByNumber,
  type StoredReceipt,
} from '../store/receipts.ts';

type ChainedReceipt = Pick<
  SubmittedReceipt,
  'type' | 'currency' | 'counter' | 'globalNo' | 'date' | 'total' | 'taxes' | 'signature'
> & { readonly receiptId?: number };

export function checkChain(
  authority: Authority,
  deviceId: number,
  dayNo: number,
  receipt: ChainedReceipt,
  certificateId: number,
): Remark[] {
  return chainRules(receipt, findPlace(authority, deviceId, dayNo, receipt), {
    deviceId,
    dayNo,
    key: authority.deviceKeys.keyOf(certificateId),
    minimumGapSeconds: authority.switches().minimumGapSeconds,
  });
}

/** A receipt that has just come may be what later ones of its day were waiting for. */
export function revalidateSuccessors(authority: Authority, arrived: StoredReceipt): void {
  const { db } = authority;
  const { deviceId, dayNo } = arrived;
  for (const waiting of receiptsByNumber(db, deviceId, arrived.globalNo + 1)) {
    const isWaiting = waiting.remarks.some(({ colour, isForced }) => colour === 'Grey' && !isForced);
    if (waiting.dayNo !== dayNo || !isWaiting) continue;
    const { hash, signature, certificateId } = waiting;
    const chained = { ...waiting, signature: { hash, signature } };
    const others = waiting.remarks.filter(({ code, isForced }) => isForced || !isChainCode(code));
    const remarks = distinct([...others, ...checkChain(authority, deviceId, dayNo, chained, certificateId)]);
    changeRemarks(db, waiting.receiptId, remarks);
  }
}

function findPlace(authority: Authority, deviceId: number, dayNo: number, receipt: ChainedReceipt): ChainPlace {
  const { db } = authority;
  const isOther = (held: StoredReceipt) => held.receiptId !== receipt.receiptId;
  const cameBefore = (held: StoredReceipt) => isOther(held) && held.receiptId < (receipt.receiptId ?? Infinity);
  const inDay = receiptsByNumber(db, deviceId, receipt.globalNo - 1).filter((held) => held.dayNo === dayNo);
  const taken = receiptsByNumber(db, deviceId, receipt.globalNo).some(
    (held) => held.dayNo === dayNo && cameBefore(held),
  );
  const counterHolder = isCounterTaken(db, deviceId, dayNo, receipt.counter, receipt.receiptId);
  const place = { isNumberTaken: taken, isCounterTaken: counterHolder };
  if (inDay.length > 0) return { ...place, previous: inDay, isStart: false, isPreviousMissing: false };

  // Not in this day: then it is the first of its day, follows what ended the days before, or starts again at 1.
  const last = lastBeforeDay(db, deviceId, dayNo);
  if (last && receipt.globalNo === last.globalNo + 1) {
    return { ...place, previous: [last], isStart: false, isPreviousMissing: false };
  }
  if (receipt.globalNo === 1) {
    const first = firstOfDay(db, deviceId, dayNo);
    const isRestartInDay = first !== undefined && cameBefore(first);
    return { previous: [], isStart: !isRestartInDay, isPreviousMissing: false, ...place };
  }
  const isBehind = receipt.globalNo < 1 || (last !== undefined && receipt.globalNo <= last.globalNo);
  if (isBehind) return { ...place, previous: [], isStart: false, isPreviousMissing: false, isNumberTaken: true };
  const isSettled = receipt.counter === 1 && areGapsSettled(authority, deviceId, dayNo);
  return { ...place, previous: last && isSettled ? [last] : [], isStart: isSettled, isPreviousMissing: !isSettled };
}

function areGapsSettled(authority: Authority, deviceId: number, dayNo: number): boolean {
  if (!authority.switches().doesManualCloseSettleGaps) return false;
  return listDays(authority.db, deviceId).some((day) => day.dayNo === dayNo - 1 && day.mode === 'Manual');
}

function isChainCode(code: string): boolean {
  return CHAIN_CODES.some((chainCode) => chainCode === code);
}
