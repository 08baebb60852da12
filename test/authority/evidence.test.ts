import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../support/authority/authority.ts';

let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start();
});
afterEach(() => bench.books.clearFaults());
afterAll(() => bench.end());

/** What is known of the authority's signatures on a device's receipts and closed days; null is not proved yet. */
async function verdicts(deviceId: number) {
  const receipts = await bench.pool.query<{ valid: boolean | null }>(
    'select is_server_signature_valid as valid from submissions where device_id = $1 order by global_counter',
    [deviceId],
  );
  const days = await bench.pool.query<{ valid: boolean | null }>(
    'select is_server_signature_valid as valid from fiscal_days where device_id = $1 and closed_at is not null',
    [deviceId],
  );
  return { receipts: receipts.rows.map((row) => row.valid), days: days.rows.map((row) => row.valid) };
}

async function lookUps(): Promise<number> {
  return (await bench.books.calls({ operation: 'GetServerCertificate' })).length;
}

test('a certificate that does not come delays no receipt, no till and no closing; what it signed is proved when it is there', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'error-500', operation: 'GetServerCertificate' });
  await bench.books.fault({ kind: 'delay', delayMs: 4000, operation: 'GetServerCertificate' });
  const failsAt = performance.now() + 4000;
  expect(await bench.sell(deviceId, 'hanging-1')).toMatchObject({ SubmissionFailed: null });
  const fields = { serverDate: '2020-01-01T00:00:00' };
  await bench.books.fault({ kind: 'amend-answer', operation: 'SubmitReceipt', deviceId, count: 1, fields });
  expect(await bench.sell(deviceId, 'hanging-2')).toMatchObject({ SubmissionFailed: null });
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'Closed', 1);
  expect(await verdicts(deviceId)).toEqual({ receipts: [null, null], days: [null] });
  await bench.until(
    async () => (await bench.books.calls({ operation: 'GetServerCertificate' }))[0]?.status === 500,
    'it fails',
  );
  // Remembered for five seconds: the next receipt does not ask again.
  await bench.requestDay(deviceId, 'open');
  await bench.untilDay(deviceId, 'Opened', 2);
  await bench.sell(deviceId, 'hanging-3');
  const count = await lookUps();
  expect(count).toBeLessThanOrEqual(1 + Math.floor((performance.now() - failsAt) / 5000));
  await bench.books.clearFaults();
  await bench.until(async () => (await verdicts(deviceId)).receipts[2] === true, 'it is asked for again and proved');
  expect(await verdicts(deviceId)).toEqual({ receipts: [true, false, true], days: [true] });
  const alerts = (await bench.alerts()).filter(({ Kind }) => Kind === 'SignatureInvalid');
  expect(alerts.map(({ Subject }) => Subject)).toEqual(['hanging-2']);
  // From now on it asks nobody.
  const known = await lookUps();
  await bench.sell(deviceId, 'hanging-4');
  await bench.until(async () => (await verdicts(deviceId)).receipts[3] === true, 'it is proved');
  expect(await lookUps()).toBe(known);
});

test('what a process left unproved is proved by the next one, with the certificate that was kept', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'left-1');
  await bench.until(async () => (await verdicts(deviceId)).receipts[0] === true, 'the certificate is kept');
  await bench.pool.query('update submissions set is_server_signature_valid = null where device_id = $1', [deviceId]);
  await bench.books.fault({ kind: 'outage', operation: 'GetServerCertificate' });
  const before = await lookUps();
  await bench.addInstance();
  await bench.until(async () => (await verdicts(deviceId)).receipts[0] === true, 'it is proved');
  expect(await lookUps()).toBe(before);
});
