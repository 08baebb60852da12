import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { noteBillerChange } from './store.ts';

const CALLBACK = { callbackUrl: 'https://vendor.example.com/hook' };

let bench: TestBillpay;
beforeAll(async () => {
  bench = await createTestBillpay();
});
afterAll(async () => {
  await bench.close();
});

async function note(pool: Pool, vendorIds: readonly string[], ...codes: string[]): Promise<void> {
  for (const code of codes) await inTransaction(pool, (tx) => noteBillerChange(tx, vendorIds, code, new Date()));
}

interface DeliveryRow {
  readonly delivery_id: string;
  readonly biller_codes: string[];
  readonly state: string;
  readonly attempts: number;
}

async function deliveries(vendorId: string): Promise<DeliveryRow[]> {
  const { rows } = await bench.pool.query<DeliveryRow>(
    'select delivery_id, biller_codes, state, attempts from webhook_deliveries where vendor_id = $1 order by delivery_id',
    [vendorId],
  );
  return rows;
}

/** Nothing of this vendor's is due any more, so that the next test's claims are its own. */
async function settle(): Promise<void> {
  await bench.pool.query(`update webhook_deliveries set state = 'Delivered', is_gathering = false`);
}

afterEach(settle);

describe('gathering', () => {
  test('changes within a second share a delivery, each code once; vendors without a callback URL are left out', async () => {
    const vendor = await bench.addVendor(CALLBACK);
    await note(bench.pool, [vendor.vendorId, bench.vendor.vendorId, vendor.vendorId], 'A', 'B', 'A');
    expect(await deliveries(vendor.vendorId)).toMatchObject([{ biller_codes: ['A', 'B'], state: 'Pending' }]);
    expect(await deliveries(bench.vendor.vendorId)).toEqual([]);
  });

  test('it is due one second after its first change, however many follow', async () => {
    const vendor = await bench.addVendor(CALLBACK);
    const now = new Date();
    const claimAt = (ms: number) =>
      claimDeliveries(bench.pool, new Date(now.getTime() + ms), { most: 9, timeoutMs: 10 });
    await inTransaction(bench.pool, (tx) => noteBillerChange(tx, [vendor.vendorId], 'A', now));
    const later = new Date(now.getTime() + 900);
    await inTransaction(bench.pool, (tx) => noteBillerChange(tx, [vendor.vendorId], 'B', later));
    expect(await claimAt(999)).toEqual([]);
    expect(await claimAt(1000)).toMatchObject([{ billerCodes: ['A', 'B'], number: 1 }]);
  });

  test('many changes at the same moment make one delivery and lose no code', async () => {
    const vendor = await bench.addVendor(CALLBACK);
    const codes = Array.from({ length: 40 }, (_, index) => `C${index}`);
    await Promise.all(codes.map((code) => note(bench.pool, [vendor.vendorId], code)));
    const [delivery, ...others] = await deliveries(vendor.vendorId);
    expect(others).toEqual([]);
    expect(delivery?.biller_codes.toSorted()).toEqual(codes.toSorted());
  });

  test('while deliveries are claimed, every change lands in exactly one of them', async () => {
    const vendor = await bench.addVendor(CALLBACK);
    const codes = Array.from({ length: 60 }, (_, index) => `C${index}`);
    const taken: string[] = [];
    const changing = { isOver: false };
    const claiming = (async () => {
      while (!changing.isOver) {
        // A day later each time: whatever gathers is due, and the lease of the one before is over.
        const now = new Date(Date.now() + 86_400_000 * (taken.length + 1));
        const claimed = await claimDeliveries(bench.pool, now, { most: 1, timeoutMs: 1 });
        taken.push(...claimed.filter(({ number }) => number === 1).flatMap(({ billerCodes }) => billerCodes));
      }
    })();
    await Promise.all(codes.map((code) => note(bench.pool, [vendor.vendorId], code)));
    changing.isOver = true;
    await claiming;
    const all = (await deliveries(vendor.vendorId)).flatMap((row) => row.biller_codes);
    expect(all.toSorted()).toEqual(codes.toSorted());
    expect(codes).toEqual(expect.arrayContaining(taken));
    expect(new Set(taken).size).toBe(taken.length);
  });

  test('a change that is rolled back tells nobody', async () => {
    const vendor = await bench.addVendor(CALLBACK);
    const broken = inTransaction(bench.pool, async (tx) => {
      await noteBillerChange(tx, [vendor.vendorId], 'A', new Date());
      throw new Error('the change was refused');
    });
    await expect(broken).rejects.toThrow('refused');
    expect(await deliveries(vendor.vendorId)).toEqual([]);
  });
});

