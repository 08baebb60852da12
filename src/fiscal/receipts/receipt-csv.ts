import { RECEIPT_CSV } from '../../contract/fiscal/managed-receipt.ts';
import { verification } from '../../fdms/index.ts';
import { CSV_START, type CsvCell, csvLine } from '../../kernel/csv.ts';
import { formatFixed, sum } from '../../kernel/decimal.ts';
import { formatWall, formatZoned } from '../../kernel/zone.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { readStoredReceipt } from '../sealed/read-stored-receipt.ts';
import { findTaxpayerNames } from '../taxpayers/store.ts';
import { type FoundReceipt, type ReceiptSearch, searchReceipts } from './search-store.ts';

/** Read within milliseconds, so that nothing else waits. */
const PAGE = 400;
type Column = keyof typeof RECEIPT_CSV;
const COLUMNS = Object.keys(RECEIPT_CSV) as Column[];

/**
 * What the search finds, newest first, some hundred lines at a time. Each page is a separate statement: a slow reader
 * holds no connection and no snapshot. Moments are in `zone`.
 */
export async function* receiptCsv(db: Queryable, search: ReceiptSearch, zone: string): AsyncGenerator<string> {
  const names = new Map<string, string>();
  yield `${CSV_START}${csvLine(COLUMNS)}`;
  for (let before = search.before; ; ) {
    const { receipts, last } = await searchReceipts(db, { ...search, before }, PAGE);
    await learnNames(db, receipts, names);
    yield receipts
      .map((found) => cellsOf(found, names.get(found.taxpayerId) ?? '', zone))
      .map((cells) => csvLine(COLUMNS.map((name) => cells[name])))
      .join('');
    if (last === undefined) return;
    before = last;
  }
}

async function learnNames(db: Queryable, receipts: readonly FoundReceipt[], names: Map<string, string>) {
  const unknown = [...new Set(receipts.map(({ taxpayerId }) => taxpayerId))].filter((id) => !names.has(id));
  if (unknown.length === 0) return;
  for (const { taxpayerId, name } of await findTaxpayerNames(db, unknown)) names.set(taxpayerId, name);
}

function cellsOf(
  { sealed, taxpayerId, worstColour }: FoundReceipt,
  taxpayer: string,
  zone: string,
): Record<Column, CsvCell> {
  const receipt = readStoredReceipt(sealed.body);
  const tax = sum(receipt.Taxes.map(({ TaxAmount }) => TaxAmount));
  const date = formatWall(sealed.wallSeconds);
  return {
    SealedAt: formatZoned(zone, Math.floor(sealed.sealedAt.getTime() / 1000)),
    Date: date,
    Taxpayer: taxpayer,
    TaxpayerId: taxpayerId,
    AuthorityDeviceId: sealed.deviceId,
    DeviceSerialNumber: sealed.serialNumber,
    FiscalDayNumber: sealed.fiscalDayNumber,
    FiscalDayCounter: sealed.fiscalDayCounter,
    GlobalCounter: sealed.globalCounter,
    Reference: sealed.reference,
    Type: receipt.Type,
    OriginalReference: receipt.OriginalReference,
    Currency: receipt.Currency,
    TotalAmount: formatFixed(receipt.TotalAmount, 2),
    TaxAmount: formatFixed(tax, 2),
    BuyerName: receipt.BuyerName,
    BuyerTIN: receipt.BuyerTIN,
    BuyerVAT: receipt.BuyerVAT,
    Cashier: receipt.Cashier,
    Notes: receipt.Notes,
    VerificationCode: verification({ ...sealed, date }).verificationCode,
    State: sealed.submission.state,
    RemarkColour: worstColour,
    SubmissionError: sealed.submission.error,
  };
}
