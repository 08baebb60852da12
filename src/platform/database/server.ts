import type { Client } from 'pg';

/** A PostgreSQL process, as it answers on one connection. An address is not enough: behind a proxy, one leads to several. */
export interface Server {
  readonly id: string;
  readonly isStandby: boolean;
  /** Rises with every promotion. */
  readonly timeline: number;
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

const SERVER = `select concat(host(inet_server_addr()), ':', inet_server_port(), ' ', extract(epoch from pg_postmaster_start_time())) as id,
  pg_is_in_recovery() as is_standby,
  case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline,
  current_setting('synchronous_standby_names') <> '' as is_replicated,
  (select coalesce(extract(epoch from max(clock_timestamp() - query_start)), 0)::float8
     from pg_stat_activity where wait_event = 'SyncRep') as commit_wait_seconds`;

export async function askServer(client: Pick<Client, 'query'>): Promise<Server> {
  const { rows } = await client.query<ServerRow>(SERVER);
  const [row] = rows;
  if (row === undefined) throw new Error('a server did not say which one it is');
  return {
    id: row.id,
    isStandby: row.is_standby,
    timeline: Number.parseInt(row.timeline ?? '0', 16),
    isReplicated: row.is_replicated,
    commitWaitSeconds: row.commit_wait_seconds,
  };
}

/** Of two that both call themselves primary, the one that was promoted last. */
export function isNewer(server: Server, than: Server | undefined): boolean {
  return than === undefined || server.timeline > than.timeline;
}
