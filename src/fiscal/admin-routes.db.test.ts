import { describe, expect, test } from 'vitest';
import { invoice } from '../../test/support/receipts/receipts.ts';
import { serviceOfFile } from '../../test/support/service.ts';
import { issueToken } from '../platform/tokens/issue-token.ts';

const service = await serviceOfFile();
const operator = (await issueToken(service.pool, { name: 'Tendai', scopes: ['admin'] })).token;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

async function admin(method: Method, path: string, body?: object, token = operator) {
  const answer = await service.call(token, method, `/api/admin${path}`, body);
  return { status: answer.statusCode, body: answer.json() };
}

const lastAudit = async () => (await admin('GET', '/audit?Limit=1')).body.Entries[0];

describe('who may administer', () => {
  test('a token of a taxpayer may not', async () => {
    const { token } = await service.addTaxpayer();
    expect((await admin('GET', '/taxpayers', undefined, token)).status).toBe(403);
  });

  test('a token of an operator may not sign', async () => {
    const answer = await service.sign(operator, invoice(1, 'X'));
    expect(answer.statusCode).toBe(403);
    expect(answer.json().detail).toContain('scope sign');
  });

  test('a stranger is told nothing but 401', async () => {
    expect((await admin('GET', '/taxpayers', undefined, 'tsk_unknown')).status).toBe(401);
  });
});

describe('taxpayers', () => {
  test('one that is added can be read, changed, suspended and resumed, each step in the audit log', async () => {
    const added = await admin('POST', '/taxpayers', {
      Name: 'Corner shop',
      TIN: '2000000009',
      Currencies: ['USD', 'ZIG'],
    });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      Name: 'Corner shop',
      VatNumber: null,
      Currencies: ['USD', 'ZWG'],
      Suspended: false,
    });
    const path = `/taxpayers/${added.body.TaxpayerId}`;
    expect((await admin('GET', path)).body).toEqual(added.body);
    expect(await lastAudit()).toMatchObject({ Action: 'taxpayer.added', Before: null, After: { Name: 'Corner shop' } });

    const changed = await admin('PATCH', path, { VatNumber: '220000009', Currencies: null, Suspended: true });
    expect(changed.body).toMatchObject({
      Name: 'Corner shop',
      VatNumber: '220000009',
      Currencies: null,
      Suspended: true,
    });
    expect(await lastAudit()).toMatchObject({
      Actor: expect.stringContaining('Tendai'),
      Action: 'taxpayer.changed',
      TaxpayerId: added.body.TaxpayerId,
      Before: { VatNumber: null, Suspended: false },
      After: { VatNumber: '220000009', Suspended: true },
    });
    expect((await admin('PATCH', path, { Suspended: false })).body).toMatchObject({
      Suspended: false,
      SuspendedAt: null,
    });
  });

  test('every field that is wrong is named, and nothing is added', async () => {
    const answer = await admin('POST', '/taxpayers', {
      Name: '',
      TIN: '12',
      DefaultHsCodes: { Taxed: '1', ZeroRated: '12345678', Exempt: '1234' },
    });
    expect(answer.status).toBe(400);
    const fields = answer.body.errors.map((error: { Field: string }) => error.Field);
    expect(fields.toSorted()).toEqual(['DefaultHsCodes.Exempt', 'DefaultHsCodes.Taxed', 'Name', 'TIN']);
  });

  test('a currency that does not exist is refused', async () => {
    const answer = await admin('POST', '/taxpayers', { Name: 'A', TIN: '2000000009', Currencies: ['USD', 'ZWL'] });
    expect(answer.body.errors).toEqual([expect.objectContaining({ Field: 'Currencies[1]', Code: 'RCPT010' })]);
  });

  test('paging shows each exactly once', async () => {
    for (let count = 0; count < 5; count += 1) await service.addTaxpayer();
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await admin('GET', `/taxpayers?Limit=2${cursor}`);
      seen.push(...body.Taxpayers.map((taxpayer: { TaxpayerId: string }) => taxpayer.TaxpayerId));
      if (body.NextCursor === null) break;
      cursor = `&Cursor=${body.NextCursor}`;
    }
    const { rows } = await service.pool.query('select 1 from taxpayers');
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(rows.length);
  });

  test.each(['GET', 'PATCH'] as const)('%s of an unknown one is 404', async (method) => {
    const path = '/taxpayers/00000000-0000-7000-8000-000000000000';
    expect((await admin(method, path, method === 'PATCH' ? { Name: 'A' } : undefined)).status).toBe(404);
  });
});

