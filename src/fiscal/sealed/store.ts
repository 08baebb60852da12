import type { SubmissionState } from '../../contract/fiscal/receipt.ts';
import type { Remark } from '../../fdms/index.ts';
import { parseWall } from '../../kernel/zone.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { type SubmittedDifferences, secondsAdvanced } from '../core/submitted-differences.ts';
import { pendingSubmission, type SealedReceipt, type Submission, unconnectedSubmission } from './sealed-receipt.ts';

const STANDING = `s.state, s.failed_at, s.error, s.remarks, s.without_buyer,
  l.submitted_through, l.error as lane_error, l.failed_at as lane_failed_at`;
/** The one mapping between rows of receipts (with configuration and submission) and a SealedReceipt. */
export const COLUMNS = `r.taxpayer_id, r.device_id, r.global_counter, r.fiscal_day_number, r.fiscal_day_counter, r.reference,
  r.body, r.signed_date, r.hash, r.signature, r.sealed_at, r.submitted_differences, c.serial_number, c.qr_url,
  array[r.xmin, s.xmin] as xmins, ${STANDING}`;
export const JOINED = `receipts r
  join device_configurations c using (taxpayer_id, device_id, configuration_version)
  left join submissions s using (taxpayer_id, device_id, global_counter)
  left join device_lanes l using (taxpayer_id, device_id)`;

export interface ReceiptRow {
  taxpayer_id: string;
  device_id: number;
  global_counter: number;
  fiscal_day_number: number;
  fiscal_day_counter: number;
  reference: string;
  body: string;
  signed_date: string;
  hash: Buffer;
  signature: Buffer;
  sealed_at: Date;
  submitted_differences: string | null;
  serial_number: string;
  qr_url: string;
  state: SubmissionState | null;
  failed_at: Date | null;
  error: string | null;
  remarks: string | null;
  without_buyer: boolean | null;
  submitted_through: number | null;
  lane_error: string | null;
  lane_failed_at: Date | null;
}

/** A sealed receipt as stored, with what is needed to compare a retry with what was submitted. */
export interface StoredReceipt {
  readonly taxpayerId: string;
  readonly sealed: SealedReceipt;
  readonly differences: SubmittedDifferences | undefined;
}

export interface ReferenceKey {
  readonly taxpayerId: string;
  readonly reference: string;
}

export async function findReceipts(db: Queryable, keys: readonly ReferenceKey[]): Promise<StoredReceipt[]> {
  const { rows } = await db.query<ReceiptRow>({
    name: 'find-receipts',
    text: `select ${COLUMNS} from unnest($1::uuid[], $2::text[]) as k (taxpayer_id, reference)
             join ${JOINED.replace('receipts r', 'receipts r using (taxpayer_id, reference)')}`,
    values: [keys.map((key) => key.taxpayerId), keys.map((key) => key.reference)],
  });
  return rows.map(storedOfRow);
}

export async function findReceipt(
  db: Queryable,
  taxpayerId: string,
  reference: string,
): Promise<StoredReceipt | undefined> {
  const { rows } = await db.query<ReceiptRow>({
    name: 'find-receipt',
    text: `select ${COLUMNS} from ${JOINED} where r.taxpayer_id = $1 and r.reference = $2`,
    values: [taxpayerId, reference],
  });
  return rows[0] && storedOfRow(rows[0]);
}

/** Where receipts stand with the authority, without reading them again. */
export async function findSubmissions(
  db: Queryable,
  keys: readonly ReferenceKey[],
): Promise<(ReferenceKey & { readonly submission: Submission })[]> {
  const { rows } = await db.query<ReceiptRow>({
    name: 'find-submissions',
    text: `select k.taxpayer_id, k.reference, r.global_counter, r.sealed_at, ${STANDING}
             from unnest($1::uuid[], $2::text[]) as k (taxpayer_id, reference)
             join receipts r using (taxpayer_id, reference)
             left join submissions s using (taxpayer_id, device_id, global_counter)
             left join device_lanes l using (taxpayer_id, device_id)`,
    values: [keys.map((key) => key.taxpayerId), keys.map((key) => key.reference)],
  });
  return rows.map((row) => ({
    taxpayerId: row.taxpayer_id,
    reference: row.reference,
    submission: submissionOfRow(row),
  }));
}

export interface ListPosition {
  readonly sealedAt: string;
  readonly deviceId: number;
  readonly globalCounter: number;
}

export function storedOfRow(row: ReceiptRow): StoredReceipt {
  const differences =
    row.submitted_differences === null ? undefined : (JSON.parse(row.submitted_differences) as SubmittedDifferences);
  return {
    taxpayerId: row.taxpayer_id,
    differences,
    sealed: {
      deviceId: row.device_id,
      reference: row.reference,
      body: row.body,
      wallSeconds: parseWall(row.signed_date) ?? Number.NaN,
      fiscalDayNumber: row.fiscal_day_number,
      fiscalDayCounter: row.fiscal_day_counter,
      globalCounter: row.global_counter,
      hash: row.hash,
      signature: row.signature,
      serialNumber: row.serial_number,
      qrUrl: row.qr_url,
      sealedAt: row.sealed_at,
      advancedSeconds: secondsAdvanced(row.body, differences),
      submission: submissionOfRow(row),
    },
  };
}

function submissionOfRow(row: ReceiptRow): Submission {
  if (row.state === null || row.state === 'Pending') {
    if (row.submitted_through === null) return unconnectedSubmission(row.sealed_at);
    const queued = row.global_counter - row.submitted_through - 1;
    return pendingSubmission(row.lane_failed_at ?? row.sealed_at, queued, row.lane_error ?? undefined);
  }
  return {
    state: row.state,
    remarks: JSON.parse(row.remarks ?? '[]') as Remark[],
    failedAt: row.failed_at ?? undefined,
    error: row.error ?? undefined,
    isLaneFailing: false,
    isWithoutBuyer: row.without_buyer ?? false,
  };
}
