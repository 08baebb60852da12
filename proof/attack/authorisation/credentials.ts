import { addVendor } from '../../../src/billpay/index.ts';
import type { Tenant } from '../../../src/console/index.ts';
import { hashSession, newSessionId } from '../../../src/console/people/session-cookie.ts';
import { insertSession } from '../../../src/console/people/session-store.ts';
import { TENANT_ROLES } from '../../../src/contract/shared/values.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { newToken } from '../../../src/platform/tokens/auth.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { INSTALLATION, makePerson } from '../../../test/support/people.ts';
import type { AttackedService } from '../hostile/attacked-service.ts';
import type { Column } from './matrix.ts';

export type Headers = Readonly<Record<string, string>>;

const HOUR_MS = 3_600_000;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** The headers of every column. Sessions are made when they are asked for: logging out ends one. */
export async function makeCredentials(attacked: AttackedService): Promise<(column: Column) => Promise<Headers>> {
  const { service, shop, vendorId, operator } = attacked;
  const { pool, now } = service;
  const past = new Date(now.getTime() - HOUR_MS);
  const other = await service.addTaxpayer({ name: 'Another shop' });
  const suspended = await service.addTaxpayer({ name: 'Suspended shop' });
  await pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [suspended.taxpayerId]);
  const till = async (scopes: ('sign' | 'read' | 'endpoints')[], expiresAt?: Date) =>
    issueToken(pool, { taxpayerId: shop.taxpayerId, name: 'till', scopes, ...(expiresAt && { expiresAt }) });
  const operatorToken = (expiresAt?: Date) => issueToken(pool, { name: 'operator', scopes: ['admin'], expiresAt });
  const vendor = async (id: string, scopes: ('pay' | 'read' | 'endpoints')[], expiresAt?: Date) =>
    issueToken(pool, { vendorId: id, name: 'app', scopes, expiresAt });
  const biller = (billerCode: string) => issueToken(pool, { billerCode, name: 'donation page', scopes: ['figures'] });
  const [otherVendor, idleVendor] = [newId(), newId()];
  await inTransaction(pool, async (tx) => {
    await addVendor(
      tx,
      service.masterKeys,
      { vendorId: otherVendor, vendorCode: 'OTHER', name: 'Another vendor' },
      now,
    );
    await addVendor(tx, service.masterKeys, { vendorId: idleVendor, vendorCode: 'IDLE', name: 'Idle vendor' }, now);
  });
  await pool.query('update vendors set suspended_at = now() where vendor_id = $1', [idleVendor]);
  const [revokedTill, revokedOperator] = [await till(['sign', 'read']), await operatorToken()];
  await pool.query('update tokens set revoked_at = now() where token_id = any($1)', [
    [revokedTill.tokenId, revokedOperator.tokenId],
  ]);
  const revokedVendor = await vendor(vendorId, ['pay', 'read']);
  await pool.query('update tokens set revoked_at = now() where token_id = $1', [revokedVendor.tokenId]);
  const all = await vendor(vendorId, ['pay', 'read', 'endpoints']);

  const fixed: Partial<Record<Column, Headers>> = {
    none: {},
    malformed: { authorization: 'Bearer' },
    unknown: bearer(newToken().token),
    digest: { authorization: `Digest ${shop.token}` },
    'expired till': bearer((await till(['sign', 'read'], past)).token),
    'expired vendor': bearer((await vendor(vendorId, ['pay', 'read'], past)).token),
    'expired operator': bearer((await operatorToken(past)).token),
    'revoked till': bearer(revokedTill.token),
    'revoked vendor': bearer(revokedVendor.token),
    'revoked operator': bearer(revokedOperator.token),
    'till that signs': bearer((await till(['sign'])).token),
    'till that reads': bearer((await till(['read'])).token),
    'till that registers endpoints': bearer((await till(['endpoints'])).token),
    'till with its taxpayer': bearer(base64(`${shop.token}:${shop.taxpayerId}`)),
    "another's till": bearer(other.token),
    'suspended till': bearer(suspended.token),
    'vendor that pays': bearer((await vendor(vendorId, ['pay'])).token),
    'vendor that reads': bearer((await vendor(vendorId, ['read'])).token),
    'vendor that registers endpoints': bearer((await vendor(vendorId, ['endpoints'])).token),
    'vendor by Basic': { authorization: `Basic ${base64(`VENDOR:${all.token}`)}` },
    'another vendor': bearer((await vendor(otherVendor, ['pay', 'read', 'endpoints'])).token),
    'suspended vendor': bearer((await vendor(idleVendor, ['pay', 'read'])).token),
    biller: bearer((await biller('PLAIN')).token),
    'another biller': bearer((await biller('OTHER')).token),
    operator: bearer(operator),
    'operator that looks': bearer((await issueToken(pool, { name: 'report', scopes: ['viewer'] })).token),
  };
  const tenants = await addTenants(attacked, { taxpayer: other.taxpayerId, vendor: otherVendor });
  return sessionsBeside(fixed, await addPeople(attacked, tenants), attacked);
}

