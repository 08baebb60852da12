import { expect, test } from 'vitest';
import { deviceText } from './keys.ts';

test('a device has the same text as itself and as no other', () => {
  const keys = ['t-1', 't-2'].flatMap((taxpayerId) => [1, 2].map((deviceId) => ({ taxpayerId, deviceId })));
  expect(new Set([...keys, ...keys].map(deviceText)).size).toBe(4);
});
