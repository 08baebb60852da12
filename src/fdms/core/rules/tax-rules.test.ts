import { describe, expect, test } from 'vitest';
import { type ExactNumber, exact } from '../../../../test/support/exact-number.ts';
import { creditNote, invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { decimal, formatDecimal } from '../../../kernel/decimal.ts';
import { type TaxRounding, taxOf } from '../../../kernel/tax.ts';
import { fractionHint, gather } from './report.ts';
import { checkTaxes } from './tax-rules.ts';

type Percent = number | ExactNumber | null;
type Line = readonly [percent: Percent, lineTotal: string];
type Entry = readonly [percent: Percent, sales: string, tax: string];

function check(
  lines: readonly Line[],
  entries: readonly Entry[],
  {
    inclusive = true,
    type = 'FiscalInvoice',
    wrong = [],
    rounding,
  }: { inclusive?: boolean; type?: string; wrong?: string[]; rounding?: TaxRounding } = {},
) {
  const changes = {
    Type: type,
    ReceiptLinesTaxInclusive: inclusive,
    ReceiptLines: lines.map(([TaxPercent, total]) => ({
      Type: 'Sale',
      Name: 'Thing',
      HsCode: '12345678',
      Quantity: 1,
      LineTotal: exact(total),
      TaxPercent,
    })),
    Taxes: entries.map(([TaxPercent, sales, tax]) => ({
      TaxPercent,
      SalesAmountWithTax: exact(sales),
      TaxAmount: exact(tax),
    })),
  };
  const wire = type === 'FiscalInvoice' ? invoice(1, 'R-1', changes) : creditNote(1, 'R-1', 'O-1', changes);
  return gather((report) => checkTaxes(receiptOf(wire), report, new Set(wrong), rounding));
}

const found = (...input: Parameters<typeof check>) => check(...input).map(({ Field, Code }) => `${Field} ${Code}`);

describe('the tax of a group', () => {
  test.each<[boolean, string | null, string, string, string, string]>([
    // inclusive: sales − round(sales / (1 + p))
    [true, '15.5', '411.48', '55.22', '411.48', "the authority's own receipt"],
    [true, '15.5', '0.43', '0.06', '0.43', "the authority's own receipt"],
    [true, '15', '100', '13.04', '100', ''],
    [true, '15', '90', '11.74', '90', '100.00 with a discount of 10.00'],
    [true, '15.5', '115.5', '15.5', '115.5', ''],
    [true, '15.5', '0.01', '0', '0.01', 'a cent has no room for tax'],
    [true, '100', '0.01', '0.01', '0.01', 'net 0.005 goes to the even 0.00'],
    [true, '100', '0.03', '0.01', '0.03', 'net 0.015 goes to the even 0.02'],
    [true, '60', '0.04', '0.02', '0.04', 'net 0.025 goes to the even 0.02'],
    [true, '60', '0.12', '0.04', '0.12', 'net 0.075 goes to the even 0.08'],
    [true, '100', '-0.01', '-0.01', '-0.01', 'a credit note mirrors its invoice'],
    [true, '60', '-0.12', '-0.04', '-0.12', 'a credit note mirrors its invoice'],
    [true, '15.5', '-411.48', '-55.22', '-411.48', 'a credit note mirrors its invoice'],
    [true, '15.5', '99999999999999999.99', '13419913419913419.91', '99999999999999999.99', '17 digits'],
    // exclusive: round(sum × p)
    [false, '15.5', '1212.12', '187.88', '1400', "the authority's own receipt"],
    [false, '15.5', '259.74', '40.26', '300', "the authority's own receipt"],
    [false, '15.5', '1', '0.16', '1.16', '0.155 goes to the even 0.16'],
    [false, '15.5', '3', '0.46', '3.46', '0.465 goes to the even 0.46'],
    [false, '15.5', '-3', '-0.46', '-3.46', 'a credit note mirrors its invoice'],
    [false, '15.5', '-1', '-0.16', '-1.16', 'a credit note mirrors its invoice'],
    [false, '15.5', '3.48', '0.54', '4.02', '4 × 0.87'],
    [false, '15', '0.03', '0', '0.03', 'below half a cent'],
    // no tax at all
    [true, '0', '100', '0', '100', 'zero-rated'],
    [false, '0', '100', '0', '100', 'zero-rated'],
    [true, null, '-7.77', '0', '-7.77', 'exempt'],
    [false, null, '7.77', '0', '7.77', 'exempt'],
    [true, '15.5', '0', '0', '0', 'a discount of everything'],
  ])('inclusive %s at %s %% of %s is %s, sales %s %s', (inclusive, percent, lineTotal, tax, sales, _why) => {
    const expected = taxOf(inclusive, percent === null ? null : decimal(percent), decimal(lineTotal));
    expect(formatDecimal(expected.tax)).toBe(tax);
    expect(formatDecimal(expected.sales)).toBe(sales);
  });

  test('is rounded to even if nothing else is said, and who rounds half a cent otherwise is told so', () => {
    expect(check([[15.5, '3']], [[15.5, '3.46', '0.47']], { inclusive: false })).toMatchObject([
      { Code: 'RCPT026', Message: expect.stringContaining('half a cent is rounded half-even here') },
    ]);
  });

  test('is rounded on the sum of the group, not line by line', () => {
    const lines: Line[] = Array.from({ length: 4 }, () => [15.5, '0.87']);
    expect(found(lines, [[15.5, '4.02', '0.54']], { inclusive: false })).toEqual([]);
    expect(found(lines, [[15.5, '4.00', '0.52']], { inclusive: false })).toEqual([
      'Taxes[0].TaxAmount RCPT026',
      'Taxes[0].SalesAmountWithTax RCPT027',
    ]);
  });

  test('is the same group however the percentage is spelled', () => {
    const lines: Line[] = [
      [exact('15.5'), '50'],
      [exact('15.50'), '30'],
      [exact('155e-1'), '20'],
    ];
    expect(found(lines, [[exact('1.55E1'), '100', '13.42']])).toEqual([]);
  });
});

describe('TaxAmount (RCPT026)', () => {
  test.each([
    [true, '13.41', '100', '13.42'],
    [true, '13.43', '100', '13.42'],
    [true, '13.420001', '100', '13.42'],
    [false, '15.49', '115.5', '15.50'],
  ])('inclusive %s: %s is off, and the message gives the right one', (inclusive, tax, sales, right) => {
    expect(check([[15.5, '100']], [[15.5, sales, tax]], { inclusive })).toEqual([
      {
        Field: 'Taxes[0].TaxAmount',
        Code: 'RCPT026',
        Message: `TaxAmount for 15.5% must be ${right}, got ${tax}`,
      },
    ]);
  });

  test.each([
    ['half-even', '0.46', 'half-up', '3.46'],
    ['half-up', '0.47', 'half-even', '3.47'],
  ] as const)(
    'at an exact half with %s is %s, and the message says that others round it %s',
    (rounding, right, other, sales) => {
      const lines: Line[] = [[15.5, '3']];
      const wrong = right === '0.46' ? '0.47' : '0.46';
      expect(found(lines, [[15.5, sales, right]], { inclusive: false, rounding })).toEqual([]);
      expect(check(lines, [[15.5, sales, wrong]], { inclusive: false, rounding })[0]?.Message).toBe(
        `TaxAmount for 15.5% must be ${right}, got ${wrong}: exactly half a cent is rounded ${rounding} here, a setting of the installation (TAX_ROUNDING); other programs round it ${other}`,
      );
    },
  );

  test('is 0 for 0 % and exempt', () => {
    expect(found([[0, '100']], [[0, '100', '0.01']])).toEqual(['Taxes[0].TaxAmount RCPT026']);
    const [violation] = check([[null, '100']], [[null, '100', '0.01']], { inclusive: false });
    expect(violation?.Message).toBe('TaxAmount for exempt must be 0.00, got 0.01');
    expect(found([[null, '100']], [[null, '100', '-0.00']])).toEqual([]);
  });

  test('of a credit note is negative', () => {
    const type = 'CreditNote';
    expect(found([[15.5, '-100']], [[15.5, '-100', '-13.42']], { type })).toEqual([]);
    expect(found([[15.5, '-100']], [[15.5, '-100', '13.42']], { type })).toEqual(['Taxes[0].TaxAmount RCPT026']);
  });

  test('of a percentage so large that nothing is left is still just wrong', () => {
    expect(found([[exact('1e400'), '100']], [[exact('1e400'), '100', '0']])).toEqual(['Taxes[0].TaxAmount RCPT026']);
  });
});

describe('SalesAmountWithTax (RCPT027)', () => {
  test('inclusive: the sum of the LineTotal of the group', () => {
    expect(
      check(
        [
          [15.5, '60'],
          [0, '7'],
          [15.5, '40'],
        ],
        [
          [15.5, '107', '13.42'],
          [0, '7', '0'],
        ],
      ),
    ).toEqual([
      {
        Field: 'Taxes[0].SalesAmountWithTax',
        Code: 'RCPT027',
        Message: 'SalesAmountWithTax for 15.5% must be 100.00, got 107.00',
      },
    ]);
  });

  test('exclusive: the sum and the tax', () => {
    const exclusive = { inclusive: false };
    expect(found([[15.5, '100']], [[15.5, '115.5', '15.5']], exclusive)).toEqual([]);
    expect(found([[15.5, '100']], [[15.5, '100', '15.5']], exclusive)).toEqual(['Taxes[0].SalesAmountWithTax RCPT027']);
  });
});

describe('exactly one entry per percentage on the lines', () => {
  test('none at all is RCPT017, and each missing one RCPT025 with its amounts', () => {
    expect(check([[15.5, '100']], [])).toEqual([
      { Field: 'Taxes', Code: 'RCPT017', Message: 'at least one tax entry is needed' },
      {
        Field: 'Taxes',
        Code: 'RCPT025',
        Message: 'an entry for 15.5% is missing: SalesAmountWithTax 100.00, TaxAmount 13.42',
      },
    ]);
  });

  test('a missing one, a second one and one that no line uses are RCPT025', () => {
    const lines: Line[] = [
      [15.5, '100'],
      [0, '5'],
    ];
    const whole: Entry = [15.5, '100', '13.42'];
    expect(found(lines, [whole])).toEqual(['Taxes RCPT025']);
    expect(found(lines, [whole, [0, '5', '0'], [exact('15.50'), '0', '0']])).toEqual(['Taxes[2].TaxPercent RCPT025']);
    expect(found(lines, [whole, [0, '5', '0'], [5, '0', '0']])).toEqual(['Taxes[2].TaxPercent RCPT025']);
  });

  test('exempt is not 0 %, on the lines and in the table', () => {
    expect(check([[null, '5']], [[0, '5', '0']]).map(({ Message }) => Message)).toEqual([
      'no line uses 0%: remove this entry',
      'an entry for exempt is missing: SalesAmountWithTax 5.00, TaxAmount 0.00',
    ]);
    expect(
      found(
        [
          [null, '5'],
          [0, '6'],
        ],
        [
          [0, '6', '0'],
          [null, '5', '0'],
        ],
      ),
    ).toEqual([]);
  });

  test('at most 50 entries (TooMany)', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index): Entry => [index, '0', '0']);
    expect(found([], many(50))).not.toContain('Taxes TooMany');
    expect(found([], many(51))).toContain('Taxes TooMany');
  });
});

