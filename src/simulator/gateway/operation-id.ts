import { randomInt } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUV';

/** In the look of the real ones, `0HMPH9AF0QKKE:00000005`: unique per start, then per call. */
export function createOperationIds(): () => string {
  const start = Array.from({ length: 13 }, () => DIGITS[randomInt(32)]).join('');
  let calls = 0;
  return () => {
    calls += 1;
    return `${start}:${calls.toString(16).toUpperCase().padStart(8, '0')}`;
  };
}
