import { expect, test } from 'vitest';
import { decimal, ZERO } from './decimal.ts';
import { taxOf } from './tax.ts';

test.each([true, false])(
  'a tax of 0 %% is nothing, however many decimals the lines have (inclusive: %s)',
  (inclusive) => {
    const sales = decimal('1.005');
    expect(taxOf(inclusive, ZERO, sales)).toEqual({ tax: ZERO, sales });
  },
);
