import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countReceipts, MONEY_TYPES, type ReceiptType } from '../../fdms/index.ts';
import { decimal, formatFixed, fromCents } from '../../kernel/decimal.ts';
import { type CurrencyReport, reportCurrencies } from './day-report.ts';
import { sumMonth } from './month-report.ts';

const TAXES = [
  { taxId: 3, taxPercent: decimal('15.5') },
  { taxId: 3, taxPercent: decimal('15') },
  { taxId: 2, taxPercent: decimal('0') },
  { taxId: 1, taxPercent: null },
];

const receipt = fc.record({
  deviceId: fc.constantFrom(1001, 1002, 1003),
  day: fc.integer({ min: 1, max: 3 }),
  cashier: fc.constantFrom('Rudo', 'Tendai', null),
  type: fc.constantFrom<ReceiptType>('FiscalInvoice', 'CreditNote', 'DebitNote'),
  currency: fc.constantFrom('USD', 'ZWG'),
  moneyType: fc.constantFrom(...MONEY_TYPES),
  tax: fc.constantFrom(...TAXES),
  cents: fc.bigInt({ min: 0n, max: 10n ** 18n }),
});
type Sold = (typeof receipt)['generate'] extends (...given: never[]) => { value: infer One } ? One : never;

function dayOf(sold: readonly Sold[]) {
  const signed = sold.map((one) => ({ ...one, cents: one.type === 'CreditNote' ? -one.cents : one.cents }));
  return {
    counters: {
      counted: countReceipts(
        signed.map(({ type, currency, tax, moneyType, cents }) => ({
          type,
          currency,
          taxes: [{ ...tax, taxAmount: fromCents(cents / 8n), salesAmountWithTax: fromCents(cents) }],
          payments: [{ moneyType, amount: fromCents(cents) }],
        })),
      ),
      others:
        sold.length > 3
          ? [
              {
                type: 'Tips',
                currency: 'USD',
                taxId: undefined,
                taxPercent: null,
                moneyType: 'Cash',
                value: decimal('0.1'),
              },
            ]
          : [],
    },
    documents: signed.map(({ cents, ...one }) => ({ ...one, quantity: 1, amount: fromCents(cents) })),
  };
}

/** Every figure of a report by its place, as big.js adds it up. */
function figures(reports: readonly CurrencyReport[]): Record<string, string> {
  const sums = new Map<string, Big>();
  const count = (name: string, amount: string | number) => sums.set(name, (sums.get(name) ?? new Big(0)).plus(amount));
  for (const one of reports) {
    for (const list of ['net', 'tax', 'gross'] as const) {
      for (const { taxId, taxPercent, amount } of one[list]) {
        count(`${one.currency} ${list} ${taxId} ${taxPercent && formatFixed(taxPercent, 2)}`, formatFixed(amount, 2));
      }
    }
    for (const total of ['totalNet', 'totalTax', 'totalGross'] as const)
      count(`${one.currency} ${total}`, formatFixed(one[total], 2));
    for (const { type, quantity, amount } of one.documents) {
      count(`${one.currency} ${type} quantity`, quantity);
      count(`${one.currency} ${type}`, formatFixed(amount, 2));
    }
    for (const { moneyType, amount } of one.balances) count(`${one.currency} ${moneyType}`, formatFixed(amount, 2));
    for (const { name, amount } of one.others) count(`${one.currency} ${name}`, formatFixed(amount, 2));
  }
  return Object.fromEntries([...sums].filter(([, sum]) => !sum.eq(0)).map(([name, sum]) => [name, sum.toFixed(2)]));
}

test('a month is the sum of its Z reports to the cent, over all devices and for each, and so are its cashiers', () => {
  fc.assert(
    fc.property(fc.array(receipt, { maxLength: 60 }), (sold) => {
      const days = [...Map.groupBy(sold, ({ deviceId, day }) => `${deviceId} ${day}`).values()].map((own) => ({
        deviceId: own[0]?.deviceId ?? 0,
        ...dayOf(own),
      }));
      const devices = days.map(({ deviceId, counters }) => ({ deviceId, serialNumber: 'SN', days: 1, counters }));
      const cashiers = days.flatMap(({ documents }) => documents);
      const month = sumMonth(devices, cashiers, []);
      const zReports = days.flatMap(({ counters, documents }) => reportCurrencies(counters, documents, []));
      expect(figures(month.currencies)).toEqual(figures(zReports));
      const gross = (reports: readonly { currency: string; totalDocuments: CurrencyReport['totalDocuments'] }[]) =>
        reports
          .reduce((sum, { totalDocuments }) => sum.plus(formatFixed(totalDocuments.amount, 2)), new Big(0))
          .toFixed(2);
      expect(gross(month.cashiers)).toBe(gross(month.currencies));
      expect(figures(sumMonth(devices.slice(0, 1), [], []).devices.flatMap(({ currencies }) => currencies))).toEqual(
        figures(devices.slice(0, 1).flatMap(({ counters }) => reportCurrencies(counters, [], []))),
      );
    }),
  );
});

test('it has its devices with what was sold on each, its cashiers by name and currency, and other counters added up', () => {
  const sale = (
    deviceId: Sold['deviceId'],
    cashier: Sold['cashier'],
    currency: Sold['currency'],
    cents: bigint,
  ): Sold => ({
    deviceId,
    cashier,
    currency,
    cents,
    day: 1,
    type: 'FiscalInvoice',
    moneyType: 'Cash',
    tax: { taxId: 1, taxPercent: null },
  });
  const sold = [
    sale(1001, 'Tendai', 'USD', 100n),
    sale(1001, 'Rudo', 'ZWG', 200n),
    sale(1002, 'Rudo', 'USD', 400n),
    sale(1002, 'Rudo', 'USD', 800n),
    sale(1001, null, 'USD', 1600n),
    sale(1002, 'Tendai', 'USD', 3200n),
  ];
  const days = [1001, 1002].map((deviceId) => ({
    deviceId,
    ...dayOf([...sold, ...sold].filter((one) => one.deviceId === deviceId)),
  }));
  const devices = days.map(({ deviceId, counters }) => ({ deviceId, serialNumber: 'SN', days: 1, counters }));
  const month = sumMonth(devices, dayOf(sold).documents, []);
  const shown = (total: CurrencyReport['totalDocuments']) => `${total.quantity} ${formatFixed(total.amount, 2)}`;
  expect(
    month.cashiers.map(({ cashier, currency, totalDocuments }) => [cashier, currency, shown(totalDocuments)]),
  ).toEqual([
    [null, 'USD', '1 16.00'],
    ['Rudo', 'USD', '2 12.00'],
    ['Rudo', 'ZWG', '1 2.00'],
    ['Tendai', 'USD', '2 33.00'],
  ]);
  const documentsOf = (reports: readonly CurrencyReport[]) =>
    reports.map(({ currency, totalDocuments }) => `${currency} ${shown(totalDocuments)}`);
  expect(month.devices.map(({ deviceId, currencies }) => [deviceId, documentsOf(currencies)])).toEqual([
    [1001, ['USD 2 17.00', 'ZWG 1 2.00']],
    [1002, ['USD 3 44.00']],
  ]);
  const others = (reports: readonly CurrencyReport[]) =>
    reports.flatMap((report) =>
      report.others.map(({ name, amount }) => `${report.currency} ${name} ${formatFixed(amount, 2)}`),
    );
  expect(others(month.currencies)).toEqual(['USD Tips Cash 0.20']);
});
