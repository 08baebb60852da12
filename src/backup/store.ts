import type { Queryable } from '../platform/database/database.ts';
import { hostName } from '../platform/database/database-hosts.ts';
import type { Primary } from '../platform/database/primary.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Migrating makes these, rows and all; what they hold means nothing elsewhere. */
const MADE_BY_MIGRATING = ['migrations', 'token_changes'];

/** Every table of the installation, what others refer to first. */
export async function readTables(db: Queryable): Promise<Table[]> {
  const { rows } = await db.query<{ name: string; columns: string[]; refers_to: string[] }>(
    `select c.relname::text as name,
            array(select a.attname::text from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                   order by a.attnum) as columns,
            array(select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
                   where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as refers_to
       from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> all ($1)
      order by c.relname`,
    [MADE_BY_MIGRATING],
  );
  const ordered: Table[] = [];
  const isPlaced = (name: string) => ordered.some((table) => table.name === name);
  let waiting = rows;
  while (waiting.length > 0) {
    const ready = waiting.filter((row) => row.refers_to.every(isPlaced));
    if (ready.length === 0) throw new Error(`tables refer to each other: ${waiting.map((row) => row.name).join(', ')}`);
    ordered.push(...ready.map(({ name, columns }) => ({ name, columns })));
    waiting = waiting.filter((row) => !ready.includes(row));
  }
  return ordered;
}

export interface Sequence {
  readonly table: string;
  readonly column: string;
  readonly value: string;
  readonly isCalled: boolean;
}

/** Where each identity column stands. Sequences know no snapshot: read after the tables, they are never behind them. */
export async function readSequences(db: Queryable): Promise<Sequence[]> {
  const { rows } = await db.query<{ table: string; column: string; sequence: string }>(
    `select c.relname::text as table, a.attname::text as column,
            pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attidentity <> ''
      order by 1, 2`,
  );
  const sequences: Sequence[] = [];
  for (const { table, column, sequence } of rows) {
    const found = await db.query<{ value: string; is_called: boolean }>(
      `select last_value::text as value, is_called from ${sequence}`,
    );
    const [state] = found.rows;
    if (state !== undefined) sequences.push({ table, column, value: state.value, isCalled: state.is_called });
  }
  return sequences;
}

export async function setSequence(db: Queryable, sequence: Sequence): Promise<void> {
  await db.query('select setval(pg_get_serial_sequence(quote_ident($1), $2), $3::bigint, $4)', [
    sequence.table,
    sequence.column,
    sequence.value,
    sequence.isCalled,
  ]);
}

export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

export async function readApplied(db: Queryable): Promise<AppliedMigration[]> {
  const { rows } = await db.query<AppliedMigration>('select number, name, checksum from migrations order by number');
  return rows;
}

export async function isMigrated(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>("select to_regclass('migrations') is not null as found");
  return rows[0]?.found === true;
}

/** Which server it is, for a person who has several, and how far it has come. */
export async function readSource(db: Queryable, { hosts, server }: Primary): Promise<string> {
  const { rows } = await db.query<{ device: number; number: number; at: Date }>(
    'select device_id as device, global_counter as number, sealed_at as at from receipts order by sealed_at desc limit 1',
  );
  const newest = rows.map((row) => `number ${row.number} of device ${row.device}, sealed at ${row.at.toISOString()}`);
  return `${hostName(hosts.current)}, timeline ${server?.timeline ?? 'unknown'}, newest receipt: ${newest[0] ?? 'none'}`;
}

/** The first table that has a row in it. */
export async function findFilledTable(db: Queryable): Promise<string | undefined> {
  for (const { name } of await readTables(db)) {
    const { rows } = await db.query<{ filled: boolean }>(`select exists (select from ${quoted(name)}) as filled`);
    if (rows[0]?.filled) return name;
  }
  return undefined;
}

/** Of the keys that something is wrapped with, in hex. */
export async function readKeyFingerprints(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ fingerprint: string }>(
    "select encode(fingerprint, 'hex') as fingerprint from master_keys where retired_at is null order by 1",
  );
  return rows.map((row) => row.fingerprint);
}

/** What a copy means must not depend on the settings of the session that reads or writes it. */
export async function fixTextForms(db: Queryable): Promise<void> {
  await db.query(
    "set timezone = 'UTC'; set default_transaction_isolation = 'read committed'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set bytea_output = 'hex'; set client_encoding = 'UTF8'; set extra_float_digits = 1; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0",
  );
}

export function copyOut({ name, columns }: Table): string {
  return `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`;
}

export function copyIn({ name, columns }: Table): string {
  return `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export interface DeviceRow {
  readonly taxpayerId: string;
  readonly deviceId: number;
}

/** Those that have a chain. */
export async function listChains(db: Queryable): Promise<DeviceRow[]> {
  const { rows } = await db.query<DeviceRow>(
    'select taxpayer_id as "taxpayerId", device_id as "deviceId" from device_heads order by device_id',
  );
  return rows;
}
