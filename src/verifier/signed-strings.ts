/**
 * What is signed, written down a second time from the protocol (specification §11 and §13) and not from the code that
 * signs: a proof by the code that made the seal would repeat its mistakes.
 */
import { createHash } from 'node:crypto';
import { type Decimal, formatFixed, toCents } from '../kernel/decimal.ts';

export interface SignedTax {
  readonly taxId: number;
  readonly percent: Decimal | null;
  readonly tax: Decimal;
  readonly sales: Decimal;
}

export interface SignedReceipt {
  readonly deviceId: number;
  readonly type: string;
  readonly currency: string;
  readonly globalCounter: number;
  readonly date: string;
  readonly total: Decimal;
  readonly taxes: readonly SignedTax[];
  readonly previousHash: string | undefined;
}

export function receiptString(receipt: SignedReceipt): string {
  const taxes = receipt.taxes
    .toSorted((a, b) => a.taxId - b.taxId)
    .map(({ percent, tax, sales }) => [percentOf(percent), toCents(tax), toCents(sales)].join(''));
  return [
    receipt.deviceId,
    receipt.type.toUpperCase(),
    receipt.currency.toUpperCase(),
    receipt.globalCounter,
    receipt.date,
    toCents(receipt.total),
    ...taxes,
    receipt.previousHash ?? '',
  ].join('');
}

/** Counters sort by these places, not by the alphabet. */
const COUNTER_TYPES = [
  'SaleByTax',
  'SaleTaxByTax',
  'CreditNoteByTax',
  'CreditNoteTaxByTax',
  'DebitNoteByTax',
  'DebitNoteTaxByTax',
  'BalanceByMoneyType',
];
export const MONEY_TYPES = ['Cash', 'Card', 'MobileWallet', 'Coupon', 'Credit', 'BankTransfer', 'Other'];

export interface Counter {
  readonly type: string;
  readonly currency: string;
  readonly taxId: number | undefined;
  readonly percent: Decimal | null;
  readonly moneyType: string | undefined;
  readonly cents: bigint;
}

/** Only what is not zero, in the order of the closing string; what is not known here comes last, as it was sent. */
export function signedOrder(counters: readonly Counter[]): Counter[] {
  const signed = counters.filter((counter) => counter.cents !== 0n);
  const known = signed
    .filter(isKnown)
    .toSorted(
      (a, b) =>
        COUNTER_TYPES.indexOf(a.type) - COUNTER_TYPES.indexOf(b.type) ||
        ordinal(a.currency, b.currency) ||
        (a.taxId ?? 0) - (b.taxId ?? 0) ||
        MONEY_TYPES.indexOf(a.moneyType ?? '') - MONEY_TYPES.indexOf(b.moneyType ?? '') ||
        Number(percentCents(a.percent) - percentCents(b.percent)),
    );
  return [...known, ...signed.filter((counter) => !isKnown(counter))];
}

function isKnown({ type, moneyType }: Counter): boolean {
  return COUNTER_TYPES.includes(type) && (moneyType === undefined || MONEY_TYPES.includes(moneyType));
}

function countersString(counters: readonly Counter[]): string {
  return signedOrder(counters)
    .map(({ type, currency, moneyType, percent, cents }) =>
      [type.toUpperCase(), currency.toUpperCase(), moneyType?.toUpperCase() ?? percentOf(percent), cents].join(''),
    )
    .join('');
}

export interface SignedDay {
  readonly deviceId: number;
  readonly fiscalDayNumber: number;
  /** `YYYY-MM-DD`, of the opening. */
  readonly openedOn: string;
  readonly counters: readonly Counter[];
}

export function closingString(day: SignedDay): string {
  return `${day.deviceId}${day.fiscalDayNumber}${day.openedOn}${countersString(day.counters)}`;
}

export function dayEvidenceString(
  day: SignedDay & { readonly closed: string; readonly reconciliation: string; readonly signature: string },
): string {
  const device = day.reconciliation === 'Manual' ? '' : day.signature;
  const counters = countersString(day.counters);
  return `${day.deviceId}${day.fiscalDayNumber}${day.openedOn}${day.closed}${day.reconciliation.toUpperCase()}${counters}${device}`;
}

export function receiptEvidenceString(signature: string, authorityReceiptId: string, serverDate: string): string {
  return `${signature}${authorityReceiptId}${serverDate}`;
}

export function qrCode(qrUrl: string, deviceId: number, date: string, globalCounter: number, signature: Buffer) {
  const digits = createHash('md5').update(signature).digest('hex').slice(0, 16).toUpperCase();
  const [year = '', month = '', day = ''] = date.slice(0, 10).split('-');
  const base = qrUrl.replace(/(?<!\/)\/+$/, '');
  const ten = (number: number) => String(number).padStart(10, '0');
  return {
    content: `${base}/${ten(deviceId)}${day}${month}${year}${ten(globalCounter)}${digits}`,
    code: (digits.match(/.{4}/g) ?? []).join('-'),
  };
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function percentOf(percent: Decimal | null): string {
  return percent === null ? '' : formatFixed(percent, 2);
}

function percentCents(percent: Decimal | null): bigint {
  return percent === null ? -1n : toCents(percent);
}

function ordinal(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
