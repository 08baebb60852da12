import type { Pool } from 'pg';

/** How much of the disk a receipt takes, in bytes. */
export interface Storage {
  readonly receipts: number;
  readonly bytesPerReceipt: number;
  readonly parts: readonly { readonly name: string; readonly bytesPerReceipt: number }[];
}

const TABLES = ['receipts', 'submissions'];

/** Tables, their long values (TOAST), and every index. */
export async function measureStorage(pool: Pool): Promise<Storage> {
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
    .map(({ name, bytes }) => ({ name, bytesPerReceipt: Math.round(bytes / receipts) }))
    .toSorted((a, b) => b.bytesPerReceipt - a.bytesPerReceipt);
  return { receipts, bytesPerReceipt: parts.reduce((sum, part) => sum + part.bytesPerReceipt, 0), parts };
}
