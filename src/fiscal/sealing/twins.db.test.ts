import { afterAll, beforeAll, expect, test } from 'vitest';
import { proveChain } from '../../../test/support/receipts/chain.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { addInstance, createTestService, type Instance, type TestService } from '../../../test/support/service.ts';
import { openShop, tally } from '../../../test/support/shop.ts';

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

type Answer = Awaited<ReturnType<TestService['sign']>>;
const isReplay = (answer: Answer) => answer.headers['idempotent-replay'] === 'true';
const sealsOf = (answers: readonly Answer[]) =>
  new Set(answers.map((answer) => answer.json<{ DeviceSignature: string }>().DeviceSignature));

test('of fifty twins at once one is sealed and the others get its seal', async () => {
  const { token, deviceId } = await openShop(service);
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.sign(token, invoice(deviceId, 'T-1'))));
  expect(tally(answers)).toEqual({ 200: 50 });
  expect(answers.filter(isReplay)).toHaveLength(49);
  expect(sealsOf(answers).size).toBe(1);
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 1 });
});

test('of twins with different content one is sealed and the others are conflicts', async () => {
  const { token, deviceId } = await openShop(service);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => service.sign(token, invoice(deviceId, 'T-2', { Cashier: `C${index}` }))),
  );
  expect(tally(answers)).toEqual({ 200: 1, 409: 9 });
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 1 });
});

test('twins on two devices in one batch: one is sealed, the other is a conflict that names the device', async () => {
  const { taxpayerId, token, deviceId } = await openShop(service);
  const second = await service.addDevice(taxpayerId);
  const answers = await Promise.all([
    service.sign(token, invoice(deviceId, 'T-3')),
    service.sign(token, invoice(second, 'T-3')),
  ]);
  expect(tally(answers)).toEqual({ 200: 1, 409: 1 });
  const conflict = answers.find((answer) => answer.statusCode === 409);
  expect(conflict?.json()).toMatchObject({ errors: [{ Field: 'AuthorityDeviceId' }] });
  const verdicts = await Promise.all([deviceId, second].map((device) => proveChain(service.pool, device)));
  expect(new Set(verdicts.map((verdict) => verdict.holds && verdict.count))).toEqual(new Set([0, 1]));
});

test('twins sent to two instances on one device: one seal, and every other answer is its replay', async () => {
  const { token, deviceId } = await openShop(service);
  const rounds = 40;
  for (let round = 0; round < rounds; round += 1) {
    const receipt = invoice(deviceId, `T4-${round}`);
    const answers = await Promise.all([service, other, service, other].map((one) => one.sign(token, receipt)));
    expect(tally(answers)).toEqual({ 200: 4 });
    expect(answers.filter(isReplay)).toHaveLength(3);
    expect(sealsOf(answers).size).toBe(1);
  }
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: rounds });
});

test('twins on two devices of two instances: a lost race leaves no gap and takes no stranger with it', async () => {
  const { taxpayerId, token, deviceId } = await openShop(service);
  const second = await service.addDevice(taxpayerId);
  const rounds = 40;
  for (let round = 0; round < rounds; round += 1) {
    const twins = await Promise.all([
      service.sign(token, invoice(deviceId, `T5-${round}`)),
      other.sign(token, invoice(second, `T5-${round}`)),
    ]);
    const strangers = Promise.all([
      service.sign(token, invoice(deviceId, `T5-${round}-a`)),
      other.sign(token, invoice(second, `T5-${round}-b`)),
    ]);
    expect(tally(twins)).toEqual({ 200: 1, 409: 1 });
    expect(tally(await strangers)).toEqual({ 200: 2 });
  }
  const counts = await Promise.all([deviceId, second].map((id) => proveChain(service.pool, id)));
  expect(counts.every((verdict) => verdict.holds)).toBe(true);
  const { rows } = await service.pool.query<{ count: bigint }>('select count(*) from receipts where taxpayer_id = $1', [
    taxpayerId,
  ]);
  expect(rows[0]?.count).toBe(BigInt(rounds * 3));
});

test('a crowd of twins and strangers over two instances and three devices leaves whole chains', async () => {
  const { taxpayerId, token, deviceId } = await openShop(service);
  const devices = [deviceId, await service.addDevice(taxpayerId), await service.addDevice(taxpayerId)];
  const answers = await Promise.all(
    Array.from({ length: 600 }, (_, index) => {
      const instance = index % 2 === 0 ? service : other;
      const device = devices[index % 3] ?? deviceId;
      // Every third reference is sent four times, to both instances and to different devices.
      return signAtLast(instance, token, invoice(device, index % 3 === 0 ? `T6-${index}` : `T6-twin-${index % 100}`));
    }),
  );
  const counts = tally(answers);
  expect(Object.keys(counts).every((status) => status === '200' || status === '409')).toBe(true);
  const verdicts = await Promise.all(devices.map((device) => proveChain(service.pool, device)));
  const total = verdicts.reduce((sum, verdict) => sum + (verdict.holds ? verdict.count : Number.NaN), 0);
  expect(total).toBe(answers.filter((answer) => answer.statusCode === 200 && !isReplay(answer)).length);
  expect(total).toBe(300);
});

/** Who had to wait five seconds for a device, as in such a crowd on a slow machine, is told to come back, and does. */
async function signAtLast(instance: Pick<TestService, 'sign'>, token: string, receipt: object) {
  for (;;) {
    const startedAt = performance.now();
    const answer = await instance.sign(token, receipt);
    if (answer.statusCode !== 503) return answer;
    expect(performance.now() - startedAt).toBeGreaterThan(5000);
  }
}
