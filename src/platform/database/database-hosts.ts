import { Client, type PoolConfig } from 'pg';

export type DatabaseConnection =
  | string
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** How a server that cannot be written to is reported: PostgreSQL's own code for "not now". */
class StandbyError extends Error {
  override readonly name = 'StandbyError';
  readonly code = '57P03';
}

/**
 * Where a pool connects to. An address may name several hosts, as libpq's may
 * (`postgresql://user@one:5432,two:5432/tillseal`): a primary and its standbys, of which the one that takes writes is used.
 * The driver knows one host per connection. So each attempt goes to the host that worked last, and one that fails, or meets
 * a standby, makes the next attempt go to the next host.
 */
export function connectionTarget(connection: DatabaseConnection): PoolConfig {
  if (typeof connection !== 'string') return { ...connection, ssl: false };
  const urls = singleHosts(connection);
  if (urls.length === 1) return { connectionString: connection };
  let current = 0;
  const leave = (index: number) => {
    // Many attempts fail at once when a server dies: only the first moves on.
    if (index === current) current = (index + 1) % urls.length;
  };
  /** The pool calls `connect` with a callback, and takes the client once that was called without an error. */
  class HostClient extends Client {
    readonly #index: number = current;

    constructor(config: PoolConfig = {}) {
      super({ ...config, connectionString: urls[current] });
      // Lost before the pool has it: the callback tells.
      this.on('error', () => {});
    }

    override connect(): Promise<Client>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<Client> | undefined {
      if (callback === undefined) return super.connect();
      const finish = (error: Error | null) => {
        if (error !== null) leave(this.#index);
        callback(error);
      };
      super.connect((error: Error | null) => {
        if (error) finish(error);
        else this.#refuseStandby(finish);
      });
      return undefined;
    }

    #refuseStandby(finish: (error: Error | null) => void): void {
      this.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby', (error: Error | null, result) => {
        const isPrimary = !error && result.rows[0]?.is_standby === false;
        if (!isPrimary) void this.end();
        finish(isPrimary ? null : (error ?? new StandbyError('this server is a standby and accepts no writes')));
      });
    }
  }
  return { connectionString: urls[0], Client: HostClient };
}

/** The same address once for each of its hosts. */
export function singleHosts(url: string): string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url);
  const [, before = '', hosts = '', after = ''] = parts ?? [];
  if (!hosts.includes(',')) return [url];
  // Written for libpq; this is what is done anyway.
  const rest = after.replace(/([?&])target_session_attrs=[^&]*&?/, '$1').replace(/[?&]$/, '');
  return hosts.split(',').map((host) => `${before}${host}${rest}`);
}
