import { expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { NOON, serviceOfFile } from '../../../test/support/service.ts';

const service = await serviceOfFile();
const shop = await service.addTaxpayer();

const sign = (receipt: object) => service.sign(shop.token, receipt);
const check = (receipt: object, headers?: Record<string, string>) =>
  service.post(shop.token, '/api/receipt/check', receipt, headers);

const LATE = { 'late-receipt': 'true' };
const AN_HOUR_AGO = '2026-11-15T11:00:00';

test.each(['advance', 'strict'] as const)(
  'a late receipt an hour old on a shared device is signed after the last one (%s)',
  async (datePolicy) => {
    const deviceId = await service.addDevice(shop.taxpayerId, { datePolicy });
    await sign(invoice(deviceId, `OTHER TILL ${datePolicy}`));
    const receipt = invoice(deviceId, `LATE ${datePolicy}`, { Date: AN_HOUR_AGO });
    expect((await sign(receipt)).json()).toMatchObject({ errors: [{ Field: 'Date', Code: 'RCPT030' }] });
    expect((await check(receipt)).statusCode).toBe(400);
    expect((await check(receipt, LATE)).headers['date-advanced']).toBe('3601');
    const signed = await service.sign(shop.token, receipt, LATE);
    expect(signed.statusCode, signed.body).toBe(200);
    expect(signed.json()).toMatchObject({ Date: '2026-11-15T12:00:01', GlobalCounter: 2 });
    expect(signed.headers['date-advanced']).toBe('3601');

    for (const headers of [{}, LATE]) {
      const again = await service.sign(shop.token, receipt, headers);
      expect([again.headers['idempotent-replay'], again.body]).toEqual(['true', signed.body]);
    }
    const other = await service.sign(shop.token, { ...receipt, Date: '2026-11-15T11:00:01' }, LATE);
    expect(other.statusCode).toBe(409);
  },
);

test('a late receipt from before the opening of the day is signed after it, also on a device that never moves a date', async () => {
  const deviceId = await service.addDevice(shop.taxpayerId, { datePolicy: 'strict' }); // opened at eleven
  const late = await service.sign(shop.token, invoice(deviceId, 'NIGHT', { Date: '2026-11-14T21:00:00Z' }), LATE);
  expect([late.json<{ Date: string }>().Date, late.headers['date-advanced']]).toEqual([
    '2026-11-15T09:00:01Z',
    '43201',
  ]);
});

test('a late receipt that is not too old keeps its date', async () => {
  const deviceId = await service.addDevice(shop.taxpayerId);
  service.now = new Date(NOON.getTime() + 3_600_000);
  const signed = await service.sign(shop.token, invoice(deviceId, 'ON TIME', { Date: '2026-11-15T12:30:00' }), LATE);
  service.now = NOON;
  expect(signed.json()).toMatchObject({ Date: '2026-11-15T12:30:00' });
  expect(signed.headers['date-advanced']).toBeUndefined();
});

test.each(['advance', 'strict'] as const)(
  'a late receipt from the future is signed as now, or after the last one, and never blocks those behind it (%s)',
  async (datePolicy) => {
    const deviceId = await service.addDevice(shop.taxpayerId, { datePolicy });
    const tomorrow = invoice(deviceId, `TOMORROW ${datePolicy}`, { Date: '2026-11-16T10:00:00Z' });
    expect((await sign(tomorrow)).json()).toMatchObject({ errors: [{ Code: 'RCPT031' }], Then: 'Again' });
    expect((await check(tomorrow, LATE)).headers['date-advanced']).toBe('-86400');
    const signed = await service.sign(shop.token, tomorrow, LATE);
    expect(signed.json()).toMatchObject({ Date: '2026-11-15T10:00:00Z', GlobalCounter: 1 });
    expect(signed.headers['date-advanced']).toBe('-86400');
    const again = await sign(tomorrow);
    expect([again.headers['idempotent-replay'], again.body]).toEqual(['true', signed.body]);
    const next = await service.sign(
      shop.token,
      invoice(deviceId, `NEXT ${datePolicy}`, { Date: '2027-11-15T12:00:00' }),
      LATE,
    );
    expect(next.json()).toMatchObject({ Date: '2026-11-15T12:00:01', GlobalCounter: 2 });
    expect(next.headers['date-advanced']).toBe(String(1 - 365 * 86_400));
  },
);

test('a late receipt from the future that breaks a rule is told of that rule alone', async () => {
  const deviceId = await service.addDevice(shop.taxpayerId);
  const wrong = invoice(deviceId, 'FUTURE AND WRONG', { Date: '2026-11-16T12:00:00', TotalAmount: 1 });
  const codes = (answer: { json: <T>() => T }) =>
    answer.json<{ errors: { Code: string }[] }>().errors.map(({ Code }) => Code);
  expect(codes(await sign(wrong))).toContain('RCPT031');
  expect(codes(await service.sign(shop.token, wrong, LATE))).not.toContain('RCPT031');
});

test('a late receipt is not signed by a device that is too far ahead', async () => {
  const deviceId = await service.addDevice(shop.taxpayerId);
  await service.pool.query(
    "update device_heads set last_date = '2026-11-15T12:10:00', revision = revision + 1 where device_id = $1",
    [deviceId],
  );
  const busy = await service.sign(shop.token, invoice(deviceId, 'BUSY LATE', { Date: AN_HOUR_AGO }), LATE);
  expect([busy.statusCode, busy.json<{ Code: string }>().Code]).toEqual([429, 'DeviceBusy']);
});

test('another word than true or false in the header is refused', async () => {
  const deviceId = await service.addDevice(shop.taxpayerId);
  const answer = await service.sign(shop.token, invoice(deviceId, 'WORD'), { 'late-receipt': 'yes' });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ errors: [{ Field: 'Late-Receipt', Code: 'NotOneOf' }] });
  expect((await service.sign(shop.token, invoice(deviceId, 'WORD'), { 'late-receipt': 'False' })).statusCode).toBe(200);
});
