import { expect, test } from 'vitest';
import { hold } from '../../../test/support/devices.ts';
import { holdsOf, isChainHeld, isGivenUp, refuseOnHold } from './hold.ts';

const TILL = new Date('2026-11-15T10:00:00Z');
const AT = TILL.getTime() / 1000;
const device = (...holds: ReturnType<typeof hold>[]) => ({ deviceId: 7, holds, certificateValidTill: TILL });

test('an expired certificate is a hold from its very second on, after those that are written down', () => {
  expect(holdsOf(device(), AT - 1)).toEqual([]);
  expect(holdsOf({ ...device(), certificateValidTill: undefined }, AT)).toEqual([]);
  expect(holdsOf(device(hold('Operator', 'away')), AT)).toMatchObject([
    { kind: 'Operator' },
    { kind: 'CertificateExpired', since: TILL },
  ]);
});

test('a device that is given up needs no certificate any more, and only that kind says that it is', () => {
  const gone = device(hold('GivenUp', 'closed'));
  expect(holdsOf(gone, AT)).toEqual(gone.holds);
  expect([isGivenUp(gone), isGivenUp(device(hold('Operator', 'x'))), isGivenUp(device())]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each(['Restored', 'AuthorityAhead', 'RowsLost'] as const)('%s is about the chain', (kind) => {
  expect(isChainHeld(device(hold('Operator', 'x'), hold(kind, 'x')))).toBe(true);
});

test.each(['Operator', 'Refused'] as const)('%s is not about the chain', (kind) => {
  expect(isChainHeld(device(hold(kind, 'x')))).toBe(false);
});

test('a device on hold refuses with every reason and who ends it; one without signs', () => {
  expect(refuseOnHold(device(), AT - 1)).toBeUndefined();
  const refusal = refuseOnHold(
    device(hold('Operator', 'stocktaking'), hold('RowsLost', 'receipts are missing')),
    AT - 1,
  );
  expect(refusal).toMatchObject({ code: 'DeviceOnHold', retryAfterSeconds: expect.any(Number) });
  expect(refusal?.detail).toMatch(/Device 7.*stocktaking\. An operator.*Also: receipts are missing\. An administrator/);
});
