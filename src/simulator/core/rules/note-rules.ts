/** RCPT015, 029, 032–036, 042: credit and debit notes against the invoice they refer to. */
import type { FdmsReceiptType } from '../../../fdms/index.ts';
import { add, type Decimal, signOf, sum } from '../../../kernel/decimal.ts';
import { formatWall } from '../../../kernel/zone.ts';
import type { OriginalReference, SubmittedReceipt, TaxIdentity } from '../receipt.ts';
import type { RemarkCode } from '../remarks.ts';
import { isOneOf } from './tax-rules.ts';

/** The receipt a note refers to, of the same taxpayer, and what other notes have already taken from it or added. */
export interface Original {
  readonly type: FdmsReceiptType;
  readonly currency: string;
  readonly date: number;
  readonly total: Decimal;
  readonly taxes: readonly TaxIdentity[];
  readonly noteTotals: readonly Decimal[];
}

export function noteRules(receipt: SubmittedReceipt, original: Original | undefined): RemarkCode[] {
  if (receipt.type === 'FiscalInvoice') return receipt.creditDebitNote ? ['RCPT029'] : [];
  const found: RemarkCode[] = [];
  if (receipt.notes === undefined) found.push('RCPT034');
  if (!isReference(receipt.creditDebitNote)) found.push('RCPT015');
  if (original?.type !== 'FiscalInvoice') return [...found, 'RCPT032'];

  if (original.date < twelveMonthsBefore(receipt.date)) found.push('RCPT033');
  if (original.currency !== receipt.currency) found.push('RCPT042');
  if (![...receipt.lines, ...receipt.taxes].every((tax) => isOneOf(tax, original.taxes))) found.push('RCPT036');
  // Credit notes are negative and debit notes positive, so a plain sum is what is left of the invoice.
  const left = add(sum([original.total, ...original.noteTotals]), receipt.total);
  if (receipt.type === 'CreditNote' && signOf(left) < 0) found.push('RCPT035');
  return found;
}

function isReference(reference: OriginalReference | undefined): boolean {
  if (reference === undefined) return false;
  return reference.receiptId !== undefined || (reference.deviceId !== undefined && reference.globalNo !== undefined);
}

/** The same day and time a year earlier; 29 February counts as the 28th. */
function twelveMonthsBefore(date: number): number {
  const text = formatWall(date);
  const year = Number(text.slice(0, 4)) - 1;
  const monthAndDay = text.slice(4, 10) === '-02-29' ? '-02-28' : text.slice(4, 10);
  return Date.parse(`${year}${monthAndDay}${text.slice(10)}Z`) / 1000;
}
