import type { Device } from '../../contract/fiscal/device.ts';
import { compare, type Decimal, decimal, formatFixed, readDecimal, sum } from '../../kernel/decimal.ts';
import { taxOf } from '../../kernel/tax.ts';

const GOODS = [
  { name: 'Ground coffee 250 g', hsCode: '09012100', total: decimal('3.50') },
  { name: 'White bread', hsCode: '19059010', total: decimal('2.00') },
] as const;

/**
 * A small cash invoice that the device can seal now: one line at its highest tax and one at its lowest. As text, written
 * for people to change; amounts never become floats on the way.
 */
export function exampleReceipt({ AuthorityDeviceId, ApplicableTaxes }: Device, now: Date): string {
  const percents = ApplicableTaxes.map((tax) => tax.TaxPercent)
    .filter((percent) => percent !== null)
    .toSorted(compare);
  const used = [
    ...new Set([percents.at(-1), percents[0]].map((percent) => (percent === undefined ? 'null' : plain(percent)))),
  ];
  const sold = GOODS.slice(0, used.length).map((goods, index) => ({ ...goods, percent: used[index] ?? 'null' }));
  const total = amount(sum(sold.map((goods) => goods.total)));
  const lines = sold.map(
    (goods) =>
      `    { "Type": "Sale", "Name": "${goods.name}", "HsCode": "${goods.hsCode}", "UnitPrice": ${amount(goods.total)}, "Quantity": 1, "LineTotal": ${amount(goods.total)}, "TaxPercent": ${goods.percent} }`,
  );
  const taxes = sold.map(
    (goods) =>
      `    { "TaxPercent": ${goods.percent}, "SalesAmountWithTax": ${amount(goods.total)}, "TaxAmount": ${amount(taxOf(true, goods.percent === 'null' ? null : readDecimal(goods.percent), goods.total).tax)} }`,
  );
  return `{
  "AuthorityDeviceId": ${AuthorityDeviceId},
  "Type": "FiscalInvoice",
  "Currency": "USD",
  "Reference": "EXAMPLE-${now.getTime()}",
  "Date": "${now.toISOString().slice(0, 19)}Z",
  "ReceiptLinesTaxInclusive": true,
  "TotalAmount": ${total},
  "ReceiptLines": [
${lines.join(',\n')}
  ],
  "Taxes": [
${taxes.join(',\n')}
  ],
  "Payments": [
    { "Type": "Cash", "Amount": ${total} }
  ]
}`;
}

function amount(value: Decimal): string {
  return formatFixed(value, 2);
}

function plain(percent: Decimal): string {
  return formatFixed(percent, percent.scale);
}
