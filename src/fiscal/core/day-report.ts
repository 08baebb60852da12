/**
 * The sums of an X or Z report: specification §10.4 and §10.5.
 *
 * Everything comes from the day's counters, so that a Z report says what the day was closed with. Taxes of 0 % and exempt
 * sales are shown under net and gross, as in the specification's picture: only so do the lines add up to their totals.
 */

import {
  type DayCounter,
  type DeviceTax,
  isSamePercent,
  isTaxed,
  MONEY_TYPES,
  type MoneyType,
  percentText,
  type ReceiptType,
  type TaxCounter,
} from '../../fdms/index.ts';
import { add, compare, type Decimal, negate, ONE, subtract, sum, ZERO } from '../../kernel/decimal.ts';
import { counterName, type KeptCounters } from './kept-counters.ts';

/** Below 0 %. */
const EXEMPT = negate(ONE);
const DOCUMENT_TYPES = ['FiscalInvoice', 'CreditNote', 'DebitNote'] as const satisfies readonly ReceiptType[];

/** How many documents of a type there were in a currency, and over how much. Credit notes are negative. */
export interface DocumentSum {
  readonly type: ReceiptType;
  readonly currency: string;
  readonly quantity: number;
  readonly amount: Decimal;
}

export interface TaxLine {
  readonly taxId: number;
  readonly taxName: string;
  readonly taxPercent: Decimal | null;
  readonly amount: Decimal;
}

export interface CurrencyReport {
  readonly currency: string;
  readonly net: readonly TaxLine[];
  readonly totalNet: Decimal;
  /** Only taxes above 0 %; empty when none was collected. */
  readonly tax: readonly TaxLine[];
  readonly totalTax: Decimal;
  readonly gross: readonly TaxLine[];
  readonly totalGross: Decimal;
  readonly documents: readonly Omit<DocumentSum, 'currency'>[];
  readonly totalDocuments: { readonly quantity: number; readonly amount: Decimal };
  readonly balances: readonly { readonly moneyType: MoneyType; readonly amount: Decimal }[];
  /** Counters that are not known here, of a day that a person closed at the authority. */
  readonly others: readonly { readonly name: string; readonly amount: Decimal }[];
}

/** One report per currency in which there were documents, alphabetically. `taxes` gives the names, newest first. */
export function reportCurrencies(
  { counted, others }: KeptCounters,
  documents: readonly DocumentSum[],
  taxes: readonly DeviceTax[],
): CurrencyReport[] {
  const currencies = new Set([...counted, ...others, ...documents].map((part) => part.currency));
  return [...currencies].toSorted().map((currency) => {
    const isOfCurrency = (part: { readonly currency: string }) => part.currency === currency;
    return {
      ...reportCurrency(currency, counted.filter(isOfCurrency), documents.filter(isOfCurrency), taxes),
      others: others.filter(isOfCurrency).map((one) => ({ name: counterName(one), amount: one.value })),
    };
  });
}

function reportCurrency(
  currency: string,
  counters: readonly DayCounter[],
  documents: readonly DocumentSum[],
  taxes: readonly DeviceTax[],
): Omit<CurrencyReport, 'others'> {
  const lines = taxSums(counters, taxes);
  const line = ({ gross: _gross, tax: _tax, ...tax }: TaxSum, amount: Decimal): TaxLine => ({ ...tax, amount });
  const totalGross = sum(lines.map((one) => one.gross));
  const totalTax = sum(lines.map((one) => one.tax));
  return {
    currency,
    net: lines.map((one) => line(one, subtract(one.gross, one.tax))),
    totalNet: subtract(totalGross, totalTax),
    tax: lines.filter((one) => isTaxed(one.taxPercent)).map((one) => line(one, one.tax)),
    totalTax,
    gross: lines.map((one) => line(one, one.gross)),
    totalGross,
    ...reportDocuments(documents),
    balances: MONEY_TYPES.flatMap((moneyType) => {
      const amounts = counters.filter((one) => one.type === 'BalanceByMoneyType' && one.moneyType === moneyType);
      return amounts.length === 0 ? [] : [{ moneyType, amount: sum(amounts.map((one) => one.value)) }];
    }),
  };
}

interface TaxSum {
  readonly taxId: number;
  readonly taxName: string;
  readonly taxPercent: Decimal | null;
  readonly gross: Decimal;
  readonly tax: Decimal;
}

/** Invoices, credit notes (negative) and debit notes together, by tax; the highest percentage first, exempt last. */
function taxSums(counters: readonly DayCounter[], taxes: readonly DeviceTax[]): TaxSum[] {
  const sums = new Map<string, TaxSum>();
  for (const counter of counters) {
    if (counter.type === 'BalanceByMoneyType') continue;
    const { taxId, taxPercent, value } = counter;
    const key = `${taxId}:${percentText(taxPercent)}`;
    const one = sums.get(key) ?? { taxId, taxPercent, taxName: nameOf(counter, taxes), gross: ZERO, tax: ZERO };
    const isTax = counter.type.endsWith('TaxByTax');
    sums.set(key, isTax ? { ...one, tax: add(one.tax, value) } : { ...one, gross: add(one.gross, value) });
  }
  return [...sums.values()].toSorted(
    (a, b) => compare(b.taxPercent ?? EXEMPT, a.taxPercent ?? EXEMPT) || a.taxId - b.taxId,
  );
}

function nameOf({ taxId, taxPercent }: TaxCounter, taxes: readonly DeviceTax[]): string {
  const sameId = taxes.filter((tax) => tax.taxId === taxId);
  const found = sameId.find((tax) => isSamePercent(tax.taxPercent, taxPercent)) ?? sameId[0];
  return found?.taxName ?? `Tax ${taxId}`;
}

/** Of one currency. */
export function reportDocuments(
  documents: readonly DocumentSum[],
): Pick<CurrencyReport, 'documents' | 'totalDocuments'> {
  return {
    documents: DOCUMENT_TYPES.map((type) => ({ type, ...documentSum(documents.filter((one) => one.type === type)) })),
    totalDocuments: documentSum(documents),
  };
}

function documentSum(documents: readonly DocumentSum[]) {
  return {
    quantity: documents.reduce((quantity, one) => quantity + one.quantity, 0),
    amount: sum(documents.map((one) => one.amount)),
  };
}
