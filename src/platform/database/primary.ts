import { callbackify } from 'node:util';
import { Client, type ClientConfig, type PoolConfig } from 'pg';
import { type DatabaseConnection, type DatabaseHost, DatabaseHosts, HOST_PATIENCE_MS } from './database-hosts.ts';
import { askServer, openSession, type Server } from './server.ts';

/** How a server that cannot be written to is reported: PostgreSQL's own code for "not now". */
class StandbyError extends Error {
  override readonly name = 'StandbyError';
  readonly code = '57P03';
}

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
  #newestTimeline = 0;
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
    // One that came back after another was promoted in its place: it lacks what was sealed since.
    const { timeline = this.#newestTimeline } = server;
    if (timeline < this.#newestTimeline) throw new StandbyError('this server was replaced by another one');
    this.#newestTimeline = timeline;
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
  }
}

/** The pool's clients, and those beside it. The pool calls `connect` with a callback, and takes the client if it brings no error. */
function clientOf(primary: Primary): new (config?: ClientConfig) => Client {
  return class PrimaryClient extends Client {
    readonly #host: DatabaseHost;
    readonly #patienceMs: number;

    constructor(config: ClientConfig = {}) {
      const host = primary.hosts.current;
      // A machine that went away without a word is noticed on an idle connection after some fifteen seconds; on one that waits for
      // an answer, only by the heartbeat (primary-watch.ts).
      super({ keepAlive: true, keepAliveInitialDelayMillis: 5000, ...config, ...host });
      this.#host = host;
      this.#patienceMs = host.connectionTimeoutMillis ?? config.connectionTimeoutMillis ?? HOST_PATIENCE_MS;
      // Lost before anything uses it: the caller that waits for it is told.
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
      // A frozen server takes a connection and never says a word.
      const timer = setTimeout(() => this.connection.stream.destroy(), this.#patienceMs);
      try {
        await super.connect();
        const [, server] = await Promise.all([openSession(this), askServer(this)]);
        primary.join(this, server);
        return this;
      } catch (error) {
        primary.hosts.leave(this.#host);
        this.end().catch(() => {});
        throw error;
      } finally {
        clearTimeout(timer);
      }
    }
  };
}

/** Where a pool connects to. */
export function connectionTarget(primary: Primary): PoolConfig {
  return { ...primary.hosts.current, Client: clientOf(primary) };
}
