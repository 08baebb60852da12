import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../test/support/billpay/billpay.ts';
import { readVendorSecret } from './vendors/secrets.ts';

let billpay: TestBillpay;
beforeAll(async () => {
  billpay = await createTestBillpay();
});
afterAll(() => billpay.close());

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

async function admin(method: Method, path: string, body?: object | string) {
  const answer = await billpay.admin(method, path, body);
  return { status: answer.statusCode, body: answer.json(), text: answer.body };
}
const lastAudit = async () => (await admin('GET', '/audit?Limit=1')).body.Entries[0];
const everythingAudited = async () => (await admin('GET', '/audit?Limit=200')).text;
const list = async (token: string) =>
  (await billpay.send('GET', '/api/payment/ListBillers', undefined, `Bearer ${token}`)).json();

const BILLER = {
  Code: 'WATER',
  Name: 'City Water',
  Enabled: true,
  Currencies: ['USD'],
  Fees: [],
  Products: [],
  VendorMustInvoicePayments: false,
  AllowFeed: false,
  Connector: 'Offline',
};

describe('vendors', () => {
  test('one that is added can be read, changed, suspended and resumed, each step in the audit log', async () => {
    const added = await admin('POST', '/vendors', { Code: 'MOBI', Name: 'Mobi', FiscalDeviceId: 1001 });
    expect(added).toMatchObject({
      status: 201,
      body: { Code: 'MOBI', Suspended: false, CallbackUrl: null, HasCallbackToken: false, FiscalDeviceId: 1001 },
    });
    expect(added.body.WebhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const path = `/vendors/${added.body.VendorId}`;
    const { WebhookSecret: _secret, ...shown } = added.body;
    expect((await admin('GET', path)).body).toEqual(shown);
    expect(await lastAudit()).toMatchObject({ Action: 'vendor.added', Before: null, After: shown });

    const changed = await admin('PATCH', path, { Name: 'Mobi Ltd', Suspended: true, FiscalDeviceId: null });
    expect(changed.body).toMatchObject({ Name: 'Mobi Ltd', Suspended: true, FiscalDeviceId: null, CallbackUrl: null });
    expect(await lastAudit()).toMatchObject({
      Actor: expect.stringContaining('operator (token '),
      Action: 'vendor.changed',
      Before: { Name: 'Mobi', Suspended: false },
      After: { Name: 'Mobi Ltd', Suspended: true },
    });
    expect((await admin('PATCH', path, { Suspended: false })).body).toMatchObject({ SuspendedAt: null });
    expect((await admin('GET', '/vendors?Limit=200')).body.Vendors).toContainEqual((await admin('GET', path)).body);
  });

  test('a code that is taken is refused, and leaves nothing behind', async () => {
    await admin('POST', '/vendors', { Code: 'TWICE', Name: 'One' });
    const keys = async () => (await billpay.pool.query('select from data_keys')).rowCount;
    const before = await keys();
    const again = await admin('POST', '/vendors', { Code: 'TWICE', Name: 'Two' });
    expect(again).toMatchObject({ status: 400, body: { errors: [{ Field: 'Code', Code: 'Duplicate' }] } });
    expect(await keys()).toBe(before);
  });

  test('secrets are kept encrypted and are in no answer, audit entry or column', async () => {
    const secrets = { CallbackToken: 'callback-secret-1', FiscalToken: 'tsk_fiscal-secret-1' };
    const added = await admin('POST', '/vendors', {
      Code: 'SECRETIVE',
      Name: 'S',
      CallbackUrl: 'http://127.0.0.1:9/hook',
      ...secrets,
    });
    const { VendorId, WebhookSecret } = added.body;
    expect(added.body).toMatchObject({ HasCallbackToken: true, HasFiscalToken: true });
    const read = (which: 'callbackToken' | 'fiscalToken' | 'webhookSecret') =>
      readVendorSecret(billpay.pool, billpay.masterKeys, VendorId, which);
    expect(await read('callbackToken')).toBe(secrets.CallbackToken);
    expect(await read('fiscalToken')).toBe(secrets.FiscalToken);
    expect(await read('webhookSecret')).toBe(WebhookSecret);

    const path = `/vendors/${VendorId}`;
    await admin('PATCH', path, { CallbackToken: 'callback-secret-2', FiscalToken: null });
    expect(await lastAudit()).toMatchObject({ After: { HasFiscalToken: false, Replaced: ['CallbackToken'] } });
    expect(await read('callbackToken')).toBe('callback-secret-2');
    expect(await read('fiscalToken')).toBeUndefined();
    const rotated = (await admin('POST', `${path}/webhook-secret`)).body.WebhookSecret;
    expect(rotated).not.toBe(WebhookSecret);
    expect(await read('webhookSecret')).toBe(rotated);
    expect(await lastAudit()).toMatchObject({ Action: 'vendor.webhook_secret_rotated' });

    const { rows } = await billpay.pool.query<{ row: string }>(
      "select v::text || encode(callback_token_encrypted, 'escape') as row from vendors v where vendor_id = $1",
      [VendorId],
    );
    const seen = [(await admin('GET', path)).text, await everythingAudited(), String(rows[0]?.row)].join();
    for (const secret of ['callback-secret', 'fiscal-secret', WebhookSecret, rotated])
      expect(seen).not.toContain(secret);
  });

  test.each([
    ['ftp://example.com', 'must be an address'],
    ['https://user:password@example.com/', 'user or a password'],
    ['not an address', 'must be an address'],
    ['http://169.254.169.254/latest', 'leads to 169.254.169.254'],
  ])('the webhook address %s is refused', async (CallbackUrl, message) => {
    const answer = await admin('POST', '/vendors', { Code: 'HOOK', Name: 'H', CallbackUrl });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([
      { Field: 'CallbackUrl', Code: 'AddressRefused', Message: expect.stringContaining(message) },
    ]);
  });

  test.each([
    [{ Code: 'a b', Name: 'x' }, 'Code'],
    [{ Code: 'A', Name: '' }, 'Name'],
    [{ Code: 'A', Name: 'x', CallbackToken: 'with space' }, 'CallbackToken'],
    [{ Code: 'A', Name: 'x', CallbackToken: 'line\r\nbreak' }, 'CallbackToken'],
    [{ Code: 'A', Name: 'x', FiscalDeviceId: 0 }, 'FiscalDeviceId'],
    [{ Code: 'A', Name: 'x', CallbackURL: 'https://example.com' }, 'CallbackURL'],
  ])('%o is refused with the field', async (body, field) => {
    const answer = await admin('POST', '/vendors', body);
    expect([answer.status, answer.body.errors?.[0]?.Field]).toEqual([400, field]);
  });

  test('what does not exist is 404', async () => {
    const path = '/vendors/00000000-0000-7000-8000-000000000000';
    expect((await admin('GET', path)).status).toBe(404);
    expect((await admin('PATCH', path, { Name: 'x' })).status).toBe(404);
    expect((await admin('POST', `${path}/webhook-secret`)).status).toBe(404);
    const VendorId = path.split('/').at(-1);
    expect((await admin('POST', '/tokens', { VendorId, Name: 'x' })).status).toBe(404);
    expect((await admin('GET', `${path}/billers`)).status).toBe(404);
    expect((await admin('PUT', `${path}/billers/WATER`)).status).toBe(404);
  });
});

describe('tokens of vendors', () => {
  test('one that is issued works at once, and is listed without itself, revoked or not', async () => {
    const vendor = await billpay.addVendor();
    const { vendorId: VendorId } = vendor;
    const issued = await admin('POST', '/tokens', {
      VendorId,
      Name: 'reader',
      Scopes: ['read'],
      ExpiresAt: '2027-01-31T00:00:00Z',
    });
    expect(issued).toMatchObject({ status: 201, body: { Scopes: ['read'], ExpiresAt: '2027-01-31T00:00:00.000Z' } });
    const { Token, ...record } = issued.body;
    expect(Token).toMatch(/^tsv_/);
    expect(await list(Token)).toMatchObject({ Billers: [] });
    const listed = await admin('GET', `/tokens?VendorId=${VendorId}`);
    expect(listed.body.Tokens).toContainEqual(record);
    expect(listed.text).not.toContain(Token);
    expect(await everythingAudited()).not.toContain(Token);

    const revoked = await admin('DELETE', `/tokens/${record.TokenId}`);
    expect(revoked.body.RevokedAt).not.toBeNull();
    expect(await lastAudit()).toMatchObject({ Action: 'token.revoked', After: { VendorId } });
    expect((await admin('DELETE', `/tokens/${record.TokenId}`)).body).toEqual(revoked.body);
  });

  test('a token of another vendor cannot be revoked from here', async () => {
    const [one, two] = [await billpay.addVendor(), await billpay.addVendor()];
    const { TokenId } = (await admin('GET', `/tokens?VendorId=${one.vendorId}`)).body.Tokens[0];
    expect((await admin('DELETE', `/tokens/${TokenId}?VendorId=${two.vendorId}`)).status).toBe(404);
  });

  test.each(['2020-01-01T00:00:00Z', '2027-02-31T00:00:00Z', 'tomorrow'])(
    'ExpiresAt %s is refused',
    async (ExpiresAt) => {
      const VendorId = billpay.vendor.vendorId;
      const answer = await admin('POST', '/tokens', { VendorId, Name: 'x', Scopes: ['pay'], ExpiresAt });
      expect([answer.status, answer.body.errors?.[0]?.Field]).toEqual([400, 'ExpiresAt']);
    },
  );
});

describe('billers', () => {
  test('one that is added is seen by nobody, then by whom it is granted to, and no more when it is withdrawn', async () => {
    const vendor = await billpay.addVendor();
    const added = await admin('POST', '/billers', BILLER);
    expect(added).toMatchObject({ status: 201, body: { ...BILLER, Revision: 1, Description: null } });
    expect(await lastAudit()).toMatchObject({ Action: 'biller.added', Subject: 'biller WATER', After: BILLER });
    expect((await list(vendor.token)).Billers).toEqual([]);

    const path = `/vendors/${vendor.vendorId}/billers`;
    expect((await admin('PUT', `${path}/WATER`)).body).toMatchObject({ Visible: true });
    expect(await lastAudit()).toMatchObject({
      Action: 'biller.granted',
      After: { BillerCode: 'WATER', Visible: true },
    });
    const { Connector: _connector, ...shown } = BILLER;
    expect((await list(vendor.token)).Billers).toMatchObject([shown]);
    expect((await admin('GET', path)).body).toEqual({ BillerCodes: ['WATER'] });
    expect((await admin('DELETE', `${path}/WATER`)).body).toMatchObject({ Visible: false });
    expect((await list(vendor.token)).Billers).toEqual([]);
    expect((await admin('PUT', `${path}/NOWHERE`)).status).toBe(404);
  });

  test('what was read, changed and sent back is taken; who is late is refused', async () => {
    const { body: read } = await admin('POST', '/billers', { ...BILLER, Code: 'ROUND' });
    const changed = await admin('PUT', '/billers/ROUND', { ...read, Name: 'Renamed' });
    expect(changed).toMatchObject({ status: 200, body: { Name: 'Renamed', Revision: 2 } });
    expect(await lastAudit()).toMatchObject({ Action: 'biller.changed', Before: { Name: 'City Water' } });
    const late = await admin('PUT', '/billers/ROUND', { ...read, Name: 'Overwritten' });
    expect(late).toMatchObject({ status: 400, body: { errors: [{ Field: 'Revision', Code: 'OutOfDate' }] } });
    const { Revision: _revision, ...whole } = changed.body;
    expect((await admin('PUT', '/billers/ROUND', { ...whole, Enabled: false })).body).toMatchObject({ Enabled: false });
  });

  test('a change of nothing moves no revision, writes no audit entry and tells nobody', async () => {
    const { body: read } = await admin('POST', '/billers', { ...BILLER, Code: 'STILL' });
    await admin('PUT', `/vendors/${billpay.vendor.vendorId}/billers/STILL`);
    const audited = await lastAudit();
    const events = async () => (await billpay.send('GET', '/api/events?limit=500')).json().LastNumber;
    const before = await events();
    const same = JSON.stringify(read).replace('"Currencies":["USD"]', '"Currencies": [ "USD" ]');
    expect((await admin('PUT', '/billers/STILL', same)).body).toEqual(read);
    await admin('PUT', `/vendors/${billpay.vendor.vendorId}/billers/STILL`);
    expect(await lastAudit()).toEqual(audited);
    expect(await events()).toBe(before);
    // How it is reached is not shown to vendors: a change, but none of theirs.
    expect((await admin('PUT', '/billers/STILL', { ...read, Connector: 'Test' })).body).toMatchObject({ Revision: 2 });
    expect(await events()).toBe(before);
  });

  test('every digit of a price survives', async () => {
    const product = '{"Code":"A","Name":"A","Enabled":true,"Prices":[{"Currency":"USD","Price":12345678901234567.89}]}';
    const body = JSON.stringify({ ...BILLER, Code: 'EXACT' }).replace('"Products":[]', `"Products":[${product}]`);
    expect((await admin('POST', '/billers', body)).status).toBe(201);
    expect((await admin('GET', '/billers/EXACT')).text).toContain('"Price":12345678901234567.89');
  });

  test('a taken code, another code than the address, an unknown biller, wrong shapes', async () => {
    await admin('POST', '/billers', { ...BILLER, Code: 'TAKEN' });
    const errors = async (method: Method, path: string, body: object) => {
      const answer = await admin(method, path, body);
      return [
        answer.status,
        ...(answer.body.errors ?? []).map((error: { Field: string; Code: string }) => `${error.Field} ${error.Code}`),
      ];
    };
    expect(await errors('POST', '/billers', { ...BILLER, Code: 'TAKEN' })).toEqual([400, 'Code Duplicate']);
    expect(await errors('PUT', '/billers/TAKEN', BILLER)).toEqual([400, 'Code Malformed']);
    expect(await errors('PUT', '/billers/NOWHERE', { ...BILLER, Code: 'NOWHERE' })).toEqual([404]);
    const { Name: _name, ...nameless } = BILLER;
    expect(await errors('POST', '/billers', { ...nameless, Enabled: 'yes', Fee: 1 })).toEqual(
      expect.arrayContaining([400, 'Name Required', 'Fee UnknownField', 'Enabled WrongType']),
    );
    expect(await errors('POST', '/billers', { ...BILLER, Code: '', Currencies: ['XXX'] })).toEqual([
      400,
      'Code Malformed',
      'Currencies[0] CurrencyUnknown',
    ]);
  });

  test('the list goes page by page', async () => {
    const codes: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await admin('GET', `/billers?Limit=2${cursor === '' ? '' : `&Cursor=${cursor}`}`);
      codes.push(...body.Billers.map((biller: { Code: string }) => biller.Code));
      cursor = body.NextCursor;
    }
    expect(codes).toEqual([...new Set(codes)]);
    expect(codes).toEqual(expect.arrayContaining(['WATER', 'ROUND', 'STILL', 'EXACT', 'TAKEN']));
  });
});
