import { DatabaseError } from 'pg';
import { decimal, formatDecimal, ZERO } from '../../kernel/decimal.ts';
import { formatWall, parseWall } from '../../kernel/zone.ts';
import { bytesArray, joinedJson, plainArray } from '../../platform/array-literal.ts';
import type { Queryable, Transaction } from '../../platform/database.ts';
import type { Device } from '../core/device.ts';
import type { Head } from '../core/head.ts';
import { receiptText } from '../core/receipt-text.ts';
import type { Original } from '../core/rules/original-rules.ts';
import type { Link } from '../core/seal.ts';
import type { SubmittedDifferences } from '../core/submitted-differences.ts';
import { HEAD_COLUMNS, type HeadRow, headOfRow } from '../devices/head-row.ts';
import type { SubmissionState } from '../receipts/sealed-receipt.ts';
import type { ReferenceKey } from '../receipts/store.ts';
import { taxesOfText, taxesText } from '../receipts/stored-taxes.ts';

export interface DeviceKey {
  readonly taxpayerId: string;
  readonly deviceId: number;
}

/**
 * Locks the heads, always in the same order. `skip` leaves out those another instance is sealing on right now: they wait
 * for the next batch instead of holding up this one (two processes over 1,000 devices: 16.4 k/s against 9.4 k/s).
 */
export async function lockHeads(tx: Transaction, keys: readonly DeviceKey[], wait: 'skip' | 'wait'): Promise<Head[]> {
  const { rows } = await tx.query<HeadRow>({
    name: `lock-heads-${wait}`,
    text: `select ${HEAD_COLUMNS} from device_heads h
            where (h.taxpayer_id, h.device_id) in (select * from unnest($1::uuid[], $2::integer[]))
            order by h.taxpayer_id, h.device_id
              for update ${wait === 'skip' ? 'skip locked' : ''}`,
    values: [plainArray(keys.map((key) => key.taxpayerId)), plainArray(keys.map((key) => key.deviceId))],
  });
  return rows.map(headOfRow);
}

/** A stranger's receipt that arrives meanwhile waits as long, so it must be short; long enough not to spin. */
const HEAD_PATIENCE_MS = 100;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Waits a moment for a head that another instance is sealing on. None when it was not let go: its holder may be stuck or
 * cut off, and then must not keep the other devices of this process from sealing.
 */
export async function waitForHead(tx: Transaction, key: DeviceKey): Promise<Head[]> {
  const before = [tx.query('savepoint before_wait'), tx.query(`set local lock_timeout = ${HEAD_PATIENCE_MS}`)];
  try {
    const [heads] = await Promise.all([lockHeads(tx, [key], 'wait'), ...before]);
    await tx.query('set local lock_timeout = 0');
    return heads;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    await tx.query('rollback to savepoint before_wait');
    return [];
  }
}

/** A row of receipts, ready to be written. */
export interface NewReceipt {
  readonly taxpayerId: string;
  readonly device: Device;
  readonly link: Link;
  readonly body: string;
  readonly signature: Buffer;
  readonly differences: SubmittedDifferences | undefined;
}

export function bodyOf(link: Link): string {
  return receiptText(link.receipt);
}

/** A head that receipts were appended to: as it was found, and as it stands after them. */
export interface MovedHead {
  readonly from: Head;
  readonly to: Head;
}

/**
 * Appends a batch to its chains: rows, heads and the taxpayers' next event numbers in one statement, which is a transaction of
 * its own when it is sent outside of one. Everything or nothing: false when a head is not as it was found, or is held by
 * somebody else. Ordered by reference: two instances with the same references meet in the same order, so one waits for
 * the other instead of both for ever.
 */
