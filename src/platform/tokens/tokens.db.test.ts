import { afterAll, beforeAll, expect, test } from 'vitest';
import { BILLER, createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { countTokenChanges } from './known-tokens.ts';
import { TokenUses } from './token-uses.ts';

let billpay: TestBillpay;

beforeAll(async () => {
  billpay = await createTestBillpay();
  for (const Code of ['ASKS', 'OTHER'])
    await billpay.admin('POST', '/billers', { ...BILLER, Code, AllowFeed: Code === 'ASKS' });
});
afterAll(() => billpay.close());

const issue = async (wanted: object) =>
  (await billpay.admin('POST', '/tokens', { Name: 'A', ...wanted })).json<{ Token: string; TokenId: string }>();
const lastUse = async (owner: string, tokenId: string) =>
  (await billpay.admin('GET', `/tokens?${owner}`))
    .json<{ Tokens: { TokenId: string; LastUsedAt: string | null }[] }>()
    .Tokens.find(({ TokenId }) => TokenId === tokenId)?.LastUsedAt;

test('the last use is written later and together, moves only forward, and makes no instance look up its tokens again', async () => {
  const { pool } = billpay;
  const { TokenId } = await issue({ BillerCode: 'ASKS' });
  const changes = await countTokenChanges(pool);
  const [early, late] = [Date.parse('2026-11-15T10:00:00Z'), Date.parse('2026-11-15T10:05:00Z')];
  const [here, elsewhere] = [new TokenUses(pool), new TokenUses(pool)];
  here.note(TokenId, late);
  elsewhere.note(TokenId, early);
  expect(await lastUse('BillerCode=ASKS', TokenId)).toBeNull();
  await here.write();
  await elsewhere.write();
  expect(await lastUse('BillerCode=ASKS', TokenId)).toBe('2026-11-15T10:05:00.000Z');
  expect(await countTokenChanges(pool)).toBe(changes);
});

test("a use is noted by who is asked, refused or not; a stranger's token is not", async () => {
  const { Token, TokenId } = await issue({ VendorId: billpay.vendor.vendorId, Scopes: ['read'] });
  expect((await billpay.send('POST', '/api/payment/pay', {}, `Bearer ${Token}`)).statusCode).toBe(403);
  expect((await billpay.send('GET', '/api/payment/list', undefined, `Bearer ${Token}x`)).statusCode).toBe(401);
  await billpay.uses.write();
  expect(Date.parse((await lastUse(`VendorId=${billpay.vendor.vendorId}`, TokenId)) ?? '')).toBe(billpay.now.getTime());
});

test("a biller's token reads the figures and the feed of this biller alone, and what is not its own does not exist", async () => {
  const bearer = `Bearer ${(await issue({ BillerCode: 'ASKS' })).Token}`;
  const ask = async (path: string) => {
    const answer = await billpay.send('GET', `/api/payment/${path}`, undefined, bearer);
    return [answer.statusCode, answer.body === '' ? '' : answer.json().detail];
  };
  for (const name of ['TargetStats', 'feed']) {
    expect((await ask(`${name}?billercode=ASKS`))[0]).toBe(200);
    const unknown = await ask(`${name}?billercode=NOBODY`);
    expect(unknown).toEqual([404, 'There is no biller with this code.']);
    expect(await ask(`${name}?billercode=OTHER`)).toEqual(unknown);
  }
  const [status, detail] = await ask('list');
  expect([status, detail]).toEqual([403, expect.stringContaining("It is a biller's, which reads its own TargetStats")]);
  const basic = (code: string) => `Basic ${Buffer.from(`${code}:${bearer.slice(7)}`).toString('base64')}`;
  const stats = '/api/payment/TargetStats?billercode=ASKS';
  expect((await billpay.send('GET', stats, undefined, basic('ASKS'))).statusCode).toBe(200);
  expect((await billpay.send('GET', stats, undefined, basic('OTHER'))).statusCode).toBe(401);
});

test('what is given to a token must fit its owner', async () => {
  const { vendorId: VendorId } = billpay.vendor;
  const errorsOf = async (wanted: object) => {
    const { errors } = (await billpay.admin('POST', '/tokens', { Name: 'A', ...wanted })).json();
    return errors?.map(({ Field, Message }: { Field: string; Message: string }) => `${Field} ${Message}`);
  };
  expect(await errorsOf({ VendorId, Scopes: ['read', 'sign'] })).toEqual([
    'Scopes[1] must be one of pay, read, endpoints',
  ]);
  expect(await errorsOf({ VendorId, DefaultCashier: 'Rudo' })).toEqual([
    expect.stringMatching(/^DefaultCashier must be left out/),
  ]);
  expect(await errorsOf({ BillerCode: 'ASKS', VendorId })).toEqual([expect.stringContaining('A token belongs to')]);
  const nobody = await billpay.admin('POST', '/tokens', { Name: 'A', BillerCode: 'NOBODY' });
  expect([nobody.statusCode, nobody.json().detail]).toEqual([404, 'There is no biller with this BillerCode.']);
});

test('a token of the operators may do what its role may, and the last that may do everything cannot be revoked', async () => {
  const [viewer, operator] = [await issue({ Scopes: ['viewer'] }), await issue({ Scopes: ['operator'] })];
  const ask = async (token: string, method: 'GET' | 'POST', path: string) =>
    (await billpay.send(method, `/api/admin${path}`, method === 'GET' ? undefined : {}, `Bearer ${token}`)).statusCode;
  expect(await ask(viewer.Token, 'GET', '/devices')).toBe(200);
  expect(await ask(viewer.Token, 'POST', '/devices')).toBe(403);
  expect(await ask(operator.Token, 'POST', '/devices')).toBe(400);
  expect(await ask(operator.Token, 'POST', '/tokens')).toBe(403);
  const { Tokens } = (await billpay.admin('GET', '/tokens')).json<{
    Tokens: { TokenId: string; Scopes: string[] }[];
  }>();
  const [admin, ...others] = Tokens.filter(({ Scopes }) => Scopes.includes('admin'));
  expect(others).toEqual([]);
  const last = await billpay.admin('DELETE', `/tokens/${admin?.TokenId}`);
  expect([last.statusCode, last.json().detail]).toEqual([400, expect.stringContaining('last token')]);
});
