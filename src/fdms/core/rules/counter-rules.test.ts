import { describe, expect, test } from 'vitest';
import { creditNote, invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { decimal } from '../../../kernel/decimal.ts';
import type { DayCounter } from '../day-counters.ts';
import { checkCounters, fitsCounter } from './counter-rules.ts';
import { gather } from './report.ts';

const TAXES = [
  { taxId: 517, taxPercent: decimal('15.5'), taxAmount: decimal('15.5'), salesAmountWithTax: decimal('115.5') },
];
const CREDITED = [
  { taxId: 517, taxPercent: decimal('15.5'), taxAmount: decimal('-15.5'), salesAmountWithTax: decimal('-115.5') },
];

function sale(value: string, changes: object = {}): DayCounter {
  return {
    type: 'SaleByTax',
    currency: 'USD',
    taxId: 517,
    taxPercent: decimal('15.5'),
    value: decimal(value),
    ...changes,
  };
}

function cash(value: string, changes: object = {}): DayCounter {
  return { type: 'BalanceByMoneyType', currency: 'USD', moneyType: 'Cash', value: decimal(value), ...changes };
}

const FULL = '99999999999999999.99';
/** 115.50 more is exactly what a counter holds. */
const ROOM = '99999999999999884.49';

test.each([
  ['99999999999999999.99', true],
  ['100000000000000000', false],
  ['-99999999999999999.99', true],
  ['-100000000000000000', false],
  ['0', true],
])('a counter of %s fits: %s', (value, fits) => {
  expect(fitsCounter(decimal(value))).toBe(fits);
});

describe('a receipt that takes a counter of its day beyond decimal(19,2) (TooLarge)', () => {
  const check = (...counters: DayCounter[]) =>
    gather((report) => checkCounters(receiptOf(invoice(1, 'R-1')), TAXES, counters, report));

  test.each([
    ['nothing counted yet', []],
    ['room to the cent', [sale(ROOM), cash(ROOM)]],
    ['another currency', [sale(FULL, { currency: 'ZWG' }), cash(FULL, { currency: 'ZWG' })]],
    ['another tax', [sale(FULL, { taxId: 2 })]],
    ['another type of receipt', [sale(FULL, { type: 'DebitNoteByTax' })]],
    ['another way to pay', [cash(FULL, { moneyType: 'Card' })]],
  ])('is taken: %s', (_name, counters) => {
    expect(check(...counters)).toEqual([]);
  });

  test.each([
    ['sales', 'SaleByTax', [sale('99999999999999884.50')]],
    ['tax', 'SaleTaxByTax', [sale(FULL, { type: 'SaleTaxByTax' })]],
    ['money', 'BalanceByMoneyType', [cash(FULL)]],
    ['sales, from the table and from the batch', 'SaleByTax', [sale(ROOM), sale('0.01')]],
  ])('is refused once, naming the counter: %s', (_name, type, counters) => {
    const violations = check(...counters);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatchObject({ Field: 'TotalAmount', Code: 'TooLarge' });
    expect(violations[0]?.Message).toContain(`${type} USD`);
  });

  test('a credit note counts downwards', () => {
    const credit = (...counters: DayCounter[]) =>
      gather((report) => checkCounters(receiptOf(creditNote(1, 'C-1', 'O-1')), CREDITED, counters, report));
    expect(credit(cash(FULL))).toEqual([]);
    expect(credit(sale(`-${FULL}`, { type: 'CreditNoteByTax' }))).toHaveLength(1);
  });
});
