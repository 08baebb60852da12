import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { device, deviceTax } from '../../../test/support/devices.ts';
import {
  type CountedReceipt,
  countersOf,
  countReceipts,
  MONEY_TYPES,
  sumCounters,
} from '../../fdms/core/day-counters.ts';
import { add, decimal, equals, formatDecimal, formatFixed, fromCents, sum } from '../../kernel/decimal.ts';
import { type CurrencyReport, type DocumentSum, reportCurrencies } from './day-report.ts';

const taxes = device().taxTables.flatMap((table) =>
  table.taxes.map((tax) => ({ ...tax, taxName: `VAT ${tax.taxId}` })),
);
const tax = (taxId: number, taxPercent: string | null, taxAmount: string, salesAmountWithTax: string) => ({
  taxId,
  taxPercent: taxPercent === null ? null : decimal(taxPercent),
  taxAmount: decimal(taxAmount),
  salesAmountWithTax: decimal(salesAmountWithTax),
});
const paid = (moneyType: (typeof MONEY_TYPES)[number], amount: string) => [{ moneyType, amount: decimal(amount) }];

const receipts: CountedReceipt[] = [
  {
    type: 'FiscalInvoice',
    currency: 'USD',
    taxes: [tax(517, '15.5', '15.50', '115.50'), tax(2, '0', '0', '10.00'), tax(1, null, '0', '4.50')],
    payments: paid('Card', '130'),
  },
  {
    type: 'CreditNote',
    currency: 'USD',
    taxes: [tax(517, '15.5', '-1.55', '-11.55')],
    payments: paid('Cash', '-11.55'),
  },
  { type: 'DebitNote', currency: 'USD', taxes: [tax(517, '15.5', '0.31', '2.31')], payments: paid('Cash', '2.31') },
  { type: 'FiscalInvoice', currency: 'EUR', taxes: [tax(2, '0', '0', '7')], payments: paid('Cash', '7') },
];

function documentsOf(counted: readonly CountedReceipt[]): DocumentSum[] {
  return counted.map(({ type, currency, payments }) => ({
    type,
    currency,
    quantity: 1,
    amount: sum(payments.map((payment) => payment.amount)),
  }));
}

describe('a day report', () => {
  const report = () =>
    reportCurrencies({ counted: countReceipts(receipts), others: [] }, documentsOf(receipts).toReversed(), taxes);
  const shown = (lines: CurrencyReport['net'] | undefined) =>
    lines?.map(
      (line) =>
        `${line.taxName} ${line.taxPercent === null ? '' : formatDecimal(line.taxPercent)}: ${formatFixed(line.amount, 2)}`,
    );

  test('nets credit and debit notes against sales, the highest percentage first and exempt last', () => {
    const [, dollar] = report();
    expect(dollar?.currency).toBe('USD');
    expect(shown(dollar?.net)).toEqual(['VAT 517 15.5: 92.00', 'VAT 2 0: 10.00', 'VAT 1 : 4.50']);
    expect(shown(dollar?.tax)).toEqual(['VAT 517 15.5: 14.26']);
    expect(shown(dollar?.gross)).toEqual(['VAT 517 15.5: 106.26', 'VAT 2 0: 10.00', 'VAT 1 : 4.50']);
    expect([dollar?.totalNet, dollar?.totalTax, dollar?.totalGross]).toEqual(['106.5', '14.26', '120.76'].map(decimal));
  });

  test('counts documents by type, and balances by money type in the order of the authority', () => {
    const [, dollar] = report();
    expect(dollar?.documents).toEqual([
      { type: 'FiscalInvoice', quantity: 1, amount: decimal('130') },
      { type: 'CreditNote', quantity: 1, amount: decimal('-11.55') },
      { type: 'DebitNote', quantity: 1, amount: decimal('2.31') },
    ]);
    expect(dollar?.totalDocuments).toEqual({ quantity: 3, amount: decimal('120.76') });
    expect(dollar?.balances).toEqual([
      { moneyType: 'Cash', amount: decimal('-9.24') },
      { moneyType: 'Card', amount: decimal('130') },
    ]);
  });

  test('leaves the taxes out where none above 0 % was collected, and comes by currency in the order of the alphabet', () => {
    expect(report()[0]).toMatchObject({ currency: 'EUR', tax: [], totalTax: decimal('0'), totalGross: decimal('7') });
  });

  test('of a day without receipts has no currency', () => {
    expect(reportCurrencies({ counted: [], others: [] }, [], taxes)).toEqual([]);
  });

  test('a tax has the newest name it had with this percentage, else its newest, else its number', () => {
    const names = (...sold: ReturnType<typeof tax>[]) => {
      const counted = countersOf({ type: 'FiscalInvoice', currency: 'USD', taxes: sold, payments: [] });
      const named = [
        { ...deviceTax(5, '16', ''), taxName: 'new' },
        { ...deviceTax(5, '15', ''), taxName: 'old' },
        { ...deviceTax(5, '15', ''), taxName: 'older' },
      ];
      return reportCurrencies({ counted, others: [] }, [], named)[0]?.net.map(({ taxName }) => taxName);
    };
    expect(names(tax(9, '5', '1', '21'))).toEqual(['Tax 9']);
    expect(names(tax(5, '15', '1', '21'), tax(5, '14', '1', '21'))).toEqual(['old', 'new']);
  });

  test('taxes of one percentage come by their numbers', () => {
    const sold = [tax(8, '5', '1', '21'), tax(7, '5', '1', '21'), tax(9, '6', '1', '21')];
    const counted = countersOf({ type: 'FiscalInvoice', currency: 'USD', taxes: sold, payments: [] });
    const [report] = reportCurrencies({ counted, others: [] }, [], taxes);
    expect(report?.net.map(({ taxId }) => taxId)).toEqual([9, 7, 8]);
  });

  test('counters that are not known here are shown with their currency', () => {
    const other = { type: 'LevyByTax', taxId: 1, taxPercent: decimal('2'), moneyType: undefined, value: decimal('3') };
    const others = ['USD', 'ZWG'].map((currency) => ({ ...other, currency }));
    expect(reportCurrencies({ counted: [], others }, [], taxes)).toMatchObject(
      ['USD', 'ZWG'].map((currency) => ({ currency, others: [{ name: 'LevyByTax 2 %', amount: decimal('3') }] })),
    );
  });
});

