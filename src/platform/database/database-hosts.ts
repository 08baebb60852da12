import { Client, type ClientConfig } from 'pg';
import { openSession } from './server.ts';

export type DatabaseConnection =
  | string
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** A server that does not answer within this is no primary. */
export const HOST_PATIENCE_MS = 3000;

/** One of the places where the primary may be. */
export type DatabaseHost = ClientConfig;

/**
 * Where connections go. An address may name several hosts, as libpq's may (`postgresql://user@one:5432,two:5432/tillseal`): a primary
 * and its standbys, of which the one that takes writes is used. The driver knows one host per connection: `Primary` says which.
 */
export class DatabaseHosts {
  readonly all: readonly DatabaseHost[];
  current: DatabaseHost;

  constructor(connection: DatabaseConnection) {
    const [first, ...others] = hostsOf(connection);
    this.all = [first, ...others];
    this.current = first;
  }

  /** What answers at each host, all asked at the same time; not at one that is known to hang. */
  ask<Answer>(
    question: (client: Client) => Promise<Answer>,
    hung?: DatabaseHost,
  ): Promise<PromiseSettledResult<Answer>[]> {
    const noAnswer = () => Promise.reject<Answer>(Object.assign(new Error('it hangs'), { code: 'ETIMEDOUT' }));
    return Promise.allSettled(this.all.map((host) => (host === hung ? noAnswer() : askHost(host, question))));
  }
}

/** For messages, without the password that an address may contain. */
export function hostName(host: DatabaseHost): string {
  const { host: name, port } = new Client(host);
  return `${name}:${port}`;
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
