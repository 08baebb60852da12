/**
 * What each call of the protocol must answer (specification §4): only what something is decided by is required, and names that are not
 * known are kept, because an answer that cannot be read is an answer lost. What is only evidence is kept as it came. `operationID` comes
 * from the body or from the header the authority puts on all its answers; where there is none it is empty.
 */

import { MONEY_TYPES, TAX_COUNTER_TYPES } from '../core/day-counters.ts';
import type {
  CertificateResponse,
  CloseDayResponse,
  ConfigResponse,
  FdmsAddress,
  FdmsContacts,
  FdmsCounter,
  FdmsCounterType,
  FdmsTax,
  FiscalDayProcessingError,
  FiscalDayStatus,
  OpenDayResponse,
  OperatingMode,
  PingResponse,
  ReconciliationMode,
  ServerCertificateResponse,
  ServerSignature,
  StatusResponse,
  SubmitReceiptResponse,
  ValidationError,
  VerifyTaxpayerResponse,
} from '../core/protocol.ts';
import { colourName } from '../core/remarks.ts';
import { serverWall } from '../core/server-date.ts';
import { type AnswerReader, evidenceOf, NotTheProtocol } from './answer-reader.ts';

export type ReadAnswer<T> = (answer: AnswerReader, operationID: string) => T;

const MODES: readonly OperatingMode[] = ['Online', 'Offline'];
const STATUSES: readonly FiscalDayStatus[] = [
  'FiscalDayClosed',
  'FiscalDayOpened',
  'FiscalDayCloseInitiated',
  'FiscalDayCloseFailed',
];
const RECONCILIATIONS: readonly ReconciliationMode[] = ['Auto', 'Manual'];
const CLOSING_ERRORS: readonly FiscalDayProcessingError[] = [
  'BadCertificateSignature',
  'MissingReceipts',
  'ReceiptsWithValidationErrors',
  'CountersMismatch',
  'InternalError',
];
const COUNTERS: readonly FdmsCounterType[] = [...TAX_COUNTER_TYPES, 'BalanceByMoneyType'];

export function readVerifyTaxpayer(answer: AnswerReader, operationID: string): VerifyTaxpayerResponse {
  return present({ operationID, ...taxpayer(answer) });
}

export function readCertificateAnswer(answer: AnswerReader, operationID: string): CertificateResponse {
  return { operationID, certificate: answer.text('certificate') };
}

export function readServerCertificate(answer: AnswerReader, operationID: string): ServerCertificateResponse {
  return { operationID, certificate: answer.texts('certificate') };
}

export function readConfig(answer: AnswerReader, operationID: string): ConfigResponse {
  const doubts: string[] = [];
  const hours = hoursReader(answer, doubts);
  return present({
    operationID,
    ...taxpayer(answer),
    deviceSerialNo: answer.text('deviceSerialNo'),
    deviceOperatingMode: answer.optionalName('deviceOperatingMode', MODES) ?? 'Online',
    taxPayerDayMaxHrs: hours('taxPayerDayMaxHrs', 1, 24),
    taxpayerDayEndNotificationHrs: hours('taxpayerDayEndNotificationHrs', 0, 2),
    applicableTaxes: answer.list('applicableTaxes', tax),
    // Without it no receipt can be verified by its QR code.
    qrUrl: answer.text('qrUrl'),
    doubts: doubts.length === 0 ? undefined : doubts,
  });
}

export function readStatus(answer: AnswerReader, operationID: string): StatusResponse {
  return present({
    operationID,
    fiscalDayStatus: answer.name('fiscalDayStatus', STATUSES),
    fiscalDayReconciliationMode: answer.optionalName('fiscalDayReconciliationMode', RECONCILIATIONS),
    fiscalDayServerSignature: optionally(answer.optionalPart('fiscalDayServerSignature'), signature),
    fiscalDayClosed: answer.optionalText('fiscalDayClosed'),
    fiscalDayClosingErrorCode: answer.optionalName('fiscalDayClosingErrorCode', CLOSING_ERRORS),
    fiscalDayCounter: evidenceOf(() => answer.optionalList('fiscalDayCounter', counter)),
    lastReceiptGlobalNo: answer.optionalInteger('lastReceiptGlobalNo'),
    lastFiscalDayNo: answer.optionalInteger('lastFiscalDayNo'),
  });
}

export function readOpenDay(answer: AnswerReader, operationID: string): OpenDayResponse {
  return present({ operationID: marked(operationID), fiscalDayNo: answer.optionalInteger('fiscalDayNo') });
}

export function readSubmitReceipt(answer: AnswerReader, operationID: string): SubmitReceiptResponse {
  return present({
    operationID,
    receiptID: answer.bigInteger('receiptID'),
    serverDate: answer.optionalText('serverDate'),
    receiptServerSignature: optionally(answer.optionalPart('receiptServerSignature'), signature),
    validationErrors: evidenceOf(() => answer.optionalList('validationErrors', validationError) ?? []) ?? [UNREADABLE],
  });
}

