import type { Random } from '../world/random.ts';

export interface Line {
  readonly cents: number;
  readonly percent: 15.5 | 0 | null;
}

export interface Sale {
  readonly deviceId: number;
  readonly reference: string;
  readonly type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  readonly currency: string;
  readonly lines: readonly Line[];
  readonly original?: string;
}

/** A receipt as it is sent. Amounts are whole cents until the end, so that no sum is ever a float. */
export function receiptBody(receipt: Sale): object {
  const sign = receipt.type === 'CreditNote' ? -1 : 1;
  const amount = (cents: number) => (sign * cents) / 100;
  const total = receipt.lines.reduce((sum, { cents }) => sum + cents, 0);
  const percents = [...new Set(receipt.lines.map(({ percent }) => percent))];
  const card = Math.floor(total / 3);
  return {
    AuthorityDeviceId: receipt.deviceId,
    Type: receipt.type,
    Currency: receipt.currency,
    Reference: receipt.reference,
    Date: `${new Date().toISOString().slice(0, 19)}Z`,
    ReceiptLinesTaxInclusive: true,
    TotalAmount: amount(total),
    ReceiptLines: receipt.lines.map(({ cents, percent }, index) => ({
      Type: 'Sale',
      Name: `Article ${index + 1}`,
      HsCode: '19059010',
      UnitPrice: amount(cents),
      Quantity: 1,
      LineTotal: amount(cents),
      TaxPercent: percent,
    })),
    Payments: [
      { Type: 'Cash', Amount: amount(total - card) },
      { Type: 'Card', Amount: amount(card) },
    ],
    Taxes: percents.map((percent) => {
      const sales = receipt.lines.filter((line) => line.percent === percent).reduce((sum, { cents }) => sum + cents, 0);
      return {
        TaxPercent: percent,
        SalesAmountWithTax: amount(sales),
        TaxAmount: percent === 15.5 ? amount(taxIn(sales)) : 0,
      };
    }),
    ...(receipt.original === undefined ? {} : { OriginalReference: receipt.original, Notes: 'Returned' }),
  };
}

export function randomLines(random: Random): Line[] {
  return Array.from({ length: random.between(1, 3) }, () => ({
    cents: random.between(50, 20_000),
    percent: random.pick([15.5, 15.5, 0, null] as const),
  }));
}

/** Sales − Sales / 1.155, rounded half to even. */
function taxIn(sales: number): number {
  const [numerator, denominator] = [BigInt(sales) * 2000n, 2310n];
  const doubled = (2n * numerator) / denominator;
  const isTie = (2n * numerator) % denominator === 0n && doubled % 2n === 1n;
  const below = doubled / 2n;
  const net = isTie ? below + (below % 2n) : (doubled + 1n) / 2n;
  return sales - Number(net);
}
