import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postmasterOf } from '../../../src/platform/embedded-postgres/postmaster.ts';
import type { Stage } from '../shared/stage.ts';
import type { Authority } from './authority.ts';

/** What everything has used since its start. */
export async function readUsage({ pool, service, folder }: Stage, authority: Authority) {
  const { user, system } = process.cpuUsage();
  const processes = await cpuOf(service.id, (await postmasterOf(join(folder, 'postgres')))?.id ?? 0);
  const { rows } = await pool.query<{
    /** Receipts whose acceptance is stored. */
    submitted: number;
    /** Transactions that wrote something. */
    commits: number;
    /** All, also those that only read. */
    transactions: number;
    statements: number;
    rowUpdates: number;
    rowInserts: number;
    flushes: number;
  }>(
    `select (select coalesce(sum(submitted_through), 0)::float8 from device_lanes) as submitted,
            pg_snapshot_xmax(pg_current_snapshot())::text::float8 as commits,
            xact_commit::float8 as transactions, tup_updated::float8 as "rowUpdates", tup_inserted::float8 as "rowInserts",
            (select coalesce(sum(calls), 0)::float8 from pg_stat_statements) as statements,
            (select coalesce(sum(fsyncs), 0)::float8 from pg_stat_io where object = 'wal') as flushes
       from pg_stat_database where datname = current_database()`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database has no statistics');
  const { cpuMs } = authority.counts();
  return {
    ...row,
    ...processes,
    atMs: performance.now(),
    authorityCpuMs: cpuMs,
    generatorCpuMs: (user + system) / 1000,
  };
}
export type Usage = Awaited<ReturnType<typeof readUsage>>;

/** For each receipt that was submitted meanwhile. */
export function usagePerReceipt(before: Usage, after: Usage): Usage {
  const submitted = after.submitted - before.submitted;
  const names = Object.keys(before) as (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, (after[name] - before[name]) / submitted])) as Usage;
}

/** The unit of the kernel's CPU times. */
const TICK_MS = 10;

/** Linux only; elsewhere there is no such folder, and the figures are 0. */
async function cpuOf(serviceId: number, postmasterId: number) {
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
