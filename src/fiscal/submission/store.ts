import { type Remark, type SubmissionInput, serverWall } from '../../fdms/index.ts';
import { arraysOf, bytes, type Column, json, plain, text, unnested } from '../../platform/database/column-arrays.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { update } from '../../platform/database/rows.ts';
import type { Span } from '../../platform/tracing/tracing.ts';
import { type DeviceKey, deviceText, type ReceiptKey } from '../core/keys.ts';
import type { LeasedTransaction } from '../lanes/lease-store.ts';
import { readStoredReceipt } from '../sealed/read-stored-receipt.ts';
import { taxesOfText } from '../sealed/stored-taxes.ts';

/** A receipt that is next to be submitted, with where its original stands if it is a note. */
export interface NextReceipt extends SubmissionInput {
  readonly reference: string;
  readonly sealedAt: Date;
  /** The original was sealed here on another device: whether the authority may still get it. */
  readonly foreignOriginal:
    | { readonly reference: string; readonly deviceId: number; readonly isOnItsWay: boolean }
    | undefined;
  /** The request that it was sealed for, where that was here and is traced. */
  readonly span: Span | undefined;
}

/** Nothing more becomes of these: a note need not wait any longer, even if the authority will remark on it. */
const SETTLED: ReadonlySet<string> = new Set(['Submitted', 'Undeliverable']);

type NextRow = ReceiptKey &
  Pick<NextReceipt, 'reference' | 'fiscalDayCounter' | 'hash' | 'signature' | 'sealedAt' | 'isWithoutBuyer'> & {
    readonly body: string;
    readonly taxes: string;
    readonly signedDate: string;
    readonly originalDeviceId: number | null;
    readonly originalCounter: number | null;
    readonly originalDay: number | null;
    readonly originalReference: string | null;
    readonly originalState: string | null;
  };

/** Receipts of a lane from this one on, up to so many of them. */
export interface NextWanted extends ReceiptKey {
  readonly count: number;
}

const WANTED: readonly Column<NextWanted>[] = [
  plain('taxpayer_id', 'uuid', ({ taxpayerId }) => taxpayerId),
  plain('device_id', 'integer', ({ deviceId }) => deviceId),
  plain('first', 'integer', ({ globalCounter }) => globalCounter),
  plain('last', 'integer', ({ globalCounter, count }) => globalCounter + count - 1),
];

/** For many lanes with one statement. Each receipt is found by its key, in a way that only the keys' own index can answer. */
export async function readNextReceipts(db: Queryable, wanted: readonly NextWanted[]): Promise<NextReceipt[][]> {
  const { rows } = await db.query<NextRow>({
    name: 'read-next-receipts',
    text: `select r.taxpayer_id as "taxpayerId", r.device_id as "deviceId", r.global_counter as "globalCounter", r.reference,
                  r.fiscal_day_counter as "fiscalDayCounter", r.body, r.taxes, r.signed_date as "signedDate", r.hash, r.signature,
                  r.sealed_at as "sealedAt", coalesce(s.without_buyer, false) as "isWithoutBuyer",
                  r.original_device_id as "originalDeviceId", r.original_global_counter as "originalCounter",
                  o.fiscal_day_number as "originalDay", o.reference as "originalReference", os.state as "originalState"
             from ${unnested(WANTED, 1, 'w')}
            cross join lateral (select * from receipts r
                                 where r.taxpayer_id = w.taxpayer_id and r.device_id = w.device_id
                                   and r.global_counter between w.first and w.last offset 0) r
             left join ${byKey('submissions', 's', 'r.device_id', 'r.global_counter')}
             left join ${byKey('receipts', 'o', 'r.original_device_id', 'r.original_global_counter')}
             left join ${byKey('submissions', 'os', 'o.device_id', 'o.global_counter')}
            order by r.global_counter`,
    values: arraysOf(WANTED, wanted),
  });
  const found = Map.groupBy(rows, deviceText);
  return wanted.map((one) => (found.get(deviceText(one)) ?? []).map(nextOfRow));
}

const byKey = (table: string, alias: string, deviceId: string, globalCounter: string) =>
  `lateral (select * from ${table} t where t.taxpayer_id = r.taxpayer_id and t.device_id = ${deviceId}
                                    and t.global_counter = ${globalCounter} offset 0) ${alias} on true`;

