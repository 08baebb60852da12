import { describe, expect, test } from 'vitest';
import { exact } from '../../../test/support/exact-number.ts';
import { invoice, receiptOf } from '../../../test/support/receipts/receipts.ts';
import { applyDefaults, type ReceiptDefaults } from './apply-defaults.ts';

const NONE: ReceiptDefaults = {
  cashier: undefined,
  hsTaxed: undefined,
  hsZeroRated: undefined,
  hsExempt: undefined,
};
const HS_CODES = { ...NONE, hsTaxed: '99001000', hsZeroRated: '99002000', hsExempt: '99003000' };

function lines(...given: { HsCode?: string | null; TaxPercent: unknown }[]) {
  const line = { Type: 'Sale', Name: 'Thing', Quantity: 1, LineTotal: 1 };
  return receiptOf(invoice(1, 'R-1', { ReceiptLines: given.map((fields) => ({ ...line, ...fields })) }));
}

describe("the token's default cashier", () => {
  test('replaces the one that was sent, or fills the gap', () => {
    const withDefault = { ...NONE, cashier: 'Tendai' };
    expect(applyDefaults(receiptOf(invoice(1, 'R-1', { Cashier: 'Rudo' })), withDefault).Cashier).toBe('Tendai');
    expect(applyDefaults(receiptOf(invoice(1, 'R-1')), withDefault).Cashier).toBe('Tendai');
  });

  test.each([
    [20, 'Tendai'],
    [21, 'x'.repeat(21)],
  ])('does not hide that the one that was sent is too long (%i characters)', (length, Cashier) => {
    const submitted = receiptOf(invoice(1, 'R-1', { Cashier: 'x'.repeat(length) }));
    expect(applyDefaults(submitted, { ...NONE, cashier: 'Tendai' }).Cashier).toBe(Cashier);
  });

  test('where there is none, the one that was sent stays', () => {
    expect(applyDefaults(receiptOf(invoice(1, 'R-1', { Cashier: 'Rudo' })), HS_CODES).Cashier).toBe('Rudo');
  });
});

describe('automatic HS codes', () => {
  test('fill only what is missing, by the kind of tax', () => {
    const submitted = lines(
      { TaxPercent: 15.5 },
      { TaxPercent: 0 },
      { TaxPercent: exact('-0.00') },
      { TaxPercent: null },
      { TaxPercent: null, HsCode: null },
      { TaxPercent: null, HsCode: '12345678' },
      { TaxPercent: exact('0.01') },
    );
    expect(applyDefaults(submitted, HS_CODES).ReceiptLines.map((line) => line.HsCode)).toEqual([
      '99001000',
      '99002000',
      '99002000',
      '99003000',
      '99003000',
      '12345678',
      '99001000',
    ]);
  });

  test('stay missing for a kind of tax without a default', () => {
    const submitted = lines({ TaxPercent: 15.5 }, { TaxPercent: null });
    const filled = applyDefaults(submitted, { ...NONE, hsExempt: '99003000' });
    expect(filled.ReceiptLines.map((line) => line.HsCode)).toEqual([undefined, '99003000']);
  });
});

test('what was submitted is left alone, and nothing else changes', () => {
  const submitted = lines({ TaxPercent: 15.5 });
  const before = structuredClone(submitted);
  const filled = applyDefaults(submitted, { ...HS_CODES, cashier: 'Tendai' });
  expect(submitted).toEqual(before);
  expect({ ...filled, Cashier: undefined, ReceiptLines: submitted.ReceiptLines }).toEqual(submitted);
});

test('without defaults the receipt is the submitted one', () => {
  const submitted = receiptOf(invoice(1, 'R-1'));
  expect(applyDefaults(submitted, NONE)).toBe(submitted);
});
