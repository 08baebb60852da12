import { type Decimal, equals, formatDecimal } from '../../kernel/decimal.ts';
import type { KeyValue, Payment, PaymentRequest } from './payment.ts';

/** A field in which a request differs from the payment of the same reference, with both values as text for a person. */
export interface PaymentDifference {
  readonly field: string;
  readonly recorded: string;
  readonly sent: string;
}

type Recorded = Pick<
  Payment,
  'billerCode' | 'memberNumber' | 'memberName' | 'currency' | 'amount' | 'products' | 'paymentType' | 'metaData'
>;

/**
 * No difference means that the request is a retry. Numbers are compared by value (`10` is `10.00`). A price that is not sent
 * agrees with the one that was recorded: it was the biller's own, also if the biller has changed it since.
 */
export function differencesOf(recorded: Recorded, sent: PaymentRequest): PaymentDifference[] {
  const found: PaymentDifference[] = [];
  const compare = (field: string, before: string | undefined, now: string | undefined) => {
    if (before !== now) found.push({ field, recorded: before ?? 'absent', sent: now ?? 'absent' });
  };
  const compareAmounts = (field: string, before: Decimal, now: Decimal) => {
    if (!equals(before, now)) found.push({ field, recorded: formatDecimal(before), sent: formatDecimal(now) });
  };
  compare('BillerCode', recorded.billerCode, sent.billerCode);
  compare('MemberNumber', recorded.memberNumber, sent.memberNumber);
  compare('MemberName', recorded.memberName, sent.memberName);
  compare('Currency', recorded.currency, sent.currency);
  compareAmounts('Amount', recorded.amount, sent.amount);
  compare('PaymentType', recorded.paymentType, sent.paymentType);
  if (compareLengths('Products', recorded.products, sent.products, found)) {
    for (const [index, before] of recorded.products.entries()) {
      const now = sent.products[index];
      compare(`Products[${index}].Code`, before.code, now?.code);
      compare(`Products[${index}].Quantity`, String(before.quantity), String(now?.quantity));
      if (now?.price !== undefined) compareAmounts(`Products[${index}].Price`, before.price, now.price);
    }
  }
  if (compareLengths('MetaData', recorded.metaData, sent.metaData, found)) {
    const at = (list: readonly KeyValue[], index: number) => list[index] ?? { Key: '', Value: '' };
    for (const [index, before] of recorded.metaData.entries()) {
      compare(`MetaData[${index}].Key`, before.Key, at(sent.metaData, index).Key);
      compare(`MetaData[${index}].Value`, before.Value, at(sent.metaData, index).Value);
    }
  }
  return found;
}

function compareLengths(
  field: string,
  before: readonly unknown[],
  now: readonly unknown[],
  found: PaymentDifference[],
): boolean {
  if (before.length === now.length) return true;
  found.push({ field, recorded: `${before.length} entries`, sent: `${now.length} entries` });
  return false;
}
