/** RCPT021, 025–027: which taxes are used, and what they come to. */
import type { FdmsTax } from '../../../fdms/index.ts';
import { add, type Decimal, decimal, equals, formatDecimal, signOf, ZERO } from '../../../kernel/decimal.ts';
import { formatWall } from '../../../kernel/zone.ts';
import type { ReceiptTax, SubmittedReceipt, TaxIdentity } from '../receipt.ts';
import type { RemarkCode } from '../remarks.ts';
import { groupAmounts, isWithin, type Rounding } from '../rounding.ts';

export interface TaxContext {
  readonly isVatPayer: boolean;
  /** All taxes the device ever had. */
  readonly taxes: readonly FdmsTax[];
  /** Taxes of the receipt a note refers to: it may use them although they have ended or VAT no longer applies. */
  readonly originalTaxes: readonly TaxIdentity[];
  readonly rounding: Rounding;
  readonly toleranceCents: number;
}

export function taxRules(receipt: SubmittedReceipt, context: TaxContext): RemarkCode[] {
  const found: RemarkCode[] = [];
  const used = [...receipt.lines, ...receipt.taxes].filter((tax) => !isOneOf(tax, context.originalTaxes));
  if (used.some((tax) => !isValidTax(tax, context.taxes, receipt.date))) found.push('RCPT025');
  if (!context.isVatPayer && used.some((tax) => tax.percent !== undefined && signOf(tax.percent) > 0)) {
    found.push('RCPT021');
  }
  return [...found, ...groupRules(receipt, context)];
}

export function isOneOf(tax: TaxIdentity, taxes: readonly TaxIdentity[]): boolean {
  return taxes.some((other) => other.taxId === tax.taxId && isSamePercent(other.percent, tax.percent));
}

function isValidTax(tax: TaxIdentity, taxes: readonly FdmsTax[], date: number): boolean {
  const day = formatWall(date);
  return taxes.some(
    (known) =>
      known.taxID === tax.taxId &&
      isSamePercent(known.taxPercent === undefined ? undefined : decimal(known.taxPercent), tax.percent) &&
      known.validFrom <= day &&
      (known.validTill === undefined || day <= known.validTill),
  );
}

/** Exempt equals only exempt, not 0 %. */
function isSamePercent(a: Decimal | undefined, b: Decimal | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equals(a, b);
}

/** Each group of lines against its entry in the tax table; a group on one side only is compared with nothing. */
function groupRules({ lines, taxes, isTaxInclusive }: SubmittedReceipt, context: TaxContext): RemarkCode[] {
  const groups = new Map<string, { percent: Decimal | undefined; lineSum: Decimal; entries: ReceiptTax[] }>();
  const groupOf = (tax: TaxIdentity) => {
    const key = [tax.taxId, tax.percent && formatDecimal(tax.percent), tax.code].join(' ');
    const known = groups.get(key) ?? { percent: tax.percent, lineSum: ZERO, entries: [] };
    groups.set(key, known);
    return known;
  };
  for (const line of lines) {
    const group = groupOf(line);
    group.lineSum = add(group.lineSum, line.total);
  }
  for (const tax of taxes) groupOf(tax).entries.push(tax);

  return [...groups.values()].flatMap(({ percent, lineSum, entries }) => {
    const [entry = { taxAmount: ZERO, salesAmount: ZERO }, ...others] = entries;
    const expected = groupAmounts(lineSum, percent, isTaxInclusive, context.rounding);
    const found: RemarkCode[] = [];
    if (!isWithin(entry.taxAmount, expected.taxAmount, context.toleranceCents)) found.push('RCPT026');
    if (!isWithin(entry.salesAmount, expected.salesAmount, context.toleranceCents)) found.push('RCPT027');
    return others.length > 0 ? ['RCPT026', 'RCPT027'] : found;
  });
}
