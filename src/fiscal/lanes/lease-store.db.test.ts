import { expect, test } from 'vitest';
import { serviceOfFile } from '../../../test/support/service.ts';
import { openShop, takeLane } from '../../../test/support/shop.ts';
import { inTransaction } from '../../platform/database/database.ts';
import type { Lease } from '../core/lease.ts';
import {
  claimDueLanes,
  findWoken,
  LeaseLost,
  noticeWoken,
  type Portion,
  releaseLeases,
  renewLeases,
  wakeHeldLanes,
  withLease,
} from './lease-store.ts';
import { advanceLane } from './pass-receipts.ts';
import { pauseLane } from './store.ts';

const service = await serviceOfFile();

async function submittedThrough({ deviceId }: Lease): Promise<number | undefined> {
  const { rows } = await service.pool.query<{ submitted_through: number }>(
    'select submitted_through from device_lanes where device_id = $1',
    [deviceId],
  );
  return rows[0]?.submitted_through;
}

test('an instance that slept past its lease writes nothing once another has taken the lane', async () => {
  const shop = await openShop(service);
  const slept = await takeLane(service, shop);
  await service.pool.query("update device_lanes set locked_until = clock_timestamp() - interval '1 second'");
  const taken = await takeLane(service, shop);
  await withLease(service, taken, (tx) => advanceLane(tx, taken, 5));
  await expect(withLease(service, slept, (tx) => advanceLane(tx, slept, 3))).rejects.toBeInstanceOf(LeaseLost);
  expect(await submittedThrough(taken)).toBe(5);
});

test('a lane that an instance with a clock hours ahead has put off is due for the others at once', async () => {
  const shop = await openShop(service);
  const ahead = new Date(service.now.getTime() + 3 * 3_600_000);
  const claimed = async () =>
    (await claimDueLanes(service.pool, service.now, { withReceipts: 100, others: 100 })).some(
      ({ deviceId }) => deviceId === shop.deviceId,
    );
  const pause = { seconds: 60, error: 'down', isOutage: false };
  await pauseLane(service.pool, await takeLane(service, shop), pause, service.now);
  expect(await claimed()).toBe(false);
  await service.pool.query('update device_lanes set paused_until = null');
  await pauseLane(service.pool, await takeLane(service, shop), pause, ahead);
  expect(await claimed()).toBe(true);
  await service.pool.query('update device_lanes set locked_until = null, paused_until = null');
  const inAnHour = new Date(service.now.getTime() + 3_600_000);
  await releaseLeases(service.pool, [{ ...(await takeLane(service, shop)), nextStepAt: inAnHour }]);
  expect(await claimed()).toBe(false);
  await releaseLeases(service.pool, [{ ...(await takeLane(service, shop)), nextStepAt: ahead }]);
  expect(await claimed()).toBe(true);
});

test('a lease from before the clock of the database was set back by hours holds nobody up, and by a moment takes no lane from its holder', async () => {
  const shop = await openShop(service);
  await takeLane(service, shop);
  const ahead = (seconds: number) =>
    service.pool.query(
      'update device_lanes set locked_until = clock_timestamp() + make_interval(secs => $2) where device_id = $1',
      [shop.deviceId, seconds],
    );
  await ahead(15);
  await expect(takeLane(service, shop)).rejects.toThrow('somebody holds the lane');
  await wakeHeldLanes(service.pool, [shop]);
  expect((await findWoken(service.pool)).map(({ deviceId }) => deviceId)).toContain(shop.deviceId);
  await ahead(3 * 3600);
  expect((await findWoken(service.pool)).map(({ deviceId }) => deviceId)).not.toContain(shop.deviceId);
  await takeLane(service, shop);
});

test('of many lanes that are due each taxpayer gets one before any gets a second', async () => {
  await service.pool.query('delete from device_lanes');
  const [large, small] = [await openShop(service), await openShop(service)];
  const devices = await Promise.all([1, 2, 3].map(() => service.addDevice(large.taxpayerId)));
  const keys = [...devices, large.deviceId].map((deviceId) => ({ ...large, deviceId }));
  const leases = await Promise.all([...keys, small].map((shop) => takeLane(service, shop)));
  await releaseLeases(
    service.pool,
    leases.map((lease, index) => ({ ...lease, nextStepAt: new Date(service.now.getTime() - 60_000 + index) })),
  );
  const claimed = await claimDueLanes(service.pool, service.now, { withReceipts: 2, others: 2 });
  expect(new Set(claimed.map(({ taxpayerId }) => taxpayerId))).toEqual(new Set([large.taxpayerId, small.taxpayerId]));
});

