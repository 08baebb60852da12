import type { SubmittedReceipt } from '../receipt.ts';
import { distinct, type Remark, remark } from '../remarks.ts';
import { amountRules } from './amount-rules.ts';
import { type DateContext, dateRules } from './date-rules.ts';
import { type LineContext, lineRules } from './line-rules.ts';
import { noteRules, type Original } from './note-rules.ts';
import { type TaxContext, taxRules } from './tax-rules.ts';

export interface CheckContext extends LineContext, DateContext, Omit<TaxContext, 'originalTaxes'> {
  readonly isInvoiceNoTaken: boolean;
  readonly original: Original | undefined;
}

/** Every rule that does not need the receipt before this one. */
export function checkReceipt(receipt: SubmittedReceipt, context: CheckContext): Remark[] {
  const originalTaxes = receipt.type === 'FiscalInvoice' ? [] : (context.original?.taxes ?? []);
  const found = [
    ...amountRules(receipt),
    ...lineRules(receipt, context),
    ...taxRules(receipt, { ...context, originalTaxes }),
    ...dateRules(receipt, context),
    ...noteRules(receipt, context.original),
  ];
  if (context.isInvoiceNoTaken) found.push('RCPT013');
  return distinct(found.map(remark));
}
