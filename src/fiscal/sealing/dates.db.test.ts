import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { headOf, proveChain } from '../../../test/support/receipts/chain.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { codeOf, errorsOf, openShop } from '../../../test/support/shop.ts';

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});
beforeEach(() => {
  service.now = NOON;
});
afterAll(() => service.close());

const messageOf = (answer: LightMyRequestResponse) =>
  answer.json<{ errors: { Message: string }[] }>().errors[0]?.Message;

test('a date not later than the head is signed one second after it, and a header tells by how much', async () => {
  const { token, deviceId } = await openShop(service);
  const first = await service.sign(token, invoice(deviceId, 'D-1'));
  expect(first.headers).not.toHaveProperty('date-advanced');
  const second = await service.sign(token, invoice(deviceId, 'D-2'));
  expect([second.json<{ Date: string }>().Date, second.headers['date-advanced']]).toEqual(['2026-11-15T12:00:01', '1']);
  const third = await service.sign(token, invoice(deviceId, 'D-3', { Date: '2026-11-15T11:58:00' }));
  expect([third.json<{ Date: string }>().Date, third.headers['date-advanced']]).toEqual(['2026-11-15T12:00:02', '122']);
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 3 });
});

test.each([
  ['Z', '2026-11-15T10:00:00.750Z', '2026-11-15T10:00:01Z'],
  ['an offset', '2026-11-15T05:00:00-05:00', '2026-11-15T05:00:01-05:00'],
])('an advanced date keeps the form it came in: %s', async (_name, requested, signed) => {
  const { token, deviceId } = await openShop(service);
  await service.sign(token, invoice(deviceId, 'D-1'));
  const answer = await service.sign(token, invoice(deviceId, 'D-2', { Date: requested }));
  expect(answer.json()).toMatchObject({ Date: signed });
  expect((await headOf(service.pool, deviceId)).last_date).toBe('2026-11-15 12:00:01');
});

test('exactly the limit is advanced; one second more is put off, and one before the limit is RCPT030 that gives the head, the zone and the advice', async () => {
  const { token, deviceId } = await openShop(service);
  await service.sign(token, invoice(deviceId, 'D-1'));
  const moment = await service.sign(token, invoice(deviceId, 'D-2', { Date: '2026-11-15T11:55:00' }));
  expect([moment.statusCode, moment.json()]).toMatchObject([429, { Code: 'DeviceBusy', Then: 'Again' }]);
  const beyond = await service.sign(token, invoice(deviceId, 'D-2', { Date: '2026-11-15T11:54:59' }));
  expect([beyond.statusCode, errorsOf(beyond)]).toEqual([400, ['Date RCPT030']]);
  expect(messageOf(beyond)).toContain('2026-11-15T12:00:00 (Africa/Harare)');
  expect(messageOf(beyond)).toContain('send an offset');
  const within = await service.sign(token, invoice(deviceId, 'D-2', { Date: '2026-11-15T11:55:01' }));
  expect([within.statusCode, within.headers['date-advanced']]).toEqual([200, '300']);
});

test('a strict device never moves a date', async () => {
  const { token, deviceId } = await openShop(service, { datePolicy: 'strict' });
  await service.sign(token, invoice(deviceId, 'D-1'));
  const same = await service.sign(token, invoice(deviceId, 'D-2'));
  expect([same.statusCode, errorsOf(same)]).toEqual([400, ['Date RCPT030']]);
  const later = await service.sign(token, invoice(deviceId, 'D-2', { Date: '2026-11-15T12:00:01' }));
  expect(later.statusCode).toBe(200);
});

test.each(['advance', 'strict'] as const)('a date beyond the future limit is RCPT031 under %s', async (datePolicy) => {
  const { token, deviceId } = await openShop(service, { datePolicy });
  const beyond = await service.sign(token, invoice(deviceId, 'D-1', { Date: '2026-11-15T10:02:01Z' }));
  expect([beyond.statusCode, errorsOf(beyond)]).toEqual([400, ['Date RCPT031']]);
  const within = await service.sign(token, invoice(deviceId, 'D-1', { Date: '2026-11-15T12:02:00' }));
  expect(within.statusCode, within.body).toBe(200);
});

test('a burst that runs too far ahead of the clock is told to come back, and then goes on without a gap', async () => {
  const { token, deviceId } = await openShop(service, { advanceLimitSeconds: 3 });
  for (const reference of ['D-1', 'D-2', 'D-3', 'D-4']) {
    expect((await service.sign(token, invoice(deviceId, reference))).statusCode).toBe(200);
  }
  const busy = await service.sign(token, invoice(deviceId, 'D-5'));
  expect([busy.statusCode, codeOf(busy), busy.headers['retry-after']]).toEqual([429, 'DeviceBusy', '1']);
  service.now = new Date(NOON.getTime() + 1000);
  const after = await service.sign(token, invoice(deviceId, 'D-5', { Date: '2026-11-15T10:00:01Z' }));
  expect([after.statusCode, after.json<{ GlobalCounter: number }>().GlobalCounter]).toEqual([200, 5]);
});

