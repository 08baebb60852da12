/** The seal of an answer worked out again from the answer alone, by code of its own (protocol, sections 7 and 9). */
import { createHash, verify } from 'node:crypto';
import { Big } from 'big.js';

/** An answer whose numbers are texts in plain notation, so that none of them was ever a float. */
export interface Answer {
  readonly AuthorityDeviceId: string;
  readonly Type: string;
  readonly Currency: string;
  readonly Date: string;
  readonly TotalAmount: string;
  readonly Taxes: readonly { TaxPercent: string | null; TaxAmount: string; SalesAmountWithTax: string }[];
  readonly GlobalCounter: string;
  readonly DeviceHash: string;
  readonly DeviceSignature: string;
  readonly QrCodeContent: string;
  readonly VerificationCode: string;
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Parses JSON with every number as its plain text: `1e2`, `100.00` and `100` are all `100`. */
export function parseWithNumberTexts(json: string): Record<string, unknown> {
  const keepText: Reviver = (_key, value, context) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    const number = new Big(context.source);
    return number.eq(0) ? '0' : number.toFixed();
  };
  return JSON.parse(json, keepText);
}

/** What was hashed and signed. The taxes of the test devices have the ids 1 (exempt), 2 (0 %) and 517 (15.5 %). */
export function signedText(answer: Answer, localDate: string, previousHash: string): string {
  const taxId = (percent: string | null) => (percent === null ? 1 : percent === '0' ? 2 : 517);
  const taxes = answer.Taxes.toSorted((a, b) => taxId(a.TaxPercent) - taxId(b.TaxPercent)).map((tax) => {
    const percent = tax.TaxPercent === null ? '' : new Big(tax.TaxPercent).toFixed(2);
    return percent + cents(tax.TaxAmount) + cents(tax.SalesAmountWithTax);
  });
  return [
    answer.AuthorityDeviceId,
    answer.Type.toUpperCase(),
    answer.Currency,
    answer.GlobalCounter,
    localDate,
    cents(answer.TotalAmount),
    ...taxes,
    previousHash,
  ].join('');
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64');
}

export function isSignedBy(publicKeyPem: string, text: string, signature: string): boolean {
  return verify('sha256', Buffer.from(text, 'utf8'), publicKeyPem, Buffer.from(signature, 'base64'));
}

/** The QR content and the verification code that belong to a signature. */
export function verificationOf(answer: Answer, qrUrl: string, localDate: string) {
  const md5 = createHash('md5').update(Buffer.from(answer.DeviceSignature, 'base64')).digest('hex');
  const code = md5.slice(0, 16).toUpperCase();
  const [year, month, day] = localDate.slice(0, 10).split('-');
  const numbers = [answer.AuthorityDeviceId, answer.GlobalCounter].map((number) => number.padStart(10, '0'));
  return {
    QrCodeContent: `${qrUrl}/${numbers[0]}${day}${month}${year}${numbers[1]}${code}`,
    VerificationCode: code.match(/.{4}/g)?.join('-'),
  };
}

function cents(amount: string): string {
  const number = new Big(amount).times(100);
  return number.eq(0) ? '0' : number.toFixed(0);
}
