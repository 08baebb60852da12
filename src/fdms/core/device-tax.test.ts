import { describe, expect, test } from 'vitest';
import { device, deviceTax, wall } from '../../../test/support/devices.ts';
import { decimal } from '../../kernel/decimal.ts';
import { isSamePercent, isTaxed, taxesOn, taxOf } from './device-tax.ts';

describe('the taxes of a device on a day', () => {
  test.each([
    ['2019-12-31T23:59:59', []],
    ['2020-01-01T00:00:00', [1, 2, 3]],
    ['2025-12-31T23:59:59', [1, 2, 3]],
    ['2026-01-01T00:00:00', [1, 2, 517]],
  ])('%s are %j: both ends are included', (date, ids) => {
    expect(taxesOn(device(), wall(date)).map((tax) => tax.taxId)).toEqual(ids);
  });

  test('are none before its first configuration', () => {
    expect(taxesOn(device({ taxTables: [] }), wall('2026-01-01T00:00:00'))).toEqual([]);
  });
});

describe('the tax of a percentage', () => {
  test('is the one with the lowest id, whatever the order', () => {
    const taxes = [
      deviceTax(10, '15', '2020-01-01'),
      deviceTax(9, '15', '2020-01-01'),
      deviceTax(514, '5', '2020-01-01'),
    ];
    expect(taxOf(taxes, decimal('15'))?.taxId).toBe(9);
    expect(taxOf(taxes.toReversed(), decimal('15.00'))?.taxId).toBe(9);
  });

  test('is never the exempt one for 0, nor the zero-rated one for exempt', () => {
    const exempt = deviceTax(1, null, '2020-01-01');
    const zero = deviceTax(2, '0', '2020-01-01');
    expect(taxOf([exempt, zero], decimal('0'))).toBe(zero);
    expect(taxOf([zero, exempt], null)).toBe(exempt);
    expect(taxOf([zero], null)).toBeUndefined();
    expect(taxOf([exempt], decimal('-0'))).toBeUndefined();
  });

  test('only that very percentage counts', () => {
    expect(taxOf([deviceTax(3, '15', '2020-01-01')], decimal('15.5'))).toBeUndefined();
  });
});

test('percentages are the same by value', () => {
  expect(isSamePercent(decimal('15.50'), decimal('155e-1'))).toBe(true);
  expect(isSamePercent(null, null)).toBe(true);
  expect(isSamePercent(null, decimal('0'))).toBe(false);
});

test('only a percentage above 0 is a tax that needs VAT registration', () => {
  expect([decimal('0.01'), decimal('0'), null].map(isTaxed)).toEqual([true, false, false]);
});
