import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { type ReplicatedService, startReplicatedService } from '../support/authority/replicated-service.ts';
import { until } from '../support/process.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

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

test('a receipt that only a crashed primary has is given to nobody and its number is given once', async () => {
  const { replicated, deviceId } = service;
  for (const reference of ['ok-1', 'ok-2']) expect((await sell(reference)).status).toBe(200);
  await until(async () => (await booked()).length === 2, 'both are with the authority');
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
  expect(await booked()).toHaveLength(2);

  await replicated.primary.kill();
  await replicated.standby.startAgain();
  await replicated.promote();
  await until(async () => (await sell('new-1')).status === 200, 'the promoted one seals');
  await until(async () => (await booked()).length === 3, 'it is with the authority');
  expect((await read('/api/receipt/lost-1')).status).toBe(404);
  const signed = (await (await read('/api/receipt/new-1')).json()) as { GlobalCounter: number; DeviceHash: string };
  expect(await booked()).toContain(`${signed.GlobalCounter} ${signed.DeviceHash}`);
  expect(signed.GlobalCounter).toBe(3);
  const receipts = await service.books.receipts(deviceId);
  expect(receipts.flatMap(({ remarks }) => remarks)).toEqual([]);
});
