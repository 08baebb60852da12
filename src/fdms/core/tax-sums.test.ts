/**
 * clients/vectors/tax-sums.json, which the tax sums of every client are tested with: made here from edges and random lines,
 * and computed a second time with another decimal library. `npm test -- src/fdms/core/tax-sums.test.ts -u` writes it.
 */
import { Big } from 'big.js';
import { expect, test } from 'vitest';
import { decimal, formatDecimal, formatFixed } from '../../kernel/decimal.ts';
import { hasExactHalf, taxSums } from './tax-sums.ts';

type Line = readonly [lineTotal: string, taxPercent: string | null];

interface Case {
  readonly name: string;
  readonly isInclusive: boolean;
  readonly lines: readonly Line[];
}

/** Named by what a wrong implementation does with them; each is taken with the tax included and added. */
const EDGES: readonly (readonly [name: string, ...lines: Line[]])[] = [
  ['one line', ['115.50', '15.5']],
  ['no fraction', ['200', '15']],
  ['rounded once per percentage, not per line', ['0.10', '15'], ['0.10', '15'], ['0.10', '15']],
  ['a sum that binary floats miss', ['0.10', '15.5'], ['0.20', '15.5'], ['0.30', '0']],
  ['15.5 and 15.50 are one percentage', ['10.00', '15.5'], ['20.00', '15.50']],
  ['5, 5.0 and 5.00 are one percentage', ['1.00', '5'], ['1.00', '5.0'], ['1.00', '5.00']],
  ['10 and 100 are two', ['5.00', '10'], ['5.00', '100']],
  ['exempt', ['9.99', null]],
  ['zero-rated', ['9.99', '0']],
  ['exempt and zero-rated are two', ['9.99', null], ['9.99', '0'], ['0.01', null]],
  ['percentages in the order of the lines', ['1.00', null], ['2.00', '15.5'], ['3.00', '0'], ['4.00', '15.5']],
  ['a tie to the even cent below', ['0.50', '5']],
  ['a tie to the even cent above', ['0.30', '5']],
  ['a tie of a cent or nothing', ['0.10', '5']],
  ['just above a tie', ['0.51', '5']],
  ['half of a cent', ['0.01', '100']],
  ['half of three cents', ['0.03', '100']],
  ['a negative tie to the even cent', ['-0.50', '5']],
  ['a negative tie away from zero', ['-0.30', '5']],
  ['half of minus three cents', ['-0.03', '100']],
  ['a credit note', ['-115.50', '15.5'], ['-20.00', '0']],
  ['a discount', ['100.00', '15.5'], ['-12.34', '15.5']],
  ['a discount of all of it', ['10.00', '15.5'], ['-10.00', '15.5'], ['5.00', '0']],
  ['a discount beyond its percentage', ['10.00', '15.5'], ['-11.00', '15.5'], ['5.00', '0']],
  ['the smallest amount', ['0.01', '15.5']],
  ['the smallest percentage', ['100.00', '0.01']],
  ['a percentage with two decimals', ['1234.56', '12.25']],
  ['the largest amount', ['99999999999999999.99', '0']],
  ['beyond what a binary float holds', ['9007199254740993.01', '15.5'], ['0.01', '15.5']],
  ['a price that floats cannot hold', ['4.35', '15'], ['1.10', '15'], ['2.20', '15']],
];

const RANDOM_CASES = 240;
const PERCENTS = ['15.5', '15.50', '15', '14.5', '5', '0', '0.00', null, '12.25', '7.5', '20', '100', '0.01'];

function cases(): Case[] {
  const edges = EDGES.flatMap(([name, ...lines]) =>
    [true, false].map((isInclusive) => ({
      name: `${name}, ${isInclusive ? 'included' : 'added'}`,
      isInclusive,
      lines,
    })),
  );
  const random = randomOf(7);
  const pick = (below: number) => Math.floor(random() * below);
  const line = (sign: string): Line => {
    const cents = String(1 + pick(10 ** (1 + pick(9)))).padStart(3, '0');
    const isDiscount = pick(6) === 0;
    const minus = isDiscount === (sign === '-') ? '' : '-';
    return [`${minus}${cents.slice(0, -2)}.${cents.slice(-2)}`, PERCENTS[pick(PERCENTS.length)] ?? null];
  };
  const more = Array.from({ length: RANDOM_CASES }, (_, index) => {
    const sign = pick(4) === 0 ? '-' : '';
    const lines = Array.from({ length: 1 + pick(10) }, () => line(sign));
    return { name: `random ${index + 1}`, isInclusive: index % 2 === 0, lines };
  });
  return [...edges, ...more];
}

