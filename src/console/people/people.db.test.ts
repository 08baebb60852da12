import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { cookieOf, INSTALLATION, type Method, makePerson, withCookie } from '../../../test/support/people.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, type TestService, type TestTaxpayer } from '../../../test/support/service.ts';
import { addBiller, addVendor } from '../../billpay/index.ts';
import { newId } from '../../kernel/ids.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';
import type { Tenant } from './core/tenant.ts';

let service: TestService;
let token: string;
let shop: TestTaxpayer;
let other: TestTaxpayer;
let devices: readonly [number, number];
const vendors = [newId(), newId()] as const;

beforeAll(async () => {
  service = await createTestService();
  const { pool, masterKeys, now } = service;
  token = (await issueToken(pool, { name: 'Root', scopes: ['admin'] })).token;
  [shop, other] = [await service.addTaxpayer(), await service.addTaxpayer({ name: 'Another shop' })];
  devices = [await service.addDevice(shop.taxpayerId), await service.addDevice(other.taxpayerId)];
  await service.sign(shop.token, invoice(devices[0], 'OURS'));
  await service.sign(other.token, invoice(devices[1], 'THEIRS'));
  await inTransaction(pool, async (tx) => {
    for (const [index, vendorId] of vendors.entries()) {
      await addVendor(tx, masterKeys, { vendorId, vendorCode: `VENDOR${index}`, name: `Vendor ${index}` }, now);
    }
    await addBiller(tx, { ...BILLER, Code: 'OURS', Name: 'Our biller' }, now);
  });
});
afterAll(() => service.close());

const taxpayer = ({ taxpayerId: id }: TestTaxpayer): Tenant => ({ kind: 'taxpayer', id });
const call = (cookie: string, method: Method, path: string, body?: object) =>
  withCookie(service.app, cookie, method, `/api/admin${path}`, body);
const admin = (method: Method, path: string, body?: object) => service.call(token, method, `/api/admin${path}`, body);
const idOf = async (cookie: string): Promise<string> => (await call(cookie, 'GET', '/session')).json().Person.PersonId;

async function someone(email: string, role: 'owner' | 'clerk' | 'viewer', tenant: Tenant): Promise<string> {
  await makePerson(service.pool, email, role, { tenant });
  return cookieOf(service.app, email);
}

