/**
 * The sums a fiscal day is closed with: specification §6.
 *
 * Every sealed receipt counts, also one the authority turned red. Sums are taken from the amounts per tax, never from the
 * receipt's total, since that is what the authority compares.
 */
import { PAYMENT_TYPES } from '../../contract/shared/values.ts';
import { add, compare, type Decimal, signOf } from '../../kernel/decimal.ts';
import { percentText, type ReceiptType, type SealedTax } from './signing-string.ts';

/** In the authority's order, which is the order of the closing string. */
export const MONEY_TYPES = PAYMENT_TYPES;
export type MoneyType = (typeof MONEY_TYPES)[number];

export const TAX_COUNTER_TYPES = [
  'SaleByTax',
  'SaleTaxByTax',
  'CreditNoteByTax',
  'CreditNoteTaxByTax',
  'DebitNoteByTax',
  'DebitNoteTaxByTax',
] as const;
export type TaxCounterType = (typeof TAX_COUNTER_TYPES)[number];

export interface TaxCounter {
  readonly type: TaxCounterType;
  readonly currency: string;
  readonly taxId: number;
  readonly taxPercent: Decimal | null;
  readonly value: Decimal;
}

export interface MoneyCounter {
  readonly type: 'BalanceByMoneyType';
  readonly currency: string;
  readonly moneyType: MoneyType;
  readonly value: Decimal;
}

export type DayCounter = TaxCounter | MoneyCounter;

export interface CountedReceipt {
  readonly type: ReceiptType;
  readonly currency: string;
  readonly taxes: readonly Pick<SealedTax, 'taxId' | 'taxPercent' | 'taxAmount' | 'salesAmountWithTax'>[];
  readonly payments: readonly { readonly moneyType: MoneyType; readonly amount: Decimal }[];
}

const COUNTERS_OF = {
  FiscalInvoice: { sales: 'SaleByTax', tax: 'SaleTaxByTax' },
  CreditNote: { sales: 'CreditNoteByTax', tax: 'CreditNoteTaxByTax' },
  DebitNote: { sales: 'DebitNoteByTax', tax: 'DebitNoteTaxByTax' },
} as const satisfies Record<ReceiptType, { sales: TaxCounterType; tax: TaxCounterType }>;

/** The counters of a day's receipts, as they are signed and sent: in order, and only those that are not zero. */
export function countReceipts(receipts: Iterable<CountedReceipt>): DayCounter[] {
  const parts: DayCounter[] = [];
  for (const receipt of receipts) parts.push(...countersOf(receipt));
  return sumCounters(parts);
}

/** Counters of the same kind added up; sums of parts of a day may be added the same way. */
export function sumCounters(parts: Iterable<DayCounter>): DayCounter[] {
  const counters = new Map<string, DayCounter>();
  for (const counter of parts) {
    const key = counterKey(counter);
    const sum = counters.get(key);
    counters.set(key, sum === undefined ? counter : { ...sum, value: add(sum.value, counter.value) });
  }
  return signedCounters([...counters.values()]);
}

/** What one receipt adds. Amounts of a credit note are negative already. */
export function countersOf(receipt: CountedReceipt): DayCounter[] {
  const { currency } = receipt;
  const types = COUNTERS_OF[receipt.type];
  const counters: DayCounter[] = [];
  for (const { taxId, taxPercent, taxAmount, salesAmountWithTax } of receipt.taxes) {
    counters.push({ type: types.sales, currency, taxId, taxPercent, value: salesAmountWithTax });
    counters.push({ type: types.tax, currency, taxId, taxPercent, value: taxAmount });
  }
  for (const { moneyType, amount } of receipt.payments) {
    counters.push({ type: 'BalanceByMoneyType', currency, moneyType, value: amount });
  }
  return counters;
}

/**
 * The counters that are signed and sent, in the authority's order: type by its place in the enumeration (not by the
 * alphabet), currency, then taxID or money type. Negative ones stay: only zero is dropped.
 */
export function signedCounters(counters: readonly DayCounter[]): DayCounter[] {
  return counters.filter((counter) => signOf(counter.value) !== 0).toSorted(inAuthorityOrder);
}

function inAuthorityOrder(a: DayCounter, b: DayCounter): number {
  const byType = typeRank(a) - typeRank(b);
  if (byType !== 0) return byType;
  if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1;
  if (a.type === 'BalanceByMoneyType') {
    return b.type === a.type ? MONEY_TYPES.indexOf(a.moneyType) - MONEY_TYPES.indexOf(b.moneyType) : 0;
  }
  if (b.type === 'BalanceByMoneyType') return 0;
  return a.taxId - b.taxId || comparePercents(a.taxPercent, b.taxPercent);
}

function typeRank(counter: DayCounter): number {
  return counter.type === 'BalanceByMoneyType' ? TAX_COUNTER_TYPES.length : TAX_COUNTER_TYPES.indexOf(counter.type);
}

/** A tax whose rate changes during a day has two counters under one taxID. The protocol leaves their order open. */
function comparePercents(a: Decimal | null, b: Decimal | null): number {
  if (a === null || b === null) return a === null ? -1 : 1;
  return compare(a, b);
}

/** The same for what the authority adds up. */
export function counterKey(counter: DayCounter): string {
  const kind =
    counter.type === 'BalanceByMoneyType' ? counter.moneyType : `${counter.taxId}:${percentText(counter.taxPercent)}`;
  return `${counter.type}:${counter.currency}:${kind}`;
}
