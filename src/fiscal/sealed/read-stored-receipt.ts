import type { ReceiptBody } from '../../contract/fiscal/receipt-body.ts';
import type { Receipt } from '../../fdms/index.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { readReceipt } from '../core/read-receipt.ts';

/** The body of a row: it passed the schema before it was sealed. */
export function readStoredReceipt(body: string): Receipt {
  const { value, decimal } = parseExactJson(Buffer.from(body));
  return readReceipt(value as ReceiptBody, decimal);
}