const arbitraryReceipt = fc
  .record({
    type: fc.constantFrom('FiscalInvoice', 'CreditNote', 'DebitNote'),
    currency: fc.constantFrom('USD', 'ZWG'),
    taxId: fc.constantFrom(1, 2, 517),
    cents: fc.bigInt({ min: 0n, max: 10n ** 18n }),
    moneyType: fc.constantFrom(...MONEY_TYPES),
  })
  .map(({ type, currency, taxId, cents, moneyType }): CountedReceipt => {
    const amount = fromCents(type === 'CreditNote' ? -cents : cents);
    const percent = taxes.find((one) => one.taxId === taxId)?.taxPercent ?? null;
    const taxAmount = fromCents(taxId === 517 ? (type === 'CreditNote' ? -cents : cents) / 8n : 0n);
    return {
      type,
      currency,
      taxes: [{ taxId, taxPercent: percent, taxAmount, salesAmountWithTax: amount }],
      payments: [{ moneyType, amount }],
    };
  });

test('whatever was sold, lines add up to totals, net and tax to gross, and gross to documents and balances', () => {
  fc.assert(
    fc.property(fc.array(arbitraryReceipt, { maxLength: 30 }), (sold) => {
      for (const report of reportCurrencies({ counted: countReceipts(sold), others: [] }, documentsOf(sold), taxes)) {
        const total = (lines: readonly { amount: (typeof report)['totalNet'] }[]) =>
          sum(lines.map((line) => line.amount));
        expect(equals(add(report.totalNet, report.totalTax), report.totalGross)).toBe(true);
        expect(equals(total(report.net), report.totalNet)).toBe(true);
        expect(equals(total(report.tax), report.totalTax)).toBe(true);
        expect(equals(total(report.gross), report.totalGross)).toBe(true);
        expect(equals(report.totalDocuments.amount, report.totalGross)).toBe(true);
        expect(equals(total(report.balances), report.totalGross)).toBe(true);
      }
    }),
  );
});

test('a day counted in parts has the counters of the day', () => {
  fc.assert(
    fc.property(fc.array(arbitraryReceipt, { maxLength: 20 }), fc.nat(20), (sold, at) => {
      const parts = [...countReceipts(sold.slice(0, at)), ...countReceipts(sold.slice(at))];
      expect(sumCounters(parts)).toEqual(countReceipts(sold));
    }),
  );
});
