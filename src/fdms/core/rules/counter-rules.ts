import { add, type Decimal, hasMoreWholeDigits, sum } from '../../../kernel/decimal.ts';
import { counterKey, countReceipts, type DayCounter, type MoneyType } from '../day-counters.ts';
import type { Receipt } from '../receipt.ts';
import type { ReceiptType, SealedTax } from '../signing-string.ts';
import type { Report } from './report.ts';

/** The authority's day counters are decimal(19,2). */
export function fitsCounter(value: Decimal): boolean {
  return !hasMoreWholeDigits(value, 17);
}

/** A day with a counter that does not fit could never be closed: the receipt that would do it is refused. */
export function checkCounters(
  receipt: Receipt,
  taxes: readonly SealedTax[],
  dayCounters: readonly DayCounter[],
  report: Report,
): void {
  for (const counter of countReceipts([countedReceipt(receipt, taxes)])) {
    const same = dayCounters.filter((known) => counterKey(known) === counterKey(counter));
    const value = add(counter.value, sum(same.map((known) => known.value)));
    if (!fitsCounter(value)) {
      report(
        'TotalAmount',
        'TooLarge',
        `would take the day's counter ${counter.type} ${counter.currency} beyond 17 digits before the decimal point`,
      );
      return;
    }
  }
}

export function countedReceipt(receipt: Receipt, taxes: readonly SealedTax[]) {
  // The rules have passed.
  const payments = receipt.Payments.map(({ Type, Amount }) => ({ moneyType: Type as MoneyType, amount: Amount }));
  return { type: receipt.Type as ReceiptType, currency: receipt.Currency, taxes, payments };
}
