import {
  add,
  type Decimal,
  decimal,
  divideHalfEven,
  equals,
  multiply,
  ONE_HUNDRED,
  signOf,
  sum,
} from '../../kernel/decimal.ts';
import { type TaxRounding, taxOf } from '../../kernel/tax.ts';
import { type FiscalLine, type FiscalReceipt, type FiscalTax, receiptDate } from './fiscal-receipt.ts';
import type { Payment } from './payment.ts';

/** What a line needs. */
export interface InvoiceLine {
  readonly hsCode: string;
  /** Undefined: exempt. */
  readonly taxPercent: Decimal | undefined;
  /** Whether the invoice shows prices with the tax in them. */
  readonly isInclusive: boolean;
}

/**
 * The fiscal invoice of a payment: one line per product, or a single one named after the biller, and the fee as a line of its
 * own. Its total is what the member paid, to the cent, whatever the tax is.
 */
export interface InvoiceInput {
  readonly reference: string;
  readonly date: Date;
  readonly deviceId: number;
  readonly payment: Pick<Payment, 'amount' | 'fee' | 'currency' | 'products' | 'paymentType'>;
  readonly billerName: string;
  readonly line: InvoiceLine;
  readonly taxRounding: TaxRounding;
}

const ONE = decimal('1');
const MAX_NAME = 200;
/** What the authority's price type holds. */
const UNIT_PRICE_DECIMALS = 6;

interface Item {
  readonly name: string;
  readonly quantity: Decimal;
  /** What was paid for it, tax included. */
  readonly paid: Decimal;
}

export function buildInvoice(input: InvoiceInput): FiscalReceipt {
  const { payment, line, taxRounding } = input;
  const items = itemsOf(input);
  const total = add(payment.amount, payment.fee);
  const exclusive = line.isInclusive ? undefined : showExclusive(items, total, line, taxRounding);
  const shown = exclusive ?? showInclusive(items, total, line, taxRounding);
  return {
    AuthorityDeviceId: input.deviceId,
    Type: 'FiscalInvoice',
    Currency: payment.currency,
    Reference: input.reference,
    Date: receiptDate(input.date),
    ...shown,
    TotalAmount: total,
    Payments: [{ Type: payment.paymentType, Amount: total }],
    OriginalReference: undefined,
    Notes: undefined,
  };
}

function itemsOf({ payment, billerName }: InvoiceInput): Item[] {
  const products = payment.products.map(({ name, quantity, price }) => {
    const count = decimal(String(quantity));
    return { name, quantity: count, paid: multiply(price, count) };
  });
  // The amount is what was paid. Products that do not add up to it (prices left to the vendor) cannot be its lines.
  const comesFromProducts = equals(sum(products.map(({ paid }) => paid)), payment.amount);
  const goods = comesFromProducts ? products : [{ name: billerName, quantity: ONE, paid: payment.amount }];
  const fee = { name: feeName(billerName), quantity: ONE, paid: payment.fee };
  // The authority takes no line with a total of 0.
  return [...goods, fee].filter(({ paid }) => signOf(paid) > 0);
}

function feeName(billerName: string): string {
  const room = billerName.slice(0, MAX_NAME - ' fee'.length);
  // A cut in the middle of a character would leave a text that the signing service refuses.
  return `${room.isWellFormed() ? room : room.slice(0, -1)} fee`;
}

type Shown = Pick<FiscalReceipt, 'ReceiptLinesTaxInclusive' | 'ReceiptLines' | 'Taxes'>;

/** TaxAmount = Sales − Sales / (1 + p/100), rounded once on the sum. */
function showInclusive(items: readonly Item[], total: Decimal, line: InvoiceLine, rounding: TaxRounding): Shown {
  const lines = items.map((item) => lineOf(item, item.paid, line));
  return shownWith(true, lines, total, taxOf(true, line.taxPercent ?? null, total, rounding).tax, line);
}

/**
 * Exclusive tax is computed from the net amounts, and some totals cannot be reached that way: at 15.5 % no net amount becomes
 * 1.01 (0.87 becomes 1.00, 0.88 becomes 1.02). What the member paid cannot change, so such an invoice is shown inclusive
 * (undefined here). Nothing is moved between lines to force it.
 */
function showExclusive(
  items: readonly Item[],
  total: Decimal,
  line: InvoiceLine,
  rounding: TaxRounding,
): Shown | undefined {
  const lines = items.map((item) => lineOf(item, withoutTax(item.paid, line.taxPercent), line));
  if (lines.some((one) => signOf(one.LineTotal) <= 0)) return undefined;
  const net = sum(lines.map((one) => one.LineTotal));
  const { tax, sales } = taxOf(false, line.taxPercent ?? null, net, rounding);
  return equals(sales, total) ? shownWith(false, lines, total, tax, line) : undefined;
}

function shownWith(
  isInclusive: boolean,
  lines: FiscalLine[],
  total: Decimal,
  tax: Decimal,
  { taxPercent }: InvoiceLine,
): Shown {
  const entry: FiscalTax = { TaxPercent: taxPercent ?? null, SalesAmountWithTax: total, TaxAmount: tax };
  return { ReceiptLinesTaxInclusive: isInclusive, ReceiptLines: lines, Taxes: [entry] };
}

function lineOf({ name, quantity }: Item, lineTotal: Decimal, line: InvoiceLine): FiscalLine {
  const unitPrice = divideHalfEven(lineTotal, quantity, UNIT_PRICE_DECIMALS);
  return {
    Type: 'Sale',
    Name: name,
    HsCode: line.hsCode,
    // Given only where it is exact: the signing service refuses UnitPrice × Quantity that is not the line's total.
    UnitPrice: equals(multiply(unitPrice, quantity), lineTotal) ? unitPrice : undefined,
    Quantity: quantity,
    LineTotal: lineTotal,
    TaxPercent: line.taxPercent ?? null,
  };
}

function withoutTax(amount: Decimal, taxPercent: Decimal | undefined): Decimal {
  return taxPercent === undefined
    ? amount
    : divideHalfEven(multiply(amount, ONE_HUNDRED), add(ONE_HUNDRED, taxPercent), 2);
}
