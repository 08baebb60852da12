import type { REMARK_COLOURS, SubmissionState } from '../../contract/fiscal/receipt.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { cutPage } from '../../platform/http/page.ts';
import {
  COLUMNS,
  JOINED,
  type ListPosition,
  type ReceiptRow,
  type StoredReceipt,
  storedOfRow,
} from '../sealed/store.ts';

/**
 * What a taxpayer lists, and what an operator looks for besides, over all taxpayers. Each undefined one is no filter; `before` is
 * the last receipt of the page before this one.
 */
export interface ReceiptSearch {
  /** Undefined only for operators, who see all. */
  readonly taxpayerId: string | undefined;
  readonly reference: string | undefined;
  /** How the reference begins. */
  readonly referenceStarts: string | undefined;
  /** Any of these; none: in any state. */
  readonly states: readonly SubmissionState[];
  readonly remarkColour: (typeof REMARK_COLOURS)[number] | undefined;
  readonly deviceId: number | undefined;
  readonly type: string | undefined;
  readonly currency: string | undefined;
  readonly fiscalDayNumber: number | undefined;
  readonly sealedFrom: Date | undefined;
  readonly sealedTo: Date | undefined;
  readonly before: ListPosition | undefined;
  /** Exactly this total. */
  readonly total?: string | undefined;
  /** A TIN, or how the name begins, in any case. */
  readonly buyer?: string | undefined;
  /** Sixteen hex digits. */
  readonly verificationCode?: string | undefined;
}

export interface FoundReceipt extends StoredReceipt {
  readonly zone: string;
  readonly worstColour: 'Red' | 'Grey' | 'Yellow' | null;
}

interface Condition {
  /** Of where to look in time, and of nothing else. */
  readonly isPlace?: boolean;
  readonly sql: (parameter: string) => string;
  readonly value: unknown;
}

const ORDER = 'order by r.sealed_at desc, r.device_id desc, r.global_counter desc';
/**
 * Measured with a million receipts: hoping for fifty hits soon, the planner walks the index by time past all of them. An order
 * that no index has makes it take the one that narrows, and sort what it finds.
 */
const ORDER_OF_FEW = "order by r.sealed_at + interval '0' desc, r.device_id desc, r.global_counter desc";
/** The same order within a device, in the order of its own index. */
const ORDER_OF_DEVICE = 'order by r.global_counter desc';

/**
 * Newest first. What narrows most decides which index is walked: code, buyer, amount and reference have their own; refused
 * and undeliverable receipts, and those with a red or grey remark, a partial one; pending ones are found through the lanes that are
 * behind; beginnings of references through the unique index. Everything else walks the index by time from its newest end.
 */
export async function searchReceipts(
  db: Queryable,
  search: ReceiptSearch,
  limit: number,
): Promise<{ readonly receipts: FoundReceipt[]; readonly last: ListPosition | undefined }> {
  const { text, values } = await searchStatement(db, search, limit + 1);
  const { rows } = await db.query<
    ReceiptRow & { position: string; zone: string; worstColour: FoundReceipt['worstColour'] }
  >(text, values);
  const { rows: shown, last } = cutPage(rows, limit);
  return {
    receipts: shown.map((row) => ({ ...storedOfRow(row), zone: row.zone, worstColour: row.worstColour })),
    last: last && { sealedAt: last.position, deviceId: last.deviceId, globalCounter: last.globalCounter },
  };
}

/** The statement alone, so that a test can ask PostgreSQL for its plan. */
export async function searchStatement(
  db: Queryable,
  search: ReceiptSearch,
  limit: number,
): Promise<{ readonly text: string; readonly values: unknown[] }> {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  const place: string[] = [];
  for (const { sql, value, isPlace } of conditionsOf(search)) (isPlace ? place : conditions).push(sql(bind(value)));
  const { before } = search;
  if (before !== undefined) {
    const [sealedAt, deviceId, counter] = [bind(before.sealedAt), bind(before.deviceId), bind(before.globalCounter)];
    place.push(
      `(r.sealed_at, r.device_id, r.global_counter) < (${sealedAt}::timestamptz, ${deviceId}::integer, ${counter}::integer)`,
    );
    // The same place in the device's own index: without it a deep page would walk past all the pages before.
    if (search.deviceId === before.deviceId) conditions.push(`r.global_counter < ${counter}::integer`);
  }
  const most = bind(limit);
  const found = await foundKeys(db, search, { conditions, place, most, limit, values: [...values], bind });
  return {
    text: `with found as materialized (${found})
     select ${COLUMNS}, d.zone, s.worst_colour as "worstColour",
            to_char(r.sealed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
       from found f join ${JOINED.replace('receipts r', 'receipts r using (taxpayer_id, device_id, global_counter)')}
       join devices d using (taxpayer_id, device_id)
     ${ORDER} limit ${most}`,
    values,
  };
}

interface Parts {
  readonly conditions: readonly string[];
  readonly place: readonly string[];
  /** The parameter of `limit`. */
  readonly most: string;
  readonly limit: number;
  /** Of the conditions, the place and `most`. */
  readonly values: unknown[];
  readonly bind: (value: unknown) => string;
}

