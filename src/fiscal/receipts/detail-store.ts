import type { Queryable } from '../../platform/database.ts';
import { COLUMNS, JOINED, type ReceiptRow, type StoredReceipt, storedOfRow } from './store.ts';

/** A receipt with everything that happened to it. */
export interface ReceiptDetail extends StoredReceipt {
  readonly taxpayerName: string;
  readonly zone: string;
  readonly previousHash: Buffer | undefined;
  readonly submission: SubmissionDetail | undefined;
  readonly lane: LaneDetail | undefined;
}

/** What the authority has said of it so far. */
export interface SubmissionDetail {
  readonly attempts: number;
  readonly settledAt: Date;
  readonly authorityReceiptId: bigint | null;
  readonly serverDate: string | null;
  readonly isServerSignatureValid: boolean | null;
  readonly isWithoutBuyer: boolean;
}

export interface LaneDetail {
  readonly submittedThrough: number;
  readonly stoppedReason: string | null;
  readonly error: string | null;
  readonly nextAttemptAt: Date | null;
}

interface DetailRow extends ReceiptRow {
  taxpayer_name: string;
  zone: string;
  previous_hash: Buffer | null;
  attempts: number | null;
  settled_at: Date;
  authority_receipt_id: bigint | null;
  server_date: string | null;
  is_server_signature_valid: boolean | null;
  without_buyer: boolean;
  stopped_reason: string | null;
  paused_until: Date | null;
}

export async function findReceiptDetail(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
  globalCounter: number,
): Promise<ReceiptDetail | undefined> {
  const { rows } = await db.query<DetailRow>(
    `select ${COLUMNS}, t.name as taxpayer_name, d.zone, r.previous_hash, s.attempts, s.settled_at, s.authority_receipt_id,
            s.server_date, s.is_server_signature_valid, s.without_buyer, l.stopped_reason, l.paused_until
       from ${JOINED} join devices d using (taxpayer_id, device_id) join taxpayers t using (taxpayer_id)
      where r.taxpayer_id = $1 and r.device_id = $2 and r.global_counter = $3`,
    [taxpayerId, deviceId, globalCounter],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    ...storedOfRow(row),
    taxpayerName: row.taxpayer_name,
    zone: row.zone,
    previousHash: row.previous_hash ?? undefined,
    submission: row.attempts === null ? undefined : submissionOf(row, row.attempts),
    lane:
      row.submitted_through === null
        ? undefined
        : {
            submittedThrough: row.submitted_through,
            stoppedReason: row.stopped_reason,
            error: row.lane_error,
            nextAttemptAt: row.paused_until,
          },
  };
}

function submissionOf(row: DetailRow, attempts: number): SubmissionDetail {
  return {
    attempts,
    settledAt: row.settled_at,
    authorityReceiptId: row.authority_receipt_id,
    serverDate: row.server_date,
    isServerSignatureValid: row.is_server_signature_valid,
    isWithoutBuyer: row.without_buyer,
  };
}

/** Another receipt as a line to click on. */
export interface RelatedReceipt {
  readonly deviceId: number;
  readonly globalCounter: number;
  readonly reference: string;
  readonly type: string;
  readonly currency: string;
  readonly total: string;
}

const RELATED = `device_id as "deviceId", global_counter as "globalCounter", reference, type, currency, total`;

/** The receipts before and after it on its device. */
export async function findNeighbours(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
  globalCounter: number,
): Promise<RelatedReceipt[]> {
  const { rows } = await db.query<RelatedReceipt>(
    `select ${RELATED} from receipts
      where taxpayer_id = $1 and device_id = $2 and global_counter = any ($3::integer[])`,
    [taxpayerId, deviceId, [globalCounter - 1, globalCounter + 1]],
  );
  return rows;
}

/** The credit and debit notes for it, the first first. */
export async function findNotes(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
  globalCounter: number,
): Promise<RelatedReceipt[]> {
  const { rows } = await db.query<RelatedReceipt>(
    `select ${RELATED} from receipts
      where original_device_id = $2 and original_global_counter = $3 and taxpayer_id is not distinct from $1
      order by device_id, global_counter limit 50`,
    [taxpayerId, deviceId, globalCounter],
  );
  return rows;
}
