import type { Device } from '../../contract/fiscal/device.ts';
import { compare, type Decimal, decimal, formatFixed, fromCents } from '../../kernel/decimal.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { dependsOnRounding, taxOf } from '../../kernel/tax.ts';

/** What a trial seals: invoices that differ in what the authority computes with, a note for the last of them, and a half of a cent. */
export interface TrialReceipt {
  readonly name: string;
  readonly draft: Buffer;
  /** Where its tax is exactly half a cent: what that is half to even. */
  readonly half?: { readonly even: Decimal };
}

const [COFFEE, BREAD] = ['09012100', '19059010'];

export function trialReceipts(device: Device, currency: string, now: Date): TrialReceipt[] {
  const percents = device.ApplicableTaxes.map((tax) => tax.TaxPercent);
  const highest =
    percents
      .filter((percent) => percent !== null)
      .toSorted(compare)
      .at(-1) ?? null;
  const reference = (count: number) => `TRIAL-${now.getTime()}-${count}`;
  const line = (Name: string, HsCode: string | undefined, price: string, quantity: string, total: string) => ({
    Type: price.startsWith('-') ? 'Discount' : 'Sale',
    Name,
    HsCode,
    UnitPrice: decimal(price),
    Quantity: decimal(quantity),
    LineTotal: decimal(total),
    TaxPercent: highest,
  });
  const receipt = (name: string, count: number, fields: object): TrialReceipt => ({
    name,
    draft: Buffer.from(
      writeExactJson({
        AuthorityDeviceId: device.AuthorityDeviceId,
        Type: 'FiscalInvoice',
        Currency: currency,
        Reference: reference(count),
        Date: now.toISOString(),
        ReceiptLinesTaxInclusive: true,
        Payments: [{ Type: 'Cash' }],
        ...fields,
      }),
    ),
  });
  // The least price whose tax is half a cent that programs round differently, such as 3.00 at 15.5 %.
  const half = Array.from({ length: 10_000 }, (_none, cents) => formatFixed(fromCents(BigInt(cents)), 2)).find(
    (price) => dependsOnRounding(false, highest, decimal(price)),
  );
  const halves = half === undefined ? [] : [line('Bread', BREAD, half, '1', half)];
  return [
    receipt('an invoice with tax included, one line for each tax of the device', 1, {
      ReceiptLines: percents.map((TaxPercent) => ({ ...line('Bread', BREAD, '1.15', '1', '1.15'), TaxPercent })),
    }),
    receipt('an invoice with tax added, a discount, paid by card', 2, {
      ReceiptLinesTaxInclusive: false,
      ReceiptLines: [line('Coffee', COFFEE, '3.50', '2', '7.00'), line('Discount', COFFEE, '-0.75', '1', '-0.75')],
      Payments: [{ Type: 'Card' }],
    }),
    receipt('an invoice with fractions of a quantity', 3, {
      ReceiptLines: [line('Coffee, loose', COFFEE, '12.40', '0.125', '1.55')],
    }),
    receipt('a credit note for the whole of the third', 4, {
      Type: 'CreditNote',
      OriginalReference: reference(3),
      Notes: 'Trial at the authority',
      ReceiptLines: [{ ...line('Coffee, loose', COFFEE, '-12.40', '0.125', '-1.55'), Type: 'Sale' }],
    }),
    ...halves.map((one) => ({
      ...receipt('an invoice whose tax is exactly half a cent', 5, {
        ReceiptLinesTaxInclusive: false,
        ReceiptLines: [one],
      }),
      half: { even: taxOf(false, highest, one.LineTotal).tax },
    })),
  ];
}
