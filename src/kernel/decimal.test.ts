import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/support/property-runs.ts';
import { workedMs } from '../../test/support/slow-machine.ts';
import {
  absolute,
  add,
  compare,
  type Decimal,
  decimal,
  divideHalfEven,
  equals,
  formatDecimal,
  formatFixed,
  fromCents,
  fromFloat,
  hasMoreWholeDigits,
  multiply,
  negate,
  ONE_HUNDRED,
  readDecimal,
  roundHalfEven,
  signOf,
  subtract,
  sum,
  toCents,
  ZERO,
} from './decimal.ts';

/** big.js rounds half to even in mode 2, and divides to DP places in mode RM: set where a property needs it. */
const HALF_EVEN = 2;

/** A number as text, in every form JSON allows, so that also a product stays within 60 digits on either side. */
const numberText = fc
  .record({
    minus: fc.constantFrom('', '-'),
    // Up to 2^53 and beyond are kept in two ways; many results cross from one to the other.
    whole: fc.oneof(digits(1, 5), digits(14, 17), digits(1, 22)),
    fraction: digits(0, 12),
    exponent: fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat(8))),
  })
  .map(({ minus, whole, fraction, exponent }) => {
    const point = fraction === '' ? '' : `.${fraction}`;
    return `${minus}${whole.replace(/^0+(?=\d)/, '')}${point}${exponent === null ? '' : exponent.join('')}`;
  });

const places = fc.integer({ min: 0, max: 8 });

function digits(min: number, max: number) {
  const digit = fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9');
  return fc.string({ unit: digit, minLength: min, maxLength: max });
}

/** big.js keeps a negative zero, which no amount may show. */
function plain(big: Big, fixed?: number): string {
  return big.eq(0) ? new Big(0).toFixed(fixed) : big.toFixed(fixed);
}

/** Equal numbers must be equal field by field, so every result has to be in the one normal form. */
function expectNumber(actual: Decimal, expected: Big): void {
  expect(formatDecimal(actual)).toBe(plain(expected));
  expect(actual).toEqual(readDecimal(plain(expected)));
}

function check(property: (a: string, b: string, scale: number) => void): void {
  fc.assert(fc.property(numberText, numberText, places, property), runs(1_000));
}

