import { formatDecimal } from '../../kernel/decimal.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { FiscalDay } from '../store/days.ts';
import type { StoredReceipt } from '../store/receipts.ts';
import { ExactText } from './exact-text.ts';

/** All that is held of a receipt; `receipt` is the very text that was submitted, digit for digit. */
export function presentReceipt(receipt: StoredReceipt) {
  return {
    receiptID: receipt.receiptId,
    deviceID: receipt.deviceId,
    fiscalDayNo: receipt.dayNo,
    receiptType: receipt.type,
    receiptCounter: receipt.counter,
    receiptGlobalNo: receipt.globalNo,
    invoiceNo: receipt.invoiceNo,
    receiptCurrency: receipt.currency,
    receiptDate: formatWall(receipt.date),
    receiptTotal: new ExactText(formatDecimal(receipt.total)),
    hash: receipt.hash,
    signature: receipt.signature,
    serverDate: formatWall(receipt.serverDate),
    receiptServerSignature: receipt.serverSignature,
    originalReceiptID: receipt.originalId,
    colour: worstColour(receipt),
    remarks: receipt.remarks,
    receipt: new ExactText(receiptText(receipt.request)),
  };
}

export function presentDay(day: FiscalDay) {
  return {
    deviceID: day.deviceId,
    fiscalDayNo: day.dayNo,
    fiscalDayOpened: formatWall(day.openedAt),
    fiscalDayStatus: day.status,
    reconciliationMode: day.mode,
    fiscalDayClosed: day.closedAt === null ? null : formatWall(day.closedAt),
    closingErrorCode: day.closingError,
    closeRequest: day.closeRequest === null ? null : new ExactText(day.closeRequest),
    serverSignature: day.serverSignature,
    counters: day.counters,
    documentQuantities: day.documents,
  };
}

/** Null: nothing to remark. */
function worstColour({ remarks }: StoredReceipt): string | null {
  return (['Red', 'Grey', 'Yellow'] as const).find((colour) => remarks.some((r) => r.colour === colour)) ?? null;
}

/** The request is known to be an object with one member: what follows its colon, without the last brace. */
function receiptText(request: string): string {
  return request.replace(/^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:/, '').replace(/\}\s*$/, '');
}
