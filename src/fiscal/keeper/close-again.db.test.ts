import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../../../test/support/authority/authority.ts';

let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start();
});
afterAll(() => bench.end());

interface Close {
  readonly attempts: number;
  readonly signature: Buffer | null;
}
async function closeOf(deviceId: number): Promise<Close> {
  const { rows } = await bench.pool.query<Close>(
    'select close_attempts as attempts, device_signature as signature from fiscal_days where device_id = $1',
    [deviceId],
  );
  return rows[0] ?? { attempts: 0, signature: null };
}

test('a closing that is sent again is the same closing, with the same signature', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'AGAIN-1');
  await bench.untilSubmitted(deviceId);
  await bench.books.fault({ kind: 'error-500', operation: 'CloseDay', deviceId });
  await bench.requestDay(deviceId, 'close');
  // It is written down before it is sent.
  await bench.until(async () => (await bench.books.struck()) > 0, 'a first attempt fails');
  const first = await closeOf(deviceId);
  await bench.books.clearFaults();
  await bench.untilDay(deviceId, 'Closed', 1);
  const last = await closeOf(deviceId);
  expect(last.attempts).toBeGreaterThan(1);
  expect(last.signature?.equals(first.signature ?? Buffer.alloc(0))).toBe(true);
});

test('a closing that the authority does not finish raises an alert after ten minutes', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'SLOW-1');
  await bench.untilSubmitted(deviceId);
  await bench.books.control('PATCH', '/settings', { closeDelayMs: 3_600_000 });
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'CloseInitiated', 1);
  expect(await alertsOf(deviceId)).toEqual([]);
  await bench.moveTo(new Date(bench.now.getTime() + 601_000));
  await bench.until(async () => (await alertsOf(deviceId)).length > 0, 'an alert is raised');
  expect((await alertsOf(deviceId))[0]).toContain('has been closing day 1');
});

async function alertsOf(deviceId: number): Promise<string[]> {
  const { rows } = await bench.pool.query<{ message: string }>(
    "select message from alerts where device_id = $1 and kind = 'DayCloseFailed' and cleared_at is null",
    [deviceId],
  );
  return rows.map(({ message }) => message);
}
