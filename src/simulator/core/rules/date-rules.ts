/** RCPT014, 031, 041: a receipt's date against its day and the authority's clock. All yellow: the day still closes. */
import type { SubmittedReceipt } from '../receipt.ts';
import type { RemarkCode } from '../remarks.ts';

export interface DateContext {
  readonly openedAt: number;
  readonly now: number;
  readonly dayMaxHours: number;
  readonly openingAllowanceSeconds: number;
  readonly futureAllowanceSeconds: number;
  readonly dayEndAllowanceSeconds: number;
}

export function dateRules({ date }: SubmittedReceipt, context: DateContext): RemarkCode[] {
  const dayEnd = context.openedAt + context.dayMaxHours * 3600;
  const found: RemarkCode[] = [];
  // The rule says "later than", its message "earlier than": the very second of the opening passes.
  if (date < context.openedAt - context.openingAllowanceSeconds) found.push('RCPT014');
  if (date > context.now + context.futureAllowanceSeconds) found.push('RCPT031');
  if (date > dayEnd + context.dayEndAllowanceSeconds) found.push('RCPT041');
  return found;
}
