import { expect, test } from 'vitest';
import { DevicePauses } from './device-pauses.ts';

test('care is put off for as long as was said, and not until a time that a wrong clock gave', () => {
  const pauses = new DevicePauses();
  pauses.postpone(1, 1060);
  expect(pauses.of(1, 1000)).toBe(1060);
  expect(pauses.of(1, 1060)).toBeUndefined();
  const ahead = 3 * 3600;
  pauses.postpone(1, 1060 + ahead);
  expect(pauses.of(1, 1000)).toBeUndefined();
});
