/**
 * The authority's validation errors: specification §8.2.1. A receipt with some is still accepted. Red ones keep the device from closing the
 * day, grey ones until the missing receipt has come, yellow ones not at all.
 */
export type Colour = 'Red' | 'Yellow' | 'Grey';

export interface Remark {
  readonly code: string;
  readonly colour: Colour;
  readonly message: string;
  /** Made by the control API, so that looking at the receipt again does not remove it. */
  readonly isForced?: true;
}

const CATALOGUE = {
  RCPT010: ['Red', 'Wrong currency code is used'],
  RCPT011: ['Red', 'Receipt counter is not sequential'],
  RCPT012: ['Red', 'Receipt global number is not sequential'],
  RCPT013: ['Red', 'Invoice number is not unique'],
  RCPT014: ['Yellow', 'Receipt date is earlier than fiscal day opening date'],
  RCPT015: ['Red', 'Credited/debited invoice data is not provided'],
  RCPT016: ['Red', 'No receipt lines provided'],
  RCPT017: ['Red', 'Taxes information is not provided'],
  RCPT018: ['Red', 'Payment information is not provided'],
  RCPT019: ['Red', 'Invoice total amount is not equal to sum of all invoice lines'],
  RCPT020: ['Red', 'Invoice signature is not valid'],
  RCPT021: ['Red', 'VAT tax is used in invoice while taxpayer is not VAT taxpayer'],
  RCPT022: [
    'Red',
    'Invoice sales line price must be greater than 0 (less than 0 for Credit note), discount line price must be less than 0 for Invoice',
  ],
  RCPT023: ['Red', 'Invoice line quantity must be positive'],
  RCPT024: ['Red', 'Invoice line total is not equal to unit price * quantity'],
  RCPT025: ['Red', 'Invalid tax is used'],
  RCPT026: ['Red', 'Incorrectly calculated tax amount'],
  RCPT027: ['Red', 'Incorrectly calculated total sales amount (including tax)'],
  RCPT028: ['Red', 'Payment amount must be greater than or equal 0 (less than or equal to 0 for Credit note)'],
  RCPT029: ['Red', 'Credited/debited invoice information provided for regular invoice'],
  RCPT030: ['Red', 'Invoice date is earlier than previously submitted receipt date'],
  RCPT031: ['Yellow', 'Invoice is submitted with the future date'],
  RCPT032: ['Red', 'Credit / debit note refers to non-existing invoice'],
  RCPT033: ['Red', 'Credited/debited invoice is issued more than 12 months ago'],
  RCPT034: ['Red', 'Note for credit/debit note is not provided'],
  RCPT035: ['Red', 'Total credit note amount exceeds original invoice amount'],
  RCPT036: ['Red', 'Credit/debit note uses other taxes than are used in the original invoice'],
  RCPT037: ['Red', 'Invoice total amount is not equal to sum of all invoice lines and taxes applied'],
  RCPT038: ['Red', 'Invoice total amount is not equal to sum of sales amount including tax in tax table'],
  RCPT039: ['Red', 'Invoice total amount is not equal to sum of all payment amounts'],
  RCPT040: ['Red', 'Invoice total amount must be greater than or equal to 0 (less than or equal to 0 for Credit note)'],
  RCPT041: ['Yellow', 'Invoice is issued after fiscal day end'],
  RCPT042: ['Red', 'Credit/debit note uses other currency than is used in the original invoice'],
  RCPT043: ['Red', 'Mandatory buyer data fields are not provided'],
  RCPT047: ['Red', 'HS code must be sent if taxpayer is a VAT payer'],
  RCPT048: ['Red', 'HS code length must be 4 or 8 digits, and 8 digits for zero-rated and exempt lines of a VAT payer'],
} as const satisfies Record<string, readonly [Exclude<Colour, 'Grey'>, string]>;

export type RemarkCode = keyof typeof CATALOGUE;

/** Rules that need the receipt before: grey while it is missing. The signature covers that receipt's hash. */
export const CHAIN_CODES = ['RCPT011', 'RCPT012', 'RCPT020', 'RCPT030'] as const satisfies readonly RemarkCode[];

export function remark(code: RemarkCode): Remark {
  const [colour, message] = CATALOGUE[code];
  return { code, colour, message };
}

export function greyRemark(code: RemarkCode): Remark {
  return { code, colour: 'Grey', message: CATALOGUE[code][1] };
}

/** A remark the control API asked for; the code need not be one of the protocol's. */
export function forcedRemark(code: string, colour: Colour | undefined): Remark {
  const [ownColour, message] = isRemarkCode(code) ? CATALOGUE[code] : (['Red', 'Forced by the simulator'] as const);
  return { code, colour: colour ?? ownColour, message, isForced: true };
}

/** Each code once, in order; the first finding stands for the others. */
export function distinct(remarks: readonly Remark[]): Remark[] {
  const byCode = new Map<string, Remark>();
  for (const found of remarks) if (!byCode.has(found.code) || found.isForced) byCode.set(found.code, found);
  return [...byCode.values()].toSorted((a, b) => (a.code < b.code ? -1 : 1));
}

function isRemarkCode(code: string): code is RemarkCode {
  return Object.hasOwn(CATALOGUE, code);
}