describe("a taxpayer's people", () => {
  test('list what is theirs and nothing else, also as a table and in the audit log', async () => {
    const cookie = await someone('olivia@example.com', 'owner', taxpayer(shop));
    const shown = async (path: string) => (await call(cookie, 'GET', path)).body;
    await admin('PATCH', `/taxpayers/${shop.taxpayerId}`, { Name: 'Our shop' });
    await admin('PATCH', `/taxpayers/${other.taxpayerId}`, { Name: 'Their shop' });
    for (const path of ['/receipts', '/receipts.csv', '/devices', '/audit', '/audit.csv', '/alerts']) {
      const text = await shown(path);
      expect(text, path).not.toMatch(
        new RegExp(`${other.taxpayerId}|THEIRS|Their shop|"AuthorityDeviceId":${devices[1]}`),
      );
    }
    expect((await call(cookie, 'GET', '/receipts')).json().Receipts).toMatchObject([
      { Receipt: { Reference: 'OURS' } },
    ]);
    expect((await call(cookie, 'GET', '/devices')).json().Devices).toMatchObject([{ AuthorityDeviceId: devices[0] }]);
    expect(await shown('/audit')).toContain('Our shop');
  });

  test("are answered about another's as about what does not exist", async () => {
    const cookie = await someone('curious@example.com', 'owner', taxpayer(shop));
    const [theirs, nobodys] = [other.taxpayerId, newId()];
    for (const [one, two] of [
      [`/devices/${devices[1]}`, '/devices/999999'],
      [`/devices/${devices[1]}/days`, '/devices/999999/days'],
      [`/devices/${devices[1]}/receipts/1`, '/devices/999999/receipts/1'],
      [`/devices/${devices[1]}/receipts/1/print`, '/devices/999999/receipts/1/print'],
      [`/devices/${devices[1]}/export`, '/devices/999999/export'],
      [`/devices?TaxpayerId=${theirs}`, `/devices?TaxpayerId=${nobodys}`],
      [`/receipts.csv?TaxpayerId=${theirs}`, `/receipts.csv?TaxpayerId=${nobodys}`],
      [`/people?TaxpayerId=${theirs}`, `/people?TaxpayerId=${nobodys}`],
      [`/taxpayers/${theirs}`, `/taxpayers/${nobodys}`],
    ]) {
      const [first, second] = [await call(cookie, 'GET', one ?? ''), await call(cookie, 'GET', two ?? '')];
      const { requestId: _one, ...known } = first.json();
      const { requestId: _two, ...unknown } = second.json();
      expect([first.statusCode, known], one).toEqual([404, unknown]);
    }
  });

  test('end with their membership, at their next request', async () => {
    const cookie = await someone('brief@example.com', 'clerk', taxpayer(shop));
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(200);
    await admin('PATCH', `/people/${await idOf(cookie)}?TaxpayerId=${shop.taxpayerId}`, {
      ExpiresAt: new Date(service.now.getTime() + 60_000).toISOString(),
    });
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(200);
    const now = service.now;
    service.now = new Date(now.getTime() + 60_000);
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(401);
    service.now = now;
    await admin('DELETE', `/people/${await idOf(cookie)}?TaxpayerId=${shop.taxpayerId}`);
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(401);
    await expect(cookieOf(service.app, 'brief@example.com')).rejects.toThrow('password is wrong');
  });

  test('no role is raised by oneself, and the last owner stays', async () => {
    const { taxpayerId } = await service.addTaxpayer({ name: 'Small shop' });
    const tenant: Tenant = { kind: 'taxpayer', id: taxpayerId };
    const [first, clerk] = [
      await someone('first@example.com', 'owner', tenant),
      await someone('climber@example.com', 'clerk', tenant),
    ];
    const path = async (cookie: string) => `/people/${await idOf(cookie)}`;
    expect((await call(clerk, 'PATCH', await path(clerk), { Role: 'owner' })).statusCode).toBe(403);
    expect((await call(first, 'PATCH', await path(first), { Role: 'viewer' })).json().detail).toContain(
      'your own role',
    );
    expect((await call(first, 'DELETE', await path(first))).json().detail).toContain('last owner');
    expect(
      (await admin('PATCH', `${await path(first)}?TaxpayerId=${taxpayerId}`, { Role: 'clerk' })).json().detail,
    ).toContain('last owner');
    // A new name is for all for whom the person acts, and so is a bar.
    expect((await call(first, 'PATCH', await path(clerk), { Disabled: true })).statusCode).toBe(403);
    expect((await call(first, 'PATCH', await path(clerk), { Role: 'owner' })).json().Role).toBe('owner');
    expect((await call(first, 'DELETE', await path(first))).statusCode).toBe(200);
    expect((await call(first, 'GET', '/devices')).statusCode).toBe(401);
  });

  test('the roles of the installation are not theirs', async () => {
    const body = { Email: 'mixed@example.com', Name: 'Mixed', Role: 'admin', TaxpayerId: shop.taxpayerId };
    expect((await admin('POST', '/people', body)).json().errors[0].Field).toBe('Role');
    expect((await admin('POST', '/people', { ...body, Role: 'clerk', VendorId: vendors[0] })).statusCode).toBe(400);
    expect((await admin('POST', '/people', { ...body, Role: 'clerk', TaxpayerId: newId() })).statusCode).toBe(404);
  });
});

