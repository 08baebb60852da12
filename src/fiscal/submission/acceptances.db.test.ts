import { expect, test } from 'vitest';
import { serviceOfFile } from '../../../test/support/service.ts';
import { openShop, plainNote, plainReceipt, type Shop, takeLane } from '../../../test/support/shop.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { Lease } from '../core/lease.ts';
import { LeaseLost } from '../lanes/lease-store.ts';
import { wakeLane } from '../lanes/store.ts';
import { Acceptances, type Accepted } from './acceptances.ts';

const service = await serviceOfFile();
let waiting: DeviceKey[] = [];
const acceptances = new Acceptances({
  pool: service.pool,
  clock: () => service.now,
  log: createLogger('silent'),
  onWaiting: (lanes) => waiting.push(...lanes),
});

interface Sold {
  readonly shop: Shop;
  readonly lease: Lease;
}

/** A shop with a receipt and its lane in our hands. */
async function sold(reference: string): Promise<Sold> {
  const shop = await openShop(service);
  expect((await service.sign(shop.token, plainReceipt(shop.deviceId, reference, '10'))).statusCode).toBe(200);
  return { shop, lease: await takeLane(service, shop) };
}

function accepted(lease: Lease, reference: string, changes: Partial<Accepted> = {}): Accepted {
  const acceptance = {
    authorityReceiptId: 7,
    serverDate: '2026-11-15T12:00:01',
    serverHash: Buffer.alloc(32, 1),
    serverSignature: Buffer.alloc(64, 2),
    thumbprint: 'A'.repeat(40),
    isSignatureValid: true,
    remarks: [],
  };
  return { ...lease, globalCounter: 1, reference, acceptance, also: undefined, ...changes };
}

async function stateOf({ taxpayerId, deviceId }: DeviceKey) {
  const { rows } = await service.pool.query<{ state: string | null; through: number; events: string; numbers: string }>(
    `select (select state from submissions s where s.device_id = l.device_id and s.global_counter = 1) as state,
            l.submitted_through as through,
            (select count(*)::text from events e where e.tenant_id = l.taxpayer_id) as events,
            (select last_number::text from event_counters c where c.tenant_id = l.taxpayer_id) as numbers
       from device_lanes l where l.taxpayer_id = $1 and l.device_id = $2`,
    [taxpayerId, deviceId],
  );
  return rows[0];
}

/** The transactions in which rows of submissions were written. */
async function writers(leases: readonly DeviceKey[]): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    'select count(distinct xmin::text)::integer as count from submissions where device_id = any ($1::integer[])',
    [leases.map(({ deviceId }) => deviceId)],
  );
  return rows[0]?.count ?? 0;
}

test('what is accepted within a moment is written by one transaction, lanes and event numbers included', async () => {
  const all = await Promise.all(['A', 'B', 'C', 'D'].map((reference) => sold(reference)));
  const leases = all.map(({ lease }) => lease);
  const recorded = await Promise.all(leases.map((lease) => acceptances.record(accepted(lease, 'X'))));
  expect(recorded.map(({ isWoken }) => isWoken)).toEqual([false, false, false, false]);
  for (const lease of leases) {
    expect(await stateOf(lease)).toEqual({ state: 'Submitted', through: 1, events: '1', numbers: '2' });
  }
  expect(await writers(leases)).toBe(1);
});

test('one whose lease another instance took fails alone and writes nothing, and the others are written', async () => {
  const [lost, held] = [await sold('LOST'), await sold('HELD')];
  await service.pool.query('update device_lanes set locked_until = null where device_id = $1', [lost.shop.deviceId]);
  await takeLane(service, lost.shop);
  const [first, second] = await Promise.allSettled([
    acceptances.record(accepted(lost.lease, 'LOST')),
    acceptances.record(accepted(held.lease, 'HELD')),
  ]);
  expect(first).toMatchObject({ status: 'rejected', reason: expect.any(LeaseLost) });
  expect(second).toMatchObject({ status: 'fulfilled' });
  expect(await stateOf(lost.lease)).toEqual({ state: null, through: 0, events: '0', numbers: '1' });
  expect(await stateOf(held.lease)).toMatchObject({ state: 'Submitted', through: 1 });
});

test('one of a lease that the same device has lost since fails beside the one of its new lease', async () => {
  const { shop, lease: lost } = await sold('FIRST');
  expect((await service.sign(shop.token, plainReceipt(shop.deviceId, 'SECOND', '10'))).statusCode).toBe(200);
  await service.pool.query('update device_lanes set locked_until = null where device_id = $1', [shop.deviceId]);
  const lease = await takeLane(service, shop);
  const [first, second] = await Promise.allSettled([
    acceptances.record(accepted(lost, 'FIRST')),
    acceptances.record(accepted(lease, 'SECOND', { globalCounter: 2 })),
  ]);
  expect(first).toMatchObject({ status: 'rejected', reason: expect.any(LeaseLost) });
  expect(second).toMatchObject({ status: 'fulfilled' });
  expect(await stateOf(lease)).toEqual({ state: null, through: 2, events: '1', numbers: '3' });
});

test('one that cannot be written fails alone, and the others are written', async () => {
  const [bad, good] = [await sold('BAD'), await sold('GOOD')];
  const also = () => Promise.reject(new Error('no'));
  const [first, second] = await Promise.allSettled([
    acceptances.record(accepted(bad.lease, 'BAD', { also })),
    acceptances.record(accepted(good.lease, 'GOOD')),
  ]);
  expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  expect(await stateOf(bad.lease)).toMatchObject({ state: null, through: 0 });
  expect(await stateOf(good.lease)).toMatchObject({ state: 'Submitted', through: 1 });
});

test('an acceptance says once that an operator asked for something meanwhile', async () => {
  const { shop, lease } = await sold('ASKED');
  await inTransaction(service.pool, (tx) => wakeLane(tx, shop, { requested: 'close', pausedUntil: null }));
  expect((await acceptances.record(accepted(lease, 'ASKED'))).isWoken).toBe(true);
  expect((await acceptances.record(accepted(lease, 'ASKED'))).isWoken).toBe(false);
});

test('a lane that waited for one of them is due, and told of', async () => {
  const { shop, lease } = await sold('ORIGINAL');
  const second = await service.addDevice(shop.taxpayerId);
  const note = await service.sign(shop.token, plainNote(second, 'NOTE', 'ORIGINAL', '-10'));
  expect(note.statusCode).toBe(200);
  const waits = await takeLane(service, { ...shop, deviceId: second });
  waiting = [];
  await acceptances.record(accepted(lease, 'ORIGINAL'));
  expect(waiting).toEqual([{ taxpayerId: waits.taxpayerId, deviceId: second }]);
});
