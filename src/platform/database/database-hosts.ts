import { Client, type ClientConfig } from 'pg';
import { askServer, isNewer, openSession, type Server } from './server.ts';

export type DatabaseConnection =
  | string
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** A server that does not answer within this is no primary. */
export const HOST_PATIENCE_MS = 3000;

/** One of the places where the primary may be. */
export type DatabaseHost = ClientConfig;

/**
 * Where connections go. An address may name several hosts, as libpq's may (`postgresql://user@one:5432,two:5432/tillseal`): a primary
 * and its standbys, of which the one that takes writes is used. The driver knows one host per connection: each connection goes to the host
 * that worked last, and one that fails, or meets a standby, has all of them asked at once.
 */
export class DatabaseHosts {
  readonly all: readonly DatabaseHost[];
  #current: DatabaseHost;
  #isSearching = false;

  constructor(connection: DatabaseConnection) {
    const [first, ...others] = hostsOf(connection);
    this.all = [first, ...others];
    this.#current = first;
  }

  get current(): DatabaseHost {
    return this.#current;
  }

  use(host: DatabaseHost): void {
    this.#current = host;
  }

  /** It failed. Many attempts fail at once when a server dies: only the first moves on. */
  leave(host: DatabaseHost): void {
    if (host !== this.#current || this.all.length === 1) return;
    this.#current = this.all[(this.all.indexOf(host) + 1) % this.all.length] ?? host;
    if (!this.#isSearching) void this.#findPrimary();
  }

  /** What answers at each host, all asked at the same time. */
  ask<Answer>(question: (client: Client) => Promise<Answer>): Promise<(Answer | undefined)[]> {
    return Promise.all(this.all.map((host) => askHost(host, question).catch(() => undefined)));
  }

  async #findPrimary(): Promise<void> {
    this.#isSearching = true;
    const servers = await this.ask(askServer);
    this.#isSearching = false;
    let best: Server | undefined;
    for (const [index, server] of servers.entries()) {
      const host = this.all[index];
      if (server === undefined || host === undefined || server.isStandby || !isNewer(server, best)) continue;
      best = server;
      this.#current = host;
    }
  }
}

/** On a connection of its own, which is destroyed when the time is up: a cancelled commit would count as done. */
async function askHost<Answer>(host: DatabaseHost, question: (client: Client) => Promise<Answer>): Promise<Answer> {
  const client = new Client({ ...host, application_name: 'tillseal' });
  client.on('error', () => {});
  const timer = setTimeout(() => client.connection.stream.destroy(), HOST_PATIENCE_MS);
  try {
    await client.connect();
    const [, answer] = await Promise.all([openSession(client), question(client)]);
    return answer;
  } finally {
    clearTimeout(timer);
    client.end().catch(() => {});
  }
}

function hostsOf(connection: DatabaseConnection): [DatabaseHost, ...DatabaseHost[]] {
  if (typeof connection !== 'string') return [{ ...connection, ssl: false }];
  const urls = singleHosts(connection);
  if (urls.length === 1) return [{ connectionString: connection }];
  const [first, ...others] = urls.map((connectionString) => ({
    connectionString,
    connectionTimeoutMillis: HOST_PATIENCE_MS,
  }));
  return [first ?? { connectionString: connection }, ...others];
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
