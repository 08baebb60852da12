import { DatabaseError } from 'pg';
import { formatDecimal } from '../../kernel/decimal.ts';
import { formatWall } from '../../kernel/zone.ts';
import {
  arraysOf,
  bytes,
  type Column,
  json,
  plain,
  single,
  text,
  unnested,
  valuesOf,
} from '../../platform/database/column-arrays.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { Head } from '../core/head.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { Link } from '../core/seal.ts';
import type { SubmittedDifferences } from '../core/submitted-differences.ts';
import type { SigningDevice } from '../devices/device-registry.ts';
import { HEAD_COLUMNS, type HeadRow, headOfRow } from '../devices/head-row.ts';
import type { LastReceipt } from '../devices/hold-device.ts';
import type { ReferenceKey } from '../sealed/store.ts';
import { taxesText } from '../sealed/stored-taxes.ts';
import { referenceOf, type SealRequest } from './seal-request.ts';

const KEYS: readonly Column<DeviceKey>[] = [
  plain('taxpayer_id', 'uuid', (key) => key.taxpayerId),
  plain('device_id', 'integer', (key) => key.deviceId),
];

/**
 * Locks the heads, always in the same order. `skip` leaves out those another instance is sealing on right now: they wait
 * for the next batch instead of holding up this one (two processes over 1,000 devices: 16.4 k/s against 9.4 k/s).
 */
export async function lockHeads(tx: Transaction, keys: readonly DeviceKey[], wait: 'skip' | 'wait'): Promise<Head[]> {
  const { rows } = await tx.query<HeadRow>({
    name: `lock-heads-${wait}`,
    text: `select ${HEAD_COLUMNS} from device_heads h
            where (h.taxpayer_id, h.device_id) in (select * from ${unnested(KEYS, 1, 'k')})
            order by h.taxpayer_id, h.device_id
              for update ${wait === 'skip' ? 'skip locked' : ''}`,
    values: arraysOf(KEYS, keys),
  });
  return rows.map(headOfRow);
}

const LAST: readonly Column<LastReceipt>[] = [
  ...KEYS,
  plain('global_counter', 'integer', ({ globalCounter }) => globalCounter),
  bytes('hash', ({ hash }) => hash),
];

/** Of these, those whose row is gone or another one; not what an operator has passed over. */
export async function findMissing(db: Queryable, known: readonly LastReceipt[]): Promise<LastReceipt[]> {
  const { rows } = await db.query<{ deviceId: number }>({
    name: 'find-missing-receipts',
    text: `select k.device_id as "deviceId" from ${unnested(LAST, 1, 'k')} join device_heads h using (taxpayer_id, device_id)
            where not exists (select from receipts r
                               where r.taxpayer_id = k.taxpayer_id and r.device_id = k.device_id
                                 and r.global_counter = k.global_counter and r.hash = k.hash)
              and not exists (select from lost_receipts l
                               where l.taxpayer_id = k.taxpayer_id and l.device_id = k.device_id
                                 and l.last_counter >= k.global_counter)`,
    values: arraysOf(LAST, known),
  });
  const missing = new Set(rows.map(({ deviceId }) => deviceId));
  return known.filter(({ deviceId }) => missing.has(deviceId));
}

/** A receipt of another device that arrives meanwhile waits as long, so it must be short; long enough not to spin. */
const HEAD_PATIENCE_MS = 100;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Waits a moment for a head that another instance is sealing on. None when it was not released: its holder may be stuck or
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

/** A link with its signature: a row of receipts, ready to be written. */
export interface SignedLink {
  readonly request: SealRequest;
  readonly link: Link;
  readonly signing: SigningDevice;
  readonly body: string;
  readonly differences: SubmittedDifferences | undefined;
  readonly signature: Buffer;
}

/** A head that receipts were appended to: as it was found, and as it stands after them. */
export interface MovedHead {
  readonly from: Head;
  readonly to: Head;
}

/** How many of a taxpayer's event numbers a batch takes. */
interface WantedEvents {
  readonly taxpayerId: string;
  readonly count: number;
}

