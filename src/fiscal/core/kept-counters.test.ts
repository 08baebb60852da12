import { expect, test } from 'vitest';
import { countReceipts } from '../../fdms/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import {
  type CounterText,
  counterName,
  countersText,
  keptCountersString,
  parseCounters,
  readCounters,
} from './kept-counters.ts';

const COUNTED = countReceipts([
  {
    type: 'FiscalInvoice',
    currency: 'USD',
    taxes: [
      { taxId: 517, taxPercent: decimal('15.5'), taxAmount: decimal('15.50'), salesAmountWithTax: decimal('115.50') },
      { taxId: 1, taxPercent: null, taxAmount: decimal('0'), salesAmountWithTax: decimal('8.25') },
    ],
    payments: [{ moneyType: 'Card', amount: decimal('123.75') }],
  },
]);
const OTHERS: CounterText[] = [
  { type: 'PayoutByTax', currency: 'Usd', taxId: 3, taxPercent: '15', value: '12.5' },
  { type: 'PayoutByTax', currency: 'USD', taxId: 1, taxPercent: null, value: '1' },
  { type: 'BalanceByMoneyType', currency: 'USD', moneyType: 'Voucher', value: '-2' },
  { type: 'PayoutByTax', currency: 'USD', value: '0' },
];

test('what is kept is read back as it was, known counters and others', () => {
  const kept = { counted: COUNTED, others: readCounters(OTHERS).others };
  expect(parseCounters(countersText(kept))).toEqual(kept);
  expect(kept.others).toHaveLength(4);
});

test('of what a person closed with, known counters are put in their order and zeros left out', () => {
  const texts = JSON.parse(countersText({ counted: COUNTED.toReversed(), others: [] })) as CounterText[];
  const zero = { type: 'SaleByTax', currency: 'USD', taxId: 2, taxPercent: '0', value: '0' };
  expect(readCounters([zero, ...texts])).toEqual({ counted: COUNTED, others: [] });
});

test('a tax counter without its tax id has the id 0, and an unknown kind of money is no balance', () => {
  expect(readCounters([{ type: 'SaleByTax', currency: 'USD', value: '1' }]).counted).toEqual([
    { type: 'SaleByTax', currency: 'USD', taxId: 0, taxPercent: null, value: decimal('1') },
  ]);
  expect(readCounters([{ type: 'BalanceByMoneyType', currency: 'USD', value: '1' }]).counted).toEqual([]);
});

test('the text that is signed has the others after the known ones, spelled like them, and none of zero', () => {
  const { others } = readCounters(OTHERS);
  expect(keptCountersString({ counted: [], others })).toBe(
    'PAYOUTBYTAXUSD15.001250PAYOUTBYTAXUSD100BALANCEBYMONEYTYPEUSDVOUCHER-200',
  );
  expect(keptCountersString({ counted: COUNTED, others: others.slice(1, 2) })).toBe(
    'SALEBYTAXUSD825SALEBYTAXUSD15.5011550SALETAXBYTAXUSD15.501550BALANCEBYMONEYTYPEUSDCARD12375PAYOUTBYTAXUSD100',
  );
});

test('people read the type and what it is split by', () => {
  expect(readCounters(OTHERS).others.map(counterName)).toEqual([
    'PayoutByTax 15 %',
    'PayoutByTax exempt',
    'BalanceByMoneyType Voucher',
    'PayoutByTax exempt',
  ]);
});
