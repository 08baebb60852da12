import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { openShop } from '../../../test/support/shop.ts';
import { type Authority, type OpenDayRequest, unconnectedAuthority } from '../../authority/index.ts';
import { openDay } from './open-day.ts';

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});
afterAll(() => service.close());

const later = new Date(NOON.getTime() + 3_600_000);

test('a day that was begun by a killed process is opened by the next one, with its number and its date', async () => {
  const { taxpayerId, token, deviceId } = await openShop(service, { isOpen: false });
  const dies: Authority = { ...unconnectedAuthority, openDay: () => Promise.reject(new Error('killed')) };
  await expect(openDay(service.pool, dies, taxpayerId, deviceId, NOON)).rejects.toThrow('killed');
  expect((await service.sign(token, invoice(deviceId, 'O-1'))).statusCode).toBe(503);

  const asked: OpenDayRequest[] = [];
  const authority: Authority = {
    ...unconnectedAuthority,
    openDay: (request) => {
      asked.push(request);
      return Promise.resolve({ kind: 'accepted' });
    },
  };
  expect(await openDay(service.pool, authority, taxpayerId, deviceId, later)).toEqual({
    kind: 'opened',
    fiscalDayNumber: 1,
    isKnownToAuthority: true,
  });
  expect(asked).toEqual([{ deviceId, fiscalDayNumber: 1, openedAt: NOON }]);
  expect((await service.sign(token, invoice(deviceId, 'O-1'))).statusCode).toBe(200);
});

test('two that open one day at the same moment open one day', async () => {
  const { taxpayerId, deviceId } = await openShop(service, { isOpen: false });
  const outcomes = await Promise.all(
    [NOON, later].map((at) => openDay(service.pool, unconnectedAuthority, taxpayerId, deviceId, at)),
  );
  for (const outcome of outcomes) expect(['opened', 'not-closed']).toContain(outcome.kind);
  const { rows } = await service.pool.query(
    'select day_state, fiscal_day_number from device_heads where device_id = $1',
    [deviceId],
  );
  expect(rows).toEqual([{ day_state: 'Opened', fiscal_day_number: 1 }]);
});

test('an open day is not opened again, and an unknown device has none', async () => {
  const { taxpayerId, deviceId } = await openShop(service);
  const again = await openDay(service.pool, unconnectedAuthority, taxpayerId, deviceId, later);
  expect(again).toEqual({ kind: 'not-closed', dayState: 'Opened' });
  const unknown = await openDay(service.pool, unconnectedAuthority, taxpayerId, 999_999, later);
  expect(unknown).toEqual({ kind: 'unknown-device' });
});
