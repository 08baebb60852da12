/**
 * Rebuilds what a test vector expects from its structured input, with the code that seals receipts, and says what differs.
 * The shape of the vectors is described in test/vectors/README.md.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  type DayCounter,
  dayString,
  MONEY_TYPES,
  type SealedTax,
  sha256,
  signingString,
  TAX_COUNTER_TYPES,
  verification,
  verifyText,
} from '../../src/fdms/index.ts';
import {
  amount,
  bytes,
  type Fields,
  integer,
  isFields,
  list,
  matching,
  oneOf,
  optionalText,
  percent,
  text,
  textOrNull,
  VectorFault,
} from './vector-fields.ts';

export const VECTOR_KINDS = ['receipts', 'days', 'qr'] as const;
export type VectorKind = (typeof VECTOR_KINDS)[number];

const RECEIPT_TYPES = ['FiscalInvoice', 'CreditNote', 'DebitNote'] as const;
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** What the vector holds by its fields alone, for files whose name does not say it. */
export function kindOfVector(vector: unknown): VectorKind | undefined {
  if (!isFields(vector)) return undefined;
  if ('receiptType' in vector) return 'receipts';
  if ('fiscalDayNo' in vector) return 'days';
  return 'qrUrl' in vector ? 'qr' : undefined;
}

/** Everything in which the vector is not fulfilled; nothing when it is. */
export function differencesOf(kind: VectorKind, vector: unknown): string[] {
  try {
    if (!isFields(vector)) throw new VectorFault('the vector is not an object');
    if (kind === 'receipts') return receiptDifferences(vector);
    return kind === 'days'
      ? dayDifferences(vector)
      : verificationDifferences(vector, vector, bytesOf(vector, 'signature'));
  } catch (error) {
    // One vector must never keep the others from being checked, not even by a fault of ours.
    const message = error instanceof Error ? error.message : String(error);
    return [error instanceof VectorFault ? `malformed: ${message}` : `could not be checked: ${message}`];
  }
}

function receiptDifferences(vector: Fields): string[] {
  const previousHash = textOrNull(vector, 'previousHash');
  const rebuilt = signingString({
    deviceId: integer(vector, 'deviceId'),
    type: oneOf(vector, 'receiptType', RECEIPT_TYPES),
    currency: text(vector, 'currency'),
    globalCounter: integer(vector, 'globalNo'),
    date: matching(vector, 'date', LOCAL_TIME, 'YYYY-MM-DDTHH:mm:ss'),
    total: amount(vector, 'total'),
    taxes: list(vector, 'taxes').map(taxOf),
    previousHash: previousHash === null ? undefined : hashBytes(previousHash),
  });
  const differences = sealDifferences(vector, rebuilt);
  const { qr } = vector;
  if (qr === undefined || qr === null) return differences;
  if (!isFields(qr)) throw new VectorFault('qr is not an object');
  return [...differences, ...verificationDifferences(vector, qr, bytesOf(vector, 'signature'))];
}

function hashBytes(previousHash: string): Buffer {
  const hash = bytes(previousHash, 'previousHash');
  if (hash.length !== 32) throw new VectorFault(`previousHash has ${hash.length} bytes, a SHA-256 has 32`);
  return hash;
}

function taxOf(tax: Fields): SealedTax {
  return {
    taxId: integer(tax, 'taxId'),
    taxCode: textOrNull(tax, 'taxCode') ?? undefined,
    taxPercent: percent(tax, 'taxPercent'),
    taxAmount: amount(tax, 'taxAmount'),
    salesAmountWithTax: amount(tax, 'salesAmountWithTax'),
  };
}

function dayDifferences(vector: Fields): string[] {
  const rebuilt = dayString({
    deviceId: integer(vector, 'deviceId'),
    fiscalDayNumber: integer(vector, 'fiscalDayNo'),
    fiscalDayDate: matching(vector, 'fiscalDayDate', /^\d{4}-\d\d-\d\d$/, 'YYYY-MM-DD'),
    counters: list(vector, 'counters').map(counterOf),
  });
  return sealDifferences(vector, rebuilt);
}