test('another zone gives the local time that is signed', async () => {
  const { token, deviceId } = await openShop(service, { zone: 'America/New_York' });
  await service.sign(token, invoice(deviceId, 'D-1', { Date: '2026-11-15T10:00:00Z' }));
  expect((await headOf(service.pool, deviceId)).last_date).toBe('2026-11-15 05:00:00');
});

test('the maintenance window counts its end down, begins and ends on the second', async () => {
  const { token, deviceId } = await openShop(service);
  const at = async (instant: string) => {
    service.now = new Date(instant);
    return service.sign(token, invoice(deviceId, `W-${instant}`, { Date: instant }));
  };
  expect((await at('2026-11-15T23:59:59Z')).statusCode).toBe(200);
  const begin = await at('2026-11-16T00:00:00Z');
  expect([begin.statusCode, codeOf(begin), begin.headers['retry-after']]).toEqual([503, 'MaintenanceWindow', '7200']);
  const end = await at('2026-11-16T01:59:59Z');
  expect([end.statusCode, end.headers['retry-after']]).toEqual([503, '1']);
  expect((await at('2026-11-16T02:00:00Z')).statusCode).toBe(200);
});

test('a day may seal for exactly its maximum of hours', async () => {
  const { token, deviceId } = await openShop(service, { dayMaximumHours: 3 });
  const at = async (seconds: number) => {
    service.now = new Date(NOON.getTime() + seconds * 1000);
    return service.sign(token, invoice(deviceId, `L-${seconds}`, { Date: service.now.toISOString() }));
  };
  // It was opened an hour ago.
  expect((await at(2 * 3600)).statusCode).toBe(200);
  const late = await at(2 * 3600 + 1);
  expect([late.statusCode, codeOf(late), late.headers['retry-after']]).toEqual([503, 'FiscalDayTooLong', '60']);
});

test('a device whose first day was never opened answers FiscalDayNotOpen', async () => {
  const { token, deviceId } = await openShop(service, { isOpen: false });
  const answer = await service.sign(token, invoice(deviceId, 'O-1'));
  expect([answer.statusCode, codeOf(answer)]).toEqual([503, 'FiscalDayNotOpen']);
});

test('a date before the day was opened is signed one second after the opening; a strict device leaves it', async () => {
  const { token, deviceId } = await openShop(service); // opened at eleven
  const early = await service.sign(token, invoice(deviceId, 'E-1', { Date: '2026-11-14T20:00:00' }));
  expect([early.json<{ Date: string }>().Date, early.headers['date-advanced']]).toEqual([
    '2026-11-15T11:00:01',
    '54001',
  ]);
  const next = await service.sign(token, invoice(deviceId, 'E-2', { Date: '2026-11-15T10:59:59' }));
  expect([next.json<{ Date: string }>().Date, next.headers['date-advanced']]).toEqual(['2026-11-15T11:00:02', '3']);

  const strict = await openShop(service, { datePolicy: 'strict' });
  const left = await service.sign(strict.token, invoice(strict.deviceId, 'E-1', { Date: '2026-11-14T20:00:00' }));
  expect([left.json<{ Date: string }>().Date, left.headers['date-advanced']]).toEqual([
    '2026-11-14T20:00:00',
    undefined,
  ]);
});

test("after a change of rates a date from before the opening does not bring yesterday's rate back", async () => {
  const { taxpayerId, token } = await openShop(service);
  const at14 = {
    Date: '2026-11-14T23:00:00',
    ReceiptLines: [{ Type: 'Sale', Name: 'x', HsCode: '8516', Quantity: 1, LineTotal: 114, TaxPercent: 14 }],
    Taxes: [{ TaxPercent: 14, SalesAmountWithTax: 114, TaxAmount: 14 }],
    Payments: [{ Type: 'Cash', Amount: 114 }],
    TotalAmount: 114,
  };
  const taxes = [
    { taxId: 1, taxPercent: '14', taxName: 'Old', validFrom: '2020-01-01', validTill: '2026-11-14' },
    { taxId: 2, taxPercent: '15.5', taxName: 'New', validFrom: '2026-11-15', validTill: null },
  ];
  const deviceId = await service.addDevice(taxpayerId, { taxes });
  const answer = await service.sign(token, invoice(deviceId, 'RATE', at14));
  expect([answer.statusCode, errorsOf(answer)]).toEqual([
    400,
    ['ReceiptLines[0].TaxPercent RCPT025', 'Taxes[0].TaxPercent RCPT025'],
  ]);
});
