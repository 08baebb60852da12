import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';

let service: TestService;
let shop: { readonly taxpayerId: string; readonly token: string };

beforeAll(async () => {
  service = await createTestService();
  shop = await service.addTaxpayer();
});
afterAll(() => service.close());

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

test('a late receipt from before the opening of the day is signed after it; without the header the authority only remarks on it', async () => {
  const deviceId = await service.addDevice(shop.taxpayerId); // opened at noon
  const early = await sign(invoice(deviceId, 'EARLY', { Date: '2026-11-14T20:00:00' }));
  expect([early.json<{ Date: string }>().Date, early.headers['date-advanced']]).toEqual([
    '2026-11-14T20:00:00',
    undefined,
  ]);
  const late = await service.sign(shop.token, invoice(deviceId, 'NIGHT', { Date: '2026-11-14T21:00:00Z' }), LATE);
  expect([late.json<{ Date: string }>().Date, late.headers['date-advanced']]).toEqual([
    '2026-11-15T10:00:01Z',
    '46801',
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

test('a late receipt is not signed with a date in the future, nor by a device that is too far ahead', async () => {
  const deviceId = await service.addDevice(shop.taxpayerId);
  const future = await service.sign(shop.token, invoice(deviceId, 'FUTURE', { Date: '2026-11-15T12:03:00' }), LATE);
  expect(future.json()).toMatchObject({ errors: [{ Code: 'RCPT031' }] });
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