export function readCloseDay(_answer: AnswerReader, operationID: string): CloseDayResponse {
  return { operationID: marked(operationID) };
}

/** Of an answer that says nothing else this is the mark by which it is known to be the authority's. */
function marked(operationID: string): string {
  if (operationID === '') throw new NotTheProtocol('operationID is missing');
  return operationID;
}

export function readPing(answer: AnswerReader, operationID: string): PingResponse {
  return { operationID, reportingFrequency: answer.integer('reportingFrequency') };
}

function taxpayer(answer: AnswerReader) {
  return {
    taxPayerName: answer.optionalText('taxPayerName') ?? '',
    taxPayerTIN: answer.text('taxPayerTIN'),
    vatNumber: answer.optionalText('vatNumber'),
    deviceBranchName: answer.optionalText('deviceBranchName') ?? '',
    deviceBranchAddress: address(answer.part('deviceBranchAddress')),
    deviceBranchContacts: optionally(answer.optionalPart('deviceBranchContacts'), contacts),
  };
}

/** Required in the prose, nullable in the newest documents: a missing part is an empty one. */
function address(item: AnswerReader): FdmsAddress {
  return {
    province: item.optionalText('province') ?? '',
    city: item.optionalText('city') ?? '',
    street: item.optionalText('street') ?? '',
    houseNo: item.optionalText('houseNo') ?? '',
  };
}

function contacts(item: AnswerReader): FdmsContacts {
  return present({ phoneNo: item.optionalText('phoneNo'), email: item.optionalText('email') });
}

/** Longer than any day; what is beyond is a mistake. */
const MAX_DAY_HOURS = 30 * 24;

/** A day must end some time: hours that cannot be meant are told, and others taken in their place. */
function hoursReader(answer: AnswerReader, doubts: string[]) {
  return (key: string, minimum: number, fallback: number): number => {
    const said = answer.optionalText(key);
    const value = evidenceOf(() => answer.optionalInteger(key));
    if (value !== undefined && value >= minimum && value <= MAX_DAY_HOURS) return value;
    if (said !== undefined) doubts.push(`${key} is ${said.slice(0, 40)}, for which ${fallback} is taken`);
    return fallback;
  };
}

/** Since when and until when it applies is as far back, or ahead, as can be where that is not said. */
function tax(item: AnswerReader): FdmsTax {
  const taxID = item.integer('taxID');
  return present({
    taxID,
    taxPercent: percent(item),
    taxName: item.optionalText('taxName') ?? `Tax ${taxID}`,
    // The prose of the specification has the longer names, its OpenAPI documents and the authority's server the others.
    validFrom: day(item, 'taxValidFrom') ?? day(item, 'validFrom') ?? '0001-01-01',
    validTill: day(item, 'validTill') ?? day(item, 'taxValidTill'),
  });
}

function percent(item: AnswerReader): string | undefined {
  const text = item.optionalDecimal('taxPercent');
  if (text !== undefined && !/^(\d\d?(\.\d\d?)?|100)$/.test(text))
    throw new NotTheProtocol(`taxPercent of a tax is ${text.slice(0, 40)}, which cannot be`);
  return text;
}

function day(item: AnswerReader, key: string): string | undefined {
  const text = item.optionalText(key);
  if (text !== undefined && serverWall(text) === undefined) throw new NotTheProtocol(`${key} of a tax is not a date`);
  return text?.trim();
}

function signature(item: AnswerReader): ServerSignature {
  return present({
    hash: item.optionalText('hash'),
    signature: item.optionalText('signature'),
    certificateThumbprint: item.optionalText('certificateThumbprint'),
  });
}

function counter(item: AnswerReader): FdmsCounter {
  return present({
    fiscalCounterType: item.name('fiscalCounterType', COUNTERS),
    fiscalCounterCurrency: item.text('fiscalCounterCurrency'),
    fiscalCounterTaxID: item.optionalInteger('fiscalCounterTaxID'),
    fiscalCounterTaxPercent: item.optionalDecimal('fiscalCounterTaxPercent'),
    fiscalCounterMoneyType: item.optionalName('fiscalCounterMoneyType', MONEY_TYPES),
    fiscalCounterValue: item.decimal('fiscalCounterValue'),
  });
}

/** That it has remarks must not be lost, nor the acceptance. */
const UNREADABLE: ValidationError = {
  validationErrorCode: 'no code',
  validationErrorColor: 'Unknown',
  validationErrorDescription: "the authority's remarks cannot be read",
};

function validationError(item: AnswerReader): ValidationError {
  return present({
    validationErrorCode: item.optionalText('validationErrorCode') ?? 'no code',
    validationErrorColor: colourName(item.optionalText('validationErrorColor') ?? 'Unknown'),
    validationErrorDescription: item.optionalText('validationErrorDescription'),
  });
}

function optionally<T>(item: AnswerReader | undefined, read: (item: AnswerReader) => T): T | undefined {
  return item === undefined ? undefined : read(item);
}

/** The fields that are there: an absent one is no key at all, in the types as on the wire. */
type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
