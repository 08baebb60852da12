import { type Decimal, decimal, equals, formatDecimal } from '../../kernel/decimal.ts';
import type { Payment, PaymentRequest } from './payment.ts';

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
  const compareEach = <Before, Now>(
    field: string,
    before: readonly Before[],
    now: readonly Now[],
    compareAt: (at: string, before: Before, now: Now) => void,
  ) => {
    if (before.length !== now.length)
      found.push({ field, recorded: `${before.length} entries`, sent: `${now.length} entries` });
    else for (const [index, one] of now.entries()) compareAt(`${field}[${index}]`, before[index] as Before, one);
  };
  compare('BillerCode', recorded.billerCode, sent.billerCode);
  compare('MemberNumber', recorded.memberNumber, sent.memberNumber);
  compare('MemberName', recorded.memberName, sent.memberName);
  compare('Currency', recorded.currency, sent.currency);
  compareAmounts('Amount', recorded.amount, sent.amount);
  compare('PaymentType', recorded.paymentType, sent.paymentType);
  compareEach('Products', recorded.products, sent.products, (at, before, now) => {
    compare(`${at}.Code`, before.code, now.code);
    compareAmounts(`${at}.Quantity`, decimal(String(before.quantity)), now.quantity);
    if (now.price !== undefined) compareAmounts(`${at}.Price`, before.price, now.price);
  });
  compareEach('MetaData', recorded.metaData, sent.metaData, (at, before, now) => {
    compare(`${at}.Key`, before.Key, now.Key);
    compare(`${at}.Value`, before.Value, now.Value);
  });
  return found;
}
