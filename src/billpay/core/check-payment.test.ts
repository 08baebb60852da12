import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { PaymentRequest } from '../../contract/billpay/payment.ts';
import { decimal } from '../../kernel/decimal.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import type { Biller, Product } from './biller.ts';
import { checkPayment } from './check-payment.ts';
import { readPayment } from './read-payment.ts';

const product = (code: string, price: string | undefined, isEnabled = true): Product => ({
  Code: code,
  Name: `Product ${code}`,
  Enabled: isEnabled,
  Prices: price === undefined ? [] : [{ Currency: 'USD', Price: decimal(price) }],
});

const biller: Biller = {
  ...BILLER,
  Products: [product('A', '5'), product('OPEN', undefined), product('OLD', '1', false)],
  MemberNumberRegex: '[0-9]{4}',
};

const GOOD = { VendorReference: 'V-1', BillerCode: 'PLAIN', MemberNumber: '1234', Currency: 'USD', Amount: 10 };

const exactRequest = exactValue(PaymentRequest);

/** As over the wire, text first, so that numbers keep their digits. */
function read(changes: object, text = JSON.stringify({ ...GOOD, ...changes })) {
  return readPayment(exactRequest(parseExactJson(Buffer.from(text))) as PaymentRequest);
}
const codes = (changes: object, of = biller) =>
  checkPayment(read(changes), of).map(({ Field, Code }) => `${Field} ${Code}`);

describe('one broken rule is refused with its code at its field', () => {
  test.each<[string, object, Partial<Biller>?]>([
    ['VendorReference Malformed', { VendorReference: ' ' }],
    ['VendorReference Malformed', { VendorReference: 'a\nb' }],
    ['VendorReference TooLong', { VendorReference: 'x'.repeat(51) }],
    ['MemberNumber MemberNumberInvalid', { MemberNumber: '12345' }],
    ['MemberNumber MemberNumberInvalid', { MemberNumber: 'x1234' }],
    ['MemberNumber Malformed', { MemberNumber: '' }],
    ['MemberNumber TooLong', { MemberNumber: '1'.repeat(101) }],
    ['MemberName TooLong', { MemberName: 'x'.repeat(201) }],
    ['Currency CurrencyNotTaken', { Currency: 'ZAR' }],
    ['Currency CurrencyNotTaken', { Currency: 'ZAR', Products: [{ Code: 'A', Quantity: 2 }] }],
    ['Amount AmountNotPositive', { Amount: 0 }],
    ['Amount TooManyDecimals', { Amount: 1.005 }],
    ['Amount TooLarge', { Amount: 1e17 }],
    [
      'Amount TooLarge',
      { Amount: 1e17 },
      { Fees: [{ Currency: 'USD', Fixed: decimal('0'), Percent: decimal('100') }] },
    ],
    [
      'Amount TooLarge',
      { Amount: 99_999_999_999_999_980 },
      { Fees: [{ Currency: 'USD', Fixed: decimal('20'), Percent: decimal('0') }] },
    ],
    ['PaymentType NotOneOf', { PaymentType: 'EcoCash' }],
    ['Products[0].Code ProductUnknown', { Products: [{ Code: 'B', Quantity: 1 }] }],
    ['Products[0].Code ProductDisabled', { Amount: 1, Products: [{ Code: 'OLD', Quantity: 1 }] }],
    ['Products[0].Quantity QuantityInvalid', { Products: [{ Code: 'A', Quantity: 0 }] }],
    ['Products[0].Quantity QuantityInvalid', { Products: [{ Code: 'A', Quantity: 1.5 }] }],
    ['Products[0].Quantity QuantityInvalid', { Products: [{ Code: 'A', Quantity: 1_000_000_000 }] }],
    ['Products[0].Price PriceMissing', { Products: [{ Code: 'OPEN', Quantity: 1 }] }],
    ['Products[0].Price PriceMismatch', { Amount: 5, Products: [{ Code: 'A', Quantity: 1, Price: 4 }] }],
    ['Products[0].Price TooManyDecimals', { Products: [{ Code: 'OPEN', Quantity: 8000, Price: 0.00125 }] }],
    ['Amount AmountMismatch', { Amount: 11, Products: [{ Code: 'A', Quantity: 2 }] }],
    ['Products TooMany', { Products: Array.from({ length: 101 }, () => ({ Code: 'A', Quantity: 1 })) }],
    ['MetaData TooMany', { MetaData: Array.from({ length: 51 }, () => ({ Key: 'a', Value: 'b' })) }],
    ['MetaData[0].Key Malformed', { MetaData: [{ Key: '', Value: 'b' }] }],
    ['MetaData[0].Value TooLong', { MetaData: [{ Key: 'a', Value: 'x'.repeat(501) }] }],
    ['BillerCode BillerDisabled', {}, { Enabled: false }],
  ])('%s', (expected, changes, of = {}) => {
    expect(codes(changes, { ...biller, ...of })).toEqual([expected]);
  });
});

