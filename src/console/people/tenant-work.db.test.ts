import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { cookieOf, type Method, makePerson, withCookie } from '../../../test/support/people.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, type TestService, type TestTaxpayer } from '../../../test/support/service.ts';
import { addBiller, addVendor } from '../../billpay/index.ts';
import { newId } from '../../kernel/ids.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

let service: TestService;
let shop: TestTaxpayer;
let deviceId: number;
const vendorId = newId();
/** Of each the session: what its owner may do, they can. */
const owner: Record<'taxpayer' | 'vendor' | 'biller', string> = { taxpayer: '', vendor: '', biller: '' };

beforeAll(async () => {
  service = await createTestService();
  const { pool, masterKeys, now } = service;
  shop = await service.addTaxpayer();
  deviceId = await service.addDevice(shop.taxpayerId);
  await inTransaction(pool, async (tx) => {
    await addVendor(tx, masterKeys, { vendorId, vendorCode: 'VENDOR', name: 'Vendor' }, now);
    await addBiller(tx, BILLER, now);
  });
  const ids = { taxpayer: shop.taxpayerId, vendor: vendorId, biller: 'PLAIN' };
  for (const kind of ['taxpayer', 'vendor', 'biller'] as const) {
    await makePerson(pool, `${kind}@example.com`, 'owner', { tenant: { kind, id: ids[kind] } });
    owner[kind] = await cookieOf(service.app, `${kind}@example.com`);
  }
});
afterAll(() => service.close());

const call = (cookie: string, method: Method, path: string, body?: object) =>
  withCookie(service.app, cookie, method, `/api/admin${path}`, body);

describe('an owner', () => {
  test.each(['taxpayer', 'vendor', 'biller'] as const)(
    'of a %s issues its tokens, sees and revokes them',
    async (kind) => {
      const issued = await call(owner[kind], 'POST', '/tokens', { Name: `Of the ${kind}` });
      expect(issued.statusCode).toBe(201);
      const { TokenId } = issued.json();
      const names = async () =>
        (await call(owner[kind], 'GET', '/tokens')).json().Tokens.map(({ Name }: { Name: string }) => Name);
      expect(await names()).toContain(`Of the ${kind}`);
      expect((await call(owner[kind], 'POST', '/tokens', { Name: 'Root', Scopes: ['admin'] })).statusCode).toBe(400);
      const { tokenId: theirs } = await issueToken(service.pool, { name: 'Root', scopes: ['admin'] });
      expect((await call(owner[kind], 'DELETE', `/tokens/${theirs}`)).statusCode).toBe(404);
      expect((await call(owner[kind], 'DELETE', `/tokens/${TokenId}`)).json().State).toBe('Revoked');
    },
  );

  test('sets up an endpoint for what is theirs, and no mail to strangers', async () => {
    const body = { Address: 'https://books.example.com/hook' };
    for (const [kind, whose] of [
      ['taxpayer', { TaxpayerId: shop.taxpayerId }],
      ['vendor', { VendorId: vendorId }],
    ] as const) {
      const created = await call(owner[kind], 'POST', '/endpoints', body);
      expect(created.json()).toMatchObject({ TaxpayerId: null, VendorId: null, ...whose });
      const at = `/endpoints/${created.json().EndpointId}`;
      expect((await call(owner[kind], 'PATCH', at, { Description: 'Books' })).json().Description).toBe('Books');
      expect((await call(owner[kind === 'vendor' ? 'taxpayer' : 'vendor'], 'GET', at)).statusCode).toBe(404);
      expect((await call(owner[kind], 'DELETE', at)).statusCode).toBe(200);
      const other = { ...body, TaxpayerId: newId() };
      expect((await call(owner[kind], 'POST', '/endpoints', other)).statusCode).not.toBe(201);
    }
  });

  test('changes the settings of a device, and ends no block of the operator', async () => {
    const at = `/devices/${deviceId}`;
    expect((await call(owner.taxpayer, 'PATCH', at, { MaintenanceStart: '03:30' })).json().MaintenanceStart).toBe(
      '03:30',
    );
    for (const BlockedReason of [null, 'Stolen']) {
      const refused = await call(owner.taxpayer, 'PATCH', at, { BlockedReason });
      expect(refused.statusCode).toBe(403);
      expect(refused.json().errors).toMatchObject([{ Field: 'BlockedReason' }]);
    }
  });

  test('changes what is used for its receipts, and not who the taxpayer is', async () => {
    const at = `/taxpayers/${shop.taxpayerId}`;
    expect((await call(owner.taxpayer, 'PATCH', at, { Currencies: ['USD'] })).json().Currencies).toEqual(['USD']);
    await call(owner.taxpayer, 'PATCH', at, { Currencies: null });
    for (const change of [{ Name: 'Other' }, { TIN: '2000000099' }, { VatNumber: null }, { Suspended: true }]) {
      expect((await call(owner.taxpayer, 'PATCH', at, { NotesTakeBuyer: true, ...change })).statusCode).toBe(403);
    }
    expect((await call(owner.taxpayer, 'GET', at)).json().NotesTakeBuyer).toBe(false);
  });
});

