import type { HoldKind, KINDS, Kind, KindsAbout } from '../../contract/shared/kinds.ts';
import { columnsOf } from '../database/column-arrays.ts';
import type { Queryable } from '../database/database.ts';
import { INSTALLATION_ID } from '../events/feed.ts';

/** Whose matter it is. */
type Whose<K extends Kind> =
  K extends KindsAbout<'device'>
    ? { readonly taxpayerId: string; readonly deviceId: number }
    : K extends KindsAbout<'taxpayer'>
      ? { readonly taxpayerId: string; readonly deviceId?: undefined }
      : K extends KindsAbout<'vendor'>
        ? { readonly vendorId: string }
        : K extends KindsAbout<'endpoint'>
          ? { readonly taxpayerId: string | null; readonly vendorId: string | null }
          : object;

type What<K extends Kind> = (typeof KINDS)[K]['one'] extends `${string}{what}${string}`
  ? { readonly what?: string | undefined }
  : { readonly what?: undefined };

interface Said {
  readonly message: string;
  /** When it began; now, if it is left out. */
  readonly since?: Date | undefined;
  /** Where it is written again, because the server that had it is lost. */
  readonly raisedAt?: Date | undefined;
  /** Beside the words, and added to what is there. */
  readonly data?: object | undefined;
  /** Nobody is told of it before. */
  readonly tellAt?: Date | null | undefined;
}

/** A hold is raised and settled where its head's revision moves with it (fiscal/devices/hold-device.ts). */
export type QuietKind = Exclude<Kind, HoldKind>;
export type Matter<K extends QuietKind = QuietKind> = K extends Kind
  ? { readonly kind: K } & Whose<K> & What<K> & Said
  : never;

/** Raised once per matter; said again in other words, it has these; said again in the same, nothing is written. All are of one shape. */
export async function raise(db: Queryable, ...matters: readonly Matter[]): Promise<void> {
  await write(db, matters);
}

/** Settled: for one owner, for each of many or for everybody; whatever it was raised for, or only this. */
export async function settle<K extends QuietKind>(
  db: Queryable,
  kinds: K | readonly K[],
  whose: (Whose<K> & Owner) | readonly (Whose<K> & Owner)[] | 'everybody',
  what?: string | null,
): Promise<void> {
  await end(db, [kinds].flat(), whose, what);
}

/** Of a kind that a look finds all of: what it did not find is over. */
export async function settleOthers<K extends QuietKind>(
  db: Queryable,
  kind: K,
  found: readonly (Whose<K> & What<K> & Owner)[],
): Promise<void> {
  await db.query(
    `update alerts a set cleared_at = now()
      where a.kind = $1 and a.cleared_at is null
        and not exists (select from ${owners(2)} where ${isOf(found)} and a.what is not distinct from w.what)`,
    [kind, ...ownersOf(found)],
  );
}

export interface OpenAlert {
  readonly since: Date;
  readonly tellAt: Date | null;
  readonly data: string | null;
}

/** What lasts, the oldest first. */
export async function open<K extends Kind>(db: Queryable, kind: K, whose: Whose<K>): Promise<OpenAlert[]> {
  const { rows } = await db.query<OpenAlert>(
    `select a.since, a.tell_at as "tellAt", a.data from alerts a, ${owners(2)} where ${isOf([whose])} and a.kind = $1 and a.cleared_at is null order by a.alert_id`,
    [kind, ...ownersOf([whose])],
  );
  return rows;
}

/** As the table has whose it is. */
interface Owner {
  readonly taxpayerId?: string | null;
  readonly vendorId?: string | null;
  readonly deviceId?: number | undefined;
  readonly what?: string | undefined;
}
type Row = Owner & Said & { readonly kind: Kind };

const owners = (first: number) =>
  `unnest($${first}::uuid[], $${first + 1}::uuid[], $${first + 2}::integer[], $${first + 3}::text[]) as w (taxpayer_id, vendor_id, device_id, what)`;
const ownersOf = (all: readonly Owner[]) => columnsOf(all, 'taxpayerId', 'vendorId', 'deviceId', 'what');
/** For the index: all of them are devices, or none is. */
const isOf = ([first]: readonly Owner[], alias = 'a') =>
  `${alias}.tenant_id = coalesce(w.taxpayer_id, w.vendor_id, '${INSTALLATION_ID}') and ${alias}.device_id ${first?.deviceId === undefined ? 'is null' : '= w.device_id'}`;

/** For `raise` and for holds. Says of each that was written whether it is new. */
export async function write(db: Queryable, matters: readonly Row[]): Promise<{ readonly isNew: boolean }[]> {
  if (matters.length === 0) return [];
  const { rows } = await db.query<{ isNew: boolean }>(
    `insert into alerts as a (taxpayer_id, vendor_id, device_id, kind, what, message, since, raised_at, data, tell_at)
     select taxpayer_id, vendor_id, device_id, kind, what, message, coalesce(since, now()), coalesce(raised_at, now()), data, tell_at
       from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::jsonb[],
                   $10::timestamptz[]) as w (taxpayer_id, vendor_id, device_id, what, kind, message, since, raised_at, data, tell_at)
      where not exists (select from alerts o where ${isOf(matters, 'o')} and o.kind = w.kind and o.what is not distinct from w.what
                           and o.cleared_at is null and o.message = w.message)
      order by taxpayer_id, vendor_id, device_id, kind, what
     on conflict (tenant_id, device_id, kind, what) where cleared_at is null do update
        set message = excluded.message, data = coalesce(a.data || excluded.data, a.data, excluded.data)
     returning xmax = 0 as "isNew"`,
    [
      ...ownersOf(matters),
      ...columnsOf(matters, 'kind', 'message', 'since', 'raisedAt'),
      matters.map(({ data }) => data && JSON.stringify(data)),
      ...columnsOf(matters, 'tellAt'),
    ],
  );
  return rows;
}

/** For `settle` and for holds. Returns how many ended. */
export async function end(
  db: Queryable,
  kinds: readonly Kind[],
  whose: Owner | readonly Owner[] | 'everybody',
  what?: string | null,
): Promise<number> {
  const all = whose === 'everybody' ? [] : [whose].flat();
  const [from, whom] = whose === 'everybody' ? ['', ''] : [`from ${owners(3)}`, `${isOf(all)} and`];
  const { rowCount } = await db.query(
    `update alerts a set cleared_at = now() ${from}
      where ${whom} a.kind = any ($1) and ($2::text is null or a.what is not distinct from nullif($2, '')) and a.cleared_at is null`,
    [kinds, what === null ? '' : what, ...(whose === 'everybody' ? [] : ownersOf(all))],
  );
  return rowCount ?? 0;
}

/** Of a row that has taxpayer_id and device_id: whether one of these kinds lasts. */
export function lasts(alias: string, kinds: readonly Kind[], what?: string): string {
  return `exists (select from alerts a where a.tenant_id = ${alias}.taxpayer_id and a.device_id = ${alias}.device_id
    and a.kind in (${textsOf(kinds)}) ${what === undefined ? '' : `and a.what = '${what}'`} and a.cleared_at is null)`;
}

export function textsOf(kinds: readonly Kind[]): string {
  return kinds.map((kind) => `'${kind}'`).join(', ');
}
