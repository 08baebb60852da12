import type { SubmissionState } from '../../contract/fiscal/receipt.ts';
import type { Remark } from '../../fdms/index.ts';
import { parseWall } from '../../kernel/zone.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { type SubmittedDifferences, secondsAdvanced } from '../core/submitted-differences.ts';
import { pendingSubmission, type SealedReceipt, type Submission } from './sealed-receipt.ts';

const STANDING = `r.global_counter as "globalCounter", r.sealed_at as "sealedAt", s.state, s.failed_at as "failedAt", s.error,
  s.remarks, s.without_buyer as "isWithoutBuyer", l.submitted_through as "submittedThrough", l.error as "laneError",
  l.failed_at as "laneFailedAt"`;
/** The one mapping between rows of receipts (with configuration and submission) and a SealedReceipt. */
export const COLUMNS = `r.taxpayer_id as "taxpayerId", r.device_id as "deviceId", r.fiscal_day_number as "fiscalDayNumber",
  r.fiscal_day_counter as "fiscalDayCounter", r.reference, r.body, r.signed_date as "signedDate", r.hash, r.signature,
  r.submitted_differences as "submittedDifferences", c.serial_number as "serialNumber", c.qr_url as "qrUrl",
  array[r.xmin, s.xmin] as xmins, ${STANDING}`;
export const JOINED = `receipts r
  join device_configurations c using (taxpayer_id, device_id, configuration_version)
  left join submissions s using (taxpayer_id, device_id, global_counter)
  left join device_lanes l using (taxpayer_id, device_id)`;

interface StandingRow {
  readonly globalCounter: number;
  readonly sealedAt: Date;
  readonly state: SubmissionState | null;
  readonly failedAt: Date | null;
  readonly error: string | null;
  readonly remarks: string | null;
  readonly isWithoutBuyer: boolean | null;
  readonly submittedThrough: number | null;
  readonly laneError: string | null;
  readonly laneFailedAt: Date | null;
}

export type ReceiptRow = StandingRow &
  Omit<SealedReceipt, 'wallSeconds' | 'advancedSeconds' | 'receipt' | 'submission'> & {
    readonly taxpayerId: string;
    readonly signedDate: string;
    readonly submittedDifferences: string | null;
  };

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

/** By its number on its device, whoever it is of. */
export async function findNumbered(
  db: Queryable,
  deviceId: number,
  globalCounter: number,
): Promise<StoredReceipt | undefined> {
  const { rows } = await db.query<ReceiptRow>(
    `select ${COLUMNS} from ${JOINED} join devices d using (taxpayer_id, device_id)
      where d.device_id = $1 and r.global_counter = $2`,
    [deviceId, globalCounter],
  );
  return rows[0] && storedOfRow(rows[0]);
}

/** Where receipts stand with the authority, without reading them again. */
export async function findSubmissions(
  db: Queryable,
  keys: readonly ReferenceKey[],
): Promise<(ReferenceKey & { readonly submission: Submission })[]> {
  const { rows } = await db.query<StandingRow & ReferenceKey>({
    name: 'find-submissions',
    text: `select k.taxpayer_id as "taxpayerId", k.reference, ${STANDING}
             from unnest($1::uuid[], $2::text[]) as k (taxpayer_id, reference)
             join receipts r using (taxpayer_id, reference)
             left join submissions s using (taxpayer_id, device_id, global_counter)
             left join device_lanes l using (taxpayer_id, device_id)`,
    values: [keys.map((key) => key.taxpayerId), keys.map((key) => key.reference)],
  });
  return rows.map((row) => ({
    taxpayerId: row.taxpayerId,
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
    row.submittedDifferences === null ? undefined : (JSON.parse(row.submittedDifferences) as SubmittedDifferences);
  return {
    taxpayerId: row.taxpayerId,
    differences,
    sealed: {
      deviceId: row.deviceId,
      reference: row.reference,
      body: row.body,
      wallSeconds: parseWall(row.signedDate) ?? Number.NaN,
      fiscalDayNumber: row.fiscalDayNumber,
      fiscalDayCounter: row.fiscalDayCounter,
      globalCounter: row.globalCounter,
      hash: row.hash,
      signature: row.signature,
      serialNumber: row.serialNumber,
      qrUrl: row.qrUrl,
      sealedAt: row.sealedAt,
      advancedSeconds: secondsAdvanced(row.body, differences),
      submission: submissionOfRow(row),
    },
  };
}

function submissionOfRow(row: StandingRow): Submission {
  if (row.state === null || row.state === 'Pending') {
    const queued = row.submittedThrough === null ? 'being taken' : row.globalCounter - row.submittedThrough - 1;
    return pendingSubmission(row.laneFailedAt ?? row.sealedAt, queued, row.laneError ?? undefined);
  }
  return {
    state: row.state,
    remarks: JSON.parse(row.remarks ?? '[]') as Remark[],
    failedAt: row.failedAt ?? undefined,
    error: row.error ?? undefined,
    isLaneFailing: false,
    isWithoutBuyer: row.isWithoutBuyer ?? false,
  };
}
