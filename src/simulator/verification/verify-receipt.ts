import { formatFixed } from '../../kernel/decimal.ts';
import { formatWall } from '../../kernel/zone.ts';
import { qrData, qrDate, readQrPath } from '../core/verification-code.ts';
import type { Authority } from '../state/authority.ts';
import { receiptsByNumber, type StoredReceipt } from '../store/receipts.ts';
import { findDevice, findTaxpayer } from '../store/registry.ts';

/** What the public may know of a receipt it holds in its hands. */
export interface VerifiedReceipt {
  readonly receiptType: StoredReceipt['type'];
  readonly taxPayerName: string;
  readonly taxPayerTIN: string;
  readonly vatNumber: string | null;
  readonly branchName: string;
  readonly deviceID: number;
  readonly deviceSerialNo: string;
  readonly fiscalDayNo: number;
  readonly receiptCounter: number;
  readonly receiptGlobalNo: number;
  readonly invoiceNo: string;
  readonly receiptDate: string;
  readonly receiptCurrency: string;
  readonly receiptTotal: string;
  readonly taxes: readonly { readonly taxPercent: string | null; readonly sales: string; readonly tax: string }[];
  readonly verificationCode: string;
  readonly receivedAt: string;
  readonly remarks: readonly { readonly code: string; readonly colour: string; readonly message: string }[];
}

/**
 * `tampered`: the authority holds a receipt of this device and number, but the date or the code on the paper is another
 * one. Nothing of the true receipt is shown then: who guesses numbers must not learn what was sold.
 */
export type Verification =
  | { readonly status: 'valid'; readonly receipt: VerifiedReceipt }
  | { readonly status: 'tampered' | 'not-found' };

export function verifyReceipt({ db }: Authority, path: string): Verification {
  const reference = readQrPath(path);
  if (!reference) return { status: 'not-found' };
  const held = receiptsByNumber(db, reference.deviceId, reference.globalNo);
  if (held.length === 0) return { status: 'not-found' };
  const found = held.find(
    (receipt) => qrDate(receipt.date) === reference.date && qrData(receipt.signature) === reference.data,
  );
  const device = findDevice(db, reference.deviceId);
  const taxpayer = device && findTaxpayer(db, device.tin);
  if (!found || !device || !taxpayer) return { status: 'tampered' };
  const receipt: VerifiedReceipt = {
    receiptType: found.type,
    taxPayerName: taxpayer.name,
    taxPayerTIN: taxpayer.tin,
    vatNumber: taxpayer.vatNumber,
    branchName: device.branch.name,
    deviceID: device.deviceId,
    deviceSerialNo: device.serialNo,
    fiscalDayNo: found.dayNo,
    receiptCounter: found.counter,
    receiptGlobalNo: found.globalNo,
    invoiceNo: found.invoiceNo,
    receiptDate: formatWall(found.date),
    receiptCurrency: found.currency,
    receiptTotal: formatFixed(found.total, 2),
    taxes: found.taxes.map(({ percent, salesAmount, taxAmount }) => ({
      taxPercent: percent === undefined ? null : formatFixed(percent, 2),
      sales: formatFixed(salesAmount, 2),
      tax: formatFixed(taxAmount, 2),
    })),
    verificationCode: (reference.data.match(/.{4}/g) ?? []).join('-'),
    receivedAt: formatWall(found.serverDate),
    remarks: found.remarks.map(({ code, colour, message }) => ({ code, colour, message })),
  };
  return { status: 'valid', receipt };
}