function nextOfRow(row: NextRow): NextReceipt {
  const { body, taxes, signedDate, originalDeviceId: deviceId, originalCounter: globalCounter } = row;
  const receipt = readStoredReceipt(body);
  const fiscalDayNumber = row.originalDay ?? receipt.OriginalFiscalDayNumber;
  const isKnown = deviceId !== null && globalCounter !== null && fiscalDayNumber !== undefined;
  return {
    receipt,
    reference: row.reference,
    taxes: taxesOfText(taxes),
    globalCounter: row.globalCounter,
    fiscalDayCounter: row.fiscalDayCounter,
    date: signedDate.replace(' ', 'T'),
    hash: row.hash,
    signature: row.signature,
    sealedAt: row.sealedAt,
    isWithoutBuyer: row.isWithoutBuyer,
    original: isKnown ? { deviceId, globalCounter, fiscalDayNumber } : undefined,
    foreignOriginal: foreignOriginalOf(row),
    span: undefined,
  };
}

function foreignOriginalOf(row: NextRow): NextReceipt['foreignOriginal'] {
  const { originalReference: reference, originalDeviceId: deviceId } = row;
  if (reference === null || deviceId === null || deviceId === row.deviceId) return undefined;
  return { reference, deviceId, isOnItsWay: !SETTLED.has(row.originalState ?? '') };
}

export interface Acceptance {
  readonly authorityReceiptId: number | bigint;
  /** As it came, as all evidence: what of it is there. */
  readonly serverDate: string | undefined;
  readonly serverHash: Buffer | undefined;
  readonly serverSignature: Buffer | undefined;
  readonly thumbprint: string | undefined;
  /** Undefined when its certificate was not here yet: proved afterwards. */
  readonly isSignatureValid: boolean | undefined;
  readonly remarks: readonly Remark[];
}

/** A receipt that the authority accepted, as it is kept. */
export interface AcceptedRow extends ReceiptKey {
  readonly acceptance: Acceptance;
}

const ACCEPTED: readonly Column<AcceptedRow>[] = [
  plain('taxpayer_id', 'uuid', ({ taxpayerId }) => taxpayerId),
  plain('device_id', 'integer', ({ deviceId }) => deviceId),
  plain('global_counter', 'integer', ({ globalCounter }) => globalCounter),
  plain('authority_receipt_id', 'bigint', ({ acceptance }) => String(acceptance.authorityReceiptId)),
  plain('server_date', 'timestamp', ({ acceptance }) => wallOf(acceptance) ?? null),
  text('server_date_text', ({ acceptance: { serverDate }, acceptance }) =>
    serverDate === wallOf(acceptance) ? undefined : serverDate,
  ),
  bytes('server_hash', ({ acceptance }) => acceptance.serverHash),
  bytes('server_signature', ({ acceptance }) => acceptance.serverSignature),
  text('server_certificate_thumbprint', ({ acceptance }) => acceptance.thumbprint),
  plain('is_server_signature_valid', 'boolean', ({ acceptance }) => acceptance.isSignatureValid?.toString() ?? null),
  json('remarks', 'jsonb', ({ acceptance }) => JSON.stringify(acceptance.remarks)),
  text('worst_colour', ({ acceptance: { remarks } }) => worstOf(remarks)),
];
const NAMES = ACCEPTED.map(({ name }) => name);
const CHANGED = NAMES.slice(3).map((name) => `${name} = excluded.${name}`);

/** One that is not known here may be grave. */
function worstOf(remarks: readonly Remark[]): string | undefined {
  const colours = remarks.map(({ colour }) => colour);
  return (
    ['Red', 'Grey'].find((colour) => colours.includes(colour)) ??
    colours.find((colour) => colour !== 'Yellow') ??
    colours[0]
  );
}

function wallOf({ serverDate }: Acceptance): string | undefined {
  return serverDate === undefined ? undefined : serverWall(serverDate);
}

