import { afterAll, beforeAll, expect, test } from 'vitest';
import { cookieOf, type Method, makePerson, PASSWORD, withCookie } from '../../../../test/support/people.ts';
import { createTestService, type TestService } from '../../../../test/support/service.ts';
import { Authenticator } from '../../../../test/support/sign-in/authenticator.ts';
import { OPERATIONS } from '../../../contract/index.ts';

let service: TestService;

beforeAll(async () => {
  service = await createTestService();
});
afterAll(() => service.close());

const call = (cookie: string, method: string, path: string, body?: object) =>
  withCookie(service.app, cookie, method as Method, path, body);
const needs = async (cookie: string) => (await call(cookie, 'GET', '/api/admin/session')).json().Person.Needs;
const require = (cookie: string, body: object) => call(cookie, 'PUT', '/api/admin/sign-in', body);

async function addPasskey(cookie: string, body: object = { Password: PASSWORD }): Promise<void> {
  const begun = await call(cookie, 'POST', '/api/admin/session/passkeys', body);
  const Passkey = new Authenticator('http://tillseal.test').make(begun.json().Options);
  expect((await call(cookie, 'PUT', '/api/admin/session/passkeys', { Name: 'Key', Passkey })).statusCode).toBe(200);
}

/** What a session is let in to, of all that there is for people. */
async function openTo(cookie: string): Promise<string[]> {
  const open: string[] = [];
  for (const { method, path, access } of OPERATIONS.filter((one) => one.path.startsWith('/api/admin/'))) {
    if (access === 'anybody' || `${method} ${path}` === 'DELETE /api/admin/session') continue;
    const address = path.replaceAll(/:(\w+)/g, (_all, name: string) => (name.endsWith('Id') ? '1' : 'x'));
    const answer = await call(cookie, method, address, method === 'GET' ? undefined : { Nothing: true });
    if (answer.statusCode !== 403) open.push(`${method} ${path}`);
  }
  return open;
}

test('a session before its second factor is let in to giving it, and to nothing else there is', async () => {
  await makePerson(service.pool, 'admin@example.com', 'admin');
  await addPasskey(await cookieOf(service.app, 'admin@example.com'));
  const cookie = await cookieOf(service.app, 'admin@example.com');
  expect((await openTo(cookie)).toSorted()).toEqual([
    'POST /api/admin/session/second-factor',
    'POST /api/admin/session/second-factor/options',
  ]);
});

test('where one is required, who has none is let in to their own account, and to nothing else there is', async () => {
  await makePerson(service.pool, 'first@example.com', 'admin');
  await makePerson(service.pool, 'second@example.com', 'admin');
  const [first, second] = [
    await cookieOf(service.app, 'first@example.com'),
    await cookieOf(service.app, 'second@example.com'),
  ];
  expect((await require(first, { IsSecondFactorRequired: true })).json()).toMatchObject({
    IsSecondFactorRequired: true,
  });
  expect(await needs(second)).toBe('Enrolment');
  expect((await openTo(second)).filter((route) => !route.includes('/api/admin/session'))).toEqual([]);
  // The password was just given, or a provider stands for it.
  await addPasskey(second, {});
  expect(await needs(second)).toBeNull();
  const again = await call(second, 'POST', '/api/admin/session/totp', {});
  expect([again.statusCode, again.json().errors[0].Field]).toEqual([400, 'Password']);
  await require(second, { IsSecondFactorRequired: false });
});

test('an admin requires it of everybody, and an owner only of their own', async () => {
  const { taxpayerId: id } = await service.addTaxpayer({ name: 'Shop' });
  await makePerson(service.pool, 'owner@example.com', 'owner', { tenant: { kind: 'taxpayer', id } });
  await makePerson(service.pool, 'root@example.com', 'admin');
  const [owner, root] = [
    await cookieOf(service.app, 'owner@example.com'),
    await cookieOf(service.app, 'root@example.com'),
  ];
  const refused = await require(owner, { IsSecondFactorRequired: true, IsRequiredOfAll: true });
  expect([refused.statusCode, refused.json().errors[0].Field]).toEqual([403, 'IsRequiredOfAll']);
  await require(root, { IsSecondFactorRequired: false, IsRequiredOfAll: true });
  expect([await needs(owner), await needs(root)]).toEqual(['Enrolment', 'Enrolment']);
  await addPasskey(owner);
  expect((await call(owner, 'GET', '/api/admin/sign-in')).json()).toEqual({
    IsSecondFactorRequired: false,
    IsRequiredOfAll: true,
  });
  await addPasskey(root);
  await require(root, { IsSecondFactorRequired: false, IsRequiredOfAll: false });
});

test('who finds a session open guesses the password no more than five times', async () => {
  await makePerson(service.pool, 'away@example.com', 'viewer');
  const cookie = await cookieOf(service.app, 'away@example.com');
  const statuses = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const path = `/api/admin/session/${turn % 2 === 0 ? 'passkeys' : 'totp'}`;
    statuses.push((await call(cookie, 'POST', path, { Password: 'wrong' })).statusCode);
  }
  expect(statuses).toEqual([400, 400, 400, 400, 429]);
  const change = { CurrentPassword: PASSWORD, NewPassword: 'green kettle over rain' };
  expect((await call(cookie, 'POST', '/api/admin/session/password', change)).statusCode).toBe(429);
});