/** The keys of the page: those of each state, which has its own way to them. Together they are more than a page. */
async function foundKeys(db: Queryable, search: ReceiptSearch, parts: Parts): Promise<string> {
  if (search.states.length === 0) return keysIn(undefined, db, search, parts);
  const each = await Promise.all(search.states.map((state) => keysIn(state, db, search, parts)));
  return each.map((keys) => `(${keys})`).join(' union all ');
}

/** The keys of the page in a state, or in any, by the cheapest way to them. */
async function keysIn(
  state: SubmissionState | undefined,
  db: Queryable,
  search: ReceiptSearch,
  { conditions, place, most, limit, values, bind }: Parts,
): Promise<string> {
  const where = (...more: string[]) => {
    const all = [...conditions, ...place, ...more];
    return all.length === 0 ? '' : `where ${all.join(' and ')}`;
  };
  const inState = state === undefined ? [] : [`s.state = '${state}'`];
  if (search.remarkColour !== undefined || state === 'Refused' || state === 'Undeliverable') {
    const marked = search.remarkColour === undefined ? [] : [`s.worst_colour = '${search.remarkColour}'`];
    return `select r.taxpayer_id, r.device_id, r.global_counter from submissions s join receipts r on ${SAME}
            ${where(...inState, ...marked)} ${ORDER_OF_FEW} limit ${most}`;
  }
  if (state === 'Pending') {
    return `select k.* from (${behind(search, bind)}) b cross join lateral (
              select r.taxpayer_id, r.device_id, r.global_counter from receipts r
              ${where('r.taxpayer_id = b.taxpayer_id and r.device_id = b.device_id and r.global_counter > b.settled', `coalesce((select s.state from submissions s where ${SAME}), 'Pending') = 'Pending'`)}
              ${ORDER_OF_DEVICE} limit ${most}) k`;
  }
  const from = (rows: string) => `select r.taxpayer_id, r.device_id, r.global_counter, r.sealed_at from ${rows} r
                    ${state === undefined ? '' : `join submissions s on ${SAME} and s.state = 'Submitted'`}`;
  const receipts = from('receipts');
  const few = `${receipts} ${where()} limit ${MAX_OF_FEW}`;
  const byTime = `${receipts} ${where()} ${search.deviceId === undefined ? ORDER : ORDER_OF_DEVICE} limit ${most}`;
  const newestOf = (keys: string) =>
    `select r.taxpayer_id, r.device_id, r.global_counter from (${keys}) r ${ORDER} limit ${most}`;
  if (search.reference !== undefined || search.verificationCode !== undefined) return newestOf(few);
  if (search.referenceStarts !== undefined) {
    const near = `${from(`(${newestWindow(place, limit)})`)} ${where()}`;
    if (await isAmongNewest(db, `${near} limit ${most}`, values, limit)) return newestOf(near);
    const begins = beginningWith(bind(search.referenceStarts), search.taxpayerId && bind(search.taxpayerId));
    return newestOf(`${from(`(${begins})`)} ${where()}`);
  }
  const prefix = namePrefix(search);
  if (prefix === undefined) return newestOf(byTime);
  const walk = await chooseNameWalk(db, prefix);
  if (walk.kind === 'few') return newestOf(few);
  // What else is asked for narrows more than a name that many receipts have, and has an index in the order of time.
  const isNarrowed = search.total !== undefined || search.taxpayerId !== undefined || search.deviceId !== undefined;
  if (walk.kind === 'time' || isNarrowed) return newestOf(byTime);
  return newestOf(
    `select k.* from unnest(${bind(walk.names)}::text[]) n (name)
      cross join lateral (${receipts} ${where('r.buyer_name = n.name')} ${ORDER} limit ${most}) k`,
  );
}

function isTin(buyer: string): boolean {
  return /^\d{10}$/.test(buyer);
}

/** What the buyer's name is like; undefined when it is not looked for by the name. */
function namePrefix({ buyer }: ReceiptSearch): string | undefined {
  if (buyer === undefined || isTin(buyer)) return undefined;
  return `${buyer.toLowerCase().replaceAll(/[\\%_]/g, (letter) => `\\${letter}`)}%`;
}

const SAME = 's.taxpayer_id = r.taxpayer_id and s.device_id = r.device_id and s.global_counter = r.global_counter';

/** Devices with receipts the authority has not settled. A device without a lane has no authority at all. */
function behind({ taxpayerId, deviceId }: ReceiptSearch, bind: Parts['bind']): string {
  return `select h.taxpayer_id, h.device_id, coalesce(l.submitted_through, 0) as settled
            from device_heads h left join device_lanes l using (taxpayer_id, device_id)
           where h.global_counter > coalesce(l.submitted_through, 0)
             ${taxpayerId === undefined ? '' : `and h.taxpayer_id = ${bind(taxpayerId)}::uuid`}
             ${deviceId === undefined ? '' : `and h.device_id = ${bind(deviceId)}::integer`}`;
}

