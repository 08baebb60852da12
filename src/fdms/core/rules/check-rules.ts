import { PRINT_FORMS, RECEIPT_TYPES } from '../../../contract/fiscal/receipt-body.ts';
import { canonicalCurrency, isCurrentCurrency } from '../../../kernel/currency.ts';
import type { Violation } from '../../../kernel/refusal.ts';
import type { TaxRounding } from '../../../kernel/tax.ts';
import type { Receipt } from '../receipt.ts';
import { checkTotal } from './amount-rules.ts';
import { checkBuyer } from './buyer-rules.ts';
import { checkLines } from './line-rules.ts';
import { checkNoteFields } from './note-rules.ts';
import { checkPayments } from './payment-rules.ts';
import { gather, type Report } from './report.ts';
import { checkTaxes } from './tax-rules.ts';
import { checkLength, checkOneOf } from './text-rules.ts';

/**
 * Every rule that needs no device, no day and no other receipt (docs/signing.md, "The rules"), all in one pass: the answer
 * names everything that is wrong, not only the first thing.
 */
export function checkRules(
  receipt: Receipt,
  currencies: readonly string[] | undefined,
  wrongPercents?: ReadonlySet<string>,
  rounding?: TaxRounding,
): Violation[] {
  return gather((report) => {
    checkHeader(receipt, currencies, report);
    checkTotal(receipt, report);
    checkLines(receipt, report);
    checkTaxes(receipt, report, wrongPercents, rounding);
    checkPayments(receipt, report);
    checkNoteFields(receipt, report);
    checkBuyer(receipt, report);
  });
}

function checkHeader(receipt: Receipt, currencies: readonly string[] | undefined, report: Report): void {
  checkOneOf('Type', receipt.Type, RECEIPT_TYPES, report);
  checkOneOf('ReceiptPrintForm', receipt.ReceiptPrintForm, PRINT_FORMS, report);
  checkCurrency(receipt.Currency, currencies, report);
  checkReference(receipt.Reference, report);
  checkLength('Cashier', receipt.Cashier, 20, report);
  if (receipt.Date.wallSeconds === undefined) {
    report(
      'Date',
      'Malformed',
      'Date must be an existing date and time such as 2026-03-14T09:26:53, optionally with Z or an offset such as +02:00',
    );
  }
}

function checkCurrency(currency: string, currencies: readonly string[] | undefined, report: Report): void {
  if (currencies !== undefined && !currencies.includes(currency)) {
    report('Currency', 'RCPT010', `Currency must be one of ${currencies.join(', ')}`);
  } else if (!isCurrentCurrency(currency)) {
    const upper = canonicalCurrency(currency.toUpperCase());
    const hint =
      currency === 'ZWL' ? ': ZWG has replaced ZWL' : isCurrentCurrency(upper) ? `: did you mean ${upper}?` : '';
    report('Currency', 'RCPT010', `Currency must be a current ISO 4217 code in upper case, such as USD or ZWG${hint}`);
  }
}

function checkReference(reference: string, report: Report): void {
  if (reference.trim() === '') report('Reference', 'Malformed', 'Reference must not be empty');
  else if (/\p{Cc}/u.test(reference)) report('Reference', 'Malformed', 'Reference must not contain control characters');
  checkLength('Reference', reference, 50, report);
}
