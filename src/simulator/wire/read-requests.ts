/** The bodies of all requests but the receipt's own object: specification §4. */
import type { SignatureData } from '../../fdms/index.ts';
import { type ExactJson, JsonRefusal, parseExactJson } from '../../platform/json/exact-json.ts';
import { COUNTER_TYPES, type DayCounter, MONEY_TYPES } from '../core/counters.ts';
import type { SubmittedReceipt } from '../core/receipt.ts';
import { type Faults, type Fields, readFields } from './fields.ts';
import { readReceipt, readSignature } from './read-receipt.ts';

/** What was read, or what is wrong with it, by field. */
export type Read<T> = { readonly value: T } | { readonly faults: Faults };

export interface OpenDayRequest {
  readonly openedAt: number;
  readonly dayNo: number | undefined;
}

export interface CloseRequest {
  readonly dayNo: number;
  readonly counters: readonly DayCounter[];
  readonly signature: SignatureData;
  readonly receiptCounter: number;
}

export function readVerifyTaxpayer(body: Buffer) {
  return readBody(body, (fields) => ({
    activationKey: activationKey(fields),
    serialNo: fields.text('deviceSerialNo', 20),
  }));
}

export function readRegisterDevice(body: Buffer) {
  return readBody(body, (fields) => ({
    certificateRequest: fields.text('certificateRequest', 20_000),
    activationKey: activationKey(fields),
  }));
}

export function readIssueCertificate(body: Buffer) {
  return readBody(body, (fields) => ({ certificateRequest: fields.text('certificateRequest', 20_000) }));
}

export function readOpenDay(body: Buffer): Read<OpenDayRequest> {
  return readBody(body, (fields) => ({
    openedAt: fields.date('fiscalDayOpened'),
    dayNo: fields.optionalInteger('fiscalDayNo'),
  }));
}

export function readSubmitReceipt(body: Buffer): Read<SubmittedReceipt> {
  const read = readBody(body, (fields) => fields.object('receipt', readReceipt));
  // An absent receipt is among the faults; the type does not know that.
  if ('faults' in read) return read;
  return read.value === undefined
    ? { faults: new Map([['receipt', ['The Receipt field is required.']]]) }
    : { value: read.value };
}

export function readCloseDay(body: Buffer): Read<CloseRequest> {
  return readBody(body, (fields) => ({
    dayNo: fields.integer('fiscalDayNo'),
    counters: fields.list('fiscalDayCounters', readCounter),
    signature: fields.object('fiscalDayDeviceSignature', readSignature) ?? { hash: '', signature: '' },
    receiptCounter: fields.integer('receiptCounter'),
  }));
}

function readCounter(fields: Fields): DayCounter {
  const type = fields.oneOf('fiscalCounterType', COUNTER_TYPES);
  const currency = fields.text('fiscalCounterCurrency', 3);
  const taxId = fields.optionalInteger('fiscalCounterTaxID');
  const percent = fields.optionalDecimal('fiscalCounterTaxPercent', 5, 2);
  const moneyType = fields.optionalOneOf('fiscalCounterMoneyType', MONEY_TYPES);
  const value = fields.decimal('fiscalCounterValue', 21, 2);
  if (currency.length < 3) fields.fault('fiscalCounterCurrency', 'FiscalCounterCurrency must have 3 characters.');
  if (type === 'BalanceByMoneyType') {
    if (moneyType === undefined) fields.fault('fiscalCounterMoneyType', 'FiscalCounterMoneyType is required.');
    if (taxId !== undefined) fields.fault('fiscalCounterTaxID', 'FiscalCounterTaxID does not belong to a balance.');
    if (percent !== undefined) fields.fault('fiscalCounterTaxPercent', 'A balance has no FiscalCounterTaxPercent.');
  } else {
    if (taxId === undefined) fields.fault('fiscalCounterTaxID', 'FiscalCounterTaxID is required.');
    if (moneyType !== undefined) fields.fault('fiscalCounterMoneyType', 'A tax counter has no money type.');
  }
  return { type, currency, taxId, percent, moneyType, value };
}

function activationKey(fields: Fields): string {
  const key = fields.text('activationKey', 8);
  if (key.length !== 8) fields.fault('activationKey', 'The field ActivationKey must have 8 characters.');
  // Case makes no difference.
  return key.toUpperCase();
}

function readBody<T>(body: Buffer, read: (fields: Fields) => T): Read<T> {
  let json: ExactJson;
  try {
    json = parseExactJson(body);
  } catch (error) {
    if (error instanceof JsonRefusal) return { faults: new Map([['$', [error.message]]]) };
    throw error;
  }
  const faults: Faults = new Map();
  const value = readFields(json, json.value, '', faults, read);
  return value === undefined || faults.size > 0 ? { faults } : { value };
}
