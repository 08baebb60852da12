import type { Queryable } from '../../platform/database/database.ts';

/** How many receipts are looked at for each that is wanted, before the index of references is asked for all that begin so. */
const LOOKED_AT_PER_WANTED = 100;

/** The newest receipts, or the newest within a time or before a place in the list. */
export function newestWindow(place: readonly string[], wanted: number): string {
  const where = place.length === 0 ? '' : `where ${place.join(' and ')}`;
  return `select r.* from receipts r ${where}
           order by r.sealed_at desc, r.device_id desc, r.global_counter desc limit ${wanted * LOOKED_AT_PER_WANTED}`;
}

/**
 * All receipts whose reference begins so, through the taxpayers: their number bounds the look-ups, and no index pays for it.
 */
export function beginningWith(prefix: string, taxpayerId: string | undefined): string {
  const owner = taxpayerId === undefined ? '' : `and t.taxpayer_id = ${taxpayerId}::uuid`;
  return `select one.* from taxpayers t join receipts one using (taxpayer_id) where one.reference ^@ ${prefix} ${owner} offset 0`;
}

/**
 * References mostly count upwards, so those that begin alike lie together in time. Either a page of them is among the newest,
 * or they are few or old; then reading all of them by their own index costs less than walking back through time to them.
 */
export async function isAmongNewest(db: Queryable, near: string, values: unknown[], wanted: number): Promise<boolean> {
  const { rows } = await db.query<{ found: number }>(`select count(*)::integer as found from (${near}) near`, values);
  return (rows[0]?.found ?? 0) >= wanted;
}
