/** What a QR code says: specification §11. */
import { createHash } from 'node:crypto';
import { formatWall } from '../../kernel/zone.ts';

/** The first 16 hexadecimal digits of the MD5 over the signature's raw bytes, not over their text. */
export function qrData(signature: string): string {
  return createHash('md5').update(Buffer.from(signature, 'base64')).digest('hex').slice(0, 16).toUpperCase();
}

export interface QrReference {
  readonly deviceId: number;
  /** ddMMyyyy */
  readonly date: string;
  readonly globalNo: number;
  readonly data: string;
}

/** `0000000321` + `03042023` + `1112223331` + 16 digits, without separators. */
export function readQrPath(path: string): QrReference | undefined {
  const match = /^(\d{10})(\d{8})(\d{10})([0-9a-fA-F]{16})$/.exec(path);
  if (!match) return undefined;
  const [, deviceId = '', date = '', globalNo = '', data = ''] = match;
  return { deviceId: Number(deviceId), date, globalNo: Number(globalNo), data: data.toUpperCase() };
}

export function qrPath(deviceId: number, receiptDate: number, globalNo: number, signature: string): string {
  return `${digits(deviceId)}${qrDate(receiptDate)}${digits(globalNo)}${qrData(signature)}`;
}

export function qrDate(receiptDate: number): string {
  const [year = '', month = '', day = ''] = formatWall(receiptDate).slice(0, 10).split('-');
  return `${day}${month}${year}`;
}

function digits(number: number): string {
  return String(number).padStart(10, '0');
}
