import { expect, test } from 'vitest';
import { decimal, formatDecimal } from './decimal.ts';
import { partOfLine } from './line-part.ts';

const part = (price: string | undefined, quantity: string, total: string, of: string) => {
  const line = { UnitPrice: price === undefined ? undefined : decimal(price), Quantity: decimal(quantity) };
  const { UnitPrice, LineTotal } = partOfLine({ ...line, LineTotal: decimal(total) }, decimal(of));
  return [UnitPrice && formatDecimal(UnitPrice), formatDecimal(LineTotal)];
};

test.each([
  ['at its price', ['3.33', '3', '9.99', '2'], ['3.33', '6.66']],
  ['at a price of more decimals where it comes to cents', ['0.125', '8', '1', '2'], ['0.125', '0.25']],
  ['its share where the price does not come to cents', ['0.125', '8', '1', '3'], [undefined, '0.37']],
  ['its share without a price, rounded down', [undefined, '3', '10', '2'], [undefined, '6.66']],
  ['its share without a price, which is nearer from below', [undefined, '3', '10', '1'], [undefined, '3.33']],
  ['its share, which is whole cents', [undefined, '4', '10', '2'], [undefined, '5']],
  ['more off, where it is a discount', [undefined, '3', '-10', '1'], [undefined, '-3.34']],
  ['all of it, as it is', [undefined, '3', '10', '3'], [undefined, '10']],
  ['all of it, at a price that was rounded', ['0.333', '3', '1', '3'], ['0.333', '1']],
] as const)('a part of a line is %s', (_, [price, quantity, total, of], expected) => {
  expect(part(price, quantity, total, of)).toEqual(expected);
});

test('the parts of a line never come to more than it', () => {
  for (const total of ['0.05', '10', '-0.05', '-10', '0.01']) {
    const cents = [1, 1, 1].map((one) => Number(part(undefined, '3', total, String(one))[1]));
    expect(cents.reduce((all, one) => all + one, 0)).toBeLessThanOrEqual(Number(total) + 1e-9);
  }
});
