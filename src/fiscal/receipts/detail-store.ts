import type { Overview } from '../../contract/console/overview.ts';
import type * as contract from '../../contract/fiscal/managed-receipt.ts';
import type { Sends } from '../../fdms/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { ExactText, type OrExactText } from '../../kernel/exact-json.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { instantText } from '../../platform/database/instant-text.ts';
import { IS_DECIDABLE } from '../lanes/store.ts';
import { presentRemark, type SealedReceipt, signedReceiptText } from '../sealed/sealed-receipt.ts';
import { COLUMNS, JOINED, type ReceiptRow, storedOfRow } from '../sealed/store.ts';
import { listFailedAttempts } from '../submission/attempt-store.ts';

type DetailRow = ReceiptRow & {
  readonly taxpayerName: string;
  readonly zone: string;
  readonly previousHash: Buffer | null;
  readonly attempts: number | null;
  readonly settledAt: Date;
  readonly authorityReceiptId: bigint | null;
  readonly serverDate: string | null;
  readonly serverDateText: string | null;
  readonly isServerSignatureValid: boolean | null;
  readonly isDecidable: boolean | null;
  readonly stoppedReason: string | null;
  readonly pausedUntil: Date | null;
};

/** A receipt with everything that happened to it. */
export async function findReceiptDetail(
  db: Queryable,
  sends: Sends,
  deviceId: number,
  globalCounter: number,
): Promise<OrExactText<contract.ReceiptDetail> | undefined> {
  const { rows } = await db.query<DetailRow>(
    `select ${COLUMNS}, t.name as "taxpayerName", d.zone, r.previous_hash as "previousHash", s.attempts, s.settled_at as "settledAt",
            s.authority_receipt_id as "authorityReceiptId", s.server_date as "serverDate", s.server_date_text as "serverDateText",
            s.is_server_signature_valid as "isServerSignatureValid", l.stopped_reason as "stoppedReason",
            l.paused_until as "pausedUntil", ${IS_DECIDABLE} as "isDecidable"
       from ${JOINED} join devices d using (taxpayer_id, device_id) join taxpayers t using (taxpayer_id)
      where d.device_id = $1 and r.global_counter = $2`,
    [deviceId, globalCounter],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  const { taxpayerId } = row;
  const { sealed } = storedOfRow(row);
  const [neighbours, Notes, FailedAttempts] = await Promise.all([
    findNeighbours(db, taxpayerId, deviceId, globalCounter),
    findNotes(db, taxpayerId, deviceId, globalCounter),
    listFailedAttempts(db, { taxpayerId, deviceId, globalCounter }),
  ]);
  const at = (counter: number) => neighbours.find(({ GlobalCounter }) => GlobalCounter === counter) ?? null;
  return {
    TaxpayerId: taxpayerId,
    TaxpayerName: row.taxpayerName,
    Zone: row.zone,
    SealedAt: sealed.sealedAt.toISOString(),
    State: sealed.submission.state,
    PreviousHash: row.previousHash?.toString('base64') ?? null,
    Previous: at(globalCounter - 1),
    Next: at(globalCounter + 1),
    Notes,
    FailedAttempts,
    IsToBeDecided: row.isDecidable ?? false,
    Submission: row.attempts === null ? null : submissionOf(row, row.attempts, sealed),
    Lane:
      row.submittedThrough === null
        ? null
        : {
            SubmittedThrough: row.submittedThrough,
            StoppedReason: row.stoppedReason,
            Error: row.laneError,
            NextAttemptAt: row.pausedUntil?.toISOString() ?? null,
          },
    Receipt: new ExactText(signedReceiptText(sealed, sends)),
  };
}

function submissionOf(row: DetailRow, attempts: number, { submission }: SealedReceipt) {
  return {
    Attempts: attempts,
    SettledAt: row.settledAt.toISOString(),
    AuthorityReceiptId: row.authorityReceiptId?.toString() ?? null,
    AuthorityDate: row.serverDate?.replace(' ', 'T') ?? row.serverDateText,
    IsAuthoritySignatureValid: row.isServerSignatureValid,
    IsWithoutBuyer: row.isWithoutBuyer ?? false,
    Remarks: submission.remarks.map((remark) => ({ ...presentRemark(remark), Words: remark.words })),
  };
}

type RelatedRow = Omit<contract.RelatedReceipt, 'TotalAmount'> & { readonly total: string };

/** Another receipt (r) as a line to click on. */
const RELATED = `r.device_id as "AuthorityDeviceId", r.global_counter as "GlobalCounter", r.reference as "Reference",
  r.type as "Type", r.currency as "Currency", r.total`;

function presentRelated<Row extends { readonly total: string }>({ total, ...related }: Row) {
  return { ...related, TotalAmount: decimal(total) };
}

/** The receipts before and after it on its device. */
async function findNeighbours(db: Queryable, taxpayerId: string, deviceId: number, globalCounter: number) {
  const { rows } = await db.query<RelatedRow>(
    `select ${RELATED} from receipts r
      where taxpayer_id = $1 and device_id = $2 and global_counter = any ($3::integer[])`,
    [taxpayerId, deviceId, [globalCounter - 1, globalCounter + 1]],
  );
  return rows.map(presentRelated);
}

/** The credit and debit notes for it, the first first. */
async function findNotes(db: Queryable, taxpayerId: string, deviceId: number, globalCounter: number) {
  const { rows } = await db.query<RelatedRow>(
    `select ${RELATED} from receipts r
      where original_device_id = $2 and original_global_counter = $3 and taxpayer_id is not distinct from $1
      order by device_id, global_counter limit 50`,
    [taxpayerId, deviceId, globalCounter],
  );
  return rows.map(presentRelated);
}

/** What was sealed in a minute in one currency. */
export interface ReceiptMinute {
  readonly minute: Date;
  readonly currency: string;
  readonly count: number;
  /** Exact, as text; credit notes count against it. */
  readonly total: string;
}

/** Reads a piece of the index by time. */
export async function sumReceiptMinutes(db: Queryable, from: Date, to: Date | undefined): Promise<ReceiptMinute[]> {
  const { rows } = await db.query<ReceiptMinute>(
    `select date_trunc('minute', sealed_at) as minute, currency, count(*)::integer as count, sum(total) as total
       from receipts where sealed_at >= $1 and sealed_at < $2 group by 1, 2`,
    [from, to ?? 'infinity'],
  );
  return rows;
}

/** What a taxpayer has sold in the days that are open now, by currency: a piece of each day's own receipts is read. */
export async function sumOpenDays(db: Queryable, taxpayerId: string): Promise<Omit<ReceiptMinute, 'minute'>[]> {
  const { rows } = await db.query<Omit<ReceiptMinute, 'minute'>>(
    `select r.currency, count(*)::integer as count, sum(r.total) as total
       from device_heads h join receipts r using (taxpayer_id, device_id)
      where h.taxpayer_id = $1 and h.day_state <> 'Closed' and r.global_counter > h.global_counter - h.fiscal_day_counter
      group by 1 order by 2 desc, 1`,
    [taxpayerId],
  );
  return rows;
}

/** When the first receipt at or after that moment was sealed. */
export async function firstReceiptSince(db: Queryable, from: Date): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date | null }>(
    'select min(sealed_at) as at from receipts where sealed_at >= $1',
    [from],
  );
  return rows[0]?.at ?? undefined;
}

type Latest = Overview['LatestReceipts'][number];

export async function findLatestReceipts(db: Queryable, limit: number): Promise<Latest[]> {
  const { rows } = await db.query<Omit<Latest, 'TotalAmount'> & { readonly total: string }>({
    name: 'find-latest-receipts',
    text: `select r.taxpayer_id as "TaxpayerId", ${RELATED}, ${instantText('r.sealed_at')} as "SealedAt", d.zone as "Zone",
                  coalesce(s.state, 'Pending') as "State", s.worst_colour as "WorstColour"
             from (select * from receipts order by sealed_at desc limit $1) r
             join devices d using (taxpayer_id, device_id)
             left join submissions s using (taxpayer_id, device_id, global_counter)
            order by r.sealed_at desc, r.device_id desc, r.global_counter desc`,
    values: [limit],
  });
  return rows.map(presentRelated);
}