test('the audit trail of an owner names own people and no operator; that of the installation names both', async () => {
  await makePerson(service.pool, 'root@example.com', 'admin');
  const admin = await cookieOf(service.app, 'root@example.com');
  const at = `/devices/${deviceId}`;
  await call(admin, 'PATCH', at, { MaintenanceStart: '01:30' });
  await call(owner.taxpayer, 'PATCH', at, { MaintenanceStart: '02:30' });
  const actors = async (cookie: string) =>
    (await call(cookie, 'GET', `/audit?Action=device.changed&Subject=device%20${deviceId}&Limit=2`))
      .json()
      .Entries.map(({ Actor }: { Actor: string }) => Actor);
  expect(await actors(owner.taxpayer)).toEqual(['taxpayer@example.com', 'operator of the installation']);
  expect(await actors(admin)).toEqual(['taxpayer@example.com', 'root@example.com']);
  const csv = async (cookie: string) => (await call(cookie, 'GET', '/audit.csv')).body;
  expect(await csv(owner.taxpayer)).not.toContain('root@example.com');
  expect(await csv(admin)).toContain('root@example.com');
});

test('times are shown in the zone of the taxpayer, to its people alone', async () => {
  const at = `/taxpayers/${shop.taxpayerId}`;
  const zone = async (kind: 'taxpayer' | 'vendor') => (await call(owner[kind], 'GET', '/session')).json().TimeZone;
  const usual = await zone('taxpayer');
  expect((await call(owner.taxpayer, 'PATCH', at, { TimeZone: 'Mars/Olympus' })).json().errors).toMatchObject([
    { Field: 'TimeZone' },
  ]);
  await call(owner.taxpayer, 'PATCH', at, { TimeZone: 'Asia/Tokyo' });
  expect([await zone('taxpayer'), await zone('vendor')]).toEqual(['Asia/Tokyo', usual]);
  await call(owner.taxpayer, 'PATCH', at, { TimeZone: null });
  expect(await zone('taxpayer')).toBe(usual);
});

test('people of a suspended taxpayer or vendor read everything and change nothing', async () => {
  expect((await service.sign(shop.token, invoice(deviceId, 'BEFORE'))).statusCode).toBe(200);
  for (const [kind, table, id] of [
    ['taxpayer', 'taxpayers', shop.taxpayerId],
    ['vendor', 'vendors', vendorId],
  ] as const) {
    await service.pool.query(`update ${table} set suspended_at = now() where ${kind}_id = $1`, [id]);
    expect((await call(owner[kind], 'GET', '/people')).statusCode).toBe(200);
    const session = async () => (await call(owner[kind], 'GET', '/session')).json();
    expect((await session()).Person.IsSuspended).toBe(true);
    const refused = await call(owner[kind], 'POST', '/tokens', { Name: 'Till' });
    expect([refused.statusCode, refused.json().detail]).toEqual([403, expect.stringContaining(`${kind} is suspended`)]);
    await service.pool.query(`update ${table} set suspended_at = null where ${kind}_id = $1`, [id]);
    expect((await call(owner[kind], 'POST', '/tokens', { Name: 'Till' })).statusCode).toBe(201);
  }
  expect((await call(owner.taxpayer, 'GET', '/receipts')).json().Receipts).toMatchObject([
    { Receipt: { Reference: 'BEFORE' } },
  ]);
});
