import type { Queryable } from '../../platform/database/database.ts';

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
export const MAX_OF_FEW = 5000;
const MAX_NAMES = 200;

export async function chooseNameWalk(db: Queryable, pattern: string): Promise<NameWalk> {
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
