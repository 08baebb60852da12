import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, formatDecimal, ZERO } from './decimal.ts';
import { dependsOnRounding, taxOf } from './tax.ts';

test.each([true, false])(
  'a tax of 0 %% is nothing, however many decimals the lines have (inclusive: %s)',
  (inclusive) => {
    const sales = decimal('1.005');
    expect(taxOf(inclusive, ZERO, sales)).toEqual({ tax: ZERO, sales });
  },
);

test.each([
  [false, '15.5', '3', '0.46', '0.47'],
  [false, '15.5', '-3', '-0.46', '-0.47'],
  [false, '15.5', '1', '0.16', '0.16'],
  [false, '15.5', '3.01', '0.47', '0.47'],
  [true, '100', '0.01', '0.01', '0'],
  [true, '60', '0.04', '0.02', '0.01'],
  [true, '60', '-0.04', '-0.02', '-0.01'],
  [true, '60', '0.12', '0.04', '0.04'],
])('exact halves (inclusive %s, %s %% of %s): half to even %s, half up %s', (inclusive, percent, total, even, up) => {
  const tax = (rounding: 'half-even' | 'half-up') =>
    formatDecimal(taxOf(inclusive, decimal(percent), decimal(total), rounding).tax);
  expect([tax('half-even'), tax('half-up')]).toEqual([even, up]);
  expect(dependsOnRounding(inclusive, decimal(percent), decimal(total))).toBe(even !== up);
});

test('for any sum and percentage half up is what another library says', () => {
  const cents = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map((count) => new Big(String(count)).div(100));
  fc.assert(
    fc.property(cents, fc.integer({ min: 1, max: 10_000 }), fc.boolean(), (total, hundredths, inclusive) => {
      const percent = new Big(hundredths).div(100);
      const exact = inclusive
        ? total.minus(total.times(100).div(percent.plus(100)).round(2, Big.roundHalfUp))
        : total.times(percent).div(100).round(2, Big.roundHalfUp);
      const found = taxOf(inclusive, decimal(percent.toFixed()), decimal(total.toFixed()), 'half-up');
      expect(formatDecimal(found.tax)).toBe(formatDecimal(decimal(exact.toFixed())));
      expect(formatDecimal(found.sales)).toBe(
        formatDecimal(decimal((inclusive ? total : total.plus(exact)).toFixed())),
      );
    }),
  );
});