const HEADER = { 'x-tillseal-console': '1' };
const ELSEWHERE = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };

/** Whose people there are, by the words of the columns. */
async function addTenants(
  { service: { pool }, shop, vendorId }: AttackedService,
  others: Readonly<Record<'taxpayer' | 'vendor', string>>,
): Promise<Readonly<Record<string, Tenant>>> {
  const [practice, otherPractice] = [newId(), newId()];
  await pool.query("insert into practices (practice_id, name) values ($1, 'Practice'), ($2, 'Another')", [
    practice,
    otherPractice,
  ]);
  await pool.query('insert into practice_taxpayers (practice_id, taxpayer_id) values ($1, $2)', [
    practice,
    shop.taxpayerId,
  ]);
  return {
    taxpayer: { kind: 'taxpayer', id: shop.taxpayerId },
    vendor: { kind: 'vendor', id: vendorId },
    biller: { kind: 'biller', id: 'PLAIN' },
    practice: { kind: 'practice', id: practice },
    'another taxpayer': { kind: 'taxpayer', id: others.taxpayer },
    'another vendor': { kind: 'vendor', id: others.vendor },
    'another biller': { kind: 'biller', id: 'OTHER' },
    'another practice': { kind: 'practice', id: otherPractice },
  };
}

interface People {
  /** By what they are called in the columns. */
  readonly ids: ReadonlyMap<string, string>;
  readonly tenants: Readonly<Record<string, Tenant>>;
}

async function addPeople({ service: { pool } }: AttackedService, tenants: People['tenants']): Promise<People> {
  for (const role of ['viewer', 'operator', 'admin'] as const) await makePerson(pool, `${role}@example.com`, role);
  await makePerson(pool, 'one-time@example.com', 'admin', { mustChangePassword: true });
  for (const [name, tenant] of Object.entries(tenants)) {
    for (const role of TENANT_ROLES) {
      await makePerson(pool, `${role}.${name.replaceAll(' ', '-')}@example.com`, role, { tenant });
    }
  }
  await makePerson(pool, 'ended@example.com', 'owner', { tenant: tenants['taxpayer'] ?? INSTALLATION });
  await pool.query(
    "update memberships set expires_at = '2020-01-01Z' from people p where p.person_id = memberships.person_id and email = 'ended@example.com'",
  );
  const { rows } = await pool.query<{ person_id: string; email: string }>('select person_id, email from people');
  return { tenants, ids: new Map(rows.map((row) => [row.email.split('@', 1)[0] ?? '', row.person_id])) };
}

function sessionsBeside(
  fixed: Partial<Record<Column, Headers>>,
  { ids, tenants }: People,
  { service }: AttackedService,
): (column: Column) => Promise<Headers> {
  const session = async (name: string, tenant: Tenant = INSTALLATION, startedAt = service.now): Promise<Headers> => {
    const sessionId = newSessionId();
    await insertSession(service.pool, {
      sessionHash: hashSession(sessionId),
      personId: ids.get(name) ?? '',
      tenant,
      at: startedAt,
      expiresAt: new Date(startedAt.getTime() + HOUR_MS),
    });
    return { cookie: `tillseal-session=${sessionId}` };
  };
  const ofTenant = async (person: string, tenant: string) => {
    const name = person.replace(
      /^(owner|clerk|viewer) of (.*)$/,
      (_all, role, of) => `${role}.${of.replaceAll(' ', '-')}`,
    );
    return { ...(await session(name, tenants[tenant])), ...HEADER };
  };
  return async (column) => {
    const known = fixed[column];
    if (known !== undefined) return known;
    if (column === 'session that is over') {
      return { ...(await session('admin', INSTALLATION, new Date(service.now.getTime() - 24 * HOUR_MS))), ...HEADER };
    }
    if (column === 'session with a one-time password') return { ...(await session('one-time')), ...HEADER };
    if (column === 'ended membership') return ofTenant('ended', 'taxpayer');
    const acting = /^(.*) for the taxpayer$/.exec(column)?.[1];
    if (acting !== undefined) return ofTenant(acting, 'taxpayer');
    const tenant = /^(?:owner|clerk|viewer) of (.*)$/.exec(column)?.[1];
    if (tenant !== undefined) return ofTenant(column, tenant);
    const role = /session of (\w+)/.exec(column)?.[1] ?? '';
    if (column.startsWith('bare')) return session(role);
    return { ...(await session(role)), ...HEADER, ...(column.endsWith('another site') ? ELSEWHERE : {}) };
  };
}
