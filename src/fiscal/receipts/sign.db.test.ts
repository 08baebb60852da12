import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});
afterAll(() => service.close());

test('a receipt is answered with its echo and its seal', async () => {
  const { taxpayerId, token } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  const answer = await service.sign(token, invoice(deviceId, 'A-1'));
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.json()).toMatchObject({ Reference: 'A-1', FiscalDayNumber: 1, FiscalDayCounter: 1, GlobalCounter: 1 });
});