export async function appendReceipts(
  db: Queryable,
  receipts: readonly NewReceipt[],
  heads: readonly MovedHead[],
  sealedAt: Date,
): Promise<boolean> {
  const rows = receipts.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
  const column = <T>(value: (row: NewReceipt) => T): T[] => rows.map(value);
  const head = <T>(value: (head: MovedHead) => T): T[] => heads.map(value);
  const { rowCount } = await db.query({
    name: 'append-receipts',
    text: `with found as (
             select * from unnest($22::uuid[], $23::integer[], $24::integer[], $25::text[], $26::integer[], $27::integer[],
                                  $35::bytea[], $28::integer[], $29::integer[], $30::bytea[], $31::timestamp[], $32::numeric[])
               as f (taxpayer_id, device_id, revision, day_state, fiscal_day_number, global_counter, last_hash,
                     next_day_counter, next_global_counter, next_hash, next_date, next_volume)),
           held as (
             select h.taxpayer_id, h.device_id from device_heads h join found f using (taxpayer_id, device_id)
              where h.revision = f.revision and h.day_state = f.day_state
                and h.fiscal_day_number = f.fiscal_day_number and h.global_counter = f.global_counter
                and h.last_hash is not distinct from f.last_hash
              order by h.taxpayer_id, h.device_id
                for update of h skip locked),
           all_held as (select 1 where (select count(*) from held) = cardinality($22::uuid[])),
           heads as (
             update device_heads h
                set fiscal_day_counter = f.next_day_counter, global_counter = f.next_global_counter, last_hash = f.next_hash,
                    last_date = f.next_date, day_volume = f.next_volume
               from found f, all_held
              where h.taxpayer_id = f.taxpayer_id and h.device_id = f.device_id),
           new as (
             select n.* from all_held, unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::text[],
                                  $7::text[], $8::text[], $9::numeric[], $10::timestamp[], $11::bytea[], $12::bytea[],
                                  $13::bytea[], $14::integer[], $15::integer[],
                                  string_to_array($16, e'\\x01', '')::jsonb[], $17::integer[], $18::integer[],
                                  string_to_array($19, e'\\x01', ''), string_to_array($20, e'\\x01', '')::jsonb[], $33::text[],
                                  $34::text[])
               with ordinality as n (taxpayer_id, device_id, global_counter, fiscal_day_number, fiscal_day_counter, reference,
                 type, currency, total, signed_date, previous_hash, hash, signature, key_version, configuration_version, taxes,
                 original_device_id, original_global_counter, body, submitted_differences, buyer_tin, buyer_name, place)),
           wanted as (select taxpayer_id, count(*) as count from new group by taxpayer_id),
           locked as (
             select c.taxpayer_id from event_counters c join wanted using (taxpayer_id)
              order by c.taxpayer_id for update of c),
           moved as (
             update event_counters c set last_number = c.last_number + w.count
               from wanted w join locked using (taxpayer_id) where c.taxpayer_id = w.taxpayer_id
             returning c.taxpayer_id, c.last_number - w.count as base)
           insert into receipts (taxpayer_id, device_id, global_counter, fiscal_day_number, fiscal_day_counter, reference,
             type, currency, total, signed_date, previous_hash, hash, signature, key_version, configuration_version, taxes,
             original_device_id, original_global_counter, body, submitted_differences, buyer_tin, buyer_name, sealed_at,
             event_number)
           select n.taxpayer_id, n.device_id, n.global_counter, n.fiscal_day_number, n.fiscal_day_counter, n.reference, n.type,
                  n.currency, n.total, n.signed_date, n.previous_hash, n.hash, n.signature, n.key_version,
                  n.configuration_version, n.taxes, n.original_device_id, n.original_global_counter, n.body,
                  n.submitted_differences, n.buyer_tin, n.buyer_name, $21::timestamptz,
                  m.base + row_number() over (partition by n.taxpayer_id order by n.device_id, n.global_counter)
             from new n join moved m using (taxpayer_id)
            order by n.place`,
    values: [
      plainArray(column((row) => row.taxpayerId)),
      plainArray(column((row) => row.device.deviceId)),
      plainArray(column((row) => row.link.globalCounter)),
      plainArray(column((row) => row.link.fiscalDayNumber)),
      plainArray(column((row) => row.link.fiscalDayCounter)),
      column((row) => row.link.receipt.Reference),
      plainArray(column((row) => row.link.type)),
      plainArray(column((row) => row.link.receipt.Currency)),
      plainArray(column((row) => formatDecimal(row.link.receipt.TotalAmount))),
      plainArray(column((row) => formatWall(row.link.wallSeconds))),
      bytesArray(column((row) => row.link.previousHash ?? null)),
      bytesArray(column((row) => row.link.hash)),
      bytesArray(column((row) => row.signature)),
      plainArray(column((row) => row.device.keyVersion)),
      plainArray(column((row) => row.device.configurationVersion)),
      joinedJson(column((row) => taxesText(row.link.taxes))),
      plainArray(column((row) => row.link.originalDeviceId ?? null)),
      plainArray(column((row) => row.link.originalGlobalCounter ?? null)),
      joinedJson(column((row) => row.body)),
      joinedJson(column((row) => (row.differences === undefined ? null : JSON.stringify(row.differences)))),
      sealedAt,
      plainArray(head(({ from }) => from.taxpayerId)),
      plainArray(head(({ from }) => from.deviceId)),
      plainArray(head(({ from }) => from.revision)),
      plainArray(head(({ from }) => from.dayState)),
      plainArray(head(({ from }) => from.fiscalDayNumber)),
      plainArray(head(({ from }) => from.globalCounter)),
      plainArray(head(({ to }) => to.fiscalDayCounter)),
      plainArray(head(({ to }) => to.globalCounter)),
      bytesArray(head(({ to }) => to.lastHash ?? null)),
      plainArray(head(({ to }) => (to.lastWallSeconds === undefined ? null : formatWall(to.lastWallSeconds)))),
      plainArray(head(({ to }) => formatDecimal(to.dayVolume))),
      column((row) => row.link.receipt.BuyerTIN ?? null),
      column((row) => row.link.receipt.BuyerName?.toLowerCase() ?? null),
      bytesArray(head(({ from }) => from.lastHash ?? null)),
    ],
  });
  return rowCount === receipts.length;
}

/** Somebody else sealed one of the references first, or stood in the way. Nothing was written; a second look finds out. */
export function isLostRace(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const isTaken = error.code === '23505' && error.constraint === 'receipts_reference_once';
  const isDeadlock = error.code === '40P01' || error.code === '40001';
  return isTaken || isDeadlock;
}

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

export function keyOf(receipt: NewReceipt): ReferenceKey {
  return { taxpayerId: receipt.taxpayerId, reference: receipt.link.receipt.Reference };
}

function compareKeys(a: ReferenceKey, b: ReferenceKey): number {
  if (a.taxpayerId !== b.taxpayerId) return a.taxpayerId < b.taxpayerId ? -1 : 1;
  return a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0;
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
