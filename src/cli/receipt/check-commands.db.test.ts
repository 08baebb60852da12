import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ran, tillseal } from '../../../test/support/command-line.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { openShop, type Shop } from '../../../test/support/shop.ts';

let service: TestService;
let shop: Shop;
let url: string;

beforeAll(async () => {
  service = await createTestService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
  shop = await openShop(service);
});
afterAll(() => service.close());

function run(words: readonly string[], input: string): Promise<Ran> {
  return tillseal(words, { environment: { TILLSEAL_URL: url, TILLSEAL_TOKEN: shop.token }, input });
}

test('a draft is completed, checked and sealed', async () => {
  const { TotalAmount: _total, Taxes: _taxes, ...rest } = invoice(shop.deviceId, 'DRAFT-1');
  const draft = JSON.stringify({ ...rest, Payments: [{ Type: 'Cash' }] });
  const calculated = await run(['receipt', 'calculate', '-'], draft);
  expect(calculated).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(calculated.stdout)).toMatchObject({ TotalAmount: 115.5, Payments: [{ Amount: 115.5 }] });
  const checked = await run(['receipt', 'check', '-'], calculated.stdout);
  expect(checked.stdout).toMatch(/^Result +every rule is kept; nothing was sealed$/m);
  expect((await run(['sign', '-'], calculated.stdout)).code).toBe(0);
  expect((await run(['receipt', 'check', '-'], calculated.stdout)).stderr).toContain('It is sealed already');
});

test('an old receipt needs --late, and says by how much its date was moved', async () => {
  const old = JSON.stringify(invoice(shop.deviceId, 'LATE-1', { Date: '2026-11-15T11:00:00' }));
  expect((await run(['sign', '-'], old)).stderr).toContain('Late-Receipt: true');
  const checked = await run(['receipt', 'check', '-', '--late'], old);
  expect(checked.stderr).toMatch(/Signed now, its date would move by \d+ s\./);
  const signed = await run(['sign', '-', '--late'], old);
  expect(signed.code).toBe(0);
  expect(signed.stderr).toMatch(/Its date was moved \d+ s forward/);
});
