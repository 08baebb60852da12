import { decimal, ZERO } from '../../kernel/decimal.ts';
import { parseWall } from '../../kernel/zone.ts';
import type { Transaction } from '../../platform/database.ts';
import type { Original } from '../core/rules/original-rules.ts';
import type { SubmissionState } from '../receipts/sealed-receipt.ts';
import type { ReferenceKey } from '../receipts/store.ts';
import { taxesOfText } from '../receipts/stored-taxes.ts';

interface OriginalRow {
  taxpayer_id: string;
  reference: string;
  device_id: number;
  fiscal_day_number: number;
  global_counter: number;
  type: string;
  currency: string;
  total: string;
  signed_date: string;
  taxes: string;
  state: SubmissionState | null;
  notes_total: string | null;
}

/**
 * The originals of notes, locked so that two notes cannot both take the last cent. What earlier notes took is summed by a
 * second statement: it starts after the lock was had, and so sees what the holder before us committed.
 */
export async function lockOriginals(
  tx: Transaction,
  keys: readonly ReferenceKey[],
): Promise<{ readonly taxpayerId: string; readonly original: Original }[]> {
  const values = [keys.map((key) => key.taxpayerId), keys.map((key) => key.reference)];
  await tx.query({
    name: 'lock-originals',
    text: `select 1 from receipts r
            where (r.taxpayer_id, r.reference) in (select * from unnest($1::uuid[], $2::text[]))
            order by r.taxpayer_id, r.reference
              for no key update`,
    values,
  });
  const { rows } = await tx.query<OriginalRow>({
    name: 'read-originals',
    text: `select r.taxpayer_id, r.reference, r.device_id, r.fiscal_day_number, r.global_counter, r.type, r.currency,
                  r.total, r.signed_date, r.taxes, s.state,
                  (select sum(n.total) from receipts n
                    where n.taxpayer_id = r.taxpayer_id and n.original_device_id = r.device_id
                      and n.original_global_counter = r.global_counter) as notes_total
             from receipts r left join submissions s using (taxpayer_id, device_id, global_counter)
            where (r.taxpayer_id, r.reference) in (select * from unnest($1::uuid[], $2::text[]))`,
    values,
  });
  return rows.map((row) => ({ taxpayerId: row.taxpayer_id, original: originalOfRow(row) }));
}

/** Which reference a device's receipt number was sealed under here, if it was. */
export async function findReferenceOf(
  tx: Transaction,
  taxpayerId: string,
  deviceId: number,
  globalCounter: number,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ reference: string }>({
    name: 'find-reference-of',
    text: 'select reference from receipts where taxpayer_id = $1 and device_id = $2 and global_counter = $3',
    values: [taxpayerId, deviceId, globalCounter],
  });
  return rows[0]?.reference;
}

function originalOfRow(row: OriginalRow): Original {
  return {
    reference: row.reference,
    deviceId: row.device_id,
    fiscalDayNumber: row.fiscal_day_number,
    globalCounter: row.global_counter,
    type: row.type,
    currency: row.currency,
    total: decimal(row.total),
    wallSeconds: parseWall(row.signed_date) ?? Number.NaN,
    taxes: taxesOfText(row.taxes),
    submissionState: row.state ?? 'Pending',
    notesTotal: row.notes_total === null ? ZERO : decimal(row.notes_total),
  };
}
