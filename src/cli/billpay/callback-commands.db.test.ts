import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBillpay, type TestBillpay } from '../../../test/support/billpay/billpay.ts';
import { startVendorEndpoint, type VendorEndpoint } from '../../../test/support/billpay/vendor-endpoint.ts';
import { tillseal } from '../../../test/support/command-line.ts';
import { until } from '../../../test/support/process.ts';
import { systemClock } from '../../platform/clock.ts';

let bench: TestBillpay;
let endpoint: VendorEndpoint;
let url: string;
beforeAll(async () => {
  bench = await createTestBillpay({ clock: systemClock, webhookIntervalMs: 1 });
  endpoint = await startVendorEndpoint((response) => response.writeHead(500).end('out\n  of \u001b[31mpaper'));
  bench.service.startWorkers();
  url = await bench.listen();
});
afterAll(async () => {
  await bench.close();
  await endpoint.close();
});

const callback = (...words: string[]) => tillseal(['callback', ...words, '--url', url, '--token', bench.operatorToken]);

test('deliveries are listed, with their attempts as JSON, and sent again', async () => {
  const vendor = await bench.addVendor({ callbackUrl: endpoint.url });
  const code = await bench.addBiller({}, [vendor]);
  const states = async () =>
    (
      await bench.pool.query<{ delivery_id: string; state: string }>(
        'select delivery_id, state from webhook_deliveries',
      )
    ).rows;
  await until(async () => (await states())[0]?.state === 'Exhausted', 'given up');
  const id = (await states())[0]?.delivery_id ?? '';

  const [list, json, none] = await Promise.all([
    callback('list', '--vendor', vendor.vendorId),
    callback('list', '--json'),
    callback('list', '--state', 'Delivered'),
  ]);
  expect(list.stdout).toMatch(new RegExp(`${id} .* ${vendor.vendorCode} +${code} +Exhausted +3 of 3 +answered 500`));
  const attempt = { StatusCode: 500, Error: 'answered 500 instead of 200', Answer: 'out\n  of �[31mpaper' };
  expect(JSON.parse(json.stdout)).toMatchObject({ Deliveries: [{ Attempts: [attempt, attempt, attempt] }] });
  expect(none.stderr).toBe('No deliveries.\n');

  endpoint.answer = 200;
  const resent = await callback('resend', id);
  expect(resent.stdout).toMatch(/^Attempt count +3\nMost attempts +6$/m);
  await until(async () => (await states())[0]?.state === 'Delivered', 'delivered');
  expect(JSON.parse((await callback('list', '--json')).stdout)).toMatchObject({
    Deliveries: [{ State: 'Delivered', AttemptCount: 4 }],
  });
});