function counterOf(counter: Fields): DayCounter {
  const currency = text(counter, 'currency');
  const value = amount(counter, 'value');
  const type = oneOf(counter, 'type', [...TAX_COUNTER_TYPES, 'BalanceByMoneyType'] as const);
  return type === 'BalanceByMoneyType'
    ? { type, currency, moneyType: oneOf(counter, 'moneyType', MONEY_TYPES), value }
    : { type, currency, taxId: integer(counter, 'taxId'), taxPercent: percent(counter, 'taxPercent'), value };
}

/** String, hash and, where both signature and key are given, signature. */
function sealDifferences(vector: Fields, rebuilt: string): string[] {
  const differences = [
    ...difference('canonical', text(vector, 'canonical'), rebuilt),
    ...difference('hash', text(vector, 'hash'), sha256(rebuilt).toString('base64')),
  ];
  if (optionalText(vector, 'signature') === undefined) return differences;
  const signature = bytesOf(vector, 'signature');
  const pem = optionalText(vector, 'publicKeyPem');
  if (pem === undefined) return differences;
  const key = publicKeyOf(pem, optionalText(vector, 'algorithm'));
  if (!verifyText(key, rebuilt, signature)) {
    differences.push('signature: expected one that verifies over the rebuilt string got one that does not');
  }
  return differences;
}

const KEY_TYPES: Readonly<Record<string, string>> = { 'ECDSA-P256-SHA256': 'ec', 'RSA-SHA256': 'rsa' };

/** The vector's key, provided it is of the kind its `algorithm` says. */
function publicKeyOf(pem: string, algorithm: string | undefined): KeyObject {
  // OpenSSL ignores the unused bits at the end of base64, and with them a changed character.
  bytes(pem.replace(/-----[^-]+-----|\s/g, ''), 'publicKeyPem');
  const key = readPublicKey(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type !== 'rsa' && !(type === 'ec' && details?.namedCurve === 'prime256v1')) {
    throw new VectorFault('publicKeyPem is neither an ECDSA P-256 nor an RSA key');
  }
  if (algorithm === undefined) return key;
  const wanted = Object.hasOwn(KEY_TYPES, algorithm) ? KEY_TYPES[algorithm] : undefined;
  if (wanted === undefined) throw new VectorFault(`algorithm is none of ${Object.keys(KEY_TYPES).join(', ')}`);
  if (wanted !== type) throw new VectorFault(`algorithm is ${algorithm}, which is not that of publicKeyPem`);
  return key;
}

function readPublicKey(pem: string): KeyObject {
  try {
    return createPublicKey({ key: pem, format: 'pem' });
  } catch {
    throw new VectorFault('publicKeyPem is not a public key');
  }
}

/** `receipt` has device, number and date; `expected` the address and what is to come out. */
function verificationDifferences(receipt: Fields, expected: Fields, signature: Buffer): string[] {
  const rebuilt = verification({
    qrUrl: text(expected, 'qrUrl'),
    deviceId: integer(receipt, 'deviceId'),
    date: matching(receipt, 'date', LOCAL_TIME, 'YYYY-MM-DDTHH:mm:ss'),
    globalCounter: integer(receipt, 'globalNo'),
    signature,
  });
  const content = text(expected, 'content');
  const code = text(expected, 'verificationCode');
  return [
    ...difference('content', content, rebuilt.qrContent, content.slice(0, -16) + content.slice(-16).toUpperCase()),
    ...difference('verificationCode', code, rebuilt.verificationCode, code.toUpperCase()),
  ];
}

function bytesOf(vector: Fields, name: string): Buffer {
  return bytes(text(vector, name), name);
}

/** `comparable` is the expected value where its spelling may differ: hex digits are good in either case. */
function difference(what: string, expected: string, got: string, comparable: string = expected): string[] {
  return comparable === got ? [] : [`${what}: expected ${expected} got ${got}`];
}