function conditionsOf(search: ReceiptSearch): Condition[] {
  const all: (Condition | undefined)[] = [
    given(search.taxpayerId, (p) => `r.taxpayer_id = ${p}::uuid`),
    given(
      search.deviceId,
      (p) =>
        `r.device_id = ${p}::integer and r.taxpayer_id = (select d.taxpayer_id from devices d where d.device_id = ${p}::integer)`,
    ),
    given(search.type, (p) => `r.type = ${p}`),
    given(search.currency, (p) => `r.currency = ${p}`),
    given(search.fiscalDayNumber, (p) => `r.fiscal_day_number = ${p}::integer`),
    given(search.sealedFrom, (p) => `r.sealed_at >= ${p}::timestamptz`, true),
    given(search.sealedTo, (p) => `r.sealed_at < ${p}::timestamptz`, true),
    given(search.total, (p) => `r.total = ${p}::numeric`),
    // Through the taxpayers: their number bounds the look-ups, and no index pays for it.
    given(search.reference, (p) => `r.reference = ${p} and r.taxpayer_id in (select taxpayer_id from taxpayers)`),
    given(search.referenceStarts, (p) => `r.reference ^@ ${p}`),
    given(
      search.verificationCode?.toLowerCase(),
      (p) => `left(md5(r.signature), 8) = left(${p}::text, 8) and left(md5(r.signature), 16) = ${p}::text`,
    ),
    given(namePrefix(search), (p) => `r.buyer_name like ${p}`),
    given(search.buyer !== undefined && isTin(search.buyer) ? search.buyer : undefined, (p) => `r.buyer_tin = ${p}`),
  ];
  return all.filter((condition) => condition !== undefined);
}

function given(value: unknown, sql: Condition['sql'], isPlace = false): Condition | undefined {
  return value === undefined ? undefined : { sql, value, isPlace };
}

/**
 * How the receipts of buyers whose names begin so are best found, newest first. The index knows which is newest only within
 * one name: so few receipts are all read and sorted, few names are looked through each for its own newest, and of many names
 * with many receipts some turn up soon on the way back through time.
 */
export type NameWalk =
  | { readonly kind: 'few' }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'time' };

/** Read and sorted in some milliseconds. */
const MAX_OF_FEW = 5000;
const MAX_NAMES = 200;

async function chooseNameWalk(db: Queryable, pattern: string): Promise<NameWalk> {
  const { rows } = await db.query<{ receipts: number }>(
    `select count(*)::integer as receipts from (select 1 from receipts where buyer_name like $1 limit $2) found`,
    [pattern, MAX_OF_FEW + 1],
  );
  if ((rows[0]?.receipts ?? 0) <= MAX_OF_FEW) return { kind: 'few' };
  const names = await findNames(db, pattern, MAX_NAMES + 1);
  return names.length > MAX_NAMES ? { kind: 'time' } : { kind: 'names', names };
}

/** From each name one step in the index to the next one, past all of its receipts. */
async function findNames(db: Queryable, pattern: string, most: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `with recursive names (name) as (
       (select buyer_name from receipts where buyer_name like $1 order by buyer_name using ~<~ limit 1)
       union all
       select (select r.buyer_name from receipts r where r.buyer_name like $1 and r.buyer_name ~>~ names.name
                order by r.buyer_name using ~<~ limit 1)
         from names where names.name is not null)
     select name from names where name is not null limit $2`,
    [pattern, most],
  );
  return rows.map((row) => row.name);
}

/** How many receipts are looked at for each that is wanted, before the index of references is asked for all that begin so. */
const LOOKED_AT_PER_WANTED = 100;

/** The newest receipts, or the newest within a time or before a place in the list. */
function newestWindow(place: readonly string[], wanted: number): string {
  const where = place.length === 0 ? '' : `where ${place.join(' and ')}`;
  return `select r.* from receipts r ${where}
           order by r.sealed_at desc, r.device_id desc, r.global_counter desc limit ${wanted * LOOKED_AT_PER_WANTED}`;
}

/**
 * All receipts whose reference begins so, through the taxpayers: their number bounds the look-ups, and no index pays for it.
 */
function beginningWith(prefix: string, taxpayerId: string | undefined): string {
  const owner = taxpayerId === undefined ? '' : `and t.taxpayer_id = ${taxpayerId}::uuid`;
  return `select one.* from taxpayers t join receipts one using (taxpayer_id) where one.reference ^@ ${prefix} ${owner} offset 0`;
}

/**
 * References mostly count upwards, so those that begin alike lie together in time. Either a page of them is among the newest,
 * or they are few or old; then reading all of them by their own index costs less than walking back through time to them.
 */
async function isAmongNewest(db: Queryable, near: string, values: unknown[], wanted: number): Promise<boolean> {
  const { rows } = await db.query<{ found: number }>(`select count(*)::integer as found from (${near}) near`, values);
  return (rows[0]?.found ?? 0) >= wanted;
}
