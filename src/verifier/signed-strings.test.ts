import { expect, test } from 'vitest';
import { type CounterText, keptCountersString, readCounters } from '../fiscal/core/kept-counters.ts';
import { decimal, toCents } from '../kernel/decimal.ts';
import { closingString } from './signed-strings.ts';

const USD = { currency: 'USD', value: '1.50' };

test('counters that are not known here stand where the service looks for them', () => {
  const texts: CounterText[] = [
    { ...USD, type: 'RefundByMoneyType', moneyType: 'Cash' },
    { ...USD, type: 'BalanceByMoneyType', moneyType: 'Shells' },
    { ...USD, type: 'BalanceByMoneyType', moneyType: 'Card' },
    { ...USD, type: 'LevyByTax', taxId: 1, taxPercent: null },
    { ...USD, type: 'BalanceByMoneyType', moneyType: 'Cash' },
    { ...USD, type: 'SaleByTax', taxId: 1, taxPercent: '15.5' },
    { ...USD, type: 'SaleByTax', taxId: 1, taxPercent: '0' },
    { ...USD, type: 'SaleByTax', taxId: 1, taxPercent: null },
    { ...USD, type: 'SaleByTax', taxId: 1, taxPercent: '15' },
    { ...USD, type: 'LevyByTax', taxId: 0, taxPercent: '2', value: '0' },
  ];
  const counters = texts.map(({ type, currency, taxId, taxPercent, moneyType, value }) => ({
    type,
    currency,
    taxId,
    percent: taxPercent == null ? null : decimal(taxPercent),
    moneyType,
    cents: toCents(decimal(value)),
  }));
  const day = { deviceId: 77, fiscalDayNumber: 4, openedOn: '2026-11-15' };
  expect(closingString({ ...day, counters })).toBe(`7742026-11-15${keptCountersString(readCounters(texts))}`);
});
