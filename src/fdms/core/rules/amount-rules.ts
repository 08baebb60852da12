import { add, type Decimal, equals, hasMoreWholeDigits, signOf, sum } from '../../../kernel/decimal.ts';
import type { Receipt } from '../receipt.ts';
import { cents, centsHint, floatHint, money, type Report } from './report.ts';

/** decimal(19,2): the largest the authority's counters hold. */
const AMOUNT_WHOLE_DIGITS = 17;

/** The receipt's own total: its decimals, its sign, its size and the three sums it must equal (RCPT019, 037, 038, 040). */
export function checkTotal(receipt: Receipt, report: Report): void {
  const given = receipt.TotalAmount;
  if (given.scale > 2) {
    const message = `TotalAmount has at most 2 decimals, got ${money(given)}${floatHint(given)}`;
    report('TotalAmount', 'RCPT040', message);
  }
  checkSign(receipt, given, 'TotalAmount', 'RCPT040', report);
  checkSize(given, 'TotalAmount', report);

  const total = cents(given);
  const lines = sum(receipt.ReceiptLines.map((line) => cents(line.LineTotal)));
  if (receipt.ReceiptLinesTaxInclusive) {
    if (!equals(total, lines)) {
      report(
        'TotalAmount',
        'RCPT019',
        `TotalAmount must be the sum of all LineTotal, ${money(lines)}, got ${money(total)}${centsHint(lines, total)}`,
      );
    }
  } else {
    const expected = add(lines, sum(receipt.Taxes.map((tax) => cents(tax.TaxAmount))));
    if (!equals(total, expected)) {
      report(
        'TotalAmount',
        'RCPT037',
        `TotalAmount must be the sum of all LineTotal and TaxAmount, ${money(expected)}, got ${money(total)}${centsHint(expected, total)}`,
      );
    }
  }
  const sales = sum(receipt.Taxes.map((tax) => cents(tax.SalesAmountWithTax)));
  if (!equals(total, sales)) {
    report(
      'TotalAmount',
      'RCPT038',
      `TotalAmount must be the sum of all SalesAmountWithTax, ${money(sales)}, got ${money(total)}${centsHint(sales, total)}`,
    );
  }
}

export function checkSign(
  receipt: Receipt,
  amount: Decimal,
  field: string,
  code: 'RCPT040' | 'RCPT028',
  report: Report,
): void {
  const name = field.slice(field.lastIndexOf('.') + 1);
  if (receipt.Type === 'CreditNote') {
    if (signOf(amount) > 0) report(field, code, `${name} of a CreditNote must be 0 or less, got ${money(amount)}`);
  } else if (signOf(amount) < 0) {
    report(field, code, `${name} must be 0 or more (only a CreditNote is negative), got ${money(amount)}`);
  }
}

export function checkSize(amount: Decimal, field: string, report: Report): void {
  if (hasMoreWholeDigits(amount, AMOUNT_WHOLE_DIGITS)) {
    report(field, 'TooLarge', `has more than ${AMOUNT_WHOLE_DIGITS} digits before the decimal point`);
  }
}
