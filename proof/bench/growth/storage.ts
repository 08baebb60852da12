import type { Pool } from 'pg';
import { table, whole } from '../shared/report.ts';

const TABLES = ['receipts', 'submissions'];

/** How much of the disk a receipt takes: tables, their long values (TOAST), and every index. */
export async function storageLines(pool: Pool, which: string): Promise<string[]> {
  const { rows: counted } = await pool.query<{ receipts: number }>(
    'select count(*)::integer as receipts from receipts',
  );
  const receipts = counted[0]?.receipts ?? 0;
  const { rows } = await pool.query<{ name: string; bytes: number }>(
    `select t.name, pg_relation_size(t.name)::double precision as bytes from unnest($1::text[]) as t (name)
     union all
     select t.name || ', long values', pg_total_relation_size(c.reltoastrelid)::double precision
       from unnest($1::text[]) as t (name) join pg_class c on c.oid = t.name::regclass
     union all
     select i.indexrelid::regclass::text, pg_relation_size(i.indexrelid)::double precision
       from unnest($1::text[]) as t (name) join pg_index i on i.indrelid = t.name::regclass`,
    [TABLES],
  );
  const parts = rows
    .map(({ name, bytes }) => ({ name, bytes: Math.round(bytes / receipts) }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes);
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    `A receipt takes ${whole(all)} bytes (of ${whole(receipts)} ${which}):`,
    '',
    ...table(
      ['bytes', 'part'],
      parts.map(({ name, bytes }) => [whole(bytes), name]),
    ),
    '',
  ];
}