/** The same numbers every time (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function vectorOf({ name, isInclusive, lines }: Case) {
  const { Taxes, TotalAmount } = taxSums(
    isInclusive,
    lines.map(([total, percent]) => ({
      LineTotal: decimal(total),
      TaxPercent: percent === null ? null : decimal(percent),
    })),
  );
  return {
    Name: name,
    ReceiptLinesTaxInclusive: isInclusive,
    ReceiptLines: lines.map(([LineTotal, TaxPercent]) => ({ LineTotal, TaxPercent })),
    Taxes: Taxes.map((tax) => ({
      TaxPercent: tax.TaxPercent === null ? null : formatDecimal(tax.TaxPercent),
      SalesAmountWithTax: formatFixed(tax.SalesAmountWithTax, 2),
      TaxAmount: formatFixed(tax.TaxAmount, 2),
    })),
    TotalAmount: formatFixed(TotalAmount, 2),
  };
}

/** The rule of docs/signing.md once more, with Big. */
function computedAgain({ isInclusive, lines }: Case) {
  const percents = lines.map(([, percent]) => (percent === null ? null : new Big(percent).toFixed()));
  const Taxes = [...new Set(percents)].map((percent) => {
    const sum = lines.reduce((so, [total], at) => (percents[at] === percent ? so.plus(total) : so), new Big(0));
    const rate = new Big(percent ?? 0);
    const tax = isInclusive ? sum.minus(quotient(sum.times(100), rate.plus(100))) : quotient(sum.times(rate), 100);
    const sales = isInclusive ? sum : sum.plus(tax);
    return { TaxPercent: percent, SalesAmountWithTax: text(sales), TaxAmount: text(tax) };
  });
  return { Taxes, TotalAmount: text(Taxes.reduce((so, tax) => so.plus(tax.SalesAmountWithTax), new Big(0))) };
}

/** Division in Big rounds to its own precision, so the cents are found by multiplying back. */
function quotient(dividend: Big, divisor: Big.BigSource): Big {
  const cents = dividend.times(100);
  const below = cents.minus(cents.mod(divisor)).div(divisor);
  const rest = cents.minus(below.times(divisor)).abs().times(2);
  const isOdd = !below.mod(2).eq(0);
  const roundsAway = rest.gt(divisor) || (rest.eq(divisor) && isOdd);
  return (roundsAway ? below.plus(cents.lt(0) ? -1 : 1) : below).div(100);
}

function text(amount: Big): string {
  return amount.eq(0) ? '0.00' : amount.toFixed(2);
}

test('the vectors of the clients are what this service demands', async () => {
  const vectors = cases().map(vectorOf);
  expect(vectors.length).toBeGreaterThan(250);
  const About =
    'Lines in; Taxes and TotalAmount out, by the rule in docs/signing.md, "Tax sums". All amounts are text: read them as exact decimals. ' +
    'Generated by src/fdms/core/tax-sums.test.ts; do not edit.';
  const lines = vectors.map((vector) => `    ${JSON.stringify(vector)}`).join(',\n');
  await expect(`{\n  "About": ${JSON.stringify(About)},\n  "Vectors": [\n${lines}\n  ]\n}\n`).toMatchFileSnapshot(
    '../../../clients/vectors/tax-sums.json',
  );
});

test('another decimal library computes the same sums from the written rule', () => {
  for (const one of cases()) expect(vectorOf(one), one.name).toMatchObject(computedAgain(one));
});

test('a receipt has an exact half where the tax of one percentage does', () => {
  const half = (...lines: Line[]) =>
    hasExactHalf({
      ReceiptLinesTaxInclusive: false,
      ReceiptLines: lines.map(([lineTotal, percent]) => ({
        Type: 'Sale',
        Name: 'Thing',
        HsCode: undefined,
        UnitPrice: undefined,
        Quantity: decimal('1'),
        LineTotal: decimal(lineTotal),
        TaxPercent: percent === null ? null : decimal(percent),
      })),
    });
  expect([half(['3', '15.5']), half(['10', '15.5']), half(['10', '0'], ['3', '15.5'])]).toEqual([true, false, true]);
});
