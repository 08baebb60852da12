import {
  absolute,
  add,
  type Decimal,
  decimal,
  formatDecimal,
  formatFixed,
  multiply,
  negate,
  sum,
  ZERO,
} from '../../../src/kernel/decimal.ts';
import { ExactText, writeExactJson } from '../../../src/kernel/exact-json.ts';
import { partOfLine } from '../../../src/kernel/line-part.ts';
import { type TaxRounding, taxOf } from '../../../src/kernel/tax.ts';
import type { Amount, ReceiptDetail } from '../api/answers.ts';

/** A receipt as it is typed: prices are positive for every type, and sums are calculated. */
export interface Draft {
  readonly Type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  readonly Currency: string;
  readonly Reference: string;
  readonly ReceiptLinesTaxInclusive: boolean;
  readonly Lines: readonly DraftLine[];
  readonly PaymentType: string;
  readonly OriginalReference: string;
  readonly Notes: string;
  readonly BuyerName: string;
  readonly BuyerTIN: string;
  readonly BuyerVAT: string;
  readonly Cashier: string;
}

export interface DraftLine {
  readonly id: number;
  readonly Type: 'Sale' | 'Discount';
  readonly Name: string;
  readonly HsCode: string;
  readonly Quantity: string;
  readonly UnitPrice: string;
  /** `exempt`, or the percent as text. */
  readonly Tax: string;
}

let lastLine = 0;

export function newLine(line: Partial<Omit<DraftLine, 'id'>> = {}): DraftLine {
  lastLine += 1;
  return { Type: 'Sale', Name: '', HsCode: '', Quantity: '1', UnitPrice: '', Tax: '15.5', ...line, id: lastLine };
}

export function newReference(): string {
  return `TRY-${Date.now().toString(36).toUpperCase()}`;
}

export function exampleDraft(taxes: readonly string[]): Draft {
  const highest = taxes.find((tax) => tax !== 'exempt' && tax !== '0') ?? taxes[0] ?? '0';
  const zero = taxes.includes('0') ? '0' : highest;
  return {
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: newReference(),
    ReceiptLinesTaxInclusive: true,
    Lines: [
      newLine({ Name: 'Ground coffee 250 g', HsCode: '0901', UnitPrice: '3.50', Tax: highest }),
      newLine({ Name: 'White bread', HsCode: '19059010', Quantity: '2', UnitPrice: '1.00', Tax: zero }),
    ],
    PaymentType: 'Cash',
    OriginalReference: '',
    Notes: '',
    BuyerName: '',
    BuyerTIN: '',
    BuyerVAT: '',
    Cashier: '',
  };
}

/** What a credit note over some of an invoice comes to, as the service works it out. */
export function creditSums(
  { ReceiptLines, ReceiptLinesTaxInclusive }: ReceiptDetail['Receipt'],
  quantities: readonly string[],
  rounding?: TaxRounding,
): Sums {
  const exact = (amount: Amount) => decimal(String(amount));
  const Lines = ReceiptLines.map((line, index) => {
    const priced = {
      UnitPrice: line.UnitPrice === undefined || line.UnitPrice === null ? undefined : exact(line.UnitPrice),
      Quantity: exact(line.Quantity),
      LineTotal: exact(line.LineTotal),
    };
    const { LineTotal } = partOfLine(priced, readNumber(quantities[index] ?? '') ?? ZERO);
    const Tax = line.TaxPercent === null ? 'exempt' : String(line.TaxPercent);
    return newLine({
      Type: line.Type === 'Discount' ? 'Discount' : 'Sale',
      UnitPrice: formatDecimal(absolute(LineTotal)),
      Tax,
    });
  });
  return sumsOf({ ...exampleDraft([]), ReceiptLinesTaxInclusive, Lines }, rounding);
}

interface TaxGroup {
  readonly percent: string;
  readonly sales: Decimal;
  readonly tax: Decimal;
}

