import { type Client, DatabaseError } from 'pg';

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
}

interface ServerRow {
  id: string;
  is_standby: boolean;
  timeline: string | null;
  is_replicated: boolean;
  commit_wait_seconds: number;
}

const TIMELINE = 'case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end';
const serverWith = (
  timeline: string,
) => `select concat(inet_server_port(), ' ', extract(epoch from pg_postmaster_start_time())) as id,
  pg_is_in_recovery() as is_standby,
  ${timeline} as timeline,
  current_setting('synchronous_standby_names') <> '' as is_replicated,
  (select coalesce(extract(epoch from max(clock_timestamp() - query_start)), 0)::float8
     from pg_stat_activity where wait_event = 'SyncRep') as commit_wait_seconds`;

export async function askServer(client: Pick<Client, 'query'>): Promise<Server> {
  const { rows } = await client.query<ServerRow>(serverWith(TIMELINE)).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    // Where the log is the provider's own, its functions may be refused (Aurora). If it was not that, this fails, too.
    return client.query<ServerRow>(serverWith('null'));
  });
  const [row] = rows;
  if (row === undefined) throw new Error('a server did not say which one it is');
  return {
    id: row.id,
    isStandby: row.is_standby,
    timeline: row.timeline === null ? undefined : Number.parseInt(row.timeline, 16),
    isReplicated: row.is_replicated,
    commitWaitSeconds: row.commit_wait_seconds,
  };
}

/** Of two that both call themselves primary, the one that was promoted last. */
export function isNewer(server: Server, than: Server | undefined): boolean {
  return than === undefined || (server.timeline ?? 0) > (than.timeline ?? 0);
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
