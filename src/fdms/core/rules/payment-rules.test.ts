import { describe, expect, test } from 'vitest';
import { exact } from '../../../../test/support/exact-number.ts';
import { creditNote, invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { checkPayments } from './payment-rules.ts';
import { gather } from './report.ts';

const ALL_TYPES = ['Cash', 'Card', 'MobileWallet', 'Coupon', 'Credit', 'BankTransfer', 'Other'];

function check(wire: object) {
  return gather((report) => checkPayments(receiptOf(wire), report));
}

function found(type: string, ...amounts: string[]): string[] {
  const changes = { Type: type, Payments: amounts.map((amount) => ({ Type: 'Cash', Amount: exact(amount) })) };
  const wire = type === 'CreditNote' ? creditNote(1, 'R-1', 'O-1', changes) : invoice(1, 'R-1', changes);
  return check(wire).map(({ Field, Code }) => `${Field} ${Code}`);
}

test('at least one payment is needed (RCPT018)', () => {
  expect(check(invoice(1, 'R-1', { Payments: [], TotalAmount: 0 }))).toEqual([
    {
      Field: 'Payments',
      Code: 'RCPT018',
      Message:
        'at least one payment is needed, also on credit and debit notes, such as [{ "Type": "Cash", "Amount": 0.00 }]',
    },
  ]);
});

test('at most 50 payments are taken (TooMany)', () => {
  const zeros = (count: number) => Array.from({ length: count }, () => '0');
  expect(found('FiscalInvoice', '115.5', ...zeros(49))).toEqual([]);
  expect(found('FiscalInvoice', '115.5', ...zeros(50))).toEqual(['Payments TooMany']);
});

describe('the sign of a payment (RCPT028)', () => {
  test.each([
    ['FiscalInvoice', ['115.51', '-0.01'], true],
    ['DebitNote', ['115.51', '-0.01'], true],
    ['CreditNote', ['-115.51', '0.01'], true],
    ['FiscalInvoice', ['115.50', '0'], false],
    ['FiscalInvoice', ['115.50', '-0'], false],
    ['DebitNote', ['115.50', '0'], false],
    ['CreditNote', ['-115.50', '0'], false],
  ])('on a %s of %j is wrong: %s', (type, amounts, isRefused) => {
    expect(found(type, ...amounts)).toEqual(isRefused ? ['Payments[1].Amount RCPT028'] : []);
  });

  test('the message names the sign', () => {
    const Payments = [{ Type: 'Cash', Amount: -115.5 }];
    const ofInvoice = check(invoice(1, 'R-1', { Payments })).find(({ Code }) => Code === 'RCPT028');
    expect(ofInvoice?.Message).toBe('Amount must be 0 or more (only a CreditNote is negative), got -115.50');
  });
});

describe('the sum of the payments (RCPT039)', () => {
  test.each([
    ['FiscalInvoice', ['115.49'], true],
    ['FiscalInvoice', ['115.51'], true],
    ['FiscalInvoice', ['100', '15.49'], true],
    ['FiscalInvoice', ['100', '15.5'], false],
    ['FiscalInvoice', ['1e2', '155e-1'], false],
    ['CreditNote', ['115.50'], true],
    ['CreditNote', ['-100', '-15.5'], false],
  ])('on a %s paid with %j is wrong: %s', (type, amounts, isRefused) => {
    expect(found(type, ...amounts).includes('Payments RCPT039')).toBe(isRefused);
  });

  test('the message gives both sums and the usual mistake', () => {
    expect(check(invoice(1, 'R-1', { Payments: [{ Type: 'Cash', Amount: 120 }] }))).toEqual([
      {
        Field: 'Payments',
        Code: 'RCPT039',
        Message: 'the payments must add up to TotalAmount, 115.50, got 120.00; cash is counted without change',
      },
    ]);
  });
});

test('an amount has at most two decimals', () => {
  expect(found('FiscalInvoice', '115.495', '0.005')).toEqual([
    'Payments[0].Amount TooManyDecimals',
    'Payments[1].Amount TooManyDecimals',
  ]);
});

test('every documented payment type is taken, and no other', () => {
  const withType = (Type: string) => check(invoice(1, 'R-1', { Payments: [{ Type, Amount: 115.5 }] }));
  for (const type of ALL_TYPES) expect(withType(type), type).toEqual([]);
  for (const type of ['Bitcoin', '']) {
    expect(withType(type)).toEqual([
      { Field: 'Payments[0].Type', Code: 'NotOneOf', Message: `must be one of ${ALL_TYPES.join(', ')}` },
    ]);
  }
});

test.each([
  ['EcoCash', 'MobileWallet'],
  ['ecocash', 'MobileWallet'],
  ["O'mari", 'MobileWallet'],
  ['Swipe', 'Card'],
  ['ZIPIT', 'BankTransfer'],
  ['cash', 'Cash'],
])('the name people use for a payment is answered with its type: %s, %s', (type, meant) => {
  const [violation] = check(invoice(1, 'R-1', { Payments: [{ Type: type, Amount: exact('115.5') }] }));
  expect(violation?.Message).toBe(`must be one of ${ALL_TYPES.join(', ')}; did you mean ${meant}?`);
});
