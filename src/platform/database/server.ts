import { type Client, DatabaseError } from 'pg';
import type { Lineage } from './choose-primary.ts';

/**
 * A PostgreSQL process, as it answers on one connection, known by its port and the microsecond of its start. Not by an address: behind a
 * proxy one leads to several, and a machine may have several.
 */
export interface Server {
  readonly id: string;
  readonly isStandby: boolean;
  /** Rises with every promotion. A standby's is not asked for; some managed services refuse to say. */
  readonly timeline: number | undefined;
  /** Its commits wait for a standby. */
  readonly isReplicated: boolean;
  /** How long the oldest commit of ours has waited for the standby; 0 when none waits. */
  readonly commitWaitSeconds: number;
  /** The transactions that wait for it: their back end and their start. */
  readonly waiting: readonly string[];
}

type ServerRow = Omit<Server, 'timeline'> & { readonly timeline: string | null };

const TIMELINE = 'case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end';
const serverWith = (
  timeline: string,
) => `select concat(inet_server_port(), ' ', extract(epoch from pg_postmaster_start_time())) as id,
  pg_is_in_recovery() as "isStandby",
  ${timeline} as timeline,
  current_setting('synchronous_standby_names') <> '' as "isReplicated",
  (select coalesce(extract(epoch from max(clock_timestamp() - query_start)), 0)::float8
     from pg_stat_activity where wait_event = 'SyncRep') as "commitWaitSeconds",
  array(select concat(pid, ' ', xact_start) from pg_stat_activity where wait_event = 'SyncRep') as waiting`;

export async function askServer(client: Pick<Client, 'query'>): Promise<Server> {
  const { rows } = await client.query<ServerRow>(serverWith(TIMELINE)).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    // Where the log is the provider's own, its functions may be refused (Aurora). If it was not that, this fails, too.
    return client.query<ServerRow>(serverWith('null'));
  });
  const [row] = rows;
  if (row === undefined) throw new Error('a server did not say which one it is');
  return { ...row, timeline: row.timeline === null ? undefined : Number.parseInt(row.timeline, 16) };
}

/** A server with its place among others. */
export interface PlacedServer extends Server, Lineage {}

/** What a standby has received, or had on its disk when it last wrote that down; it says no more to an ordinary role. */
const CONTROL = `select (select system_identifier::text from pg_control_system()) as "systemId",
  greatest((select timeline_id from pg_control_checkpoint()), (select min_recovery_end_timeline from pg_control_recovery()),
           (select received_tli from pg_stat_wal_receiver)) as timeline`;
/** What was noted in its database tells sooner. */
const NOTED =
  'select system_identifier as "systemId", max(timeline) filter (where given_up_at is null) as timeline, max(accepted_at) as "markedAt" from database_timelines group by 1';

export async function askLineage(client: Pick<Client, 'query'>): Promise<PlacedServer> {
  const server = await askServer(client);
  const control = await client.query<{ systemId: string; timeline: number }>(CONTROL).catch(nothingIfRefused);
  const noted = await client
    .query<{ systemId: string; timeline: number | null; markedAt: Date | null }>(NOTED)
    .catch(nothingIfRefused);
  const [own] = control.rows;
  const timelines = noted.rows.map((row) => (row.systemId === own?.systemId ? (row.timeline ?? 0) : 0));
  return {
    ...server,
    timeline: server.isStandby ? Math.max(own?.timeline ?? 0, ...timelines) : server.timeline,
    systemId: own?.systemId,
    markedAt: Math.max(0, ...noted.rows.map((row) => row.markedAt?.getTime() ?? 0)),
  };
}

/** A managed service may not let us ask, and a new database has no tables yet: then that much is not known. */
function nothingIfRefused(error: unknown): { rows: [] } {
  if (error instanceof DatabaseError && /^(42|0A000|55000)/.test(error.code ?? '')) return { rows: [] };
  throw error;
}

/** Whether a commit is kept is not known: PostgreSQL's own code for "transaction resolution unknown". */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
  readonly code = '08007';
}

/**
 * What must not depend on how a server, a database or a role is set. Statements and not start-up options: a DATABASE_URL with options
 * of its own would replace ours. A time limit of the user's would cut a commit's wait for its standby short, and PostgreSQL then
 * calls it done. Locks are taken to see what others have committed meanwhile, which only `read committed` shows. A commit that
 * nothing waits for is no promise; a session that waits for more than `on` keeps doing so. And a commit whose wait was cancelled is only told
 * by a warning.
 */
const SESSION = `set timezone = 'UTC'; set statement_timeout = 0;
  set default_transaction_isolation = 'read committed'; set client_min_messages = notice;
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') not in ('on', 'remote_apply')`;

/** Before anything else is asked on a connection. Its statements follow without waiting for it. */
export async function openSession(client: Client): Promise<void> {
  client.on('notice', ({ routine }) => {
    // Cancelled, a wait for the standby ends in a commit that is reported as done and may be lost with this server.
    if (routine !== 'SyncRepWaitForLSN') return;
    client.connection.emit('error', new UnconfirmedError('a commit did not wait until its standby had it'));
    client.connection.stream.destroy();
  });
  await client.query(SESSION);
}
