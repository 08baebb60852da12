import type { Queryable } from './database.ts';

/** Rows by the names of the language: `openedAt` is opened_at, and what is undefined is null. All names are those of our code. */
export const columnsOf = (row: object) =>
  Object.keys(row).map((name) => name.replace(/[A-Z]/g, (big) => `_${big.toLowerCase()}`));

/** `then`: what follows, such as `on conflict … do nothing` or `returning …`. */
export async function insert<Result extends object>(
  db: Queryable,
  table: string,
  row: object,
  then = '',
): Promise<Result[]> {
  const columns = columnsOf(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  const text = `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')}) ${then}`;
  return (await db.query<Result>(text, Object.values(row))).rows;
}

/** In the place of the one with this key, where there is one. */
export async function upsert(db: Queryable, table: string, key: object, row: object): Promise<void> {
  const set = columnsOf(row).map((column) => `${column} = excluded.${column}`);
  await insert(
    db,
    table,
    { ...key, ...row },
    `on conflict (${columnsOf(key).join(', ')}) do update set ${set.join(', ')}`,
  );
}

/** Of those with this key, whose values are $1 and on. `more`: columns whose value the statement works out. Returns how many there were. */
export async function updateCounted(
  db: Queryable,
  table: string,
  key: object,
  change: object,
  ...more: readonly string[]
): Promise<number> {
  const keys = columnsOf(key);
  const set = columnsOf(change).map((column, index) => `${column} = $${keys.length + index + 1}`);
  const where = keys.map((column, index) => `${column} = $${index + 1}`);
  const text = `update ${table} set ${[...set, ...more].join(', ')} where ${where.join(' and ')}`;
  return (await db.query(text, [...Object.values(key), ...Object.values(change)])).rowCount ?? 0;
}

export async function update(...given: Parameters<typeof updateCounted>): Promise<void> {
  await updateCounted(...given);
}
