import { readdir, readFile } from 'node:fs/promises';
import type { Pool } from 'pg';
import { monotonicMs } from '../shared/old-load.ts';
import type { Authority } from './authority.ts';

/** What everything has used since its start; the difference between two moments is what something cost. */
export interface Usage {
  readonly atMs: number;
  /** Receipts whose acceptance is stored. */
  readonly submitted: number;
  /** Transactions that wrote something. */
  readonly commits: number;
  /** All, also those that only read. */
  readonly transactions: number;
  readonly statements: number;
  readonly rowUpdates: number;
  readonly rowInserts: number;
  readonly flushes: number;
  readonly serviceCpuMs: number;
  readonly postgresCpuMs: number;
  readonly authorityCpuMs: number;
  readonly generatorCpuMs: number;
}

export interface UsageSource {
  readonly pool: Pool;
  readonly serviceId: number;
  readonly postmasterId: number;
  readonly authority: Authority;
}

export async function readUsage({ pool, serviceId, postmasterId, authority }: UsageSource): Promise<Usage> {
  const { user, system } = process.cpuUsage();
  const processes = await cpuOf(serviceId, postmasterId);
  const { rows } = await pool.query<Omit<Usage, 'atMs'>>(
    `select (select coalesce(sum(submitted_through), 0)::float8 from device_lanes) as submitted,
            pg_snapshot_xmax(pg_current_snapshot())::text::float8 as commits,
            xact_commit::float8 as transactions, tup_updated::float8 as "rowUpdates", tup_inserted::float8 as "rowInserts",
            (select coalesce(sum(calls), 0)::float8 from pg_stat_statements) as statements,
            (select coalesce(sum(fsyncs), 0)::float8 from pg_stat_io where object = 'wal') as flushes
       from pg_stat_database where datname = current_database()`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database has no statistics');
  const authorityCpuMs = authority.counts().cpuMs;
  return { ...row, ...processes, atMs: monotonicMs(), authorityCpuMs, generatorCpuMs: (user + system) / 1000 };
}

export function difference(before: Usage, after: Usage): Usage {
  const names = Object.keys(before) as (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Usage;
}

/** The unit of the kernel's CPU times. */
const TICK_MS = 10;

/** Linux only; elsewhere there is no such folder, and the figures are 0. */
async function cpuOf(serviceId: number, postmasterId: number): Promise<Pick<Usage, 'serviceCpuMs' | 'postgresCpuMs'>> {
  const ids = await readdir('/proc').catch(() => []);
  const found = { serviceCpuMs: 0, postgresCpuMs: 0 };
  for (const id of ids.filter((name) => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    // The name before it may contain blanks and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [own = 0, ended = 0] = [11, 13].map((at) => (Number(fields[at]) + Number(fields[at + 1])) * TICK_MS);
    if (Number(id) === serviceId) found.serviceCpuMs += own;
    // The process of a closed connection is gone; its parent's figures then include what it used.
    if (Number(id) === postmasterId) found.postgresCpuMs += own + ended;
    else if (Number(fields[1]) === postmasterId) found.postgresCpuMs += own;
  }
  return found;
}

const SHOWN = 14;

/** The statements that took most of PostgreSQL's time since the last reset, for a terminal. */
export async function topStatements(pool: Pool, receipts: number): Promise<string[]> {
  const { rows } = await pool.query<{ calls: number; ms: number; query: string }>(
    `select calls::float8 as calls, total_exec_time as ms, regexp_replace(query, '\\s+', ' ', 'g') as query
       from pg_stat_statements order by total_exec_time desc limit ${SHOWN}`,
  );
  return rows.map(({ calls, ms, query }) => {
    const figures = `${(calls / receipts).toFixed(3)} calls, ${((ms / receipts) * 1000).toFixed(0)} µs a receipt, ${(ms / calls).toFixed(2)} ms each`;
    return `  ${figures.padEnd(56)}${query.slice(0, 140)}`;
  });
}
