import { hashSession, newSessionId } from '../../../src/console/people/session-cookie.ts';
import { insertSession } from '../../../src/console/people/session-store.ts';
import { TENANT_ROLES, type TokenScope } from '../../../src/contract/shared/values.ts';
import { newToken } from '../../../src/platform/tokens/auth.ts';
import { issueToken, type TokenRequest } from '../../../src/platform/tokens/issue-token.ts';
import { INSTALLATION, makePerson } from '../../../test/support/people.ts';
import type { Area } from './document.ts';
import { type Installation, makeTenants, type Tenants, tenantOf } from './tenants.ts';

export type Headers = readonly (readonly [string, string])[];

/** One way to authenticate. */
export interface Credential {
  readonly name: string;
  readonly headers: Headers;
  /** The addresses it gives access to; undefined: none. */
  readonly opens: Area | undefined;
  /** The addresses at which it may ask, and is told nothing, because all there is belongs to others. */
  readonly snoops: Area | undefined;
}

/** Whose credentials they are: what is attacked, tenants that have something, others, and who runs it. */
export interface Parties extends Installation {
  readonly own: Tenants;
  readonly others: Tenants;
  readonly operator: string;
}

/** By their names, of which the matrix has many in its columns. */
export interface Credentials {
  readonly names: readonly string[];
  /** Nobody is let in with these. */
  readonly wrong: readonly string[];
  /** Sessions are made when they are asked for: logging out ends one. */
  readonly headersOf: (name: string) => Promise<Headers>;
}

const HOUR_MS = 3_600_000;
const NOBODY = '00000000-0000-4000-8000-000000000000';
const KINDS = ['taxpayer', 'vendor', 'biller', 'practice'] as const;
const CONSOLE = [['X-Tillseal-Console', '1']] as const;
const ELSEWHERE = [
  ['Origin', 'https://elsewhere.example'],
  ['Sec-Fetch-Site', 'cross-site'],
] as const;

const base64 = (text: string) => Buffer.from(text).toString('base64');
const authorised = (value: string): Headers => [['Authorization', value]];
export const bearer = (token: string): Headers => authorised(`Bearer ${token}`);

/** One of every kind there is. */
export async function makeCredentials(parties: Parties): Promise<Credentials> {
  const wrong = await wrongOnes(parties);
  const tokens = await goodTokens(parties);
  const sessions = await makeSessions(parties);
  const fixed: Readonly<Record<string, Headers>> = { ...wrong, ...tokens };
  return {
    names: [...Object.keys(fixed), ...Object.keys(sessions)],
    wrong: Object.keys(wrong),
    headersOf: async (name) => {
      const headers = fixed[name] ?? (await sessions[name]?.());
      if (headers === undefined) throw new Error(`there are no credentials called ${name}`);
      return headers;
    },
  };
}

const issuer =
  ({ pool }: Installation) =>
  async (owner: Partial<TokenRequest>, scopes: readonly TokenScope[], expiresAt?: Date) =>
    issueToken(pool, { name: 'attack', scopes, expiresAt, ...owner });

async function wrongOnes(parties: Parties): Promise<Record<string, Headers>> {
  const { pool, now, operator } = parties;
  const { till, taxpayerId, vendorId } = parties.own;
  const issue = issuer(parties);
  const past = new Date(now.getTime() - HOUR_MS);
  const ends = async (end: 'expired' | 'revoked') => {
    const expiresAt = end === 'expired' ? past : undefined;
    const made = {
      till: await issue({ taxpayerId }, ['sign', 'read'], expiresAt),
      vendor: await issue({ vendorId }, ['pay', 'read'], expiresAt),
      operator: await issue({}, ['admin'], expiresAt),
    };
    const ids = Object.values(made).map(({ tokenId }) => tokenId);
    if (end === 'revoked') await pool.query('update tokens set revoked_at = now() where token_id = any($1)', [ids]);
    return Object.fromEntries(Object.entries(made).map(([who, { token }]) => [`${end} ${who}`, bearer(token)]));
  };
  return {
    none: [],
    malformed: authorised('Bearer'),
    unknown: bearer(newToken().token),
    digest: authorised(`Digest ${till}`),
    ...(await ends('expired')),
    ...(await ends('revoked')),
    empty: authorised(''),
    'no scheme': authorised(till),
    "Basic with a taxpayer's": authorised(`Basic ${base64(`vendor:${till}`)}`),
    'two tokens': bearer(`${till} ${till}`),
    'two headers': [...bearer('nothing'), ...bearer(till)],
    'known but for one letter': bearer(`${till.slice(0, -2)}${till.endsWith('AA') ? 'BB' : 'AA'}`),
    'in capitals': bearer(till.toUpperCase()),
    'with its display prefix only': bearer(till.slice(0, 10)),
    "with another taxpayer's id": bearer(base64(`${till}:${NOBODY}`)),
    "an operator's with a taxpayer's id": bearer(base64(`${operator}:${taxpayerId}`)),
    'with a zero byte inside': bearer(base64(`${till}\u0000:${taxpayerId}`)),
    'half a character inside': bearer(Buffer.from([0xff, 0xfe, 0x3a, 0x61]).toString('base64')),
    '10 kB long': bearer(`tsk_${'x'.repeat(10_000)}`),
    SQL: bearer("tsk_'or'1'='1"),
    __proto: bearer('__proto__'),
    'unknown session': [['Cookie', `tillseal-session=${'A'.repeat(43)}`], ...CONSOLE],
    'broken cookie': [['Cookie', 'tillseal-session=; ;;=%00; tillseal-session'], ...CONSOLE],
  };
}

