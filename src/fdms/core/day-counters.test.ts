import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal, formatFixed, fromCents } from '../../kernel/decimal.ts';
import { type CountedReceipt, countReceipts, type DayCounter, MONEY_TYPES } from './day-counters.ts';
import { dayString } from './day-string.ts';

function brief(counter: DayCounter): string {
  const kind =
    counter.type === 'BalanceByMoneyType'
      ? counter.moneyType
      : `${counter.taxId}@${counter.taxPercent === null ? 'exempt' : formatFixed(counter.taxPercent, 2)}`;
  return `${counter.type} ${counter.currency} ${kind} ${formatFixed(counter.value, 2)}`;
}

const standard = { taxId: 3, taxPercent: decimal('15') };
const zeroRated = { taxId: 2, taxPercent: decimal('0') };
const exempt = { taxId: 1, taxPercent: null };

const invoice: CountedReceipt = {
  type: 'FiscalInvoice',
  currency: 'USD',
  taxes: [
    { ...standard, taxAmount: decimal('15'), salesAmountWithTax: decimal('115') },
    { ...zeroRated, taxAmount: decimal('0'), salesAmountWithTax: decimal('10') },
    { ...exempt, taxAmount: decimal('0'), salesAmountWithTax: decimal('7') },
  ],
  payments: [
    { moneyType: 'Card', amount: decimal('100') },
    { moneyType: 'Cash', amount: decimal('32') },
  ],
};
const creditNote: CountedReceipt = {
  type: 'CreditNote',
  currency: 'USD',
  taxes: [{ ...standard, taxAmount: decimal('-1.5'), salesAmountWithTax: decimal('-11.5') }],
  payments: [{ moneyType: 'Cash', amount: decimal('-11.5') }],
};
const debitNote: CountedReceipt = {
  type: 'DebitNote',
  currency: 'ZWG',
  taxes: [{ ...standard, taxAmount: decimal('0.15'), salesAmountWithTax: decimal('1.15') }],
  payments: [{ moneyType: 'BankTransfer', amount: decimal('1.15') }],
};

