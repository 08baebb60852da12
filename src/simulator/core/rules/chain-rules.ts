/** RCPT011, 012, 020, 030: a receipt against the one before it. All four are grey while that one is missing. */
import type { KeyObject } from 'node:crypto';
import type { SubmittedReceipt } from '../receipt.ts';
import { CHAIN_CODES, greyRemark, type Remark, type RemarkCode, remark } from '../remarks.ts';
import { isSignedWith } from '../signature.ts';
import { receiptString } from '../signed-string.ts';

export interface ChainLink {
  readonly dayNo: number;
  readonly counter: number;
  readonly date: number;
  readonly hash: string;
}

/** What the authority holds around the number of a receipt. */
export interface ChainPlace {
  /** The receipt with the number before; several when a device used that number twice. */
  readonly previous: readonly ChainLink[];
  /** It has the first number of all, or one that follows days which were settled by hand. */
  readonly isStart: boolean;
  /** The number before is still free and may still arrive. */
  readonly isPreviousMissing: boolean;
  /** Another receipt already has this number, or numbers have gone further on. */
  readonly isNumberTaken: boolean;
  readonly isCounterTaken: boolean;
}

export interface ChainContext {
  readonly deviceId: number;
  readonly dayNo: number;
  readonly key: KeyObject;
  readonly minimumGapSeconds: number;
}

type SignedReceipt = Pick<
  SubmittedReceipt,
  'type' | 'currency' | 'counter' | 'globalNo' | 'date' | 'total' | 'taxes' | 'signature'
>;

export function chainRules(receipt: SignedReceipt, place: ChainPlace, context: ChainContext): Remark[] {
  if (place.isPreviousMissing) return CHAIN_CODES.map(greyRemark);
  const isValidAfter = (previous: ChainLink | undefined) => {
    // The hash chain lives inside one day, although numbers run on.
    const hash = previous?.dayNo === context.dayNo ? previous.hash : undefined;
    return isSignedWith(context.key, receiptString(context.deviceId, receipt, hash), receipt.signature);
  };
  const candidates = place.previous.length === 0 ? [undefined] : place.previous;
  const validIndex = candidates.findIndex(isValidAfter);
  const previous = candidates.at(validIndex);
  const expectedCounter = previous?.dayNo === context.dayNo ? previous.counter + 1 : 1;

  const found: RemarkCode[] = [];
  if (receipt.counter !== expectedCounter || place.isCounterTaken) found.push('RCPT011');
  if (place.isNumberTaken || (previous === undefined && !place.isStart)) found.push('RCPT012');
  if (validIndex === -1) found.push('RCPT020');
  if (previous !== undefined && receipt.date < previous.date + context.minimumGapSeconds) found.push('RCPT030');
  return found.map(remark);
}
