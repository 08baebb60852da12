import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, formatDecimal } from '../../kernel/decimal.ts';
import { differencesOf } from './compare-payment.ts';
import type { PaymentRequest } from './payment.ts';

const arbitraryRequest: fc.Arbitrary<PaymentRequest> = fc.record({
  vendorReference: fc.constant('V-1'),
  billerCode: fc.constantFrom('A', 'B'),
  memberNumber: fc.constantFrom('1', '2'),
  memberName: fc.constantFrom(undefined, 'Rudo'),
  currency: fc.constantFrom('USD', 'ZWG'),
  amount: fc.constantFrom('1', '1.00', '1.5').map(decimal),
  products: fc.array(
    fc.record({
      code: fc.constantFrom('P', 'Q'),
      quantity: fc.constantFrom('1', '2').map(decimal),
      price: fc.constantFrom('1', '2').map(decimal),
    }),
    { maxLength: 2 },
  ),
  paymentType: fc.constantFrom('Cash', 'Card'),
  metaData: fc.array(fc.record({ Key: fc.constantFrom('a', 'b'), Value: fc.constantFrom('x', 'y') }), { maxLength: 2 }),
});

const recorded = (request: PaymentRequest) => ({
  ...request,
  products: request.products.map((product) => ({
    ...product,
    name: 'N',
    quantity: Number(formatDecimal(product.quantity)),
    price: product.price ?? decimal('1'),
  })),
});

/** A second way to compare: the whole request as text. */
const text = (request: PaymentRequest) =>
  JSON.stringify(request, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

test('there are differences exactly when the requests differ, and each names its field', () => {
  fc.assert(
    fc.property(arbitraryRequest, arbitraryRequest, (before, now) => {
      const found = differencesOf(recorded(before), now);
      expect(found.length === 0).toBe(text(before) === text(now));
      for (const { field, recorded: left, sent } of found) {
        expect(field).toMatch(/^[A-Z]\w+(\[\d\]\.\w+)?$/);
        expect(left).not.toBe(sent);
      }
    }),
    { numRuns: 500 },
  );
});

const product = { code: 'P', quantity: decimal('1'), price: decimal('1') };
const ONE: PaymentRequest = {
  vendorReference: 'V-1',
  billerCode: 'A',
  memberNumber: '1',
  memberName: 'Rudo',
  currency: 'USD',
  amount: decimal('1'),
  products: [product],
  paymentType: 'Cash',
  metaData: [{ Key: 'a', Value: 'x' }],
};

test.each<[string, Partial<PaymentRequest>, string, string]>([
  ['MemberName', { memberName: undefined }, 'Rudo', 'absent'],
  ['Amount', { amount: decimal('1.5') }, '1', '1.5'],
  ['Products', { products: [] }, '1 entries', '0 entries'],
  ['Products[0].Code', { products: [{ ...product, code: 'Q' }] }, 'P', 'Q'],
  ['Products[0].Quantity', { products: [{ ...product, quantity: decimal('2') }] }, '1', '2'],
  ['Products[0].Price', { products: [{ ...product, price: decimal('2') }] }, '1', '2'],
  ['MetaData', { metaData: [] }, '1 entries', '0 entries'],
  ['MetaData[0].Key', { metaData: [{ Key: 'b', Value: 'x' }] }, 'a', 'b'],
  ['MetaData[0].Value', { metaData: [{ Key: 'a', Value: 'y' }] }, 'x', 'y'],
])('%s is named with what was recorded and what is sent, either way', (field, changes, before, now) => {
  const other = { ...ONE, ...changes };
  expect(differencesOf(recorded(ONE), other)).toEqual([{ field, recorded: before, sent: now }]);
  expect(differencesOf(recorded(other), ONE)).toEqual([{ field, recorded: now, sent: before }]);
});

test('a price that is not sent agrees with the one that was recorded', () => {
  fc.assert(
    fc.property(arbitraryRequest, (request) => {
      const retry = { ...request, products: request.products.map((product) => ({ ...product, price: undefined })) };
      expect(differencesOf(recorded(request), retry)).toEqual([]);
    }),
  );
});

test('a quantity that nobody can buy is told as it was sent', () => {
  const odd = { ...ONE, products: [{ ...product, quantity: decimal('1.5') }] };
  expect(differencesOf(recorded(ONE), odd)).toEqual([{ field: 'Products[0].Quantity', recorded: '1', sent: '1.5' }]);
});