export async function recordAcceptances(tx: LeasedTransaction, rows: readonly AcceptedRow[], at: Date): Promise<void> {
  await tx.query({
    name: 'record-acceptances',
    text: `insert into submissions (${NAMES.join(', ')}, state, settled_at, attempts)
           select ${NAMES.join(', ')}, 'Submitted', $1::timestamptz, 1 from ${unnested(ACCEPTED, 2, 'a')}
           on conflict (taxpayer_id, device_id, global_counter) do update
             set state = 'Submitted', settled_at = excluded.settled_at, attempts = submissions.attempts + 1, failed_at = null,
                 error = null, ${CHANGED.join(', ')}`,
    values: [at, ...arraysOf(ACCEPTED, rows)],
  });
}

export async function recordRefusal(
  tx: LeasedTransaction,
  key: ReceiptKey,
  state: 'Refused' | 'Pending',
  error: string,
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, settled_at, attempts, failed_at, error)
     values ($1, $2, $3, $4, $5, 1, $5, $6)
     on conflict (taxpayer_id, device_id, global_counter) do update
       set state = $4, settled_at = $5, attempts = submissions.attempts + 1, failed_at = $5, error = $6`,
    [key.taxpayerId, key.deviceId, key.globalCounter, state, at, error],
  );
}

/** The buyer's data is left out from now on; the seal stays the same, because it does not cover them. */
export async function dropBuyer(tx: LeasedTransaction, key: ReceiptKey, error: string, at: Date): Promise<void> {
  await recordRefusal(tx, key, 'Pending', error, at);
  const { taxpayerId, deviceId, globalCounter } = key;
  await update(tx, 'submissions', { taxpayerId, deviceId, globalCounter }, { withoutBuyer: true });
}

/**
 * Receipts whose answer was lost, of a day that is closed now: sending them again would not be answered any more, but the authority
 * says that it has them. Its signature and remarks cannot be obtained. Returns their references.
 */
export async function settleDelivered(
  tx: LeasedTransaction,
  key: DeviceKey,
  { from, through }: { readonly from: number; readonly through: number },
  at: Date,
): Promise<{ readonly globalCounter: number; readonly reference: string }[]> {
  const { rows } = await tx.query<{ globalCounter: number; reference: string }>(
    `with delivered as (
       select taxpayer_id, device_id, global_counter, reference from receipts
        where taxpayer_id = $1 and device_id = $2 and global_counter between $3 and $4),
     settled as (
       insert into submissions (taxpayer_id, device_id, global_counter, state, settled_at)
       select taxpayer_id, device_id, global_counter, 'Submitted', $5 from delivered
       on conflict (taxpayer_id, device_id, global_counter) do update
         set state = 'Submitted', settled_at = $5, failed_at = null, error = null)
     select global_counter as "globalCounter", reference from delivered order by global_counter`,
    [key.taxpayerId, key.deviceId, from, through, at],
  );
  return rows;
}

/** Everything of the day that was not delivered when the authority closed it without us. */
export async function settleUndeliverable(
  tx: LeasedTransaction,
  key: DeviceKey,
  fromGlobalCounter: number,
  error: string,
  at: Date,
): Promise<number> {
  const { rowCount } = await tx.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, settled_at, failed_at, error)
     select taxpayer_id, device_id, global_counter, 'Undeliverable', $4, $4, $5 from receipts
      where taxpayer_id = $1 and device_id = $2 and global_counter >= $3
     on conflict (taxpayer_id, device_id, global_counter) do update
       set state = 'Undeliverable', settled_at = $4, failed_at = $4, error = $5`,
    [key.taxpayerId, key.deviceId, fromGlobalCounter, at, error],
  );
  return rowCount ?? 0;
}

/** Receipts of a day that keep it from being closed: the authority marked them red or grey. */
export async function findUncloseable(
  db: Queryable,
  key: DeviceKey,
  fiscalDayNumber: number,
): Promise<{ readonly reference: string; readonly colour: string }[]> {
  const { rows } = await db.query<{ reference: string; colour: string }>(
    `select r.reference, s.worst_colour as colour from submissions s join receipts r using (taxpayer_id, device_id, global_counter)
      where s.taxpayer_id = $1 and s.device_id = $2 and s.worst_colour in ('Red', 'Grey') and r.fiscal_day_number = $3
      order by r.global_counter limit 5`,
    [key.taxpayerId, key.deviceId, fiscalDayNumber],
  );
  return rows;
}
