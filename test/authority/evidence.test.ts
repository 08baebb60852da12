import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';

const bench = await benchOfFile();

async function lookUps(): Promise<number> {
  return (await bench.books.calls({ operation: 'GetServerCertificate' })).length;
}

test('a certificate that does not come delays no receipt, no till and no closing; another instance proves what it signed', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'delay', delayMs: 4000, operation: 'GetServerCertificate' });
  expect(await bench.sell(deviceId, 'hanging-1')).toMatchObject({ SubmissionFailed: null });
  await bench.closeDay(deviceId);
  expect(await bench.verdicts(deviceId)).toEqual({ receipts: [null], days: [null] });
  await bench.books.clearFaults();
  // The first instance asks again after seconds only: evidence.proof.ts waits for that.
  await bench.addInstance();
  await bench.until(async () => (await bench.verdicts(deviceId)).receipts[0] === true, 'it is proved');
});

test('what a process left unproved is proved by the next one, with the certificate that was kept', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'left-1');
  await bench.until(async () => (await bench.verdicts(deviceId)).receipts[0] === true, 'the certificate is kept');
  await bench.pool.query('update submissions set is_server_signature_valid = null where device_id = $1', [deviceId]);
  await bench.books.fault({ kind: 'outage', operation: 'GetServerCertificate' });
  const before = await lookUps();
  await bench.addInstance();
  await bench.until(async () => (await bench.verdicts(deviceId)).receipts[0] === true, 'it is proved');
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
  await bench.until(async () => (await bench.verdicts(deviceId)).receipts[0] === true, 'it is proved');
});

test.each(['.3454567', '+02:00', 'Z'])(
  'a date that is signed with %s at its end is proved, of receipts and days',
  async (dateSuffix) => {
    const deviceId = await bench.addDevice();
    await bench.books.control('PATCH', '/settings', { dateSuffix });
    try {
      await bench.sell(deviceId, `suffix-${deviceId}`);
      await bench.closeDay(deviceId);
      const isProved = async () =>
        JSON.stringify(await bench.verdicts(deviceId)) === '{"receipts":[true],"days":[true]}';
      await bench.until(isProved, 'both are proved');
      // From the rows alone, too: an instance that starts looks for what is not proved.
      for (const table of ['submissions', 'fiscal_days']) {
        await bench.pool.query(`update ${table} set is_server_signature_valid = null where device_id = $1`, [deviceId]);
      }
      await bench.addInstance();
      await bench.until(isProved, 'both are proved again');
      expect(await alertsOf(deviceId)).toEqual([]);
    } finally {
      await bench.books.control('PATCH', '/settings', { dateSuffix: '' });
    }
  },
);

test('a day whose signature is wrong stays so, and has an alert as a receipt has', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'judged-1');
  const fields = { fiscalDayClosed: '2020-01-01T00:00:00' };
  await bench.books.fault({ kind: 'amend-answer', operation: 'GetStatus', deviceId, fields });
  await bench.closeDay(deviceId);
  const day = `SignatureInvalid day 1 of device ${deviceId}`;
  await bench.until(async () => (await alertsOf(deviceId)).join() === day, 'the alert of the day');
  await bench.until(async () => (await bench.verdicts(deviceId)).receipts[0] === true, 'the receipt is judged');
  expect(await bench.verdicts(deviceId)).toEqual({ receipts: [true], days: [false] });
});
