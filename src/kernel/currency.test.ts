import { expect, test } from 'vitest';
import { canonicalCurrency, isCurrentCurrency } from './currency.ts';

test('ZIG is the same money as ZWG, and nothing else is renamed', () => {
  expect(canonicalCurrency('ZIG')).toBe('ZWG');
  expect(['ZWG', 'USD', 'zig', 'ZWL', ''].map(canonicalCurrency)).toEqual(['ZWG', 'USD', 'zig', 'ZWL', '']);
});

test.each(['USD', 'ZWG', 'ZAR', 'BWP', 'GBP', 'EUR', 'CNY', 'INR', 'ZMW', 'MZN', 'JPY', 'KWD', 'XCG', 'SLE', 'VED'])(
  '%s can be paid in',
  (code) => {
    expect(isCurrentCurrency(code)).toBe(true);
  },
);

test.each([
  ['ZIG', 'a name, not a code'],
  ['ZWL', 'replaced by ZWG in 2024'],
  ['ZWD', 'replaced long ago'],
  ['HRK', 'replaced by the euro in 2023'],
  ['BGN', 'replaced by the euro in 2026'],
  ['ANG', 'replaced by XCG in 2025'],
  ['SLL', 'replaced by SLE'],
  ['XAU', 'a metal'],
  ['XDR', 'a unit of account'],
  ['XXX', 'no currency'],
  ['XTS', 'for testing'],
  ['usd', 'lower case'],
  ['US', 'two letters'],
  ['USDT', 'four letters'],
  [' USD', 'a space'],
  ['', 'empty'],
  ['constructor', 'a word every object knows'],
])('%j is not a current code: %s', (code) => {
  expect(isCurrentCurrency(code)).toBe(false);
});