describe('tokens', () => {
  test('an issued token signs until it is revoked, and its text is nowhere afterwards', async () => {
    const { taxpayerId } = await service.addTaxpayer();
    const deviceId = await service.addDevice(taxpayerId);
    const issued = await admin('POST', '/tokens', {
      TaxpayerId: taxpayerId,
      Name: 'Till 3',
      Scopes: ['sign'],
      DefaultCashier: 'Rudo',
    });
    expect(issued.status).toBe(201);
    const token: string = issued.body.Token;
    const signed = await service.sign(token, invoice(deviceId, 'T-1', { Cashier: 'Someone' }));
    expect(signed.json().Cashier).toBe('Rudo');
    expect((await service.get(token, '/api/receipt/T-1')).statusCode).toBe(403);

    const listed = await admin('GET', `/tokens?TaxpayerId=${taxpayerId}`);
    expect(JSON.stringify(listed.body) + JSON.stringify(await lastAudit())).not.toContain(token);
    expect(listed.body.Tokens[0]).toMatchObject({ Name: 'Till 3', Prefix: token.slice(0, 10), RevokedAt: null });

    const revoked = await admin('DELETE', `/tokens/${issued.body.TokenId}?TaxpayerId=${taxpayerId}`);
    expect(revoked.body.RevokedAt).not.toBeNull();
    expect(await lastAudit()).toMatchObject({ Action: 'token.revoked', Before: { RevokedAt: null } });
    await expect.poll(async () => (await service.get(token, '/api/receipt/T-1')).statusCode).toBe(401);
  });

  test('an expiry in the past and an unknown scope are refused', async () => {
    const { taxpayerId: TaxpayerId } = await service.addTaxpayer();
    const past = await admin('POST', '/tokens', {
      TaxpayerId,
      Name: 'A',
      Scopes: ['sign'],
      ExpiresAt: '2020-01-01T00:00:00Z',
    });
    expect(past.body.errors[0]).toMatchObject({ Field: 'ExpiresAt' });
    const never = await admin('POST', '/tokens', {
      TaxpayerId,
      Name: 'A',
      Scopes: ['sign'],
      ExpiresAt: '2099-02-31T00:00:00Z',
    });
    expect([never.status, never.body.errors?.[0]?.Field]).toEqual([400, 'ExpiresAt']);
    const scope = await admin('POST', '/tokens', { TaxpayerId, Name: 'A', Scopes: ['admin'] });
    expect(scope.body.errors[0]).toMatchObject({ Field: 'Scopes[0]', Code: 'NotOneOf' });
  });

  test("a taxpayer's token cannot be revoked through another taxpayer", async () => {
    const [one, other] = [await service.addTaxpayer(), await service.addTaxpayer()];
    const issued = await admin('POST', '/tokens', { TaxpayerId: one.taxpayerId, Name: 'A', Scopes: ['read'] });
    expect((await admin('DELETE', `/tokens/${issued.body.TokenId}?TaxpayerId=${other.taxpayerId}`)).status).toBe(404);
  });

  test("the last operator's token cannot be revoked", async () => {
    const second = await admin('POST', '/tokens', { Name: 'Second' });
    const { body } = await admin('GET', '/tokens');
    const first = body.Tokens.find((token: { Name: string }) => token.Name === 'Tendai');
    expect((await admin('DELETE', `/tokens/${second.body.TokenId}`)).status).toBe(200);
    const refused = await admin('DELETE', `/tokens/${first.TokenId}`);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain('last token');
  });
});

