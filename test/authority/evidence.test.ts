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

async function thumbprint(): Promise<string> {
  const { rows } = await bench.pool.query<{ thumbprint: string }>('select thumbprint from authority_certificates');
  return rows[0]?.thumbprint ?? '';
}

async function alertsOf(deviceId: number): Promise<string[]> {
  const alerts = await bench.alerts();
  return alerts.map(({ Kind, Subject }) => `${Kind} ${Subject}`).filter((alert) => alert.includes(`${deviceId}`));
}

test.each([
  ['in lower case', (hex: string) => hex.toLowerCase()],
  ['with colons', (hex: string) => hex.match(/../g)?.join(':')],
  ['in base64', (hex: string) => Buffer.from(hex, 'hex').toString('base64')],
])('a thumbprint %s names the same certificate', async (_, spell) => {
  const deviceId = await bench.addDevice();
  const replace = [
    { find: '"certificateThumbprint":"[^"]*"', with: `"certificateThumbprint":"${spell(await thumbprint())}"` },
  ];
  await bench.books.fault({ kind: 'amend-answer', operation: 'SubmitReceipt', deviceId, replace });
  await bench.sell(deviceId, `spelled-${deviceId}`);
  await bench.until(async () => (await verdicts(deviceId)).receipts[0] === true, 'it is proved');
});

test.each(['.3454567', '+02:00', 'Z'])(
  'a date that is signed with %s at its end is proved, of receipts and days',
  async (dateSuffix) => {
    const deviceId = await bench.addDevice();
    await bench.books.control('PATCH', '/settings', { dateSuffix });
    try {
      await bench.sell(deviceId, `suffix-${deviceId}`);
      await bench.requestDay(deviceId, 'close');
      await bench.untilDay(deviceId, 'Closed', 1);
      const isProved = async () => JSON.stringify(await verdicts(deviceId)) === '{"receipts":[true],"days":[true]}';
      await bench.until(isProved, 'both are proved');
      // From the rows alone, too.
      for (const table of ['submissions', 'fiscal_days']) {
        await bench.pool.query(`update ${table} set is_server_signature_valid = null where device_id = $1`, [deviceId]);
      }
      await bench.until(isProved, 'both are proved again');
      expect(await alertsOf(deviceId)).toEqual([]);
    } finally {
      await bench.books.control('PATCH', '/settings', { dateSuffix: '' });
    }
  },
);

test('what an older version called invalid is judged once more; what is wrong stays so, and a day has an alert as a receipt has', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'judged-1');
  const fields = { fiscalDayClosed: '2020-01-01T00:00:00' };
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetStatus', deviceId, fields });
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'Closed', 1);
  const day = `SignatureInvalid day 1 of device ${deviceId}`;
  await bench.until(async () => (await alertsOf(deviceId)).join() === day, 'the alert of the day');
  // As version 0.2.0 leaves it.
  await bench.pool.query('update submissions set is_server_signature_valid = false where device_id = $1', [deviceId]);
  await bench.pool.query(
    `insert into alerts (taxpayer_id, device_id, kind, subject, message) values ($1, $2, 'SignatureInvalid', 'judged-1', 'words')`,
    [bench.shop.taxpayerId, deviceId],
  );
  await bench.until(async () => (await verdicts(deviceId)).receipts[0] === true, 'it is judged again');
  expect(await verdicts(deviceId)).toEqual({ receipts: [true], days: [false] });
  expect((await bench.alerts()).filter(({ Subject }) => Subject === 'judged-1')).toEqual([]);
});

test('one certificate that hangs holds up the proofs of no other', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'proved-1');
  await bench.until(async () => (await verdicts(deviceId)).receipts[0] === true, 'it is proved');
  const before = await lookUps();
  await bench.books.fault({ kind: 'delay', delayMs: 25_000, operation: 'GetServerCertificate' });
  const replace = [{ find: '"certificateThumbprint":"[^"]*"', with: `"certificateThumbprint":"${'AB'.repeat(20)}"` }];
  await bench.books.fault({ kind: 'amend-answer', operation: 'SubmitReceipt', deviceId, replace, count: 1 });
  await bench.sell(deviceId, 'hung-1');
  await bench.until(async () => (await lookUps()) > before, 'it is asked for');
  await bench.pool.query('update submissions set is_server_signature_valid = null where device_id = $1', [deviceId]);
  const startedAt = performance.now();
  await bench.until(async () => (await verdicts(deviceId)).receipts[0] === true, 'the other is proved');
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect((await verdicts(deviceId)).receipts).toEqual([true, null]);
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
