/**
 * What each call of the protocol must answer (specification §4): only what is used here is required, and names that are not
 * known are kept, because an answer that cannot be read is an answer lost. `operationId` comes from the body or, where that has none,
 * from the header the authority puts on all its answers: it is the mark by which an answer is known to be its own.
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
  SignatureDataEx,
  StatusResponse,
  SubmitReceiptResponse,
  ValidationError,
  VerifyTaxpayerResponse,
} from '../core/protocol.ts';
import type { AnswerReader } from './answer-reader.ts';

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
  return present({
    operationID,
    ...taxpayer(answer),
    deviceSerialNo: answer.text('deviceSerialNo'),
    deviceOperatingMode: answer.name('deviceOperatingMode', MODES),
    taxPayerDayMaxHrs: answer.integer('taxPayerDayMaxHrs'),
    taxpayerDayEndNotificationHrs: answer.integer('taxpayerDayEndNotificationHrs'),
    applicableTaxes: answer.list('applicableTaxes', tax),
    qrUrl: answer.text('qrUrl'),
  });
}

export function readStatus(answer: AnswerReader, operationID: string): StatusResponse {
  return present({
    operationID,
    fiscalDayStatus: answer.name('fiscalDayStatus', STATUSES),
    fiscalDayReconciliationMode: answer.optionalName('fiscalDayReconciliationMode', RECONCILIATIONS),
    fiscalDayServerSignature: optionally(answer.optionalObject('fiscalDayServerSignature'), signature),
    fiscalDayClosed: answer.optionalDate('fiscalDayClosed'),
    fiscalDayClosingErrorCode: answer.optionalName('fiscalDayClosingErrorCode', CLOSING_ERRORS),
    fiscalDayCounter: answer.optionalList('fiscalDayCounter', counter),
    lastReceiptGlobalNo: answer.optionalInteger('lastReceiptGlobalNo'),
    lastFiscalDayNo: answer.optionalInteger('lastFiscalDayNo'),
  });
}

export function readOpenDay(_answer: AnswerReader, operationID: string): OpenDayResponse {
  return { operationID };
}

export function readSubmitReceipt(answer: AnswerReader, operationID: string): SubmitReceiptResponse {
  return present({
    operationID,
    receiptID: answer.integer('receiptID'),
    serverDate: answer.date('serverDate'),
    receiptServerSignature: signature(answer.object('receiptServerSignature')),
    validationErrors: answer.optionalList('validationErrors', validationError),
  });
}

export function readCloseDay(_answer: AnswerReader, operationID: string): CloseDayResponse {
  return { operationID };
}

export function readPing(answer: AnswerReader, operationID: string): PingResponse {
  return { operationID, reportingFrequency: answer.integer('reportingFrequency') };
}

/** One spelling of a colour: `Gray` has been seen besides `Grey`, and the case is not promised. Others stay as they are. */
export function colourName(text: string): string {
  const lower = text.toLowerCase();
  if (lower === 'gray' || lower === 'grey') return 'Grey';
  return lower === 'red' ? 'Red' : lower === 'yellow' ? 'Yellow' : text;
}

function taxpayer(answer: AnswerReader) {
  return {
    taxPayerName: answer.text('taxPayerName'),
    taxPayerTIN: answer.text('taxPayerTIN'),
    vatNumber: answer.optionalText('vatNumber'),
    deviceBranchName: answer.text('deviceBranchName'),
    deviceBranchAddress: address(answer.object('deviceBranchAddress')),
    deviceBranchContacts: optionally(answer.optionalObject('deviceBranchContacts'), contacts),
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

function tax(item: AnswerReader): FdmsTax {
  return present({
    taxID: item.integer('taxID'),
    taxPercent: item.optionalDecimal('taxPercent'),
    taxName: item.text('taxName'),
    // The prose of the specification has the longer names, its OpenAPI documents and the authority's server the others.
    validFrom: item.optionalDate('taxValidFrom') ?? item.date('validFrom'),
    validTill: item.optionalDate('validTill') ?? item.optionalDate('taxValidTill'),
  });
}

function signature(item: AnswerReader): SignatureDataEx {
  return {
    hash: item.text('hash'),
    signature: item.text('signature'),
    certificateThumbprint: item.text('certificateThumbprint'),
  };
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

function validationError(item: AnswerReader): ValidationError {
  return present({
    validationErrorCode: item.text('validationErrorCode'),
    validationErrorColor: colourName(item.text('validationErrorColor')),
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
