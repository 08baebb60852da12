import { describe, expect, test } from 'vitest';
import { nearestAddress } from './nearest-address.ts';

const ADDRESSES = [
  { method: 'POST', url: '/api/receipt/sign' },
  { method: 'GET', url: '/api/receipt' },
  { method: 'GET', url: '/api/receipt/:reference' },
  { method: 'GET', url: '/api/receipt/:reference/print' },
  { method: 'GET', url: '/api/device/:authorityDeviceId' },
  { method: 'GET', url: '/api/device/:authorityDeviceId/day/:day/report' },
  { method: 'GET', url: '/api/payment/ListBillers' },
  { method: 'GET', url: '/health/live' },
];

const near = (method: string, path: string) => {
  const found = nearestAddress(method, path, ADDRESSES);
  return found && `${found.method} ${found.path}`;
};

describe('the address that was probably meant', () => {
  test.each([
    ['POST', '/api/receipts/sign', 'POST /api/receipt/sign'],
    ['GET', '/api/receipts/sign', 'POST /api/receipt/sign'],
    ['POST', '/api/receipt/sign/', 'POST /api/receipt/sign'],
    ['POST', '/API/Receipt/Sign', 'POST /api/receipt/sign'],
    ['GET', '/api/receipt/INV-1/', 'GET /api/receipt/INV-1'],
    ['GET', '/api/Receipt/INV-1', 'GET /api/receipt/INV-1'],
    ['GET', '/api/devices/1001', 'GET /api/device/1001'],
    ['GET', '/api/payment/listbillers', 'GET /api/payment/ListBillers'],
    ['GET', '/api/receipt/INV/2026/00042', 'GET /api/receipt/INV%2F2026%2F00042'],
    ['GET', '/api/receipt/INV/2026/00042/print', 'GET /api/receipt/INV%2F2026%2F00042/print'],
    ['GET', '/health', undefined],
    ['GET', '/wp-login.php', undefined],
    ['GET', '/', undefined],
    ['GET', `/api/receipt/${'x/'.repeat(40)}`, undefined],
    ['GET', `/api/receipts/${'x'.repeat(400)}`, undefined],
  ])('%s %s: %s', (method, path, expected) => {
    expect(near(method, path)).toBe(expected);
  });
});