describe('the counters of a day', () => {
  test('each kind of receipt has its own, and all share the money', () => {
    expect(countReceipts([debitNote, invoice, creditNote, invoice]).map(brief)).toEqual([
      'SaleByTax USD 1@exempt 14.00',
      'SaleByTax USD 2@0.00 20.00',
      'SaleByTax USD 3@15.00 230.00',
      'SaleTaxByTax USD 3@15.00 30.00',
      'CreditNoteByTax USD 3@15.00 -11.50',
      'CreditNoteTaxByTax USD 3@15.00 -1.50',
      'DebitNoteByTax ZWG 3@15.00 1.15',
      'DebitNoteTaxByTax ZWG 3@15.00 0.15',
      'BalanceByMoneyType USD Cash 52.50',
      'BalanceByMoneyType USD Card 200.00',
      'BalanceByMoneyType ZWG BankTransfer 1.15',
    ]);
  });

  test('a sum that comes out as zero is gone, one below zero stays', () => {
    const refund: CountedReceipt = { ...creditNote, payments: [{ moneyType: 'Cash', amount: decimal('-32') }] };
    const overdrawn: CountedReceipt = { ...creditNote, payments: [{ moneyType: 'Card', amount: decimal('-101') }] };
    const money = countReceipts([invoice, refund, overdrawn]).filter(
      (counter) => counter.type === 'BalanceByMoneyType',
    );
    expect(money.map(brief)).toEqual(['BalanceByMoneyType USD Card -1.00']);
  });

  test('exempt and 0 % are counted apart, and so are two rates under one taxID', () => {
    const amounts = { taxId: 1, taxAmount: decimal('0'), salesAmountWithTax: decimal('1') };
    const taxes = [decimal('15.5'), null, decimal('0'), decimal('15')].map((taxPercent) => ({
      ...amounts,
      taxPercent,
    }));
    expect(countReceipts([{ ...invoice, taxes, payments: [] }]).map(brief)).toEqual([
      'SaleByTax USD 1@exempt 1.00',
      'SaleByTax USD 1@0.00 1.00',
      'SaleByTax USD 1@15.00 1.00',
      'SaleByTax USD 1@15.50 1.00',
    ]);
  });

  test('no receipts, no counters', () => {
    expect(countReceipts([])).toEqual([]);
  });

  const receipt = fc
    .record({
      type: fc.constantFrom('FiscalInvoice' as const, 'CreditNote' as const, 'DebitNote' as const),
      currency: fc.constantFrom('USD', 'ZWG', 'ZAR'),
      moneyType: fc.constantFrom(...MONEY_TYPES),
      kind: fc.constantFrom(standard, zeroRated, exempt),
      cents: fc.bigInt({ min: -1_000_000_000_000n, max: 1_000_000_000_000n }),
    })
    .map(
      ({ type, currency, moneyType, kind, cents }): CountedReceipt => ({
        type,
        currency,
        taxes: [{ ...kind, taxAmount: fromCents(cents / 8n), salesAmountWithTax: fromCents(cents) }],
        payments: [{ moneyType, amount: fromCents(cents) }],
      }),
    );

  test('money and sales add up to the same, as big.js adds them, in whatever order the receipts come', () => {
    fc.assert(
      fc.property(fc.array(receipt, { maxLength: 30 }), (receipts) => {
        const counters = countReceipts(receipts);
        const total = receipts
          .flatMap(({ payments }) => payments)
          .reduce((sum, { amount }) => sum.plus(formatFixed(amount, 2)), new Big(0));
        const totalOf = (types: RegExp) =>
          counters
            .filter(({ type }) => types.test(type))
            .reduce((sum, { value }) => sum.plus(formatFixed(value, 2)), new Big(0));
        expect(totalOf(/Balance/).eq(total)).toBe(true);
        expect(totalOf(/^(Sale|CreditNote|DebitNote)ByTax$/).eq(total)).toBe(true);
        expect(countReceipts(receipts.toReversed())).toEqual(counters);
      }),
    );
  });
});

describe('the closing string', () => {
  const day = { deviceId: 37_367, fiscalDayNumber: 20, fiscalDayDate: '2026-09-07' };

  test('of an empty day ends after the date', () => {
    expect(dayString({ ...day, counters: [] })).toBe('37367202026-09-07');
  });

  test('sorts by enumeration and not by alphabet, names no taxID and drops zeros', () => {
    const counters: DayCounter[] = [
      { type: 'BalanceByMoneyType', currency: 'usd', moneyType: 'MobileWallet', value: decimal('1') },
      { type: 'BalanceByMoneyType', currency: 'usd', moneyType: 'Coupon', value: decimal('0') },
      { type: 'BalanceByMoneyType', currency: 'usd', moneyType: 'Card', value: decimal('-3') },
      { type: 'CreditNoteByTax', currency: 'USD', taxId: 10, taxPercent: decimal('15.5'), value: decimal('-0.05') },
      { type: 'CreditNoteByTax', currency: 'USD', taxId: 9, taxPercent: null, value: decimal('-2') },
      { type: 'SaleTaxByTax', currency: 'USD', taxId: 10, taxPercent: decimal('15.5'), value: decimal('4') },
    ];
    expect(dayString({ ...day, counters })).toBe(
      '37367202026-09-07SALETAXBYTAXUSD15.50400CREDITNOTEBYTAXUSD-200CREDITNOTEBYTAXUSD15.50-5' +
        'BALANCEBYMONEYTYPEUSDCARD-300BALANCEBYMONEYTYPEUSDMOBILEWALLET100',
    );
  });

  test('does not depend on the order of the counters', () => {
    const counters = countReceipts([invoice, creditNote, debitNote]);
    fc.assert(
      fc.property(fc.shuffledSubarray(counters, { minLength: counters.length }), (shuffled) => {
        expect(dayString({ ...day, counters: shuffled })).toBe(dayString({ ...day, counters }));
      }),
    );
  });
});
