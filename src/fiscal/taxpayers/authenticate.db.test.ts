import { expect, test } from 'vitest';
import { until } from '../../../test/support/process.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { addInstance, NOON, serviceOfFile } from '../../../test/support/service.ts';
import { addToken, codeOf, openShop } from '../../../test/support/shop.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

const service = await serviceOfFile();
const shop = await openShop(service);

const base64 = (text: string) => Buffer.from(text).toString('base64');

function send(authorization: string | undefined) {
  return service.app.inject({
    method: 'GET',
    url: `/api/device/${shop.deviceId}`,
    headers: authorization === undefined ? {} : { authorization },
  });
}

async function expectUnauthorized(authorization: string | undefined): Promise<void> {
  const answer = await send(authorization);
  expect([answer.statusCode, codeOf(answer)]).toEqual([401, 'Unauthorized']);
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="tillseal"');
}

test('every form of the header opens the door', async () => {
  const { token, taxpayerId } = shop;
  const forms = [`Bearer ${token}`, `bearer ${token}`, `Bearer ${base64(`${token}:${taxpayerId}`)}`];
  for (const form of forms) expect((await send(form)).statusCode).toBe(200);
});

test('a token with the id of another tenant is unknown, and stays good with its own', async () => {
  const stranger = await service.addTaxpayer();
  await expectUnauthorized(`Bearer ${base64(`${shop.token}:${stranger.taxpayerId}`)}`);
  await expectUnauthorized(`Bearer ${base64(`${shop.token}:`)}`);
  await expectUnauthorized(`Bearer ${base64(`${shop.token}:nonsense`)}`);
  expect((await send(`Bearer ${shop.token}`)).statusCode).toBe(200);
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['no token', 'Bearer'],
  ['a token nobody has', `Bearer tsk_${'A'.repeat(43)}`],
  ['the scheme of vendors', `Basic ${base64('VENDOR:tsk_x')}`],
  ['a header of 10,000 characters', `Bearer ${'a'.repeat(10_000)}`],
  ['base64 of something else', `Bearer ${base64('\u0000\u0001:\ufffd')}`],
])('is refused with 401 and WWW-Authenticate: %s', async (_name, header) => {
  await expectUnauthorized(header);
});

test("a vendor's token is named as one by its prefix, and an operator's by what it is, with the one to use", async () => {
  const vendors = await send(`Bearer tsv_${'A'.repeat(43)}`);
  expect(vendors.json()).toMatchObject({
    status: 401,
    detail:
      'This is a token of a vendor (tsv_…), for /api/payment. Here use one of a taxpayer or an operator (tsk_…), for receipts, devices and administration.',
  });
  const { token } = await issueToken(service.pool, { name: 'operator', scopes: ['admin'] });
  const operators = await service.sign(token, invoice(shop.deviceId, 'A-1'));
  expect(operators.json()).toMatchObject({
    status: 403,
    detail: expect.stringMatching(
      /^This token lacks the scope sign\. It is an operator's.*use a token of the taxpayer\.$/,
    ),
  });
  const taxpayers = await service.get(shop.token, '/api/admin/devices');
  expect(taxpayers.json()).toMatchObject({ status: 403, detail: expect.stringContaining('token of an operator') });
});

test('a stranger is refused before the body is looked at', async () => {
  const answer = await service.sign('tsk_nobody', 'this is not JSON');
  expect(answer.statusCode).toBe(401);
});

test('a token expires on the second, by the clock of the service', async () => {
  const token = await addToken(service, { taxpayerId: shop.taxpayerId, expiresAt: new Date(NOON.getTime() + 1000) });
  expect((await send(`Bearer ${token}`)).statusCode).toBe(200);
  service.now = new Date(NOON.getTime() + 1000);
  await expectUnauthorized(`Bearer ${token}`);
  service.now = NOON;
});

test('a token that lacks the scope is 403, not 401', async () => {
  const token = await addToken(service, { taxpayerId: shop.taxpayerId, scopes: ['read'] });
  const answer = await service.sign(token, invoice(shop.deviceId, 'A-1'));
  expect([answer.statusCode, codeOf(answer)]).toEqual([403, 'Forbidden']);
  expect(answer.headers).not.toHaveProperty('www-authenticate');
});

test('a suspended taxpayer is 403 with every token', async () => {
  const other = await openShop(service);
  await service.pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [other.taxpayerId]);
  const answer = await service.sign(other.token, invoice(other.deviceId, 'A-1'));
  expect([answer.statusCode, codeOf(answer)]).toEqual([403, 'Forbidden']);
});

test('a revoked token and a suspension are soon felt on every instance that had the token in use', async () => {
  const [revoked, suspended] = [await openShop(service), await openShop(service)];
  const other = await addInstance(service);
  const statuses = async () =>
    Promise.all(
      [service, other].flatMap((one) =>
        [revoked, suspended].map(async ({ token, deviceId }) => {
          return (await one.sign(token, invoice(deviceId, 'SAME'))).statusCode;
        }),
      ),
    );
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  await service.pool.query('update tokens set revoked_at = now() where taxpayer_id = $1', [revoked.taxpayerId]);
  await service.pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [suspended.taxpayerId]);
  await until(async () => (await statuses()).join() === '401,403,401,403', 'both are refused everywhere');
  await other.close();
});