describe('devices', () => {
  test('a changed setting counts for the next receipt', async () => {
    const { taxpayerId, token } = await service.addTaxpayer();
    const deviceId = await service.addDevice(taxpayerId);
    expect((await service.sign(token, invoice(deviceId, 'D-1'))).statusCode).toBe(200);
    const changed = await admin('PATCH', `/devices/${deviceId}`, { DatePolicy: 'strict', MaintenanceStart: '03:30' });
    expect(changed.body).toMatchObject({ DatePolicy: 'strict', MaintenanceStart: '03:30', TaxpayerId: taxpayerId });
    expect(await lastAudit()).toMatchObject({
      Subject: `device ${deviceId}`,
      Before: { DatePolicy: 'advance' },
      After: { DatePolicy: 'strict' },
    });
    const refused = await service.sign(token, invoice(deviceId, 'D-2'));
    expect(refused.json().errors[0].Code).toBe('RCPT030');
  });

  test('a blocked device refuses with the reason, and an unblocked one seals again', async () => {
    const { taxpayerId, token } = await service.addTaxpayer();
    const deviceId = await service.addDevice(taxpayerId);
    await admin('PATCH', `/devices/${deviceId}`, { BlockedReason: 'stolen' });
    const refused = await service.sign(token, invoice(deviceId, 'B-1'));
    expect(refused.json()).toMatchObject({ Code: 'DeviceOnHold', detail: expect.stringContaining('stolen') });
    await admin('PATCH', `/devices/${deviceId}`, { BlockedReason: null });
    expect((await service.sign(token, invoice(deviceId, 'B-1'))).statusCode).toBe(200);
  });

  test('a zone that does not exist, a limit out of range and an unknown field are refused', async () => {
    const { taxpayerId } = await service.addTaxpayer();
    const deviceId = await service.addDevice(taxpayerId);
    const path = `/devices/${deviceId}`;
    expect((await admin('PATCH', path, { Zone: 'Mars/Base' })).body.errors[0].Field).toBe('Zone');
    expect((await admin('PATCH', path, { AdvanceLimitSeconds: -1 })).body.errors[0].Field).toBe('AdvanceLimitSeconds');
    expect((await admin('PATCH', path, { Zon: 'UTC' })).body.errors[0].Message).toContain('did you mean Zone?');
  });

  test('the list can be narrowed to one taxpayer', async () => {
    const { taxpayerId } = await service.addTaxpayer();
    const ids = [await service.addDevice(taxpayerId), await service.addDevice(taxpayerId)];
    const { body } = await admin('GET', `/devices?TaxpayerId=${taxpayerId}`);
    expect(body.Devices.map((device: { AuthorityDeviceId: number }) => device.AuthorityDeviceId)).toEqual(ids);
  });
});

describe('receipts', () => {
  test('an operator finds a receipt by its reference among all taxpayers, and by the filters', async () => {
    const { taxpayerId, token } = await service.addTaxpayer();
    const deviceId = await service.addDevice(taxpayerId);
    for (const reference of ['S-1', 'S-2', 'S-3']) await service.sign(token, invoice(deviceId, reference));
    const references = async (query: string) => {
      const { body } = await admin('GET', `/receipts?${query}`);
      return body.Receipts.map((found: { Receipt: { Reference: string } }) => found.Receipt.Reference);
    };
    expect(await references('Reference=S-2')).toEqual(['S-2']);
    expect(await references(`TaxpayerId=${taxpayerId}`)).toHaveLength(3);
    expect(await references(`AuthorityDeviceId=${deviceId}&State=Pending`)).toHaveLength(3);
    expect(await references(`AuthorityDeviceId=${deviceId}&State=Submitted`)).toEqual([]);
    const first = (await admin('GET', `/receipts?TaxpayerId=${taxpayerId}&Limit=2`)).body;
    const second = (await admin('GET', `/receipts?TaxpayerId=${taxpayerId}&Limit=2&Cursor=${first.NextCursor}`)).body;
    expect([...first.Receipts, ...second.Receipts].map((found) => found.Receipt.GlobalCounter)).toEqual([3, 2, 1]);
    expect(first.Receipts[0]).toMatchObject({ TaxpayerId: taxpayerId, State: 'Pending' });
  });

  test('a zero byte in a query is refused, not passed to the database', async () => {
    expect((await admin('GET', '/receipts?Reference=a%00b')).body.errors[0]).toMatchObject({ Field: 'Reference' });
  });
});

test('nobody can change or remove an entry of the audit log', async () => {
  await expect(service.pool.query("update audit_log set actor = 'nobody'")).rejects.toThrow('append-only');
  await expect(service.pool.query('delete from audit_log')).rejects.toThrow('append-only');
  await expect(service.pool.query('truncate audit_log')).rejects.toThrow('append-only');
});
