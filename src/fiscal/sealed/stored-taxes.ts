import type { SealedTax } from '../../fdms/index.ts';
import { decimal, formatDecimal, formatFixed } from '../../kernel/decimal.ts';

/** The one mapping of `receipts.taxes`. Decimals as text inside jsonb: exact on both sides. */
export function taxesText(taxes: readonly SealedTax[]): string {
  return JSON.stringify(
    taxes.map((tax) => ({
      taxId: tax.taxId,
      taxPercent: tax.taxPercent === null ? null : formatDecimal(tax.taxPercent),
      taxAmount: formatFixed(tax.taxAmount, 2),
      salesAmountWithTax: formatFixed(tax.salesAmountWithTax, 2),
    })),
  );
}

type TaxText = { taxId: number; taxPercent: string | null; taxAmount: string; salesAmountWithTax: string };

export function taxesOfText(text: string): SealedTax[] {
  return (JSON.parse(text) as TaxText[]).map((tax) => ({
    taxId: tax.taxId,
    taxPercent: tax.taxPercent === null ? null : decimal(tax.taxPercent),
    taxAmount: decimal(tax.taxAmount),
    salesAmountWithTax: decimal(tax.salesAmountWithTax),
  }));
}
