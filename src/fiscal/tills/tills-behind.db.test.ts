import { beforeEach, expect, test } from 'vitest';
import { tillseal } from '../../../test/support/command-line.ts';
import { until } from '../../../test/support/process.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { serviceOfFile, type TestTaxpayer } from '../../../test/support/service.ts';
import type { TillBehind } from '../../contract/fiscal/till.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';
import { warnOfTills } from './store.ts';
import { TillsBehind } from './tills-behind.ts';

const service = await serviceOfFile();
let till: { readonly tokenId: string; readonly token: string };
let deviceId: number;
let sales = 0;
const operator = (await issueToken(service.pool, { name: 'Tendai', scopes: ['admin'] })).token;
const shop = await service.addTaxpayer();
const neighbour = await service.addTaxpayer();
beforeEach(async () => {
  await service.pool.query('delete from tills_behind');
  deviceId = await service.addDevice(shop.taxpayerId);
  till = await issueToken(service.pool, { taxpayerId: shop.taxpayerId, name: 'Till 3', scopes: ['sign', 'read'] });
});

const sell = (backlog: string, changes: object = {}, token = till.token) => {
  sales += 1;
  return service.sign(token, invoice(deviceId, `SALE-${sales}`, changes), { 'outbox-backlog': backlog });
};
const hold = (BlockedReason: string | null) =>
  service.call(operator, 'PATCH', `/api/admin/devices/${deviceId}`, { BlockedReason });
async function tillsOf(token: string, path: string): Promise<TillBehind[]> {
  return (await service.get(token, path)).json<{ TillsBehind: TillBehind[] }>().TillsBehind;
}
async function behind(): Promise<TillBehind[]> {
  await service.fiscal.tills.save();
  return tillsOf(till.token, `/api/device/${deviceId}`);
}
async function openAlerts(): Promise<{ device_id: number; subject: string; message: string }[]> {
  await warnOfTills(service.pool);
  const { rows } = await service.pool.query(
    `select device_id, 'device ' || device_id || ', ' || what as subject, message from alerts where kind = 'TillBehind' and taxpayer_id = $1 and cleared_at is null`,
    [shop.taxpayerId],
  );
  return rows;
}

test('a till that gets behind on a device on hold is shown on device and token, to its tenant only, until it has caught up', async () => {
  await hold('Stolen');
  expect((await sell('waiting=3, seconds=540')).statusCode).toBe(503);
  const [shown, ...others] = await behind();
  expect(others).toEqual([]);
  expect(shown).toMatchObject({
    TokenId: till.tokenId,
    TokenName: 'Till 3',
    AuthorityDeviceId: deviceId,
    WaitingSales: 3,
  });
  const waited = Date.parse(shown?.HeardAt ?? '') - Date.parse(shown?.WaitingSince ?? '');
  expect(waited).toBe(540_000);
  expect(Math.abs(Date.now() - Date.parse(shown?.HeardAt ?? ''))).toBeLessThan(10_000);
  expect(await tillsOf(operator, `/api/admin/devices/${deviceId}`)).toEqual([shown]);
  const tokens = async ({ taxpayerId }: TestTaxpayer) =>
    (await service.get(operator, `/api/admin/tokens?TaxpayerId=${taxpayerId}`)).json<{
      Tokens: { Name: string; TillsBehind: TillBehind[] }[];
    }>().Tokens;
  const listed = (await tokens(shop)).filter(({ TillsBehind }) => TillsBehind.length > 0);
  expect(listed).toEqual([expect.objectContaining({ Name: 'Till 3', TillsBehind: [shown] })]);
  expect((await tokens(neighbour)).flatMap(({ TillsBehind }) => TillsBehind)).toEqual([]);

  await hold(null);
  for (const [backlog, left] of [
    ['waiting=3, seconds=550', 2],
    ['waiting=2, seconds=541', 1],
  ] as const) {
    expect((await sell(backlog)).statusCode).toBe(200);
    expect(await behind()).toMatchObject([{ WaitingSales: left }]);
  }
  // It has waited for long too, and is the last: nothing is said after it.
  expect((await sell('waiting=1, seconds=530')).statusCode).toBe(200);
  expect(await behind()).toEqual([]);
});

test('whatever an outbox sets aside is no longer waiting, and what it sends again is', async () => {
  await sell('waiting=2, seconds=300', { TotalAmount: 1 });
  expect(await behind()).toMatchObject([{ WaitingSales: 1 }]);
  const misshapen = await sell('waiting=1, seconds=299', { Surprise: 1 });
  expect([misshapen.statusCode, await behind()]).toEqual([400, []]);
  await hold('Stolen');
  await sell('waiting=1, seconds=61');
  expect(await behind()).toMatchObject([{ WaitingSales: 1 }]);
});

