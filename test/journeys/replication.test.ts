import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { type ReplicatedService, startReplicatedService } from '../support/authority/replicated-service.ts';
import { until } from '../support/process.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';
import { isSynchronous } from '../support/replicated-postgres.ts';

let service: ReplicatedService;

beforeAll(async () => {
  service = await startReplicatedService(8202);
});
afterAll(() => service?.end());

const till = () => ({ url: service.url, token: service.shop.token });
const sell = (reference: string) => post(till(), nowInvoice(service.deviceId, reference));
const read = (path: string) => ask(till(), 'GET', path);
const booked = async () =>
  (await service.books.receipts(service.deviceId)).map(({ receiptGlobalNo, hash }) => `${receiptGlobalNo} ${hash}`);

/** On the primary as it is now, whoever else may know of it. */
async function onPrimary(statement: string): Promise<number> {
  const [row] = await service.replicated.primary.query<{ found: number }>(statement, [], 'tillseal').catch(() => []);
  return row?.found ?? 0;
}

const administer = (path: string, body?: object) =>
  fetch(`${service.url}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${service.operator}`, ...(body && { 'content-type': 'application/json' }) },
  });
const ready = async () => {
  const answer = await fetch(`${service.url}/health/ready`);
  return [answer.status, ((await answer.json()) as { Database: string }).Database];
};

test('while commits wait for a standby nothing new is begun, nobody is told that a sale is not there, and the rest is answered at once', async () => {
  const { replicated } = service;
  const old = nowInvoice(service.deviceId, 'old');
  expect((await post(till(), old)).status).toBe(200);
  await until(
    async () => (await read('/api/receipt/old')).status === 200 && (await booked()).length > 0,
    'it is there',
  );
  await until(
    async () => (await onPrimary('select count(*)::integer as found from device_lanes where locked_until is null')) > 0,
    'the lane is released',
  );
  expect((await read('/api/receipt/old')).status).toBe(200);
  const before = await onPrimary('select count(*)::integer as found from tokens');
  await replicated.standby.kill();
  const sale = nowInvoice(service.deviceId, 'waiting');
  const waiting = post(till(), sale);
  const token = { Name: 'Nightly report' };
  const issuing = administer('/api/admin/tokens', token);
  expect((await read('/api/receipt/waiting')).status).toBe(503);
  await until(async () => (await ready()).join() === '200,waiting for its standby', 'the heartbeat has noticed');

  const begunAt = performance.now();
  for (const one of [sale, nowInvoice(service.deviceId, 'new')]) {
    expect([one.Reference, (await post(till(), one)).status]).toEqual([one.Reference, 503]);
    expect([one.Reference, (await read(`/api/receipt/${one.Reference}`)).status]).toEqual([one.Reference, 503]);
  }
  const replayed = await post(till(), old);
  expect([replayed.status, replayed.headers.get('idempotent-replay')]).toEqual([200, 'true']);
  expect((await read('/api/receipt/old')).status).toBe(200);
  const overview = await administer('/api/admin/overview');
  expect([overview.status, overview.headers.get('database-state')]).toEqual([200, 'waiting']);
  expect((await administer('/api/admin/tokens', { Name: 'Another' })).status).toBe(503);
  expect(performance.now() - begunAt).toBeLessThan(20_000);
  expect([(await waiting).status, (await issuing).status]).toEqual([503, 503]);

  await replicated.standby.startAgain();
  await until(() => isSynchronous(replicated.primary), 'the standby is synchronous again');
  await until(async () => (await sell('new')).status === 200, 'sales go on');
  expect((await post(till(), sale)).headers.get('idempotent-replay')).toBe('true');
  const unanswered = "select count(*)::integer as found from audit_log where action = 'request.unanswered'";
  await until(async () => (await onPrimary(unanswered)) === 1, 'it is known that nobody has seen the token');
  const [again, deliberate] = [
    await administer('/api/admin/tokens', token),
    await administer('/api/admin/tokens', token),
  ];
  expect([again.status, deliberate.status]).toEqual([201, 201]);
  const issued = (await again.json()) as { TokenId: string; Token: string };
  expect(await onPrimary('select count(*)::integer as found from tokens')).toBe(before + 2);
  const { Tokens } = (await (await administer('/api/admin/tokens')).json()) as { Tokens: { TokenId: string }[] };
  expect(Tokens.map(({ TokenId }) => TokenId)).toContain(issued.TokenId);
  const headers = { authorization: `Bearer ${issued.Token}` };
  expect((await fetch(`${service.url}/api/admin/overview`, { headers })).status).toBe(200);
});

test('a receipt that only a crashed primary has is given to nobody and its number is given once', async () => {
  const { replicated, deviceId } = service;
  for (const reference of ['ok-1', 'ok-2']) expect((await sell(reference)).status).toBe(200);
  const sold = await onPrimary('select count(*)::integer as found from receipts');
  await until(async () => (await booked()).length === sold, 'all are with the authority');
  // Until then the lane waits for the standby with its own acceptance, and sends nothing for that reason.
  await until(
    async () => (await onPrimary('select count(*)::integer as found from device_lanes where locked_until is null')) > 0,
    'the lane is released',
  );
  await replicated.standby.kill();
  const lost = sell('lost-1');
  await until(
    async () =>
      (await onPrimary("select count(*)::integer as found from pg_stat_activity where wait_event = 'SyncRep'")) > 0,
    'the seal waits for the standby',
  );
  await replicated.primary.kill();
  await replicated.primary.startAgain();
  expect((await lost).status).toBe(503);
  const seen = "select count(*)::integer as found from receipts where reference = 'lost-1'";
  await until(async () => (await onPrimary(seen)) === 1, 'the crash made the receipt visible');
  const asked = await Promise.all(
    [
      '/api/receipt/lost-1',
      '/api/receipt?Reference=lost-1',
      '/api/receipt/lost-1/print?format=text',
      '/api/events',
      `/api/device/${deviceId}/day/1/report`,
    ].map(async (path) => {
      const answer = await read(path);
      return [path, answer.status, ((await answer.json()) as { Code: string }).Code];
    }),
  );
  for (const [path, status, code] of asked) expect([path, status, code]).toEqual([path, 503, 'Unavailable']);
  // Operators are shown what there is, and are told that it is not confirmed.
  const operator = { url: service.url, token: service.operator };
  const detail = await ask(operator, 'GET', '/api/admin/receipts?Reference=lost-1');
  expect(detail.status).toBe(200);
  expect(await booked()).toHaveLength(sold);

  await replicated.primary.kill();
  await replicated.standby.startAgain();
  await replicated.promote();
  await until(async () => (await sell('new-1')).status === 200, 'the promoted one seals');
  await until(async () => (await booked()).length === sold + 1, 'it is with the authority');
  expect((await read('/api/receipt/lost-1')).status).toBe(404);
  const signed = (await (await read('/api/receipt/new-1')).json()) as { GlobalCounter: number; DeviceHash: string };
  expect(await booked()).toContain(`${signed.GlobalCounter} ${signed.DeviceHash}`);
  expect(signed.GlobalCounter).toBe(sold + 1);
  const receipts = await service.books.receipts(deviceId);
  expect(receipts.flatMap(({ remarks }) => remarks)).toEqual([]);
});