describe('who acts for several', () => {
  test('acts for one at a time, and only for their own', async () => {
    const cookie = await someone('double@example.com', 'clerk', taxpayer(shop));
    const added = { Email: 'double@example.com', Name: 'Ignored', Role: 'viewer', TaxpayerId: other.taxpayerId };
    expect((await admin('POST', '/people', added)).json()).toMatchObject({ Name: 'double', OneTimePassword: null });
    expect((await call(cookie, 'GET', '/session')).json().Person.Memberships).toMatchObject([
      { Kind: 'taxpayer', Id: shop.taxpayerId, Role: 'clerk' },
      { Kind: 'taxpayer', Id: other.taxpayerId, Role: 'viewer' },
    ]);
    const switched = await call(cookie, 'PATCH', '/session', { TaxpayerId: other.taxpayerId });
    expect(switched.json()).toMatchObject({ Role: 'viewer', Tenant: { Id: other.taxpayerId }, IsLooking: false });
    expect((await call(cookie, 'GET', '/devices')).json().Devices).toMatchObject([{ AuthorityDeviceId: devices[1] }]);
    expect((await call(cookie, 'GET', `/devices/${devices[0]}`)).statusCode).toBe(404);
    for (const body of [{}, { VendorId: vendors[0] }, { BillerCode: 'OURS' }, { TaxpayerId: newId() }]) {
      expect((await call(cookie, 'PATCH', '/session', body)).statusCode, JSON.stringify(body)).toBe(404);
    }
  });

  test('a practice acts for its taxpayers with the role that one has there, as long as it may', async () => {
    const practice = (await admin('POST', '/practices', { Name: 'Msasa Accountants' })).json();
    const tenant: Tenant = { kind: 'practice', id: practice.PracticeId };
    const cookie = await someone('accountant@example.com', 'owner', tenant);
    expect((await call(cookie, 'GET', '/taxpayers')).json().Taxpayers).toEqual([]);
    const added = await call(cookie, 'POST', '/taxpayers', { Name: 'Onboarded', TIN: '2000000077' });
    expect(added.statusCode).toBe(201);
    const { TaxpayerId } = added.json();
    expect((await call(cookie, 'GET', '/taxpayers')).json().Taxpayers).toMatchObject([{ TaxpayerId }]);
    expect((await call(cookie, 'PATCH', '/session', { TaxpayerId })).json()).toMatchObject({ Role: 'owner' });
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(200);
    expect((await call(cookie, 'DELETE', `/practices/${tenant.id}/taxpayers/${TaxpayerId}`)).statusCode).toBe(200);
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(401);
  });

  test('an operator looks as one of the tenant, changes nothing, and the audit log says so', async () => {
    await makePerson(service.pool, 'looks@example.com', 'admin', { tenant: INSTALLATION });
    const cookie = await cookieOf(service.app, 'looks@example.com');
    const looking = await call(cookie, 'PATCH', '/session', { TaxpayerId: shop.taxpayerId });
    expect(looking.json()).toMatchObject({ Role: 'viewer', IsLooking: true, Tenant: { Kind: 'taxpayer' } });
    expect((await call(cookie, 'GET', '/receipts')).json().Receipts).toMatchObject([
      { Receipt: { Reference: 'OURS' } },
    ]);
    expect((await call(cookie, 'POST', `/devices/${devices[0]}/resume`)).statusCode).toBe(403);
    expect((await admin('GET', '/audit?Action=session.looks-as')).json().Entries[0]).toMatchObject({
      Actor: 'looks@example.com',
      TaxpayerId: shop.taxpayerId,
    });
    expect((await call(cookie, 'PATCH', '/session', {})).json()).toMatchObject({ Role: 'admin', IsLooking: false });
  });
});

test("a vendor's and a biller's people see their payments alone", async () => {
  const vendor = await someone('vera@example.com', 'viewer', { kind: 'vendor', id: vendors[0] });
  const biller = await someone('bill@example.com', 'viewer', { kind: 'biller', id: 'OURS' });
  expect((await call(vendor, 'GET', `/payments?VendorId=${vendors[1]}`)).statusCode).toBe(404);
  expect((await call(vendor, 'GET', `/vendors/${vendors[1]}`)).statusCode).toBe(404);
  expect((await call(vendor, 'GET', '/payments')).statusCode).toBe(200);
  expect((await call(biller, 'GET', '/payments?BillerCode=THEIRS')).statusCode).toBe(404);
  expect((await call(biller, 'GET', '/billers/OURS')).json().Name).toBe('Our biller');
  expect((await call(biller, 'GET', '/session')).json().Person.Tenant).toEqual({
    Kind: 'biller',
    Id: 'OURS',
    Name: 'Our biller',
  });
});
