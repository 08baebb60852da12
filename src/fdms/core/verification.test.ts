import { expect, test } from 'vitest';
import { verification } from './verification.ts';

const receipt = {
  qrUrl: 'https://fdms.zimra.co.zw',
  deviceId: 12,
  date: '2026-01-05T00:00:01',
  globalCounter: 1,
  signature: Buffer.from(
    'MEUCIBpzsWQ8vSIN4VTrkSHziNexkXtJjtRfR9dtQdGIDPZYAiEAtrYxo/tdjFv5czvIsuJE87y23dgv/aY8o+rrKYjkyFo=',
    'base64',
  ),
};
const content = 'https://fdms.zimra.co.zw/000000001205012026000000000169454C567033D58D';

test('the QR content has fixed widths, a four-digit year and upper case digits; the code is its last 16 with dashes', () => {
  expect(verification(receipt)).toEqual({ qrContent: content, verificationCode: '6945-4C56-7033-D58D' });
});

test.each(['https://fdms.zimra.co.zw/', 'https://fdms.zimra.co.zw//'])(
  '%s is followed by exactly one slash',
  (qrUrl) => {
    expect(verification({ ...receipt, qrUrl }).qrContent).toBe(content);
  },
);

test('a path in the address stays', () => {
  expect(verification({ ...receipt, qrUrl: 'https://a.example/verify' }).qrContent).toMatch(
    /^https:\/\/a\.example\/verify\/0{8}12/,
  );
});

test('ten digits hold the largest device id and global counter', () => {
  const largest = verification({ ...receipt, deviceId: 2_147_483_647, globalCounter: 9_999_999_999 });
  expect(largest.qrContent).toContain('/2147483647050120269999999999');
});