export interface Sums {
  readonly lineTotals: readonly (Decimal | undefined)[];
  readonly taxes: readonly TaxGroup[];
  readonly total: Decimal;
}

/** Exact, with the same rounding as the service: each group of tax once. */
export function sumsOf(draft: Draft, rounding?: TaxRounding): Sums {
  const lineTotals = draft.Lines.map((line) => lineTotal(draft, line));
  const groups = new Map<string, Decimal>();
  for (const [index, line] of draft.Lines.entries()) {
    const amount = lineTotals[index];
    if (amount !== undefined) groups.set(line.Tax, add(groups.get(line.Tax) ?? ZERO, amount));
  }
  const taxes = [...groups].map(([percent, amount]) => ({
    percent,
    ...taxOf(draft.ReceiptLinesTaxInclusive, readNumber(percent) ?? null, amount, rounding),
  }));
  return { lineTotals, taxes, total: sum(taxes.map((group) => group.sales)) };
}

function lineTotal(draft: Draft, line: DraftLine): Decimal | undefined {
  const [price, quantity] = [signedPrice(draft, line), readNumber(line.Quantity)];
  return price === undefined || quantity === undefined ? undefined : multiply(price, quantity);
}

function signedPrice(draft: Draft, line: DraftLine): Decimal | undefined {
  const price = readNumber(line.UnitPrice);
  const isNegative = (draft.Type === 'CreditNote') !== (line.Type === 'Discount');
  return price !== undefined && isNegative ? negate(price) : price;
}

export function readNumber(text: string): Decimal | undefined {
  try {
    return /^\d+([.]\d+)?$/.test(text.trim()) ? decimal(text.trim()) : undefined;
  } catch {
    return undefined;
  }
}

/** The request body, with every number as it was typed or worked out: no binary float on the way. */
export function bodyText(draft: Draft, deviceId: number, date: string, rounding?: TaxRounding): string {
  const sums = sumsOf(draft, rounding);
  const percent = (tax: string) => (tax === 'exempt' ? null : new ExactText(tax));
  const ReceiptLines = draft.Lines.map((line, index) => ({
    Type: line.Type,
    Name: line.Name,
    HsCode: line.HsCode.trim() || undefined,
    UnitPrice: signedPrice(draft, line),
    Quantity: readNumber(line.Quantity) ?? 0,
    LineTotal: sums.lineTotals[index] ?? 0,
    TaxPercent: percent(line.Tax),
  }));
  const Taxes = sums.taxes.map((group) => ({
    TaxPercent: percent(group.percent),
    SalesAmountWithTax: amount(group.sales),
    TaxAmount: amount(group.tax),
  }));
  const optional = ['OriginalReference', 'Notes', 'BuyerName', 'BuyerTIN', 'BuyerVAT', 'Cashier'] as const;
  return block({
    AuthorityDeviceId: deviceId,
    Type: draft.Type,
    Currency: draft.Currency,
    Reference: draft.Reference,
    Date: date,
    ReceiptLinesTaxInclusive: draft.ReceiptLinesTaxInclusive,
    TotalAmount: amount(sums.total),
    ReceiptLines,
    Taxes,
    Payments: [{ Type: draft.PaymentType, Amount: amount(sums.total) }],
    ...Object.fromEntries(optional.map((field) => [field, draft[field] || undefined])),
  });
}

/** Money as people write it: 5.50. */
function amount(value: Decimal): ExactText {
  return new ExactText(value.scale > 2 ? formatDecimal(value) : formatFixed(value, 2));
}

/** One field and one entry of a list on each line, for people to read and change. */
function block(body: object): string {
  const lines = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const entries = Array.isArray(value) && value.length > 0 ? value.map(writeExactJson) : undefined;
      return `  "${name}": ${entries === undefined ? writeExactJson(value) : `[\n    ${entries.join(',\n    ')}\n  ]`}`;
    });
  return `{\n${lines.join(',\n')}\n}`;
}
