/**
 * Proves a device's chain: specification §13.2.1. Each receipt of a fiscal day is sealed over the hash of the one before, the first
 * of a day over none, while the global counter runs on from day to day.
 *
 * Everything is computed again from the receipts' fields; the stored hashes are only compared. Cutting off the last
 * receipts leaves a shorter chain that is whole in itself, so the head has to be known from elsewhere to notice it.
 *
 * What the protocol does not sign this cannot prove: lines, payments and buyer; taxIDs as long as their order stays; the
 * number of a fiscal day as long as days stay in order. And because the string has no separators, digits moved from the end
 * of one amount to the start of the next leave it the same.
 */
import type { KeyObject } from 'node:crypto';
import { sha256 } from '../../../src/fdms/core/hash.ts';
import { verifyText } from '../../../src/fdms/core/signature.ts';
import { type SigningInput, signingString } from '../../../src/fdms/core/signing-string.ts';

/** A receipt as it was sealed; `previousHash` is the stored one. */
export interface ChainReceipt extends SigningInput {
  readonly fiscalDayNumber: number;
  readonly fiscalDayCounter: number;
  readonly hash: Buffer;
  readonly signature: Buffer;
}

export interface ChainHead {
  readonly globalCounter: number;
  readonly hash: Buffer;
}

/** What is known about the chain apart from its receipts. */
export interface ChainExpectation {
  readonly deviceId: number;
  /** The counter of the first receipt, which has to be the first of its fiscal day: 1, unless history was adopted. */
  readonly firstGlobalCounter: number;
  /** `undefined` where no head is known: then a missing end is not looked for. */
  readonly head: ChainHead | undefined;
  /** All keys the device ever had: a certificate may be renewed with a new one. */
  readonly publicKeys: readonly KeyObject[];
}

export type ChainFault =
  | 'another-device'
  | 'gap-in-global-counter'
  | 'day-out-of-order'
  | 'gap-in-day-counter'
  | 'malformed-date'
  | 'date-not-increasing'
  | 'first-of-day-with-previous-hash'
  | 'wrong-link'
  | 'wrong-hash'
  | 'bad-signature'
  | 'end-missing'
  | 'beyond-head'
  | 'wrong-head';

export type ChainVerdict =
  | { readonly holds: true; readonly count: number }
  | {
      readonly holds: false;
      readonly fault: ChainFault;
      /** The counter at which the chain breaks: the one that was expected there. */
      readonly globalCounter: number;
      /** For a person. */
      readonly detail: string;
    };

const LOCAL_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** The first thing that does not hold, or the number of receipts proven. About 100 µs a receipt, nearly all signature. */
export function verifyChain(receipts: Iterable<ChainReceipt>, expected: ChainExpectation): ChainVerdict {
  let previous: ChainReceipt | undefined;
  let count = 0;
  for (const receipt of receipts) {
    const globalCounter = expected.firstGlobalCounter + count;
    const broken =
      brokenOrder(receipt, previous, globalCounter, expected) ??
      brokenLink(receipt, previous) ??
      brokenSeal(receipt, expected.publicKeys);
    if (broken !== undefined) return { holds: false, globalCounter, fault: broken[0], detail: broken[1] };
    previous = receipt;
    count += 1;
  }
  return brokenEnd(previous, expected) ?? { holds: true, count };
}

type Broken = readonly [ChainFault, string];

/** Device, counters and date: what has to follow from the receipt before. */
function brokenOrder(
  receipt: ChainReceipt,
  previous: ChainReceipt | undefined,
  globalCounter: number,
  expected: ChainExpectation,
): Broken | undefined {
  if (receipt.deviceId !== expected.deviceId) {
    return ['another-device', `the receipt is of device ${receipt.deviceId}, not ${expected.deviceId}`];
  }
  if (receipt.globalCounter !== globalCounter) {
    return ['gap-in-global-counter', `global counter ${globalCounter} is expected, ${receipt.globalCounter} follows`];
  }
  if (previous !== undefined && receipt.fiscalDayNumber < previous.fiscalDayNumber) {
    return ['day-out-of-order', `fiscal day ${receipt.fiscalDayNumber} follows day ${previous.fiscalDayNumber}`];
  }
  const dayCounter = previous?.fiscalDayNumber === receipt.fiscalDayNumber ? previous.fiscalDayCounter + 1 : 1;
  if (receipt.fiscalDayCounter !== dayCounter) {
    return ['gap-in-day-counter', `day counter ${dayCounter} is expected, ${receipt.fiscalDayCounter} follows`];
  }
  if (!LOCAL_DATE.test(receipt.date)) return ['malformed-date', `${receipt.date} is not YYYY-MM-DDTHH:mm:ss`];
  if (previous !== undefined && receipt.date <= previous.date) {
    return ['date-not-increasing', `${receipt.date} is not later than ${previous.date} of the receipt before`];
  }
  return undefined;
}

function brokenLink(receipt: ChainReceipt, previous: ChainReceipt | undefined): Broken | undefined {
  if (receipt.fiscalDayCounter === 1) {
    if (receipt.previousHash === undefined) return undefined;
    return ['first-of-day-with-previous-hash', `day ${receipt.fiscalDayNumber} begins with a previous hash`];
  }
  if (receipt.previousHash !== undefined && previous?.hash.equals(receipt.previousHash)) return undefined;
  return ['wrong-link', 'the previous hash is not the hash of the receipt before'];
}

function brokenSeal(receipt: ChainReceipt, publicKeys: readonly KeyObject[]): Broken | undefined {
  const text = signingString(receipt);
  if (!sha256(text).equals(receipt.hash)) return ['wrong-hash', 'the fields give another hash than the stored one'];
  if (publicKeys.some((key) => verifyText(key, text, receipt.signature))) return undefined;
  return ['bad-signature', "the signature was not made with one of the device's keys"];
}

function brokenEnd(last: ChainReceipt | undefined, expected: ChainExpectation): ChainVerdict | undefined {
  const { head, firstGlobalCounter } = expected;
  if (head === undefined) return undefined;
  const lastCounter = last?.globalCounter ?? firstGlobalCounter - 1;
  if (lastCounter < head.globalCounter) {
    const detail = `the chain ends at ${lastCounter}, the head is at ${head.globalCounter}`;
    return { holds: false, fault: 'end-missing', globalCounter: lastCounter + 1, detail };
  }
  if (lastCounter > head.globalCounter) {
    const detail = `the chain goes on to ${lastCounter}, the head is at ${head.globalCounter}`;
    return { holds: false, fault: 'beyond-head', globalCounter: head.globalCounter + 1, detail };
  }
  if (last === undefined || last.hash.equals(head.hash)) return undefined;
  const detail = 'the hash of the last receipt is not the hash of the head';
  return { holds: false, fault: 'wrong-head', globalCounter: lastCounter, detail };
}
