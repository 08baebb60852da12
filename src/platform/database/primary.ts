import { callbackify } from 'node:util';
import { Client, type ClientConfig, type PoolConfig } from 'pg';
import { makeFolder } from '../make-folder.ts';
import { type Choice, choosePrimary, NOTHING_SEEN, remember, type Seen, whyBehind } from './choose-primary.ts';
import {
  type DatabaseConnection,
  type DatabaseHost,
  DatabaseHosts,
  HOST_PATIENCE_MS,
  hostName,
} from './database-hosts.ts';
import { addSeen, readSeen } from './seen-servers.ts';
import { askLineage, openSession, type PlacedServer } from './server.ts';

/** How a server that cannot be written to is reported: PostgreSQL's own code for "not now". */
class StandbyError extends Error {
  override readonly name: string = 'StandbyError';
  readonly code = '57P03';
}

/** It takes writes, and must not be used: the message is for who started it. */
export class BehindError extends StandbyError {
  override readonly name = 'BehindError';
}

/** At a start, a host that is only restarting answers by then. */
const SILENT_PATIENCE_MS = 5000;

export interface PrimaryOptions {
  /** Where it is kept which servers were in use; undefined: nothing is known of earlier runs. */
  readonly dataDir?: string | undefined;
  /** It may be an older one than was in use, but there must be no other. */
  readonly isGoingBack?: boolean;
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
  /** Commits wait for a standby, longer than one that is well ever takes: nothing new is begun, */
  isWaiting = false;
  /** except by a start, which waits with them. */
  isStarting = true;
  server: PlacedServer | undefined;
  /** The first server was chosen while a host was silent, and nothing is known of earlier runs: it may have been replaced. */
  isUnproved = false;
  readonly #options: PrimaryOptions;
  #seen: Seen;
  readonly #patientUntil = Date.now() + SILENT_PATIENCE_MS;
  #found: Promise<void> | undefined;
  #hung: DatabaseHost | undefined;
  readonly #clients = new Set<Client>();
  readonly #onMove: ((server: PlacedServer) => unknown)[] = [];
  readonly #onLost: (() => void)[] = [];

  constructor(connection: DatabaseConnection, options: PrimaryOptions) {
    this.hosts = new DatabaseHosts(connection);
    this.#options = options;
    const { dataDir, isGoingBack } = options;
    this.#seen = dataDir === undefined || isGoingBack === true ? NOTHING_SEEN : readSeen(dataDir);
  }

  /** Where to connect to is asked of all hosts when there is none yet, and whenever the last one has failed. */
  async find(): Promise<void> {
    if (this.hosts.all.length === 1) return;
    this.#found ??= this.#find();
    await this.#found;
  }

  async #find(): Promise<void> {
    const answers = await this.hosts.ask(askLineage, this.#hung);
    this.#hung = undefined;
    this.#found = undefined;
    const silent = this.hosts.all.filter((_, index) => answers[index]?.status === 'rejected').map(hostName);
    const isStart = this.epoch === 0;
    // It may have been promoted in place of the one that answers.
    if (isStart && silent.length > 0 && silent.length < answers.length && Date.now() < this.#patientUntil) {
      throw new StandbyError(
        `${silent.join(' and ')} of DATABASE_URL must answer first, or stay silent for some seconds`,
      );
    }
    const choice = this.choose(answers);
    if (choice.kind === 'refused') {
      throw new BehindError(`The database server ${hostName(this.hosts.all[choice.index] ?? {})} ${choice.why}`);
    }
    if (choice.kind === 'none') {
      const failed = answers.find((answer) => answer.status === 'rejected');
      throw failed?.reason ?? new StandbyError('no host of DATABASE_URL takes writes');
    }
    if (isStart) this.isUnproved = silent.length > 0 && !choice.isKnown;
  }

  /** Goes to the server that may be used, if there is one among those that answer. */
  choose(answers: readonly PromiseSettledResult<PlacedServer>[]): Choice {
    const servers = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : undefined));
    const choice = choosePrimary(servers, this.#seen, this.#options.isGoingBack);
    const host = choice.kind === 'use' ? this.hosts.all[choice.index] : undefined;
    if (host === undefined) return choice;
    this.#found = Promise.resolve();
    if (host !== this.hosts.current) this.leave();
    this.hosts.current = host;
    return choice;
  }

  /** It failed. One that hangs is not waited for when all are asked. */
  lose(host: DatabaseHost, isHung = false): void {
    if (host !== this.hosts.current) return;
    this.#found = undefined;
    if (isHung) this.#hung = host;
  }

  /**
   * A commit was confirmed there: from now on nothing older is used. Not before: of what no standby has, a promoted one knows nothing, not
   * even the timeline, and is right.
   */
  async confirm(server: PlacedServer): Promise<void> {
    this.#seen = remember(this.#seen, server);
    const { dataDir } = this.#options;
    if (dataDir === undefined) return;
    await makeFolder(dataDir);
    this.#seen = addSeen(dataDir, server);
  }

  /** Called with each server that this process begins to work with, the first one included. */
  onMove(listener: (server: PlacedServer) => unknown): void {
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
    this.isWaiting = false;
    const clients = [...this.#clients];
    this.#clients.clear();
    for (const client of clients) client.connection.stream.destroy();
  }

  /** A connection was made and says whom it leads to. */
  join(client: Client, host: DatabaseHost, server: PlacedServer): void {
    if (host !== this.hosts.current) throw new StandbyError('the primary is elsewhere by now');
    if (server.isStandby) throw new StandbyError('this server is a standby and accepts no writes');
    const why = whyBehind(server, this.#seen);
    if (why !== undefined) throw new BehindError(`The database server ${hostName(host)} ${why}`);
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
      await primary.find();
      // A frozen server takes a connection and never says a word.
      const timer = setTimeout(() => this.connection.stream.destroy(), this.#patienceMs);
      try {
        if (this.#host !== primary.hosts.current) throw new StandbyError('the primary is elsewhere');
        await super.connect();
        const [, server] = await Promise.all([openSession(this), askLineage(this)]);
        primary.join(this, this.#host, server);
        return this;
      } catch (error) {
        primary.lose(this.#host);
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
