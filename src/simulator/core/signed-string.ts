/**
 * The strings that are signed: specification §13.2 for receipts, §13.3 for days. Written from the protocol alone;
 * the service under test has its own, and only the vectors in test/vectors are shared.
 */
import type { FdmsReceiptType, ReconciliationMode } from '../../fdms/index.ts';
import { compare, type Decimal, formatFixed, multiply, ONE_HUNDRED, ZERO } from '../../kernel/decimal.ts';
import { formatWall } from '../../kernel/zone.ts';
import { type DayCounter, inSigningOrder } from './counters.ts';
import type { ReceiptTax } from './receipt.ts';

export interface SignedFields {
  readonly type: FdmsReceiptType;
  readonly currency: string;
  readonly globalNo: number;
  readonly date: number;
  readonly total: Decimal;
  readonly taxes: readonly ReceiptTax[];
}

export function receiptString(deviceId: number, receipt: SignedFields, previousHash: string | undefined): string {
  return [
    deviceId,
    receipt.type.toUpperCase(),
    receipt.currency.toUpperCase(),
    receipt.globalNo,
    formatWall(receipt.date),
    cents(receipt.total),
    ...receipt.taxes.toSorted(byTaxIdThenCode).map(taxString),
    previousHash ?? '',
  ].join('');
}

export function receiptServerString(deviceSignature: string, receiptId: number, serverDate: string): string {
  return `${deviceSignature}${receiptId}${serverDate}`;
}

export interface SignedDay {
  readonly deviceId: number;
  readonly dayNo: number;
  /** Wall-clock seconds of the opening: the day's date is that of its opening, whenever it is closed. */
  readonly openedAt: number;
  readonly counters: readonly DayCounter[];
}

export function dayString(day: SignedDay): string {
  return `${dayStart(day)}${countersString(day.counters)}`;
}

/** A day closed by a person has no signature of the device. */
export function dayServerString(
  day: SignedDay,
  closedAt: string,
  mode: ReconciliationMode,
  deviceSignature: string | undefined,
): string {
  return [
    dayStart(day),
    closedAt,
    mode.toUpperCase(),
    countersString(day.counters),
    mode === 'Auto' ? (deviceSignature ?? '') : '',
  ].join('');
}

function dayStart(day: SignedDay): string {
  return `${day.deviceId}${day.dayNo}${formatWall(day.openedAt).slice(0, 10)}`;
}

function countersString(counters: readonly DayCounter[]): string {
  return inSigningOrder(counters).map(counterString).join('');
}

function counterString(counter: DayCounter): string {
  const key = counter.moneyType?.toUpperCase() ?? percentText(counter.percent);
  return `${counter.type.toUpperCase()}${counter.currency.toUpperCase()}${key}${cents(counter.value)}`;
}

function taxString(tax: ReceiptTax): string {
  return `${tax.code ?? ''}${percentText(tax.percent)}${cents(tax.taxAmount)}${cents(tax.salesAmount)}`;
}

/** Codes compare by their code units: a locale would sort them differently from machine to machine. */
function byTaxIdThenCode(a: ReceiptTax, b: ReceiptTax): number {
  const [left, right] = [a.code ?? '', b.code ?? ''];
  return a.taxId - b.taxId || (left < right ? -1 : left > right ? 1 : comparePercents(a.percent, b.percent));
}

function comparePercents(a: Decimal | undefined, b: Decimal | undefined): number {
  return compare(a ?? ZERO, b ?? ZERO);
}

/** Exempt is empty, zero-rated is 0.00. */
function percentText(percent: Decimal | undefined): string {
  return percent === undefined ? '' : formatFixed(percent, 2);
}

/** The wire allows two decimals, so nothing is rounded here. */
function cents(amount: Decimal): string {
  return formatFixed(multiply(amount, ONE_HUNDRED), 0);
}