test('lanes with receipts do not wait for those that only want care, nor the other way round', async () => {
  await service.pool.query('delete from device_lanes');
  const shops = [await openShop(service), await openShop(service), await openShop(service), await openShop(service)];
  const [first, second] = shops.map(({ deviceId }) => deviceId);
  await service.pool.query('update device_heads set global_counter = global_counter + 1 where device_id in ($1, $2)', [
    first,
    second,
  ]);
  const taken = async (portion: Portion) => {
    const leases = await Promise.all(shops.map((shop) => takeLane(service, shop)));
    await releaseLeases(
      service.pool,
      leases.map((lease) => ({ ...lease, nextStepAt: service.now })),
    );
    const claimed = await claimDueLanes(service.pool, service.now, portion);
    await releaseLeases(
      service.pool,
      claimed.map((lease) => ({ ...lease, nextStepAt: service.now })),
    );
    for (const { deviceId, hasReceipts } of claimed)
      expect(hasReceipts).toBe(deviceId === first || deviceId === second);
    const selling = claimed.filter(({ hasReceipts }) => hasReceipts).length;
    return { withReceipts: selling, others: claimed.length - selling };
  };
  for (const portion of [
    { withReceipts: 2, others: 0 },
    { withReceipts: 0, others: 2 },
    { withReceipts: 1, others: 2 },
    { withReceipts: 1, others: 1 },
  ]) {
    expect(await taken(portion)).toEqual(portion);
  }
});

test('what another instance wants of a lane that is held reaches its holder, once', async () => {
  await service.pool.query('delete from device_lanes');
  const [held, free] = [await openShop(service), await openShop(service)];
  const lease = await takeLane(service, held);
  await releaseLeases(service.pool, [{ ...(await takeLane(service, free)), nextStepAt: service.now }]);
  expect(await findWoken(service.pool)).toEqual([]);
  await wakeHeldLanes(service.pool, [held, free]);
  expect(await findWoken(service.pool)).toMatchObject([{ fencingToken: lease?.fencingToken }]);
  await noticeWoken(service.pool, [lease]);
  expect(await findWoken(service.pool)).toEqual([]);
});

test('a lease that another instance took is neither renewed nor released', async () => {
  const shop = await openShop(service);
  const lost = await takeLane(service, shop);
  await service.pool.query("update device_lanes set locked_until = 'epoch' where device_id = $1", [shop.deviceId]);
  const taken = await takeLane(service, shop);
  expect(await releaseLeases(service.pool, [{ ...lost, nextStepAt: service.now }])).toEqual([]);
  await service.pool.query("update device_lanes set locked_until = 'epoch' where device_id = $1", [shop.deviceId]);
  await renewLeases(service.pool, [lost]);
  const isHeld = async () =>
    (
      await service.pool.query('select from device_lanes where device_id = $1 and locked_until > now()', [
        shop.deviceId,
      ])
    ).rowCount === 1;
  expect(await isHeld()).toBe(false);
  await renewLeases(service.pool, [taken]);
  expect(await isHeld()).toBe(true);
});

test('a lease that was given back while it is being renewed stays given back', async () => {
  const shop = await openShop(service);
  const lease = await takeLane(service, shop);
  await pauseLane(service.pool, lease, { seconds: 0, error: 'down', isOutage: false }, service.now);
  await renewLeases(service.pool, [lease]);
  await takeLane(service, shop);
});

test('a write to a lane in a transaction that does not hold its lease does not compile', async () => {
  const lease = await takeLane(service, await openShop(service));
  // @ts-expect-error The type is the fence: this file fails to compile once a plain transaction fits.
  await inTransaction(service.pool, (tx) => advanceLane(tx, lease, 1));
  expect(await submittedThrough(lease)).toBe(1);
});