describe('against big.js', () => {
  test('readDecimal and formatDecimal', () => {
    check((a) => {
      expectNumber(readDecimal(a), new Big(a));
      expectNumber(decimal(a), new Big(a));
    });
  });

  test('add, subtract, multiply', () => {
    check((a, b) => {
      expectNumber(add(readDecimal(a), readDecimal(b)), new Big(a).plus(b));
      expectNumber(subtract(readDecimal(a), readDecimal(b)), new Big(a).minus(b));
      expectNumber(multiply(readDecimal(a), readDecimal(b)), new Big(a).times(b));
    });
  });

  test('a number minus itself is the one zero', () => {
    check((a) => {
      expect(subtract(readDecimal(a), readDecimal(a))).toEqual(ZERO);
    });
  });

  test('negate, absolute, signOf', () => {
    check((a) => {
      expectNumber(negate(readDecimal(a)), new Big(a).times(-1));
      expectNumber(absolute(readDecimal(a)), new Big(a).abs());
      expect(signOf(readDecimal(a))).toBe(new Big(a).cmp(0));
    });
  });

  test('sum', () => {
    fc.assert(
      fc.property(fc.array(numberText), (texts) => {
        const expected = texts.reduce((total, text) => total.plus(text), new Big(0));
        expectNumber(sum(texts.map(readDecimal)), expected);
      }),
    );
  });

  test('divideHalfEven', () => {
    check((a, b, scale) => {
      if (new Big(b).eq(0)) return;
      expectNumber(divideHalfEven(readDecimal(a), readDecimal(b), scale), quotient(a, b, scale));
    });
  });

  test('divideHalfEven of small numbers, where ties are frequent', () => {
    const small = fc
      .integer({ min: -2_000, max: 2_000 })
      .map((thousandths) => new Big(thousandths).div(1_000).toFixed());
    const divisor = fc.constantFrom('2', '-2', '4', '8', '0.8', '-1.6', '20', '1.25');
    fc.assert(
      fc.property(small, divisor, fc.nat(3), (a, b, scale) => {
        expectNumber(divideHalfEven(readDecimal(a), readDecimal(b), scale), quotient(a, b, scale));
      }),
      runs(2_000),
    );
  });

  test('roundHalfEven', () => {
    check((a, _b, scale) => {
      expectNumber(roundHalfEven(readDecimal(a), scale), new Big(a).round(scale, HALF_EVEN));
      const tie = `${new Big(a).round(scale, 0).toFixed(scale)}${scale === 0 ? '.' : ''}5`;
      expectNumber(roundHalfEven(readDecimal(tie), scale), new Big(tie).round(scale, HALF_EVEN));
    });
  });

  test('compare and equals', () => {
    check((a, b) => {
      expect(compare(readDecimal(a), readDecimal(b))).toBe(new Big(a).cmp(b));
      expect(equals(readDecimal(a), readDecimal(b))).toBe(new Big(a).eq(b));
      const sameOtherwiseSpelled = plain(new Big(a), 40);
      expect(compare(readDecimal(a), readDecimal(sameOtherwiseSpelled))).toBe(0);
      expect(equals(readDecimal(a), readDecimal(sameOtherwiseSpelled))).toBe(true);
    });
  });

  test('hasMoreWholeDigits', () => {
    check((a) => {
      const whole = new Big(a).abs().round(0, 0).toFixed();
      const digits = whole === '0' ? 0 : whole.length;
      for (let most = 0; most <= 40; most += 1) {
        expect(hasMoreWholeDigits(readDecimal(a), most)).toBe(digits > most);
      }
    });
  });

  test('a float of at most 15 digits is the decimal it was read from', () => {
    const shortText = fc
      .tuple(fc.constantFrom('', '-'), fc.oneof(digits(1, 4), digits(1, 11)), digits(0, 3))
      .map(([minus, whole, fraction]) => `${minus}${whole.replace(/^0+(?=\d)/, '')}${fraction && `.${fraction}`}`);
    fc.assert(
      fc.property(shortText, (text) => {
        expect(fromFloat(Number(text))).toEqual(readDecimal(text));
      }),
      runs(3_000),
    );
    expect([fromFloat(-0), fromFloat(1e22)]).toEqual([ZERO, readDecimal('1e22')]);
  });

  test('formatFixed writes exactly that many decimals or refuses', () => {
    check((a, _b, scale) => {
      if (new Big(a).round(scale, 0).eq(a)) expect(formatFixed(readDecimal(a), scale)).toBe(plain(new Big(a), scale));
      else expect(() => formatFixed(readDecimal(a), scale)).toThrow(`more than ${scale} decimals`);
    });
  });

  test('toCents is exact or refuses, and fromCents is its reverse', () => {
    check((a) => {
      const cents = new Big(a).times(100);
      if (cents.round(0, 0).eq(cents)) {
        expect(toCents(readDecimal(a))).toBe(BigInt(plain(cents)));
        expect(fromCents(BigInt(plain(cents)))).toEqual(readDecimal(a));
      } else {
        expect(() => toCents(readDecimal(a))).toThrow('more than two decimals');
      }
    });
  });
});

/** The second opinion on a quotient: an exact tie or not is decided by multiplying back, never by a cut quotient. */
function quotient(a: string, b: string, scale: number): Big {
  const Rounding = Big();
  Rounding.DP = scale;
  Rounding.RM = HALF_EVEN;
  return new Rounding(a).div(b);
}

