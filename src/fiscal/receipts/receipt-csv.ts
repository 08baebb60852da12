import { RECEIPT_CSV_HEADER } from '../../contract/fiscal/managed-receipt.ts';
import { verification } from '../../fdms/index.ts';
import { CSV_START, csvLine } from '../../kernel/csv.ts';
import { formatFixed, sum } from '../../kernel/decimal.ts';
import { formatWall, formatZoned } from '../../kernel/zone.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { readStoredReceipt } from '../sealed/read-stored-receipt.ts';
import { findTaxpayerNames } from '../taxpayers/store.ts';
import { type FoundReceipt, type ReceiptSearch, searchReceipts } from './search-store.ts';

/** Read within milliseconds, so that nothing else waits. */
const PAGE = 400;

/**
 * What the search finds, newest first, some hundred lines at a time. Each page is a separate statement: a slow reader
 * holds no connection and no snapshot. Moments are in `zone`.
 */
export async function* receiptCsv(db: Queryable, search: ReceiptSearch, zone: string): AsyncGenerator<string> {
  const names = new Map<string, string>();
  yield `${CSV_START}${RECEIPT_CSV_HEADER}\r\n`;
  for (let before = search.before; ; ) {
    const { receipts, last } = await searchReceipts(db, { ...search, before }, PAGE);
    await learnNames(db, receipts, names);
    yield receipts.map((found) => csvLine(cellsOf(found, names.get(found.taxpayerId) ?? '', zone))).join('');
    if (last === undefined) return;
    before = last;
  }
}

async function learnNames(db: Queryable, receipts: readonly FoundReceipt[], names: Map<string, string>) {
  const unknown = [...new Set(receipts.map(({ taxpayerId }) => taxpayerId))].filter((id) => !names.has(id));
  if (unknown.length === 0) return;
  for (const { taxpayerId, name } of await findTaxpayerNames(db, unknown)) names.set(taxpayerId, name);
}

function cellsOf({ sealed, taxpayerId, worstColour }: FoundReceipt, taxpayer: string, zone: string) {
  const receipt = readStoredReceipt(sealed.body);
  const tax = sum(receipt.Taxes.map(({ TaxAmount }) => TaxAmount));
  const date = formatWall(sealed.wallSeconds);
  return [
    formatZoned(zone, Math.floor(sealed.sealedAt.getTime() / 1000)),
    date,
    taxpayer,
    taxpayerId,
    sealed.deviceId,
    sealed.serialNumber,
    sealed.fiscalDayNumber,
    sealed.fiscalDayCounter,
    sealed.globalCounter,
    sealed.reference,
    receipt.Type,
    receipt.OriginalReference,
    receipt.Currency,
    formatFixed(receipt.TotalAmount, 2),
    formatFixed(tax, 2),
    receipt.BuyerName,
    receipt.BuyerTIN,
    receipt.BuyerVAT,
    receipt.Cashier,
    receipt.Notes,
    verification({ ...sealed, date }).verificationCode,
    sealed.submission.state,
    worstColour,
    sealed.submission.error,
  ];
}