const HEADS: readonly Column<MovedHead>[] = [
  plain('taxpayer_id', 'uuid', ({ from }) => from.taxpayerId),
  plain('device_id', 'integer', ({ from }) => from.deviceId),
  plain('revision', 'integer', ({ from }) => from.revision),
  plain('day_state', 'text', ({ from }) => from.dayState),
  plain('fiscal_day_number', 'integer', ({ from }) => from.fiscalDayNumber),
  plain('global_counter', 'integer', ({ from }) => from.globalCounter),
  bytes('last_hash', ({ from }) => from.lastHash),
  plain('next_day_counter', 'integer', ({ to }) => to.fiscalDayCounter),
  plain('next_global_counter', 'integer', ({ to }) => to.globalCounter),
  bytes('next_hash', ({ to }) => to.lastHash),
  plain('next_date', 'timestamp', ({ to }) =>
    to.lastWallSeconds === undefined ? null : formatWall(to.lastWallSeconds),
  ),
  plain('next_volume', 'numeric', ({ to }) => formatDecimal(to.dayVolume)),
];

const WANTED: readonly Column<WantedEvents>[] = [
  plain('tenant_id', 'uuid', ({ taxpayerId }) => taxpayerId),
  plain('count', 'integer', ({ count }) => count),
];

const RECEIPTS: readonly Column<SignedLink>[] = [
  plain('taxpayer_id', 'uuid', (row) => row.request.taxpayerId),
  plain('device_id', 'integer', (row) => row.signing.device.deviceId),
  plain('global_counter', 'integer', (row) => row.link.globalCounter),
  plain('fiscal_day_number', 'integer', (row) => row.link.fiscalDayNumber),
  plain('fiscal_day_counter', 'integer', (row) => row.link.fiscalDayCounter),
  text('reference', (row) => row.link.receipt.Reference),
  plain('type', 'text', (row) => row.link.type),
  plain('currency', 'text', (row) => row.link.receipt.Currency),
  plain('total', 'numeric', (row) => formatDecimal(row.link.receipt.TotalAmount)),
  plain('signed_date', 'timestamp', (row) => formatWall(row.link.wallSeconds)),
  bytes('previous_hash', (row) => row.link.previousHash),
  bytes('hash', (row) => row.link.hash),
  bytes('signature', (row) => row.signature),
  plain('key_version', 'integer', (row) => row.signing.device.keyVersion),
  plain('configuration_version', 'integer', (row) => row.signing.device.configurationVersion),
  json('taxes', 'jsonb', (row) => taxesText(row.link.taxes)),
  plain('original_device_id', 'integer', (row) => row.link.originalDeviceId ?? null),
  plain('original_global_counter', 'integer', (row) => row.link.originalGlobalCounter ?? null),
  json('body', 'text', (row) => row.body),
  json('submitted_differences', 'jsonb', (row) => row.differences && JSON.stringify(row.differences)),
  text('buyer_tin', (row) => row.link.receipt.BuyerTIN),
  text('buyer_name', (row) => row.link.receipt.BuyerName?.toLowerCase()),
];
/** A receipt's place among the events of its taxpayer in this batch: 1 for the first. */
const PLACES: readonly Column<number>[] = [plain('event_place', 'integer', (place) => place)];

const FIRST_OF_HEADS = 2;
const FIRST_OF_WANTED = FIRST_OF_HEADS + HEADS.length;
const FIRST_OF_RECEIPTS = FIRST_OF_WANTED + WANTED.length;
const NAMES = RECEIPTS.map(({ name }) => name);

const UNMOVED = `h.revision = f.revision and h.day_state = f.day_state and h.fiscal_day_number = f.fiscal_day_number
       and h.global_counter = f.global_counter and h.last_hash is not distinct from f.last_hash`;
const MOVE = `fiscal_day_counter = f.next_day_counter, global_counter = f.next_global_counter, last_hash = f.next_hash,
           last_date = f.next_date, day_volume = f.next_volume`;
const INTO_RECEIPTS = `insert into receipts (${NAMES.join(', ')}, sealed_at, event_number)
  select ${NAMES.map((name) => `n.${name}`).join(', ')}, $1::timestamptz`;

