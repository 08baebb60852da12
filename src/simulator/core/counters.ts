/** The authority's own fiscal counters of a day: specification §6, computed from the receipts it holds. */
import type { FdmsCounterType, FdmsMoneyType, FdmsReceiptType } from '../../fdms/index.ts';
import { add, type Decimal, equals, formatDecimal, signOf } from '../../kernel/decimal.ts';
import type { Payment, ReceiptTax } from './receipt.ts';

export const COUNTER_TYPES = [
  'SaleByTax',
  'SaleTaxByTax',
  'CreditNoteByTax',
  'CreditNoteTaxByTax',
  'DebitNoteByTax',
  'DebitNoteTaxByTax',
  'BalanceByMoneyType',
] as const satisfies readonly FdmsCounterType[];

export const MONEY_TYPES = [
  'Cash',
  'Card',
  'MobileWallet',
  'Coupon',
  'Credit',
  'BankTransfer',
  'Other',
] as const satisfies readonly FdmsMoneyType[];

/** By tax: `taxId` and, unless exempt, `percent`. By money type: `moneyType`. */
export interface DayCounter {
  readonly type: FdmsCounterType;
  readonly currency: string;
  readonly taxId: number | undefined;
  readonly percent: Decimal | undefined;
  readonly moneyType: FdmsMoneyType | undefined;
  readonly value: Decimal;
}

export interface CountedReceipt {
  readonly type: FdmsReceiptType;
  readonly currency: string;
  readonly total: Decimal;
  readonly taxes: readonly ReceiptTax[];
  readonly payments: readonly Payment[];
}

const BY_TAX = {
  FiscalInvoice: ['SaleByTax', 'SaleTaxByTax'],
  CreditNote: ['CreditNoteByTax', 'CreditNoteTaxByTax'],
  DebitNote: ['DebitNoteByTax', 'DebitNoteTaxByTax'],
} as const satisfies Record<FdmsReceiptType, readonly [FdmsCounterType, FdmsCounterType]>;

/** Every stored receipt counts, red ones too. Counters that come to zero are left out. */
export function countersOf(receipts: Iterable<CountedReceipt>): DayCounter[] {
  const counters = new Map<string, DayCounter>();
  const count = (counter: DayCounter): void => {
    const key = counterKey(counter);
    const known = counters.get(key);
    counters.set(key, known ? { ...known, value: add(known.value, counter.value) } : counter);
  };
  for (const { type, currency, taxes, payments } of receipts) {
    const [sales, tax] = BY_TAX[type];
    for (const { taxId, percent, salesAmount, taxAmount } of taxes) {
      const shared = { currency, taxId, percent, moneyType: undefined };
      count({ ...shared, type: sales, value: salesAmount });
      count({ ...shared, type: tax, value: taxAmount });
    }
    for (const { moneyType, amount } of payments) {
      count({
        type: 'BalanceByMoneyType',
        currency,
        taxId: undefined,
        percent: undefined,
        moneyType,
        value: amount,
      });
    }
  }
  return inSigningOrder([...counters.values()]);
}

/** Without zeros, by type in the order of the enumeration, then currency, then tax id or money type in its enumeration. */
export function inSigningOrder(counters: readonly DayCounter[]): DayCounter[] {
  return counters
    .filter((counter) => signOf(counter.value) !== 0)
    .toSorted(
      (a, b) =>
        COUNTER_TYPES.indexOf(a.type) - COUNTER_TYPES.indexOf(b.type) ||
        (a.currency < b.currency ? -1 : a.currency > b.currency ? 1 : 0) ||
        (a.taxId ?? 0) - (b.taxId ?? 0) ||
        moneyOrder(a) - moneyOrder(b),
    );
}

/** Whether a device counted what the authority counted; zeros make no difference, a counter named twice does. */
export function areSameCounters(submitted: readonly DayCounter[], own: readonly DayCounter[]): boolean {
  const given = inSigningOrder(submitted);
  const expected = new Map(own.map((counter) => [counterKey(counter), counter.value]));
  const keys = new Set(given.map(counterKey));
  return (
    keys.size === given.length &&
    given.length === expected.size &&
    given.every((counter) => {
      const value = expected.get(counterKey(counter));
      return value !== undefined && equals(value, counter.value);
    })
  );
}

export interface DocumentQuantity {
  readonly type: FdmsReceiptType;
  readonly currency: string;
  readonly quantity: number;
  readonly total: Decimal;
}

export function documentQuantities(receipts: Iterable<CountedReceipt>): DocumentQuantity[] {
  const quantities = new Map<string, DocumentQuantity>();
  for (const { type, currency, total } of receipts) {
    const key = `${type} ${currency}`;
    const known = quantities.get(key);
    quantities.set(key, {
      type,
      currency,
      quantity: (known?.quantity ?? 0) + 1,
      total: known ? add(known.total, total) : total,
    });
  }
  return [...quantities.values()];
}

function moneyOrder({ moneyType }: DayCounter): number {
  return moneyType === undefined ? -1 : MONEY_TYPES.indexOf(moneyType);
}

function counterKey(counter: DayCounter): string {
  const percent = counter.percent === undefined ? 'exempt' : formatDecimal(counter.percent);
  return [counter.type, counter.currency, counter.moneyType ?? `${counter.taxId} ${percent}`].join(' ');
}
