import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { decimal, formatDecimal, formatFixed } from '../../kernel/decimal.ts';
import type { PaymentRequest } from './payment.ts';
import { feeOf, pricePayment, sumOfProducts } from './price-payment.ts';

/** Amounts as people write them: up to 17 digits and two decimals. */
const money = fc.bigInt({ min: 0n, max: 10n ** 18n }).map((cents) => formatDecimal({ coefficient: cents, scale: 2 }));
const percent = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => new Big(hundredths).div(100).toFixed(2));
const exact = (text: string) => decimal(text);

const request = (changes: Partial<PaymentRequest> = {}): PaymentRequest => ({
  vendorReference: 'V-1',
  billerCode: 'PLAIN',
  memberNumber: '1',
  memberName: undefined,
  currency: 'USD',
  amount: exact('10'),
  products: [],
  paymentType: 'Cash',
  metaData: [],
  ...changes,
});

describe('the fee', () => {
  test('is fixed + percent of the amount, rounded once, half to even', () => {
    Big.DP = 60;
    fc.assert(
      fc.property(money, money, percent, (amount, fixed, rate) => {
        const biller = { ...BILLER, Fees: [{ Currency: 'USD', Fixed: exact(fixed), Percent: exact(rate) }] };
        const expected = new Big(fixed).plus(new Big(amount).times(rate).div(100)).round(2, Big.roundHalfEven);
        expect(formatFixed(feeOf(biller, 'USD', exact(amount)), 2)).toBe(expected.toFixed(2));
      }),
    );
  });

  test.each([
    ['2.50', '1', '0.02'],
    ['3.50', '1', '0.04'],
    ['0.01', '50', '0.00'],
    ['0.03', '50', '0.02'],
  ])('of %s at %s %% is %s', (amount, rate, expected) => {
    const biller = { ...BILLER, Fees: [{ Currency: 'USD', Fixed: exact('0'), Percent: exact(rate) }] };
    expect(formatFixed(feeOf(biller, 'USD', exact(amount)), 2)).toBe(expected);
  });

  test('is nothing in a currency for which the biller has none', () => {
    const biller = { ...BILLER, Fees: [{ Currency: 'ZWG', Fixed: exact('1'), Percent: exact('1') }] };
    expect(formatDecimal(feeOf(biller, 'USD', exact('10')))).toBe('0');
  });
});

test('the sum of products is exact', () => {
  const product = fc.record({ quantity: fc.integer({ min: 1, max: 999_999_999 }), price: money });
  fc.assert(
    fc.property(fc.array(product, { maxLength: 20 }), (products) => {
      const expected = products.reduce((sum, one) => sum.plus(new Big(one.price).times(one.quantity)), new Big(0));
      const sum = sumOfProducts(
        products.map(({ quantity, price }) => ({ quantity: exact(String(quantity)), price: exact(price) })),
      );
      expect(formatFixed(sum, 2)).toBe(expected.toFixed(2));
    }),
  );
});

const product = { Code: 'A', Name: 'Apples', Enabled: true };
const PRICES = [
  { Currency: 'ZWG', Price: exact('50') },
  { Currency: 'USD', Price: exact('2') },
];
const Products = [
  { ...product, Prices: PRICES },
  { ...product, Code: 'B', Name: 'Free', Prices: [] },
];

test('a payment is priced with the names and prices of the biller, and its units are counted', () => {
  const priced = pricePayment(
    request({
      products: [
        { code: 'A', quantity: exact('3'), price: undefined },
        { code: 'B', quantity: exact('1'), price: exact('4') },
      ],
    }),
    { ...BILLER, Products },
  );
  expect(priced).toMatchObject({
    units: 4,
    products: [
      { code: 'A', name: 'Apples', quantity: 3, price: exact('2') },
      { code: 'B', name: 'Free', quantity: 1, price: exact('4') },
    ],
  });
});

test('the feed shows what products say of themselves, the first one before others, and the vendor before all', () => {
  const says = (...pairs: [Key: string, Value: string][]) => pairs.map(([Key, Value]) => ({ Key, Value }));
  const [A, B] = Products.map((one, place) => ({
    ...one,
    MetaData: place === 0 ? says(['Route', '7'], ['Zone', '1']) : says(['Route', '8']),
  }));
  const bought = ['A', 'B'].map((code) => ({ code, quantity: exact('1'), price: exact('4') }));
  const paid = request({ products: bought, metaData: says(['Zone', 'mine']) });
  const shown = (...products: (typeof A)[]) =>
    pricePayment(paid, { ...BILLER, Products: products.flatMap((one) => one ?? []) }).feedMetaData;
  expect(shown(A, B)).toEqual(says(['Route', '7'], ['Zone', 'mine']));
  expect(pricePayment(paid, { ...BILLER, Products }).feedMetaData).toBeUndefined();
});

test.each([
  ['C', exact('4')],
  ['B', undefined],
])('a product that is not there, or has no price, was not checked: %s at %o', (code, price) => {
  const unchecked = request({ products: [{ code, quantity: exact('1'), price }] });
  expect(() => pricePayment(unchecked, { ...BILLER, Products })).toThrow('not checked');
});
