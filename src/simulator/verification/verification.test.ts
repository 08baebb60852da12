import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registeredDevice, type TestDevice } from '../../../test/support/simulator/device.ts';
import type { TestReceipt } from '../../../test/support/simulator/receipt.ts';
import { TestSimulator } from '../../../test/support/simulator/simulator.ts';
import { parseWall } from '../../kernel/zone.ts';
import { qrPath } from '../core/verification-code.ts';

let world: TestSimulator;
let device: TestDevice;
let path: string;

const pathOf = (receipt: TestReceipt) =>
  qrPath(
    8001,
    parseWall(receipt.receiptDate) ?? 0,
    receipt.receiptGlobalNo,
    receipt.receiptDeviceSignature?.signature ?? '',
  );
const open = (reference: string, accept = 'text/html') =>
  fetch(`${world.simulator.qrUrl}/${reference}`, { headers: { accept } });

beforeAll(async () => {
  world = await TestSimulator.start();
  device = await registeredDevice(world.simulator, {
    deviceId: 8001,
    taxpayer: { name: `O'Brien & <Sons>`, tin: '1000000008', vatNumber: '110000008' },
  });
  await device.openDay('2026-03-01T08:00:00');
  const receipt = device.next();
  await device.send(receipt);
  device.advance(receipt);
  path = pathOf(receipt);
});
afterAll(() => world.end());

describe('the address in a QR code', () => {
  test('shows a valid receipt as a page that loads nothing and runs nothing', async () => {
    const response = await open(path);
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('Valid receipt');
    expect(page).toContain('USD 10.00');
    expect(page).toContain('O&#39;Brien &#38; &#60;Sons&#62;');
    expect(page).not.toMatch(/<script|<img|https?:\/\//);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('is as good in lower case', async () => {
    expect((await open(path.toLowerCase())).status).toBe(200);
  });

  test('tells a program the same as JSON', async () => {
    const response = await open(path, 'application/json');
    expect(await response.json()).toMatchObject({
      status: 'valid',
      receipt: {
        taxPayerTIN: '1000000008',
        deviceID: 8001,
        receiptGlobalNo: 1,
        receiptCurrency: 'USD',
        receiptTotal: '10.00',
        taxes: [{ taxPercent: '15.50', sales: '10.00', tax: '1.34' }],
        remarks: [],
      },
    });
  });

  test.each([
    ['another code', () => `${path.slice(0, -4)}0000`],
    ['another date', () => `${path.slice(0, 10)}02032026${path.slice(18)}`],
  ])('with %s is tampered, and nothing of the true receipt is told', async (_what, changed) => {
    const response = await open(changed());
    const page = await response.text();
    expect(response.status).toBe(409);
    expect(page).toContain('Does not match');
    expect(page).not.toContain('10.00');
    expect(await (await open(changed(), 'application/json')).json()).toEqual({ status: 'tampered' });
  });

  test.each([
    ['a number nobody has', () => `${path.slice(0, 18)}0000000077${path.slice(28)}`],
    ['another device', () => `0000009999${path.slice(10)}`],
    ['a date of two-digit year', () => `${path.slice(0, 14)}${path.slice(16)}`],
    ['something else', () => 'favicon.ico'],
  ])('with %s is not found', async (_what, changed) => {
    const response = await open(changed());
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('Not found');
  });

  test('of a red receipt says so, and of a grey one that it is not checked yet', async () => {
    const red = device.next({ receiptPayments: [{ moneyTypeCode: 'Cash', paymentAmount: 9 }] });
    await device.send(red);
    device.advance(red);
    expect(await (await open(pathOf(red))).text()).toContain('Registered with errors');
    device.advance(device.next());
    const grey = device.next();
    await device.send(grey);
    expect(await (await open(pathOf(grey))).text()).toContain('not yet checked');
  });
});

test('what was typed from the paper leads to the same page', async () => {
  expect(await (await open('')).text()).toContain('<form');
  const code = (path.slice(-16).match(/.{4}/g) ?? []).join('-').toLowerCase();
  const response = await open(`verify?device=8001&date=2026-03-01&number=1&code=${code}`);
  expect(response.url.toUpperCase()).toBe(`${world.simulator.qrUrl}/${path}`.toUpperCase());
  expect(await response.text()).toContain('Valid receipt');
});

test('a verification page takes no other methods', async () => {
  expect((await fetch(`${world.simulator.qrUrl}/${path}`, { method: 'POST' })).status).toBe(405);
});