describe('TaxPercent', () => {
  test('has at most two decimals (TooManyDecimals), on the lines and in the table', () => {
    const percent = exact('15.555');
    expect(found([[percent, '100']], [[percent, '100', '13.46']])).toEqual([
      'ReceiptLines[0].TaxPercent TooManyDecimals',
      'Taxes[0].TaxPercent TooManyDecimals',
    ]);
    expect(found([[exact('15.550'), '100']], [[exact('15.55'), '100', '13.46']])).toEqual([]);
  });

  test('that is a fraction is told so once: here, or before with the percentages there are', () => {
    const fraction = exact('0.155');
    const told = (wrong: string[], percent = fraction) =>
      check([[percent, '100']], [[percent, '100', '0.15']], { wrong }).map(({ Message }) => Message);
    const words = 'has more than 2 decimals: it is a percentage, send 15.5';
    expect(told([])).toEqual([words, words]);
    expect(told(['0.155'])).toEqual([]);
    expect(['0', '-0.155', '1'].map((text) => fractionHint(decimal(text)))).toEqual(['', '', '']);
    expect(told(['15.555'], exact('15.555'))).toEqual(['has more than 2 decimals', 'has more than 2 decimals']);
  });

  test('is never negative (RCPT025), also not −100, which would divide by zero', () => {
    expect(found([[-100, '100']], [[-100, '100', '0']])).toEqual([
      'ReceiptLines[0].TaxPercent RCPT025',
      'Taxes[0].TaxPercent RCPT025',
    ]);
  });
});

test('of a percentage that is wrong itself no sum is complained of, of the others they are', () => {
  const right: Line = [15.5, '115.5'];
  const wrongSum: Entry = [15.5, '115.5', '1'];
  const wrong = ['15'];
  expect(found([[15, '100']], [[15, '100', '99']], { wrong })).toEqual([]);
  expect(found([[15, '100']], [[15.5, '100', '13.42']], { wrong })).toEqual([]);
  // An entry that no line uses may be meant for the line that is wrong, unless none is.
  expect(
    found(
      [
        [15, '100'],
        [0, '100'],
      ],
      [
        [0, '100', '0'],
        [15.5, '100', '13.42'],
      ],
      { wrong },
    ),
  ).toEqual([]);
  expect(
    found(
      [[0, '100']],
      [
        [0, '100', '0'],
        [15, '100', '13'],
        [15.5, '100', '13.42'],
      ],
      { wrong },
    ),
  ).toEqual(['Taxes[2].TaxPercent RCPT025']);
  expect(found([[15, '100'], right], [wrongSum], { wrong })).toEqual(['Taxes[0].TaxAmount RCPT026']);
});
