import { argon2Sync, createHash } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { addPerson, type Tenant } from '../../src/console/index.ts';
import { insertPerson } from '../../src/console/people/store.ts';
import type { Role } from '../../src/contract/shared/values.ts';
import { newId } from '../../src/kernel/ids.ts';
import { inTransaction } from '../../src/platform/database/database.ts';

export const PASSWORD = 'four words are enough';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What the console sends with every request. */
export const CONSOLE_HEADERS = { 'x-tillseal-console': '1', 'sec-fetch-site': 'same-origin' };

/** The cheapest hash there is: the parameters are kept with it, and a dear one takes most of the time of a test that logs in often. */
const CHEAP = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 } as const;
const SALT = Buffer.alloc(16);
const TAG = argon2Sync('argon2id', { message: PASSWORD, nonce: SALT, ...CHEAP });
const PASSWORD_HASH = `$argon2id$v=19$m=8,t=1,p=1$${SALT.toString('base64')}$${TAG.toString('base64')}`;

export const INSTALLATION = { kind: 'installation', id: '' } as const;

/** Somebody who can log in, an operator where no tenant is said. */
export async function makePerson(
  pool: Pool,
  email: string,
  role: Role,
  { tenant = INSTALLATION, ...choices }: { mustChangePassword?: boolean; tenant?: Tenant } = {},
): Promise<void> {
  const person = { email, name: email.split('@', 1)[0] ?? '', mustChangePassword: false, ...choices };
  // Who is known already needs no hash of the service's.
  await inTransaction(pool, (tx) => insertPerson(tx, { ...person, personId: newId(), passwordHash: PASSWORD_HASH }));
  const added = await addPerson(pool, 'test', { ...person, tenant, role, password: PASSWORD });
  if (added === undefined) throw new Error(`${email} is taken`);
}

export function logIn(
  app: FastifyInstance,
  email: string,
  password = PASSWORD,
  { remoteAddress = homeOf(email), cookie = '' } = {},
): Promise<LightMyRequestResponse> {
  return app.inject({
    method: 'POST',
    url: '/api/admin/session',
    remoteAddress,
    headers: { ...CONSOLE_HEADERS, 'content-type': 'application/json', ...(cookie === '' ? {} : { cookie }) },
    body: JSON.stringify({ Email: email, Password: password }),
  });
}

/** Everybody logs in from an address of their own: how often one may is limited. */
function homeOf(email: string): string {
  const [one, two, three] = createHash('sha256').update(email).digest();
  return `10.${one}.${two}.${three}`;
}

/** The cookie of somebody who just logged in, as a browser would send it. */
export async function cookieOf(app: FastifyInstance, email: string, password = PASSWORD): Promise<string> {
  const answer = await logIn(app, email, password);
  if (answer.statusCode !== 200) throw new Error(`${email} could not log in: ${answer.body}`);
  return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
}

export function withCookie(
  app: FastifyInstance,
  cookie: string,
  method: Method,
  url: string,
  body?: object,
  headers: Record<string, string> = CONSOLE_HEADERS,
): Promise<LightMyRequestResponse> {
  return app.inject({
    method,
    url,
    headers: { cookie, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
