import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal, negate } from '../../kernel/decimal.ts';
import { sha256 } from './hash.ts';
import { type SealedTax, type SigningInput, signingString } from './signing-string.ts';

const tax = (taxId: number, taxCode: string | undefined, percent: string | null, amount: string, sales: string) => ({
  taxId,
  taxCode,
  taxPercent: percent === null ? null : decimal(percent),
  taxAmount: decimal(amount),
  salesAmountWithTax: decimal(sales),
});

const creditNote: SigningInput = {
  deviceId: 322,
  type: 'CreditNote',
  currency: 'USD',
  globalCounter: 85,
  date: '2020-09-19T09:23:07',
  total: decimal('-40.35'),
  taxes: [
    tax(3, undefined, '14.5', '-3', '-23'),
    tax(1, undefined, null, '0', '-7'),
    tax(2, undefined, '0', '0', '-10'),
  ],
  previousHash: Buffer.from('hNVJXP/ACOiE8McD3pKsDlqBXpuaUqQOfPnMyfZWI9k=', 'base64'),
};

describe('the string of a receipt', () => {
  test("is the specification's own for its one clean example, and so is the hash", () => {
    const text = signingString(creditNote);
    expect(text).toBe(
      '322CREDITNOTEUSD852020-09-19T09:23:07-40350-7000.000-100014.50-300-2300hNVJXP/ACOiE8McD3pKsDlqBXpuaUqQOfPnMyfZWI9k=',
    );
    expect(sha256(text).toString('base64')).toBe('F9/QB0vhxQlEF2nk+oebwP8V+qBcNlOFvoTeE/1QxPc=');
  });

  test('ends after the taxes on the first receipt of a day', () => {
    expect(signingString({ ...creditNote, previousHash: undefined })).toBe(
      '322CREDITNOTEUSD852020-09-19T09:23:07-40350-7000.000-100014.50-300-2300',
    );
  });

  test('has the currency in upper case and cents below one as they are', () => {
    const small = { ...creditNote, currency: 'usd', total: decimal('0.05'), taxes: [], previousHash: undefined };
    expect(signingString(small)).toBe('322CREDITNOTEUSD852020-09-19T09:23:075');
  });

  test('never has a minus in front of zero', () => {
    const zero = { ...creditNote, total: negate(decimal('-0')), taxes: [tax(1, 'A', null, '-0', '-0.00')] };
    expect(signingString({ ...zero, previousHash: undefined })).toBe('322CREDITNOTEUSD852020-09-19T09:23:070A00');
  });

  test('orders taxes by number, then by code with none first and capitals before small letters', () => {
    const taxes = [
      tax(10, undefined, null, '0', '0.01'),
      tax(9, 'a', null, '0', '0.02'),
      tax(9, 'B', null, '0', '0.03'),
      tax(9, undefined, null, '0', '0.04'),
    ];
    const text = signingString({ ...creditNote, total: decimal('0'), taxes, previousHash: undefined });
    expect(text).toBe('322CREDITNOTEUSD852020-09-19T09:23:07004B03a0201');
  });

  test('does not depend on the order in which taxes are listed, and leaves the list alone', () => {
    const taxes: readonly SealedTax[] = Object.freeze([
      tax(517, 'A', '15.5', '1', '2'),
      tax(2, 'B', '0', '0', '3'),
      tax(2, undefined, '0', '0', '4'),
      tax(1, 'A', null, '0', '5'),
    ]);
    fc.assert(
      fc.property(fc.shuffledSubarray([...taxes], { minLength: 2 }), (shuffled) => {
        const ordered = taxes.filter((one) => shuffled.includes(one));
        expect(signingString({ ...creditNote, taxes: shuffled })).toBe(
          signingString({ ...creditNote, taxes: ordered }),
        );
      }),
    );
  });

  test('refuses what it would have to round', () => {
    expect(() => signingString({ ...creditNote, total: decimal('0.001') })).toThrow(RangeError);
    expect(() => signingString({ ...creditNote, taxes: [tax(1, 'A', '14.555', '0', '0')] })).toThrow(RangeError);
  });
});

test('taxes of one id stand in the order of their codes, the one without a code first, however they came', () => {
  const none = tax(3, undefined, null, '0', '1');
  const upper = tax(3, 'B', null, '0', '2');
  const lower = tax(3, 'a', null, '0', '3');
  const orders = [
    [none, upper, lower],
    [none, lower, upper],
    [upper, none, lower],
    [upper, lower, none],
    [lower, none, upper],
    [lower, upper, none],
  ];
  const texts = orders.map((taxes) =>
    signingString({
      deviceId: 1,
      type: 'FiscalInvoice',
      currency: 'USD',
      globalCounter: 1,
      date: '2026-11-15T12:00:00',
      total: decimal('6'),
      taxes,
      previousHash: undefined,
    }),
  );
  expect(new Set(texts)).toEqual(new Set(['1FISCALINVOICEUSD12026-11-15T12:00:006000100B0200a0300']));
});
