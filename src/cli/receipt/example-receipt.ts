import type { Device } from '../../contract/fiscal/device.ts';
import { compare, type Decimal, decimal, formatDecimal, formatFixed, sum } from '../../kernel/decimal.ts';
import { taxOf } from '../../kernel/tax.ts';
import { rawJSON } from '../shared/pages.ts';

const GOODS = [
  { Name: 'Ground coffee 250 g', HsCode: '09012100', total: decimal('3.50') },
  { Name: 'White bread', HsCode: '19059010', total: decimal('2.00') },
] as const;

/** A small cash invoice that the device can seal now, for people to change: a line at its highest tax and one at its lowest. */
export function exampleReceipt({ AuthorityDeviceId, ApplicableTaxes }: Device, now: Date): string {
  const percents = ApplicableTaxes.flatMap(({ TaxPercent }) => TaxPercent ?? []).toSorted(compare);
  const used = [...new Set([percents.at(-1) ?? null, percents[0] ?? null])];
  const sold = GOODS.slice(0, used.length).map((goods, index) => ({ ...goods, percent: used[index] ?? null }));
  // Amounts keep their decimals.
  const amount = (value: Decimal) => rawJSON(formatFixed(value, 2));
  const total = amount(sum(sold.map((goods) => goods.total)));
  const percentOf = (percent: Decimal | null) => percent && rawJSON(formatDecimal(percent));
  const receipt = {
    AuthorityDeviceId,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: `EXAMPLE-${now.getTime()}`,
    Date: `${now.toISOString().slice(0, 19)}Z`,
    ReceiptLinesTaxInclusive: true,
    TotalAmount: total,
    ReceiptLines: sold.map(({ Name, HsCode, total: each, percent }) => ({
      Type: 'Sale',
      Name,
      HsCode,
      UnitPrice: amount(each),
      Quantity: 1,
      LineTotal: amount(each),
      TaxPercent: percentOf(percent),
    })),
    Taxes: sold.map(({ total: each, percent }) => ({
      TaxPercent: percentOf(percent),
      SalesAmountWithTax: amount(each),
      TaxAmount: amount(taxOf(true, percent, each).tax),
    })),
    Payments: [{ Type: 'Cash', Amount: total }],
  };
  return JSON.stringify(receipt, null, 2);
}