test('an amount that is too large is named beside everything else', () => {
  expect(codes({ Amount: 1e17, MemberNumber: 'x1234' })).toEqual([
    'MemberNumber MemberNumberInvalid',
    'Amount TooLarge',
  ]);
});

test.each<[string, object, Partial<Biller>?]>([
  ['the longest reference', { VendorReference: 'x'.repeat(50) }],
  ['any member where the biller has no pattern', { MemberNumber: 'x' }, { MemberNumberRegex: null }],
  ['the most products', { Amount: 500, Products: Array.from({ length: 100 }, () => ({ Code: 'A', Quantity: 1 })) }],
  ['the largest quantity', { Amount: 4_999_999_995, Products: [{ Code: 'A', Quantity: 999_999_999 }] }],
  ['the most metadata', { MetaData: Array.from({ length: 50 }, () => ({ Key: 'a', Value: 'b' })) }],
])('%s is accepted', (_what, changes, of = {}) => {
  expect(codes(changes, { ...biller, ...of })).toEqual([]);
});

describe('a message helps:', () => {
  const message = (changes: object, of: Partial<Biller> = {}) =>
    checkPayment(read(changes), { ...biller, ...of })
      .map(({ Message }) => Message)
      .join();

  test.each<[string, Partial<Biller>, RegExp]>([
    ['names what is sold', {}, / A, OPEN$/],
    ['names up to ten', { Products: Array.from({ length: 10 }, (_, at) => product(`P${at}`, '1')) }, /P0, .*, P9$/],
    ['points to more', { Products: Array.from({ length: 11 }, (_, at) => product(`P${at}`, '1')) }, /ListBillers$/],
    ['says that there are none', { Products: [product('OLD', '1', false)] }, /no products$/],
  ])('an unknown product %s', (_what, of, expected) => {
    expect(message({ Products: [{ Code: 'B', Quantity: 1 }] }, of)).toMatch(expected);
  });

  const fee = (Currency: string) => ({ Currency, Fixed: decimal('1'), Percent: decimal('0') });
  test.each([
    ['is not spoken of where there is none', [], / 10\.00, got 11\.00$/],
    ['is not spoken of where it is in another currency', [fee('ZWG')], / 10\.00, got 11\.00$/],
    ['is spoken of where there is one', [fee('ZWG'), fee('USD')], / 10\.00, got 11\.00; the fee/],
  ])('with a wrong amount the fee %s', (_what, Fees, expected) => {
    expect(message({ Amount: 11, Products: [{ Code: 'A', Quantity: 2 }] }, { Fees })).toMatch(expected);
  });

  test('a price is shown with all its decimals', () => {
    expect(message({ Amount: 5, Products: [{ Code: 'A', Quantity: 1, Price: 4.125 }] })).toMatch(/ 5\.00 .* 4\.125$/);
  });
});

test('a quantity with a fraction too small for a float is not whole', () => {
  const text = JSON.stringify({ ...GOOD, Amount: 5, Products: [{ Code: 'A', Quantity: 77 }] }).replace(
    '77',
    '1.00000000000000000001',
  );
  expect(checkPayment(read({}, text), biller)).toMatchObject([
    { Field: 'Products[0].Quantity', Code: 'QuantityInvalid' },
  ]);
});

test('ZIG is taken where ZWG is', () => {
  expect(codes({ Currency: 'ZIG' })).toEqual([]);
  expect(read({ Currency: 'ZIG' }).currency).toBe('ZWG');
});

test('priced products are accepted with exactly their sum, and refused with every other amount', () => {
  const cents = fc.integer({ min: 1, max: 1_000_000 });
  const line = fc.record({ price: cents, quantity: fc.integer({ min: 1, max: 1000 }) });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), fc.integer({ min: -100, max: 100 }), (lines, off) => {
      const priced = lines.map(({ price }, index) => product(`P${index}`, new Big(price).div(100).toFixed(2)));
      const sum = lines.reduce(
        (total, { price, quantity }) => total.plus(new Big(price).times(quantity)),
        new Big(off),
      );
      fc.pre(sum.gt(0));
      const text = JSON.stringify({
        ...GOOD,
        Amount: 'AMOUNT',
        Products: lines.map(({ quantity }, index) => ({ Code: `P${index}`, Quantity: quantity })),
      }).replace('"AMOUNT"', sum.div(100).toFixed(2));
      const found = checkPayment(read({}, text), { ...biller, Products: priced }).map(({ Code }) => Code);
      expect(found).toEqual(off === 0 ? [] : ['AmountMismatch']);
    }),
  );
});
