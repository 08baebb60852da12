import { expect, test } from 'vitest';
import { identityDifference } from './identity-difference.ts';

const OURS = { tin: '2000000001', serialNumber: 'SN-1' };
const THEIRS = { taxPayerTIN: '2000000001', taxPayerName: 'Shop', deviceSerialNo: 'SN-1' };

test('a device is ours by its TIN and serial number, and what an answer leaves out says nothing', () => {
  expect(identityDifference(THEIRS, OURS)).toBeUndefined();
  expect(identityDifference({ ...THEIRS, taxPayerTIN: ' ', deviceSerialNo: '' }, OURS)).toBeUndefined();
  expect(identityDifference({ ...THEIRS, taxPayerTIN: ' 2000000001 ' }, OURS)).toBeUndefined();
});

test('what differs is told, both where both do', () => {
  const other = { taxPayerTIN: '2000000002', deviceSerialNo: 'SN-2' };
  expect(identityDifference({ ...THEIRS, ...other }, OURS)).toMatch(/TIN 2000000002.*; .*SN-2/);
  expect(identityDifference({ ...THEIRS, taxPayerTIN: other.taxPayerTIN }, OURS)).not.toMatch(/SN-/);
  expect(identityDifference({ ...THEIRS, deviceSerialNo: other.deviceSerialNo }, OURS)).not.toMatch(/TIN/);
});
