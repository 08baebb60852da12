import { formatDecimal } from '../../kernel/decimal.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { FiscalDay } from '../store/days.ts';
import type { StoredReceipt } from '../store/receipts.ts';
import { encodeWire } from '../wire/encode.ts';

/** JSON that is written as it is. */
class ExactText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Like the wire's encoding, with texts of JSON in between. */
export function encodeControl(value: unknown): string {
  if (value instanceof ExactText) return value.text;
  if (Array.isArray(value)) return `[${value.map(encodeControl).join(',')}]`;
  if (typeof value !== 'object' || value === null) return encodeWire(value ?? null);
  const plain = Object.entries(value).filter(([, member]: [string, unknown]) => member !== undefined);
  return `{${plain.map(([name, member]) => encodeMember(name, member)).join(',')}}`;
}

function encodeMember(name: string, member: unknown): string {
  // The wire writes decimals by the names of their fields.
  if (typeof member === 'object') return `${JSON.stringify(name)}:${encodeControl(member)}`;
  return encodeWire({ [name]: member }).slice(1, -1);
}

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