describe('claiming', () => {
  test('two instances never have two requests to one vendor at the same time', async () => {
    const vendors = await Promise.all(Array.from({ length: 5 }, () => bench.addVendor(CALLBACK)));
    const ids = vendors.map(({ vendorId }) => vendorId);
    // Three due deliveries each: a claim makes the one that gathers stop gathering.
    const past = Date.now() - 3_600_000;
    for (const hour of [0, 1, 2]) {
      const at = new Date(past + hour * 60_000);
      await inTransaction(bench.pool, (tx) => noteBillerChange(tx, ids, `C${hour}`, at));
      await bench.pool.query('update webhook_deliveries set is_gathering = false');
    }
    const now = new Date();
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => claimDeliveries(bench.pool, now, { most: 3, timeoutMs: 10_000 })),
    );
    const claimed = claims.flat().map(({ vendorId }) => vendorId);
    expect(new Set(claimed).size).toBe(claimed.length);
    const rest = await claimDeliveries(bench.pool, now, { most: 50, timeoutMs: 10_000 });
    expect([...claimed, ...rest.map(({ vendorId }) => vendorId)].toSorted()).toEqual(ids.toSorted());
    expect(await claimDeliveries(bench.pool, now, { most: 50, timeoutMs: 10_000 })).toEqual([]);
  });

  test('a delivery that was claimed by a clock hours ahead, and cut off, does not wait until then', async () => {
    const vendor = await bench.addVendor(CALLBACK);
    const start = Date.now();
    await inTransaction(bench.pool, (tx) => noteBillerChange(tx, [vendor.vendorId], 'A', new Date(start)));
    const claimAt = (ms: number) => claimDeliveries(bench.pool, new Date(start + ms), { most: 9, timeoutMs: 10_000 });
    expect(await claimAt(3 * 3_600_000)).toMatchObject([{ number: 1 }]);
    expect(await claimAt(1000)).toMatchObject([{ number: 2 }]);
    expect(await claimAt(1000)).toEqual([]);
  });

  test('an attempt that a crash cut off counts, and the next comes when its lease is over', async () => {
    const vendor = await bench.addVendor(CALLBACK);
    const start = Date.now();
    await inTransaction(bench.pool, (tx) => noteBillerChange(tx, [vendor.vendorId], 'A', new Date(start)));
    const claimAt = (ms: number) => claimDeliveries(bench.pool, new Date(start + ms), { most: 9, timeoutMs: 10_000 });
    expect(await claimAt(1000)).toMatchObject([{ number: 1, isAttempt: true }]);
    expect(await claimAt(15_999)).toEqual([]);
    expect(await claimAt(16_000)).toMatchObject([{ number: 2, isAttempt: true }]);
    expect(await claimAt(31_000)).toMatchObject([{ number: 3, isAttempt: true }]);
    expect(await claimAt(45_999)).toEqual([]);
    expect(await claimAt(46_000)).toMatchObject([{ number: 3, isAttempt: false }]);
    expect(await claimAt(100_000)).toEqual([]);
    const [delivery] = await deliveries(vendor.vendorId);
    expect(delivery).toMatchObject({ state: 'Exhausted', attempts: 3 });
    const recorded = await bench.pool.query(
      'select number, ended_at from webhook_attempts where delivery_id = $1 order by number',
      [delivery?.delivery_id],
    );
    expect(recorded.rows).toEqual([1, 2, 3].map((number) => ({ number, ended_at: null })));
    const alerts = await bench.pool.query(`select kind, what as subject from alerts where cleared_at is null`);
    expect(alerts.rows).toEqual([{ kind: 'WebhookExhausted', subject: delivery?.delivery_id }]);
  });
});
