import { type Decimal, equals, formatFixed, sum } from '../kernel/decimal.ts';
import { readInstant } from '../kernel/instant.ts';
import { BrokenProof, expectThat } from './broken-proof.ts';
import { isProven } from './evidence.ts';
import type { Fields } from './fields.ts';
import { type Header, isSigned } from './header.ts';
import {
  MONEY_TYPES,
  percentOf,
  qrCode,
  receiptEvidenceString,
  receiptString,
  type SignedTax,
  sha256,
} from './signed-strings.ts';

/** A receipt as its line says it: the stored columns. */
export interface ReceiptLine {
  readonly globalCounter: number;
  readonly fiscalDayNumber: number;
  readonly fiscalDayCounter: number;
  readonly reference: string;
  readonly type: string;
  readonly currency: string;
  readonly date: string;
  readonly total: Decimal;
  readonly taxes: readonly SignedTax[];
  readonly payments: readonly { readonly moneyType: string; readonly amount: Decimal }[];
  readonly previousHash: string | undefined;
  readonly hash: string;
}

export function readReceiptLine(fields: Fields): ReceiptLine {
  return {
    globalCounter: fields.integer('GlobalCounter'),
    fiscalDayNumber: fields.integer('FiscalDayNumber'),
    fiscalDayCounter: fields.integer('FiscalDayCounter'),
    reference: fields.text('Reference'),
    type: fields.text('Type'),
    currency: fields.text('Currency'),
    date: fields.text('Date'),
    total: fields.amount('Total'),
    taxes: fields.list('Taxes').map((tax) => ({
      taxId: tax.integer('TaxId'),
      percent: tax.percent('TaxPercent'),
      tax: tax.amount('TaxAmount'),
      sales: tax.amount('SalesAmountWithTax'),
    })),
    payments: bodyOf(fields)
      .list('Payments')
      .map((payment) => ({ moneyType: payment.text('Type'), amount: payment.amount('Amount') })),
    previousHash: fields.optional('PreviousHash'),
    hash: fields.text('Hash'),
  };
}

/** Hash and signature, computed again from the columns. */
export function checkSeal(fields: Fields, receipt: ReceiptLine, header: Header): void {
  const text = receiptString({ ...receipt, deviceId: header.deviceId });
  expectThat(
    sha256(text).equals(fields.bytes('Hash')),
    'wrong-hash',
    () => 'the fields give another hash than the stored one',
  );
  const version = fields.integer('KeyVersion');
  const key = header.keys.get(version);
  if (key === undefined) throw new BrokenProof('unknown-key', `there is no key ${version} of the device`);
  const signature = fields.bytes('Signature');
  expectThat(isSigned(key, text, signature), 'bad-signature', () => `the signature was not made with key ${version}`);
  const qrUrl = header.qrUrls.get(fields.integer('ConfigurationVersion'));
  if (qrUrl === undefined) throw new BrokenProof('wrong-verification-code', 'its configuration is not there');
  const qr = qrCode(qrUrl, header.deviceId, receipt.date, receipt.globalCounter, signature);
  const isSame = qr.content === fields.text('QrCodeContent') && qr.code === fields.text('VerificationCode');
  expectThat(isSame, 'wrong-verification-code', () => `the signature gives the code ${qr.code}`);
}

/** What was sealed and what is echoed must be the same receipt: the columns against the body, and the body's own sums. */
export function checkBody(fields: Fields, receipt: ReceiptLine, { deviceId }: Header): void {
  const body = bodyOf(fields);
  const same = (field: string, stored: string, inBody: string) =>
    expectThat(stored === inBody, 'body-differs', () => `${field} is ${stored}, in the body ${inBody}`);
  same('AuthorityDeviceId', String(deviceId), body.text('AuthorityDeviceId'));
  same('Reference', receipt.reference, body.text('Reference'));
  same('Type', receipt.type, body.text('Type'));
  same('Currency', receipt.currency, body.text('Currency'));
  const total = body.amount('TotalAmount');
  expectThat(equals(total, receipt.total), 'body-differs', () => 'TotalAmount is another one in the body');
  expectThat(isSameTime(receipt.date, body.text('Date')), 'body-differs', () => {
    return `Date is ${receipt.date}, in the body ${body.text('Date')}`;
  });
  same('Taxes', taxesText(receipt.taxes), taxesText(body.list('Taxes').map(taxOfBody)));
  for (const field of ['OriginalGlobalCounter', 'OriginalAuthorityDeviceId']) {
    const inBody = body.optional(field);
    if (inBody !== undefined) same(field, fields.text(field), inBody);
  }
  checkSums(body, receipt);
}

function checkSums(body: Fields, receipt: ReceiptLine): void {
  const { total, payments, taxes } = receipt;
  const isTotal = (what: string, amount: Decimal) =>
    expectThat(equals(amount, total), 'wrong-sum', () => `${what} do not add up to the total`);
  isTotal('the amounts by tax', sum(taxes.map((tax) => tax.sales)));
  const taxOnTop = body.isTrue('ReceiptLinesTaxInclusive') ? [] : taxes.map((tax) => tax.tax);
  isTotal('the lines', sum([...body.list('ReceiptLines').map((line) => line.amount('LineTotal')), ...taxOnTop]));
  isTotal('the payments', sum(payments.map((payment) => payment.amount)));
  for (const { moneyType } of payments) {
    expectThat(MONEY_TYPES.includes(moneyType), 'body-differs', () => `${moneyType} is no kind of payment`);
  }
}

/** True: the authority's signature holds. False: it is there, but its certificate is not. Undefined: there is none yet. */
export function checkSubmission(fields: Fields, header: Header): boolean | undefined {
  const submission = fields.object('Submission');
  if (submission?.optional('State') !== 'Submitted') return undefined;
  // The answer was lost and the day is closed: that the authority has it is all that could be learned.
  if (submission.optional('AuthorityReceiptId') === undefined) return undefined;
  const textOf = (date: string) =>
    receiptEvidenceString(fields.text('Signature'), submission.text('AuthorityReceiptId'), date);
  return isProven(submission, submission.optional('ServerDate') ?? '', textOf, header);
}

function bodyOf(fields: Fields): Fields {
  const body = fields.object('Body');
  if (body === undefined) throw new BrokenProof('unreadable', 'Body is missing');
  return body;
}

function taxOfBody(tax: Fields) {
  return { percent: tax.percent('TaxPercent'), tax: tax.amount('TaxAmount'), sales: tax.amount('SalesAmountWithTax') };
}

function taxesText(taxes: readonly Omit<SignedTax, 'taxId'>[]): string {
  const texts = taxes.map(({ percent, tax, sales }) => {
    const rate = percent === null ? 'exempt' : `${percentOf(percent)} %`;
    return `${rate} ${formatFixed(tax, 2)} of ${formatFixed(sales, 2)}`;
  });
  return texts.toSorted().join(', ');
}

const QUARTER_HOUR_MS = 900_000;
const MAX_OFFSET_MS = 15 * 3_600_000;

/**
 * A date in the body may have an offset; the signed one is local. Which zone the device was in then is not kept, so the two
 * must only be the same time in some zone.
 */
function isSameTime(signed: string, inBody: string): boolean {
  const instant = readInstant(inBody);
  if (instant === undefined) return signed === inBody;
  const offset = Date.parse(`${signed}Z`) - instant.getTime();
  return offset % QUARTER_HOUR_MS === 0 && Math.abs(offset) <= MAX_OFFSET_MS;
}
