import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDecimal } from '../../../src/kernel/decimal.ts';
import { taxOf } from '../../../src/kernel/tax.ts';
import { Decimal, taxSums } from '../src/index.ts';
import { parseExactJson, parseObject } from '../src/wire/exact-json.ts';
import { runVectors } from '../vectors.ts';

const VECTORS = join(import.meta.dirname, '../../vectors');
const amount = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.nat(6))
  .map(([coefficient, scale]) => Decimal.of(`${coefficient}e-${scale}`));

describe('decimals', () => {
  test.each([
    ['12.50', '12.5'],
    ['-0.00', '0'],
    ['1e2', '100'],
    ['1.5E-3', '0.0015'],
    ['9999999999999999.99', '9999999999999999.99'],
    ['007', '7'],
  ])('%s is %s', (text, expected) => expect(String(Decimal.of(text))).toBe(expected));

  test.each(['', '.5', '5.', '1,5', '0x10', 'NaN', '1e9999', ' 1'])('"%s" is none', (text) =>
    expect(() => Decimal.of(text)).toThrow(TypeError),
  );

  test('0.1 × 3 is 0.3, and not 0.4', () => {
    const product = Decimal.of('0.1').times('3');
    expect(['0.3', '0.4'].map((other) => product.equals(other))).toEqual([true, false]);
    expect(['0.2', '0.3', '0.4', '-0.4'].map((other) => product.compare(other))).toEqual([1, 0, -1, 1]);
  });

  test('a quotient has the sign that it should have, and by zero there is none', () => {
    const [one, minus] = [Decimal.of('1'), Decimal.of('-1')];
    expect([one.dividedBy('-8', 2), minus.dividedBy('8', 3), minus.dividedBy('-8', 4)].map(String)).toEqual([
      '-0.12',
      '-0.125',
      '0.125',
    ]);
    expect(() => one.dividedBy('0', 2)).toThrow(RangeError);
  });

  test('rounding is half to even', () => {
    const rounded = ['0.125', '0.135', '-0.125', '0.1250001', '2.5'].map((text) => Decimal.of(text).toFixed(2));
    expect(rounded).toEqual(['0.12', '0.14', '-0.12', '0.13', '2.50']);
  });

  test('what is added can be taken away, and text survives', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(a.plus(b).minus(b).equals(a)).toBe(true);
        expect(Decimal.of(a.toString()).equals(a)).toBe(true);
        expect(a.compare(b)).toBe(a.minus(b).sign);
      }),
    );
  });

  test('an answer keeps every digit of its amounts, and its counts are numbers', () => {
    const answer = parseExactJson(
      '{"TotalAmount":9999999999999999.99,"GlobalCounter":17,"Name":"a \\"1.5\\" b","Taxes":[{"TaxPercent":null,"TaxAmount":-0.10}]}',
    );
    expect(answer).toMatchObject({ GlobalCounter: 17, Name: 'a "1.5" b', Taxes: [{ TaxPercent: null }] });
    expect(JSON.stringify(answer)).toContain('"TotalAmount":"9999999999999999.99"');
    expect(JSON.stringify(answer)).toContain('"TaxAmount":"-0.1"');
  });

  test.each([
    ['TotalAmount', '5', true],
    ['Newer', '5', false],
    ['Newer', '-999999999999999', false],
    ['Newer', '1234567890123456', true],
    ['Newer', '1.5', true],
    ['Newer', '1e3', true],
  ])('%s with %s is a decimal: %j', (name, digits, isDecimal) => {
    const { [name]: value } = parseObject(`{"${name}":${digits}}`) ?? {};
    expect(value instanceof Decimal).toBe(isDecimal);
    expect(String(value)).toBe(String(Decimal.of(digits)));
  });

  test.each(['null', '[]', '5', '"text"', '"1 2"', 'true', '', '{'])('%s is no object', (text) =>
    expect(parseObject(text)).toBeUndefined(),
  );
});

describe('tax sums', () => {
  test('agree with those of the service, whatever the lines are', () => {
    const total = fc
      .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.constantFrom(2, 3))
      .map(([count, places]) => `${count}e-${places}`);
    const line = fc.record({ LineTotal: total, TaxPercent: fc.constantFrom('15.5', '15', '0', null) });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), fc.boolean(), (lines, isInclusive) => {
        for (const { TaxPercent, TaxAmount, SalesAmountWithTax } of taxSums(lines, isInclusive).Taxes) {
          const own = lines.filter((one) => one.TaxPercent === (TaxPercent?.toString() ?? null));
          const total = own.reduce((sum, { LineTotal }) => sum.plus(LineTotal), Decimal.ZERO);
          const percent = TaxPercent === null ? null : readDecimal(String(TaxPercent));
          const { tax, sales } = taxOf(isInclusive, percent, readDecimal(String(total)));
          expect([readDecimal(String(TaxAmount)), readDecimal(String(SalesAmountWithTax))]).toEqual([tax, sales]);
        }
      }),
    );
  });
});

test.each([
  ['tax-sums.json', 300],
  ['webhooks.json', 25],
  ['verdicts.json', 100],
  ['outbox.sql', 1],
])('every vector of %s passes', async (name, atLeast) => {
  const { Passed, Failed } = await runVectors(join(VECTORS, name));
  expect(Failed).toEqual([]);
  expect(Passed).toBeGreaterThanOrEqual(atLeast);
});
