import { callbackify } from 'node:util';
import { Client, type ClientConfig, type PoolConfig } from 'pg';
import { type DatabaseConnection, type DatabaseHost, DatabaseHosts } from './database-hosts.ts';
import { askServer, type Server } from './server.ts';

/** How a server that cannot be written to is reported: PostgreSQL's own code for "not now". */
class StandbyError extends Error {
  override readonly name = 'StandbyError';
  readonly code = '57P03';
}

/** Whether a commit is kept is not known: PostgreSQL's own code for "transaction resolution unknown". */
export class UnconfirmedError extends Error {
  override readonly name = 'UnconfirmedError';
  readonly code = '08007';
}

/** A customer, or an operator, is waiting: longer than this nobody waits to hear whether something is written. */
export const MAX_UNDECIDED_MS = 9500;

/** Fails when the database has not answered by then. What was asked goes on, and may yet be done. */
export async function inTime<Result>(work: Promise<Result>, patienceMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new UnconfirmedError('the database did not answer in time')), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What must not depend on how a server, a database or a role is set. Statements and not start-up options: a DATABASE_URL with options
 * of its own would replace ours. A time limit of the user's would cut a commit's wait for its standby short, and PostgreSQL then
 * calls it done. Locks are taken to see what others have committed meanwhile, which only `read committed` shows. A commit that
 * nothing waits for is no promise; a session that waits for more than `on` keeps doing so.
 */
const SESSION = `set timezone = 'UTC'; set statement_timeout = 0;
  set default_transaction_isolation = 'read committed';
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/**
 * The one PostgreSQL process that this process works with, over all its connections. A connection that meets another one ends those to
 * the one before: whatever was begun there has failed, and nothing that is read on one server counts as confirmed by another.
 */
export class Primary {
  readonly hosts: DatabaseHosts;
  /** Rises with every change of server; what was read under another number belongs to another server. */
  epoch = 0;
  isReplicated = false;
  server: Server | undefined;
  readonly #clients = new Set<Client>();
  readonly #onMove: ((server: Server) => unknown)[] = [];
  readonly #onLost: (() => void)[] = [];

  constructor(connection: DatabaseConnection) {
    this.hosts = new DatabaseHosts(connection);
  }

  /** Called with each server that this process begins to work with, the first one included. */
  onMove(listener: (server: Server) => unknown): void {
    this.#onMove.push(listener);
    if (this.server !== undefined) listener(this.server);
  }

  /** Called when a connection was lost: its server may have crashed and recovered. */
  onLost(listener: () => void): void {
    this.#onLost.push(listener);
  }

  /** A connection beside the pool's, which may be full of commits that wait. */
  async connect(config: ClientConfig): Promise<Client> {
    const client = new (clientOf(this))(config);
    await client.connect();
    return client;
  }

  /** Ends all connections. They are destroyed, never cancelled: a commit whose wait is cancelled counts as done. */
  leave(): void {
    this.epoch += 1;
    this.server = undefined;
    const clients = [...this.#clients];
    this.#clients.clear();
    for (const client of clients) client.connection.stream.destroy();
  }

  /** A connection was made and says whom it leads to. */
  join(client: Client, server: Server): void {
    if (server.isStandby) throw new StandbyError('this server is a standby and accepts no writes');
    if (server.id !== this.server?.id) {
      this.leave();
      this.server = server;
      this.isReplicated = server.isReplicated;
      for (const listener of this.#onMove) listener(server);
    }
    this.#clients.add(client);
    client.once('end', () => this.#clients.delete(client));
    client.on('error', () => {
      for (const listener of this.#onLost) listener();
    });
    client.on('notice', ({ routine }) => {
      // Cancelled, a wait for the standby ends in a commit that is reported as done and may be lost with this server.
      if (routine !== 'SyncRepWaitForLSN') return;
      client.connection.emit('error', new UnconfirmedError('a commit did not wait until its standby had it'));
      client.connection.stream.destroy();
    });
  }
}

/** The pool's clients, and those beside it. The pool calls `connect` with a callback, and takes the client if it brings no error. */
function clientOf(primary: Primary): new (config?: ClientConfig) => Client {
  return class PrimaryClient extends Client {
    readonly #host: DatabaseHost;

    constructor(config: ClientConfig = {}) {
      const host = primary.hosts.current;
      super({ ...config, ...host });
      this.#host = host;
      // Lost before anybody has it: whoever waits for it is told.
      this.on('error', () => {});
    }

    override connect(): Promise<Client>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<Client> | undefined {
      if (callback === undefined) return this.#join();
      callbackify(() => this.#join())((error) => callback(error));
      return undefined;
    }

    async #join(): Promise<Client> {
      try {
        await super.connect();
        const [, server] = await Promise.all([this.query(SESSION), askServer(this)]);
        primary.join(this, server);
        return this;
      } catch (error) {
        primary.hosts.leave(this.#host);
        this.end().catch(() => {});
        throw error;
      }
    }
  };
}

/** Where a pool connects to. */
export function connectionTarget(primary: Primary): PoolConfig {
  return { ...primary.hosts.current, Client: clientOf(primary) };
}
