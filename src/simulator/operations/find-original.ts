import type { SubmittedReceipt } from '../core/receipt.ts';
import type { Database } from '../store/database.ts';
import { receiptById, receiptsByNumber, type StoredReceipt } from '../store/receipts.ts';

/**
 * The receipt a note refers to, on whatever device of the same taxpayer. With a receipt id the other fields are ignored;
 * without one the day, where given, tells two receipts of the same number apart.
 */
export function findOriginal(db: Database, tin: string, receipt: SubmittedReceipt): StoredReceipt | undefined {
  const reference = receipt.creditDebitNote;
  if (reference === undefined) return undefined;
  const { receiptId, deviceId, globalNo, dayNo } = reference;
  if (receiptId !== undefined) return ownedBy(tin, receiptById(db, receiptId));
  if (deviceId === undefined || globalNo === undefined) return undefined;
  const found = receiptsByNumber(db, deviceId, globalNo).findLast(
    (held) => dayNo === undefined || held.dayNo === dayNo,
  );
  return ownedBy(tin, found);
}

function ownedBy(tin: string, receipt: StoredReceipt | undefined): StoredReceipt | undefined {
  return receipt?.tin === tin ? receipt : undefined;
}
