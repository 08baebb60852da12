import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../test/support/process.ts';
import { keptPlanOf } from '../../../test/support/query-plan.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { openShop, plainNote, plainReceipt, type Shop, takeLane } from '../../../test/support/shop.ts';
import { inTransaction } from '../../platform/database/database.ts';
import type { Lease } from '../core/lease.ts';
import { decideReceipt } from './decide-receipt.ts';
import { claimDueLanes, withLease } from './lease-store.ts';
import { advanceLane, settledLane } from './pass-receipts.ts';
import { pauseLane } from './store.ts';

let service: TestService;
let shop: Shop;
/** The lanes of the device that has the invoice, and of the one that has a note of it. */
let original: Lease;
let waiting: Lease;
beforeAll(async () => {
  service = await createTestService();
});
beforeEach(async () => {
  await service.pool.query('delete from device_lanes');
  shop = await openShop(service);
  const second = await service.addDevice(shop.taxpayerId);
  await sign(plainReceipt(shop.deviceId, 'O', '10'));
  original = await takeLane(service, shop);
  waiting = await takeLane(service, { ...shop, deviceId: second });
});
afterAll(() => service.close());

async function sign(receipt: string): Promise<void> {
  expect((await service.sign(shop.token, receipt)).statusCode).toBe(200);
}

const sealNote = () => sign(plainNote(waiting.deviceId, 'N', 'O', '-10'));
const rest = () => pauseLane(service.pool, waiting, { seconds: 60, error: 'waits', isOutage: false }, service.now);
const settle = () => withLease(service, original, (tx) => advanceLane(tx, original, 1));
const due = async () =>
  (await claimDueLanes(service.pool, service.now, { withReceipts: 10, others: 10 })).map(({ deviceId }) => deviceId);

test('a lane that waits for a receipt is due, on whatever instance, with the transaction that settles it', async () => {
  await sealNote();
  await rest();
  expect(await due()).toEqual([]);
  expect(await settle()).toEqual([{ taxpayerId: waiting.taxpayerId, deviceId: waiting.deviceId }]);
  expect(await due()).toEqual([waiting.deviceId]);
});

test('a lane that is about to rest when its original is settled does not rest', async () => {
  await sealNote();
  await settle();
  await rest();
  expect(await due()).toEqual([waiting.deviceId]);
});

test('a lane that has something else to send first is left alone', async () => {
  await sign(plainReceipt(waiting.deviceId, 'FIRST', '1'));
  await sealNote();
  await rest();
  expect(await settle()).toEqual([]);
  expect(await due()).toEqual([]);
});

test('a lane that looks while its original is being settled sees it settled', async () => {
  const order: string[] = [];
  let looking: Promise<unknown> | undefined;
  await withLease(service, original, async (tx) => {
    expect(await advanceLane(tx, original, 1)).toEqual([]);
    // Sealed too late to be found waiting.
    await sealNote();
    looking = settledLane(service.pool, original).then(() => order.push('looked'));
    await until(
      async () => (await service.pool.query('select from pg_locks where not granted')).rowCount !== 0,
      'it waits',
    );
    order.push('settled');
  });
  await looking;
  expect(order).toEqual(['settled', 'looked']);
});

test('a lane waits no longer for a receipt that an operator gave up', async () => {
  await sealNote();
  await rest();
  await service.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, failed_at, error)
     values ($1, $2, 1, 'Refused', now(), 'x')`,
    [shop.taxpayerId, shop.deviceId],
  );
  await inTransaction(service.pool, (tx) =>
    decideReceipt(tx, { ...original, globalCounter: 1 }, { kind: 'give-up' }, service.now),
  );
  expect(await due()).toEqual([waiting.deviceId]);
});

test('what is passed costs a look at its own notes, however few receipts there were when the statement was planned', async () => {
  let text = '';
  await withLease(service, original, (tx) => {
    const recorder = new Proxy(tx, {
      get: (target, name) =>
        name === 'query'
          ? async (statement: { readonly text: string }) => {
              text = statement.text;
              return { rows: [] };
            }
          : Reflect.get(target, name),
    });
    return advanceLane(recorder, original, 1);
  });
  const plan = await keptPlanOf(service.pool, { text });
  expect(plan.indexes).toContain('receipts_by_original_number');
  expect(plan.readWhole).toEqual([]);
});
