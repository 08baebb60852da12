import { afterAll, beforeAll, expect, test } from 'vitest';
import { proveChain } from '../../../test/support/receipts/chain.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { addInstance, createTestService, type Instance, type TestService } from '../../../test/support/service.ts';
import { codeOf, openShop, tally } from '../../../test/support/shop.ts';

/** A process seals on the heads as it left them; whatever happens to a head behind its back, the chain must hold. */
let service: TestService;
let other: Instance;
beforeAll(async () => {
  service = await createTestService();
  other = await addInstance(service);
});
afterAll(async () => {
  await other.close();
  await service.close();
});

/** A device whose head this process knows. */
async function knownShop() {
  const shop = await openShop(service);
  expect((await service.sign(shop.token, invoice(shop.deviceId, 'K-1'))).statusCode).toBe(200);
  return shop;
}

test('another instance moved the head: the next receipt goes behind its', async () => {
  const { token, deviceId } = await knownShop();
  for (const [instance, reference] of [
    [other, 'K-2'],
    [service, 'K-3'],
    [other, 'K-4'],
    [service, 'K-5'],
  ] as const) {
    expect((await instance.sign(token, invoice(deviceId, reference))).statusCode).toBe(200);
  }
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 5 });
});

test('one moved head among many: nobody in the batch is lost or sealed twice', async () => {
  const { taxpayerId, token, deviceId } = await knownShop();
  const devices = [deviceId, await service.addDevice(taxpayerId), await service.addDevice(taxpayerId)];
  const round = (instance: Pick<TestService, 'sign'>, name: string) =>
    Promise.all(devices.flatMap((id) => [0, 1].map((n) => instance.sign(token, invoice(id, `${name}-${id}-${n}`)))));
  expect(tally(await round(service, 'first'))).toEqual({ 200: 6 });
  expect((await other.sign(token, invoice(deviceId, 'in between'))).statusCode).toBe(200);
  expect(tally(await round(service, 'second'))).toEqual({ 200: 6 });
  const counts = await Promise.all(devices.map((id) => proveChain(service.pool, id)));
  expect(counts).toEqual([
    { holds: true, count: 6 },
    { holds: true, count: 4 },
    { holds: true, count: 4 },
  ]);
});

test('a day that began to close behind its back takes no receipt more', async () => {
  const { token, deviceId } = await knownShop();
  await service.pool.query("update device_heads set day_state = 'Closing' where device_id = $1", [deviceId]);
  const answer = await service.sign(token, invoice(deviceId, 'K-late'));
  expect([answer.statusCode, codeOf(answer)]).toEqual([503, 'FiscalDayNotOpen']);
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 1 });
});

test('a setting that changed behind its back decides', async () => {
  const { token, deviceId } = await knownShop();
  await service.pool.query(
    `with changed as (
       insert into alerts (taxpayer_id, device_id, kind, message)
       select taxpayer_id, device_id, 'Operator', 'reported stolen' from devices where device_id = $1)
     update device_heads set revision = revision + 1 where device_id = $1`,
    [deviceId],
  );
  const answer = await service.sign(token, invoice(deviceId, 'K-blocked'));
  expect([answer.statusCode, codeOf(answer)]).toEqual([503, 'DeviceOnHold']);
});

test('a retry of what is sealed is its replay, and strangers in its batch are sealed', async () => {
  const { token, deviceId } = await knownShop();
  const answers = await Promise.all([
    service.sign(token, invoice(deviceId, 'K-1')),
    service.sign(token, invoice(deviceId, 'K-6')),
    service.sign(token, invoice(deviceId, 'K-1', { Cashier: 'another' })),
  ]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 409]);
  expect(answers[0]?.headers['idempotent-replay']).toBe('true');
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 2 });
});

test('a head that somebody holds is waited for, not guessed', async () => {
  const { token, deviceId } = await knownShop();
  const holder = await service.pool.connect();
  await holder.query('begin');
  await holder.query('select 1 from device_heads where device_id = $1 for update', [deviceId]);
  const answer = service.sign(token, invoice(deviceId, 'K-7'));
  await new Promise((resolve) => setTimeout(resolve, 150));
  await holder.query('update device_heads set global_counter = global_counter where device_id = $1', [deviceId]);
  await holder.query('commit');
  holder.release();
  expect((await answer).statusCode).toBe(200);
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 2 });
});
