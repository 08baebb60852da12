/** Certificates that come late: each is asked for again after seconds, which nothing shortens. */
import { expect, test } from 'vitest';
import { AuthorityBench, benchOfFile } from '../support/authority/authority.ts';

const bench = await benchOfFile({ isProcess: true });

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
  expect(await bench.verdicts(deviceId)).toEqual({ receipts: [null, null], days: [null] });
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
  await bench.until(
    async () => (await bench.verdicts(deviceId)).receipts[2] === true,
    'it is asked for again and proved',
  );
  expect(await bench.verdicts(deviceId)).toEqual({ receipts: [true, false, true], days: [true] });
  const alerts = (await bench.alerts()).filter(({ Kind }) => Kind === 'SignatureInvalid');
  expect(alerts).toMatchObject([
    { Subject: `receipts of day 1 of device ${deviceId}`, Message: expect.stringContaining('hanging-2') },
  ]);
  // From now on it asks nobody.
  const known = await lookUps();
  await bench.sell(deviceId, 'hanging-4');
  await bench.until(async () => (await bench.verdicts(deviceId)).receipts[3] === true, 'it is proved');
  expect(await lookUps()).toBe(known);
});

test('one certificate that hangs holds up the proofs of no other', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'proved-1');
  await bench.until(async () => (await bench.verdicts(deviceId)).receipts[0] === true, 'it is proved');
  const before = await lookUps();
  await bench.books.fault({ kind: 'delay', delayMs: 25_000, operation: 'GetServerCertificate' });
  const replace = [{ find: '"certificateThumbprint":"[^"]*"', with: `"certificateThumbprint":"${'AB'.repeat(20)}"` }];
  await bench.books.fault({ kind: 'amend-answer', operation: 'SubmitReceipt', deviceId, replace, count: 1 });
  await bench.sell(deviceId, 'hung-1');
  await bench.until(async () => (await lookUps()) > before, 'it is asked for');
  await bench.pool.query('update submissions set is_server_signature_valid = null where device_id = $1', [deviceId]);
  const startedAt = performance.now();
  await bench.until(async () => (await bench.verdicts(deviceId)).receipts[0] === true, 'the other is proved');
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect((await bench.verdicts(deviceId)).receipts).toEqual([true, null]);
});

test('a certificate that the authority does not know yet leaves evidence undecided, with one alert, and it is judged when it is there', async () => {
  const other = await AuthorityBench.start({ beside: bench });
  try {
    const deviceId = await other.addDevice();
    await other.books.fault({ kind: 'error-500', status: 404, operation: 'GetServerCertificate' });
    for (const number of [1, 2, 3]) await other.sell(deviceId, `unknown-${number}`);
    const open = async () => (await other.alerts()).map(({ Kind }) => Kind);
    await other.until(async () => (await open()).length > 0, 'the alert');
    expect(await open()).toEqual(['CertificateMissing']);
    const states = async () => {
      const { rows } = await other.pool.query('select distinct is_server_signature_valid as valid from submissions');
      return rows;
    };
    expect(await states()).toEqual([{ valid: null }]);
    await other.books.clearFaults();
    await other.until(async () => JSON.stringify(await states()) === '[{"valid":true}]', 'they are proved');
    expect(await open()).toEqual([]);
  } finally {
    await other.end();
  }
});