async function goodTokens(parties: Parties): Promise<Record<string, Headers>> {
  const { pool, own, others, operator } = parties;
  const issue = issuer(parties);
  const suspended = await makeTenants(parties, 'Suspended');
  await pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [suspended.taxpayerId]);
  await pool.query('update vendors set suspended_at = now() where vendor_id = $1', [suspended.vendorId]);
  const of = async (owner: Partial<TokenRequest>, ...scopes: TokenScope[]) =>
    bearer((await issue(owner, scopes)).token);
  const { taxpayerId, vendorId, vendorCode, billerCode, till, app } = own;
  return {
    till: bearer(till),
    'till of a cashier': await of({ taxpayerId, defaultCashier: 'Rudo' }, 'sign', 'read'),
    'till that signs': await of({ taxpayerId }, 'sign'),
    'till that reads': await of({ taxpayerId }, 'read'),
    'till that registers endpoints': await of({ taxpayerId }, 'endpoints'),
    'till with its taxpayer': bearer(base64(`${till}:${taxpayerId}`)),
    "another's till": bearer(others.till),
    'suspended till': bearer(suspended.till),
    vendor: bearer(app),
    'vendor that pays': await of({ vendorId }, 'pay'),
    'vendor that reads': await of({ vendorId }, 'read'),
    'vendor that registers endpoints': await of({ vendorId }, 'endpoints'),
    'vendor by Basic': authorised(`Basic ${base64(`${vendorCode}:${app}`)}`),
    'another vendor': bearer(others.app),
    'suspended vendor': bearer(suspended.app),
    biller: await of({ billerCode }, 'figures'),
    'another biller': await of({ billerCode: others.billerCode }, 'figures'),
    operator: bearer(operator),
    'operator that looks': await of({}, 'viewer'),
  };
}

type Session = () => Promise<Headers>;

/** Of people of the installation, of every tenant, and of practices that act for the taxpayer. */
async function makeSessions({ pool, now, own, others }: Parties): Promise<Record<string, Session>> {
  const sessionOf =
    (email: string, tenant = tenantOf(own, 'taxpayer'), at = now, more: Headers = CONSOLE): Session =>
    async () => {
      const sessionId = newSessionId();
      const { rows } = await pool.query<{ id: string }>('select person_id as id from people where email = $1', [email]);
      const expiresAt = new Date(at.getTime() + 12 * HOUR_MS);
      const personId = rows[0]?.id ?? '';
      await insertSession(pool, { sessionHash: hashSession(sessionId), personId, tenant, at, expiresAt });
      return [['Cookie', `tillseal-session=${sessionId}`], ...more];
    };
  const sessions: Record<string, Session> = {};
  for (const role of ['viewer', 'operator', 'admin'] as const) {
    const email = `${role}@example.com`;
    await makePerson(pool, email, role);
    sessions[`session of ${role}`] = sessionOf(email, INSTALLATION);
    sessions[`bare session of ${role}`] = sessionOf(email, INSTALLATION, now, []);
    sessions[`${role} for the taxpayer`] = sessionOf(email);
  }
  const [admin, oneTime, ended] = ['admin@example.com', 'one-time@example.com', 'ended@example.com'] as const;
  await makePerson(pool, oneTime, 'admin', { mustChangePassword: true });
  await makePerson(pool, ended, 'owner', { tenant: tenantOf(own, 'taxpayer') });
  await pool.query(
    "update memberships set expires_at = '2020-01-01Z' from people p where p.person_id = memberships.person_id and email = $1",
    [ended],
  );
  const yesterday = new Date(now.getTime() - 24 * HOUR_MS);
  sessions['session with a one-time password'] = sessionOf(oneTime, INSTALLATION);
  sessions['session that is over'] = sessionOf(admin, INSTALLATION, yesterday);
  sessions['session of admin from another site'] = sessionOf(admin, INSTALLATION, now, [...CONSOLE, ...ELSEWHERE]);
  sessions['ended membership'] = sessionOf(ended);
  for (const [name, tenants] of [['', own] as const, ['another ', others] as const]) {
    for (const kind of KINDS) {
      for (const role of TENANT_ROLES) {
        const email = `${role}.${kind}@${tenants.vendorCode}.example.com`.toLowerCase();
        const tenant = tenantOf(tenants, kind);
        await makePerson(pool, email, role, { tenant });
        sessions[`${role} of ${name}${kind}`] = sessionOf(email, tenant);
        if (kind === 'practice') sessions[`${role} of ${name}practice for the taxpayer`] = sessionOf(email);
      }
    }
  }
  return sessions;
}
