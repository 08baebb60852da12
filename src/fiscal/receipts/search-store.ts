import type { Queryable } from '../../platform/database.ts';
import {
  COLUMNS,
  JOINED,
  type ListPosition,
  type ReceiptFilter,
  type ReceiptRow,
  type StoredReceipt,
  storedOfRow,
} from './store.ts';

/** What an operator looks for, over all taxpayers. */
export interface ReceiptSearch extends ReceiptFilter {
  /** Exactly this total. Not indexed: the caller bounds the time. */
  readonly total: string | undefined;
  /** A TIN, or how the name begins, in any case. */
  readonly buyer: string | undefined;
  /** Sixteen hex digits. */
  readonly verificationCode: string | undefined;
}

export interface FoundReceipt extends StoredReceipt {
  readonly zone: string;
  readonly worstColour: 'Red' | 'Grey' | 'Yellow' | null;
}

interface Condition {
  readonly sql: (parameter: string) => string;
  readonly value: unknown;
}

/**
 * Newest first. What narrows most decides which index is walked: code, buyer and reference have their own; refused and
 * undeliverable receipts a partial one; pending ones are found through the lanes that are behind. Everything else walks the
 * index by time from its newest end.
 */
export async function searchReceipts(
  db: Queryable,
  search: ReceiptSearch,
  limit: number,
): Promise<{ readonly receipts: FoundReceipt[]; readonly last: ListPosition | undefined }> {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = conditionsOf(search).map(({ sql, value }) => sql(bind(value)));
  const { before } = search;
  if (before !== undefined) {
    const place = [bind(before.sealedAt), bind(before.deviceId), bind(before.globalCounter)];
    conditions.push(
      `(r.sealed_at, r.device_id, r.global_counter) < (${place[0]}::timestamptz, ${place[1]}::integer, ${place[2]}::integer)`,
    );
  }
  const most = bind(limit);
  const where = (more: readonly string[]) => {
    const all = [...conditions, ...more];
    return all.length === 0 ? '' : `where ${all.join(' and ')}`;
  };
  const order = 'order by r.sealed_at desc, r.device_id desc, r.global_counter desc';
  // Measured with a million receipts: hoping for fifty hits soon, the planner walks the index by time past all of them. An
  // order that no index has makes it take the one that narrows, and sort what it finds.
  const orderOfFew = "order by r.sealed_at + interval '0' desc, r.device_id desc, r.global_counter desc";
  // The same order within a device, in the order of its own index.
  const orderOfDevice = 'order by r.global_counter desc';
  const orderOfMany = search.deviceId === undefined ? order : orderOfDevice;
  const found =
    search.state === 'Pending'
      ? `select k.* from (${BEHIND}) b cross join lateral (
           select r.taxpayer_id, r.device_id, r.global_counter from receipts r
             left join submissions s using (taxpayer_id, device_id, global_counter)
           ${where(['r.taxpayer_id = b.taxpayer_id and r.device_id = b.device_id and r.global_counter > b.settled', "coalesce(s.state, 'Pending') = 'Pending'"])}
           ${orderOfDevice} limit ${most}) k`
      : search.state === undefined || search.state === 'Submitted'
        ? `select r.taxpayer_id, r.device_id, r.global_counter
           from (select r.taxpayer_id, r.device_id, r.global_counter, r.sealed_at from receipts r
                 ${search.state === undefined ? '' : `join submissions s on ${SAME} and s.state = 'Submitted'`}
                 ${where([])} ${isNarrow(search) ? `limit ${MOST_OF_FEW}` : `${orderOfMany} limit ${most}`}) r
           ${order} limit ${most}`
        : `select r.taxpayer_id, r.device_id, r.global_counter from submissions s join receipts r on ${SAME}
           ${where([`s.state = '${search.state}'`])} ${orderOfFew} limit ${most}`;
  const { rows } = await db.query<
    ReceiptRow & { position: string; zone: string; worst_colour: FoundReceipt['worstColour'] }
  >(
    `with found as materialized (${found})
     select ${COLUMNS}, d.zone, s.worst_colour,
            to_char(r.sealed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
       from found f join ${JOINED.replace('receipts r', 'receipts r using (taxpayer_id, device_id, global_counter)')}
       join devices d using (taxpayer_id, device_id)
     ${order} limit ${most}`,
    values,
  );
  const last = rows.at(-1);
  return {
    receipts: rows.map((row) => ({ ...storedOfRow(row), zone: row.zone, worstColour: row.worst_colour })),
    last: last && { sealedAt: last.position, deviceId: last.device_id, globalCounter: last.global_counter },
  };
}

/** Of names that begin alike so many are looked at; somebody who means one of more than that knows the TIN. */
const MOST_OF_FEW = 5000;

/** Whether it asks for something few receipts have, and by an index that does not know which is newest. */
function isNarrow({ reference, verificationCode, buyer }: ReceiptSearch): boolean {
  return reference !== undefined || verificationCode !== undefined || (buyer !== undefined && !isTin(buyer));
}

function isTin(buyer: string): boolean {
  return /^\d{10}$/.test(buyer);
}

const SAME = 's.taxpayer_id = r.taxpayer_id and s.device_id = r.device_id and s.global_counter = r.global_counter';

/** Devices with receipts the authority has not settled. A device without a lane has no authority at all. */
const BEHIND = `select h.taxpayer_id, h.device_id, coalesce(l.submitted_through, 0) as settled
  from device_heads h left join device_lanes l using (taxpayer_id, device_id)
  where h.global_counter > coalesce(l.submitted_through, 0)`;

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
    given(search.sealedFrom, (p) => `r.sealed_at >= ${p}::timestamptz`),
    given(search.sealedTo, (p) => `r.sealed_at < ${p}::timestamptz`),
    given(search.total, (p) => `r.total = ${p}::numeric`),
    // Through the taxpayers: their number bounds the look-ups, and no index pays for it.
    given(search.reference, (p) => `r.reference = ${p} and r.taxpayer_id in (select taxpayer_id from taxpayers)`),
    given(
      search.verificationCode?.toLowerCase(),
      (p) => `left(md5(r.signature), 8) = left(${p}::text, 8) and left(md5(r.signature), 16) = ${p}::text`,
    ),
    search.buyer === undefined ? undefined : buyerCondition(search.buyer),
  ];
  return all.filter((condition) => condition !== undefined);
}

function given(value: unknown, sql: Condition['sql']): Condition | undefined {
  return value === undefined ? undefined : { sql, value };
}

function buyerCondition(buyer: string): Condition {
  if (isTin(buyer)) {
    return { value: buyer, sql: (p) => `r.buyer_tin = ${p}` };
  }
  const prefix = `${buyer.toLowerCase().replaceAll(/[\\%_]/g, (letter) => `\\${letter}`)}%`;
  return {
    value: prefix,
    sql: (p) => `r.buyer_name like ${p}`,
  };
}
