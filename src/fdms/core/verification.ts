/**
 * What a customer checks a printed receipt with: the content of its QR code and the same 16 digits as text,
 * specification §11.
 *
 * The digits come from MD5 over the raw bytes of the device signature. The specification's "hexadecimal format value"
 * reads as if it were over the hex text; receipts of the real authority show that it is not.
 */
import { hash } from 'node:crypto';

export interface VerificationInput {
  readonly qrUrl: string;
  readonly deviceId: number;
  /** The signed date, device local: `YYYY-MM-DD` with or without a time behind it. */
  readonly date: string;
  readonly globalCounter: number;
  readonly signature: Buffer;
}

export interface Verification {
  readonly qrContent: string;
  readonly verificationCode: string;
}

export function verification(input: VerificationInput): Verification {
  const digits = hash('md5', input.signature, 'hex').slice(0, 16).toUpperCase();
  const { date } = input;
  const dayMonthYear = date.slice(8, 10) + date.slice(5, 7) + date.slice(0, 4);
  return {
    qrContent: `${withOneSlash(input.qrUrl)}${tenDigits(input.deviceId)}${dayMonthYear}${tenDigits(input.globalCounter)}${digits}`,
    verificationCode: `${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8, 12)}-${digits.slice(12)}`,
  };
}

function withOneSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return `${url.slice(0, end)}/`;
}

function tenDigits(number: number): string {
  return number.toString().padStart(10, '0');
}