test('nobody but the holder of a valid token is heard, and on devices of its own only', async () => {
  await hold('Stolen');
  for (const token of ['tsk_unknown', neighbour.token]) await sell('waiting=3, seconds=540', {}, token);
  await sell('waiting=3, seconds=540', { AuthorityDeviceId: 1e15 });
  await sell('waiting=3; seconds=540');
  await service.post(till.token, '/api/receipt/check', invoice(deviceId, 'CHECKED'), {
    'outbox-backlog': 'waiting=3, seconds=540',
  });
  expect(await behind()).toEqual([]);
  expect((await service.pool.query('select from tills_behind')).rowCount).toBe(0);
});

test('several instances hear one till: what it said last counts, whoever writes first', async () => {
  const heard = (waitingSales: number, secondsAgo: number) => {
    const instance = new TillsBehind(service.pool);
    instance.hear({
      taxpayerId: shop.taxpayerId,
      tokenId: till.tokenId,
      deviceId,
      waitingSales,
      waitingSeconds: 90,
      at: performance.now() - secondsAgo * 1000,
    });
    return instance;
  };
  const saved = async (...instances: TillsBehind[]) => {
    for (const instance of instances) await instance.save();
    return behind();
  };
  const caughtUp = heard(0, 5);
  expect(await saved(caughtUp, heard(5, 10))).toMatchObject([{ WaitingSales: 5 }]);
  // It learns what the other one wrote, and has not forgotten what it heard later than that.
  expect(await saved(caughtUp, caughtUp)).toEqual([]);
  // Too old to be written.
  expect(await saved(heard(4, 16))).toEqual([]);
  // Behind again since it had caught up, and an older word on another instance changes nothing.
  expect(await saved(heard(2, 0), heard(7, 3), caughtUp, caughtUp)).toMatchObject([{ WaitingSales: 2 }]);
});

test('while the service listens it is written on its own, and the command line shows it', async () => {
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  await hold('Stolen');
  await sell('waiting=2, seconds=300');
  const shown = () => tillsOf(till.token, `/api/device/${deviceId}`);
  await expect.poll(shown, { interval: 200 }).toMatchObject([{ WaitingSales: 2 }]);
  const environment = { TILLSEAL_URL: url, TILLSEAL_OPERATOR_TOKEN: operator };
  const device = await tillseal(['device', String(deviceId)], { environment });
  expect(device.stdout).toMatch(/^Till behind +Till 3, 2 unsealed since 20\d\d-/m);
  const tokens = await tillseal(['token', 'list', '--taxpayer', shop.taxpayerId], { environment });
  expect(tokens.stdout).toMatch(new RegExp(`^${till.tokenId} .* active, 2 unsealed since 20`, 'm'));
});

test('an alert is raised when the first sale has waited for an hour, and ends when the till has caught up', async () => {
  await hold('Stolen');
  await sell('waiting=2, seconds=3590');
  await behind();
  expect(await openAlerts()).toEqual([]);
  await sell('waiting=2, seconds=3601');
  await behind();
  const [alert, ...others] = await openAlerts();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({
    device_id: deviceId,
    subject: expect.stringMatching(/^device \d+, Till 3 \(tsk_.{6}…\)$/),
  });
  expect(alert?.message).toContain('not sealed: 2; the first has waited for more than an hour');
  await sell('waiting=3, seconds=3700');
  await behind();
  expect(await openAlerts()).toMatchObject([{ message: expect.stringContaining('not sealed: 3;') }]);
  await hold(null);
  await sell('waiting=1, seconds=3900');
  await behind();
  expect(await openAlerts()).toEqual([]);
});

test('an alert outlasts silence for a day, and then ends', async () => {
  await hold('Stolen');
  await sell('waiting=1, seconds=3000');
  await behind();
  const age = (interval: string) =>
    service.pool.query(
      'update tills_behind set heard_at = heard_at - $1::interval, waiting_since = waiting_since - $1::interval',
      [interval],
    );
  await age('23 hours');
  expect(await openAlerts()).toHaveLength(1);
  await age('2 hours');
  await openAlerts();
  expect(await openAlerts()).toEqual([]);
  expect(await behind()).toEqual([]);
});

test('of instances that look at the same minute one does it, and no other waits for it', async () => {
  const { pool } = service;
  await pool.query(
    `insert into tills_behind (taxpayer_id, device_id, token_id, waiting_sales, waiting_since, heard_at)
     values ($1, $2, $3, 1, now() - interval '2 hours', now())`,
    [shop.taxpayerId, deviceId, till.tokenId],
  );
  expect(await openAlerts()).toHaveLength(1);
  await pool.query('update tills_behind set waiting_sales = 2');
  const blocker = await pool.connect();
  await blocker.query('begin; select from alerts where cleared_at is null for update');
  const first = warnOfTills(pool);
  await until(async () => {
    const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await pool.query(text)).rowCount === 1;
  }, 'the first waits');
  await warnOfTills(pool);
  await blocker.query('rollback');
  blocker.release();
  await first;
  expect(await openAlerts()).toMatchObject([{ message: expect.stringContaining('not sealed: 2;') }]);
});