const APPEND_MANY = `
  with found as (select * from ${unnested(HEADS, FIRST_OF_HEADS, 'f')}),
  held as (
    select h.taxpayer_id, h.device_id from device_heads h join found f using (taxpayer_id, device_id)
     where ${UNMOVED}
     order by h.taxpayer_id, h.device_id
       for update of h skip locked),
  all_held as (select 1 where (select count(*) from held) = (select count(*) from found)),
  heads as (
    update device_heads h set ${MOVE} from found f, all_held
     where h.taxpayer_id = f.taxpayer_id and h.device_id = f.device_id),
  counters as (
    select c.tenant_id, w.count
      from all_held, ${unnested(WANTED, FIRST_OF_WANTED, 'w')} join event_counters c using (tenant_id)
     order by c.tenant_id for update of c),
  events as (
    update event_counters c set last_number = c.last_number + w.count from counters w
     where c.tenant_id = w.tenant_id
    returning c.tenant_id, c.last_number - w.count as base)
  ${INTO_RECEIPTS}, (select e.base from events e where e.tenant_id = n.taxpayer_id) + n.event_place
    from all_held, ${unnested([...RECEIPTS, ...PLACES], FIRST_OF_RECEIPTS, 'n')}`;

/** The same for one receipt: nothing to count, sort or match, which is half of what the server does for it. */
const APPEND_ONE = `
  with held as (
    select 1 from device_heads h join ${single(HEADS, FIRST_OF_HEADS, 'f')} using (taxpayer_id, device_id)
     where ${UNMOVED}
       for update of h skip locked),
  events as (
    update event_counters c set last_number = c.last_number + w.count
      from held, ${single(WANTED, FIRST_OF_WANTED, 'w')}
     where c.tenant_id = w.tenant_id
    returning c.last_number),
  heads as (
    update device_heads h set ${MOVE} from events, ${single(HEADS, FIRST_OF_HEADS, 'f')}
     where h.taxpayer_id = f.taxpayer_id and h.device_id = f.device_id)
  ${INTO_RECEIPTS}, e.last_number
    from events e, ${single(RECEIPTS, FIRST_OF_RECEIPTS, 'n')}`;

/**
 * Appends a batch to its chains: rows, heads and the taxpayers' next event numbers in one statement, which is a transaction of
 * its own when it is sent outside of one. Everything or nothing: false when a head is not as it was found, or is held by
 * somebody else. Rows are written in the order of their references (unnest keeps it, and nothing is joined to it): two
 * instances with the same references meet in the same order, so one waits for the other instead of both for ever.
 */
export async function appendReceipts(
  db: Queryable,
  links: readonly SignedLink[],
  heads: readonly MovedHead[],
  sealedAt: Date,
): Promise<boolean> {
  const counts = new Map<string, number>();
  const places = new Map<SignedLink, number>();
  for (const link of links) {
    const place = (counts.get(link.request.taxpayerId) ?? 0) + 1;
    counts.set(link.request.taxpayerId, place);
    places.set(link, place);
  }
  const rows = links.toSorted((a, b) => compareKeys(referenceOf(a.request), referenceOf(b.request)));
  const wanted = [...counts].map(([taxpayerId, count]) => ({ taxpayerId, count }));
  const statement = singleStatement(heads, wanted, rows, sealedAt) ?? {
    name: 'append-receipts',
    text: APPEND_MANY,
    values: [
      sealedAt,
      ...arraysOf(HEADS, heads),
      ...arraysOf(WANTED, wanted),
      ...arraysOf(RECEIPTS, rows),
      ...arraysOf(
        PLACES,
        rows.map((row) => places.get(row) ?? 0),
      ),
    ],
  };
  const { rowCount } = await db.query(statement);
  // A finished query stays reachable from others for a while; its texts would outlive the young generation, 3 kB a receipt.
  statement.values.length = 0;
  return rowCount === links.length;
}

function singleStatement(
  heads: readonly MovedHead[],
  wanted: readonly WantedEvents[],
  rows: readonly SignedLink[],
  sealedAt: Date,
) {
  const [[head], [events], [row]] = [heads, wanted, rows];
  if (rows.length !== 1 || !head || !events || !row) return undefined;
  const values = [sealedAt, ...valuesOf(HEADS, head), ...valuesOf(WANTED, events), ...valuesOf(RECEIPTS, row)];
  return { name: 'append-receipt', text: APPEND_ONE, values };
}

/** Another instance sealed one of the references first, or was in the way. Nothing was written; a second look finds out. */
export function isLostRace(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const isTaken = error.code === '23505' && error.constraint === 'receipts_reference_once';
  const isDeadlock = error.code === '40P01' || error.code === '40001';
  return isTaken || isDeadlock;
}

function compareKeys(a: ReferenceKey, b: ReferenceKey): number {
  if (a.taxpayerId !== b.taxpayerId) return a.taxpayerId < b.taxpayerId ? -1 : 1;
  return a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0;
}