describe('edges', () => {
  test.each([
    ['9999999999999999.99', '9999999999999999.99'],
    ['1e2', '100'],
    ['1E+2', '100'],
    ['1.50e1', '15'],
    ['1e-7', '0.0000001'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['0e5', '0'],
    ['0e50000000', '0'],
    ['10.00', '10'],
    ['-12.3400', '-12.34'],
    ['00012', '12'],
    [`${'0'.repeat(70)}1`, '1'],
    ['9'.repeat(60), '9'.repeat(60)],
    [`0.${'0'.repeat(58)}12`, `0.${'0'.repeat(58)}12`],
  ])('%s is %s', (text, expected) => {
    expect(formatDecimal(readDecimal(text))).toBe(expected);
  });

  test('0.1 × 3 is 0.3', () => {
    expect(multiply(decimal('0.1'), decimal('3'))).toEqual(decimal('0.3'));
  });

  test.each([
    '',
    '-',
    '+',
    '.',
    '1.2.3',
    '+1',
    '.5',
    '1.',
    '1e',
    'NaN',
    'Infinity',
    '0x10',
    ' 1',
    '1 ',
    '1,5',
    '1_000',
    '١',
  ])('%j is not the text of a number', (text) => {
    expect(() => readDecimal(text)).toThrow('not the text of a number');
  });

  test.each([
    ['1e50000000', '1e60'],
    ['-1e50000000', '-1e60'],
    ['1e-50000000', '1e-60'],
    ['-1e-50000000', '-1e-60'],
    [`1e${'9'.repeat(1_000)}`, '1e60'],
    [`1e-${'9'.repeat(1_000)}`, '1e-60'],
    ['9'.repeat(1_000_000), '1e60'],
    [`0.${'0'.repeat(500_000)}1`, '1e-60'],
    [`0.${'3'.repeat(500_000)}`, '1e-60'],
    [`${'9'.repeat(500_000)}${'0'.repeat(500_000)}`, '1e60'],
    ['1'.repeat(61), '1e60'],
    [`1${'0'.repeat(500_000)}1`, '1e60'],
    [`0.1${'0'.repeat(500_000)}1`, '1e-60'],
  ])('beyond the bound a number becomes its stand-in at once (%#)', (text, standIn) => {
    const start = workedMs();
    expect(readDecimal(text)).toEqual(readDecimal(standIn));
    expect(workedMs() - start).toBeLessThan(2_000);
  });

  test('a stand-in keeps the sign and is refused by every bound', () => {
    expect([60, 61].map((most) => hasMoreWholeDigits(readDecimal('1e61'), most))).toEqual([true, false]);
    expect(readDecimal('-1e-61').scale).toBe(60);
    expect(signOf(readDecimal('-1e-61'))).toBe(-1);
  });

  test.each([
    ['0.5', 0, '0'],
    ['1.5', 0, '2'],
    ['2.5', 0, '2'],
    ['-0.5', 0, '0'],
    ['-1.5', 0, '-2'],
    ['-2.5', 0, '-2'],
    ['0.125', 2, '0.12'],
    ['0.135', 2, '0.14'],
    ['-0.125', 2, '-0.12'],
    ['0.1250001', 2, '0.13'],
    ['0.995', 2, '1'],
    ['12', 2, '12'],
  ])('%s rounds half to even at %i decimals to %s', (number, scale, expected) => {
    expect(formatDecimal(roundHalfEven(decimal(number), scale))).toBe(expected);
    expect(formatDecimal(divideHalfEven(decimal(number), decimal('1'), scale))).toBe(expected);
    expect(formatDecimal(divideHalfEven(negate(decimal(number)), decimal('-1'), scale))).toBe(expected);
  });

  test('a division by zero is a bug', () => {
    expect(() => divideHalfEven(ONE_HUNDRED, ZERO, 2)).toThrow(RangeError);
  });

  test('a result of zero has no sign', () => {
    expect(formatFixed(roundHalfEven(decimal('-0.001'), 2), 2)).toBe('0.00');
    expect(multiply(decimal('-5'), ZERO)).toEqual(ZERO);
    expect(formatFixed(negate(ZERO), 2)).toBe('0.00');
    expect(signOf(ZERO)).toBe(0);
  });

  test('two numbers of the same digits are not the same', () => {
    expect(equals(decimal('1.5'), decimal('15'))).toBe(false);
  });

  test('where plain numbers end, every number is still the same one, however it came about', () => {
    for (const sign of ['', '-']) {
      const [most, one, two, three] = ['9007199254740991', '1', '2', '9007199254740993'].map((n) => decimal(sign + n));
      expect(add(decimal(`${sign}9007199254740990`), one as Decimal)).toEqual(most);
      expect(add(most as Decimal, two as Decimal)).toEqual(three);
      expect(subtract(decimal(`${sign}9007199254740992`), one as Decimal)).toEqual(most);
    }
    expect(hasMoreWholeDigits(decimal('1000000000000000'), 15)).toBe(true);
    const tiny = decimal('1e-60');
    expect(compare(multiply(tiny, tiny), ZERO)).toBe(1);
    expect(formatDecimal(add(multiply(tiny, tiny), tiny))).toBe(`0.${'0'.repeat(59)}1${'0'.repeat(59)}1`);
  });

  test.each([
    ['0.05', 2, '0.05'],
    ['-0.05', 2, '-0.05'],
    ['-5', 2, '-5.00'],
    ['14.5', 2, '14.50'],
    ['7', 0, '7'],
  ])('formatFixed of %s with %i decimals is %s', (number, scale, expected) => {
    expect(formatFixed(decimal(number), scale)).toBe(expected);
  });
});
