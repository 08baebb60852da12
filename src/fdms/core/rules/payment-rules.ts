import { MAX_PAYMENTS } from '../../../contract/fiscal/receipt-body.ts';
import { PAYMENT_TYPES } from '../../../contract/shared/values.ts';
import { equals, sum } from '../../../kernel/decimal.ts';
import type { Receipt } from '../receipt.ts';
import { checkSign, checkSize } from './amount-rules.ts';
import { cents, centsHint, floatHint, money, type Report } from './report.ts';
import { checkOneOf } from './text-rules.ts';

/** The payments: RCPT018, 028, 039. */
export function checkPayments(receipt: Receipt, report: Report): void {
  const payments = receipt.Payments;
  const total = cents(receipt.TotalAmount);
  if (payments.length === 0) {
    const example = `[{ "Type": "Cash", "Amount": ${money(total)} }]`;
    report('Payments', 'RCPT018', `at least one payment is needed, also on credit and debit notes, such as ${example}`);
  }
  if (payments.length > MAX_PAYMENTS) {
    report('Payments', 'TooMany', `at most ${MAX_PAYMENTS} payments, got ${payments.length}`);
  }
  for (const [index, payment] of payments.entries()) {
    const at = `Payments[${index}]`;
    checkOneOf(`${at}.Type`, payment.Type, PAYMENT_TYPES, report, meantType);
    checkSign(receipt, payment.Amount, `${at}.Amount`, 'RCPT028', report);
    checkSize(payment.Amount, `${at}.Amount`, report);
    if (payment.Amount.scale > 2) {
      report(`${at}.Amount`, 'TooManyDecimals', `has more than 2 decimals${floatHint(payment.Amount)}`);
    }
  }
  const paid = sum(payments.map((payment) => cents(payment.Amount)));
  if (!equals(paid, total)) {
    report(
      'Payments',
      'RCPT039',
      `the payments must add up to TotalAmount, ${money(total)}, got ${money(paid)}${centsHint(total, paid) || '; cash is counted without change'}`,
    );
  }
}

/** What people call their money, by the authority's type of it. */
const MEANT: readonly (readonly [RegExp, (typeof PAYMENT_TYPES)[number]])[] = [
  [/eco ?cash|one ?money|tele ?cash|inn ?bucks|o.?mari|my ?cash|mobile|wallet/i, 'MobileWallet'],
  [/swipe|visa|master|zimswitch|card/i, 'Card'],
  [/transfer|rtgs|zipit|eft|bank/i, 'BankTransfer'],
  [/cash/i, 'Cash'],
];

function meantType(type: string): string | undefined {
  return MEANT.find(([pattern]) => pattern.test(type))?.[1];
}
