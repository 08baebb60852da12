import { afterAll, beforeAll, expect, test } from 'vitest';
import { newToken } from '../../../src/platform/tokens/auth.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import {
  type AttackedService,
  attackedService,
  expectRefused,
  isOfVendor,
  pathOf,
  type Route,
} from './attacked-service.ts';
import { type Answer, inTurns } from './send.ts';

let attacked: AttackedService;
const wrong: Record<string, string | undefined> = {};
const without: Record<string, string> = {};
let suspended: string;

beforeAll(async () => {
  attacked = await attackedService();
  const { service, shop, operator } = attacked;
  const { pool } = service;
  const issue = (options: Partial<Parameters<typeof issueToken>[1]>) =>
    issueToken(pool, { taxpayerId: shop.taxpayerId, name: 'test', scopes: ['sign', 'read'], ...options });
  const expired = await issue({ expiresAt: new Date(service.now.getTime() - 1000) });
  const revoked = await issue({});
  await pool.query('update tokens set revoked_at = now() where token_id = $1', [revoked.tokenId]);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  Object.assign(wrong, {
    missing: undefined,
    empty: '',
    'no scheme': shop.token,
    'another scheme': `Digest ${shop.token}`,
    'Basic, which is for payments': `Basic ${base64(`vendor:${shop.token}`)}`,
    'Bearer of nothing': 'Bearer ',
    'Bearer of two tokens': `Bearer ${shop.token} ${shop.token}`,
    unknown: `Bearer ${newToken().token}`,
    'known but for one letter': `Bearer ${shop.token.slice(0, -2)}${shop.token.endsWith('AA') ? 'BB' : 'AA'}`,
    'in capitals': `Bearer ${shop.token.toUpperCase()}`,
    'with its display prefix only': `Bearer ${shop.token.slice(0, 10)}`,
    expired: `Bearer ${expired.token}`,
    revoked: `Bearer ${revoked.token}`,
    "with another taxpayer's id": `Bearer ${base64(`${shop.token}:00000000-0000-4000-8000-000000000000`)}`,
    "an operator's with a taxpayer's id": `Bearer ${base64(`${operator}:${shop.taxpayerId}`)}`,
    'with a zero byte inside': `Bearer ${base64(`${shop.token}\u0000:${shop.taxpayerId}`)}`,
    'half a character inside': `Bearer ${Buffer.from([0xff, 0xfe, 0x3a, 0x61]).toString('base64')}`,
    '10 kB long': `Bearer tsk_${'x'.repeat(10_000)}`,
    SQL: "Bearer tsk_'or'1'='1",
    __proto__: 'Bearer __proto__',
  });
  const other = await service.addTaxpayer();
  await pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [other.taxpayerId]);
  suspended = other.token;
  without['sign'] = (await issue({ scopes: ['read'] })).token;
  without['read'] = (await issue({ scopes: ['sign'] })).token;
  without['admin'] = shop.token;
  const ofVendor = async (scope: 'pay' | 'read') =>
    (await issueToken(pool, { vendorId: attacked.vendorId, name: 'x', scopes: [scope] })).token;
  without['pay'] = await ofVendor('read');
  without['read payments'] = await ofVendor('pay');
});
afterAll(() => attacked.close());

const closedRoutes = () => attacked.routes.filter((route) => !route.isPublic);

function attempt(route: Route, authorization: string | undefined): Promise<Answer> {
  return attacked.send({
    method: route.method,
    path: pathOf(route),
    headers: authorization === undefined ? [] : [['Authorization', authorization]],
    // Nobody gets as far as this.
    body: route.hasBody ? '{{{' : undefined,
  });
}

test('wrong credentials of every kind are 401 that says how to authenticate, on every route but the public ones', async () => {
  const kinds = Object.entries(wrong);
  expect(kinds.length).toBeGreaterThan(15);
  await inTurns([...closedRoutes().entries()], async ([turn, route]) => {
    // The matrix of authorisation tries the most usual ones on every route.
    for (const [kind, authorization] of kinds.filter((_kind, index) => index % 4 === turn % 4)) {
      const what = `${route.name}, ${kind}`;
      const answer = await attempt(route, authorization);
      expectRefused(answer, what);
      expect(answer.status, what).toBe(401);
      expect(answer.headers['www-authenticate'], what).toBe('Bearer realm="tillseal"');
      expect(JSON.parse(answer.body), what).toMatchObject({ Code: 'Unauthorized' });
    }
  });
});

test('what is wrong with a token is not told: unknown, expired, revoked and of another taxpayer are the same', async () => {
  const [route] = closedRoutes();
  if (route === undefined) throw new Error('every route is public');
  const details = new Set<unknown>();
  for (const kind of ['unknown', 'expired', 'revoked', "with another taxpayer's id"]) {
    const { body } = await attempt(route, wrong[kind]);
    details.add((JSON.parse(body) as { detail: string }).detail);
  }
  expect(details.size).toBe(1);
});

test('a token without the scope of a route, or of a suspended taxpayer, is 403 on every route', async () => {
  await inTurns(closedRoutes(), async (route) => {
    // What is a taxpayer's or an operator's is no token of a vendor at all.
    const others = isOfVendor(route) ? [] : [...(route.scope === 'admin' ? [] : [attacked.operator]), suspended];
    // Any token of a taxpayer may ask who it is.
    const lacking = route.name === 'GET /api/token' ? [] : [without[route.scope]];
    for (const token of [...lacking, ...others]) {
      const answer = await attempt(route, `Bearer ${token}`);
      expectRefused(answer, route.name);
      expect(answer.status, `${route.name}: ${answer.body}`).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ Code: 'Forbidden' });
    }
  });
});

test('two Authorization headers are not one that counts', async () => {
  const headers = [
    ['Authorization', 'Bearer nothing'],
    ['Authorization', `Bearer ${attacked.shop.token}`],
  ] as const;
  expect((await attacked.send({ path: '/api/receipt', headers })).status).toBe(401);
});

test('only what is meant to be public is', () => {
  const open = attacked.routes.filter((route) => route.isPublic).map((route) => route.template);
  // Who is not logged in yet has to log in somewhere, may ask whether he is, and comes with what was mailed to him.
  expect([...new Set(open)].toSorted()).toEqual([
    '/api/admin/endpoints/confirm',
    '/api/admin/session',
    '/api/admin/session/link',
    '/api/admin/session/openid',
    '/api/admin/session/reset',
    '/health/live',
    '/health/ready',
    '/metrics',
    '/version',
  ]);
});
