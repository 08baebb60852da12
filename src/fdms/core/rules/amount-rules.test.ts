import { describe, expect, test } from 'vitest';
import { exact } from '../../../../test/support/exact-number.ts';
import { creditNote, invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { checkRules } from './check-rules.ts';

function check(receipt: object) {
  return checkRules(receiptOf(receipt), undefined);
}

function found(receipt: object): string[] {
  return check(receipt).map(({ Field, Code }) => `${Field} ${Code}`);
}

/** A receipt of one exempt line, where every amount is the same number. */
function exemptOf(type: string, amount: string) {
  const make = type === 'FiscalInvoice' ? invoice(1, 'R-1') : creditNote(1, 'R-1', 'O-1', { Type: type });
  return {
    ...make,
    TotalAmount: exact(amount),
    ReceiptLines: [
      { Type: 'Sale', Name: 'Book', HsCode: '49019900', Quantity: 1, LineTotal: exact(amount), TaxPercent: null },
    ],
    Payments: [{ Type: 'Cash', Amount: exact(amount) }],
    Taxes: [{ TaxPercent: null, SalesAmountWithTax: exact(amount), TaxAmount: 0 }],
  };
}

describe('TotalAmount (RCPT040)', () => {
  test('has at most two decimals, and the message says how many came', () => {
    expect(check(invoice(1, 'R-1', { TotalAmount: exact('115.501') }))).toContainEqual({
      Field: 'TotalAmount',
      Code: 'RCPT040',
      Message: 'TotalAmount has at most 2 decimals, got 115.501',
    });
    expect(found(invoice(1, 'R-1', { TotalAmount: exact('115.500') }))).toEqual([]);
    expect(found(invoice(1, 'R-1', { TotalAmount: exact('1155e-1') }))).toEqual([]);
    expect(found(invoice(1, 'R-1', { TotalAmount: exact('1e-400') }))).toContain('TotalAmount RCPT040');
  });

  test.each([
    ['FiscalInvoice', '-0.01', true],
    ['DebitNote', '-0.01', true],
    ['CreditNote', '0.01', true],
    ['FiscalInvoice', '0', false],
    ['DebitNote', '0', false],
    ['CreditNote', '0', false],
    ['FiscalInvoice', '-0', false],
    ['CreditNote', '-0.00', false],
    ['FiscalInvoice', '0.01', false],
    ['DebitNote', '0.01', false],
    ['CreditNote', '-0.01', false],
  ])('on a %s of %s has the wrong sign: %s', (type, amount, isRefused) => {
    expect(found(exemptOf(type, amount)).includes('TotalAmount RCPT040')).toBe(isRefused);
  });

  test('says which sign was expected', () => {
    const ofCredit = check(exemptOf('CreditNote', '1')).find(({ Field }) => Field === 'TotalAmount');
    expect(ofCredit?.Message).toBe('TotalAmount of a CreditNote must be 0 or less, got 1.00');
    const ofInvoice = check(exemptOf('FiscalInvoice', '-1')).find(({ Field }) => Field === 'TotalAmount');
    expect(ofInvoice?.Message).toBe('TotalAmount must be 0 or more (only a CreditNote is negative), got -1.00');
  });
});

describe('amounts beyond decimal(19,2) (TooLarge)', () => {
  test('17 digits before the point are taken to the last cent', () => {
    expect(found(exemptOf('FiscalInvoice', '99999999999999999.99'))).toEqual([]);
    expect(found(exemptOf('CreditNote', '-99999999999999999.99'))).toEqual([]);
  });

  test.each(['100000000000000000', '1e17', '1e400', '123456789012345678.01'])(
    '%s is refused in every field',
    (amount) => {
      expect(found(exemptOf('FiscalInvoice', amount))).toEqual([
        'TotalAmount TooLarge',
        'ReceiptLines[0].LineTotal TooLarge',
        'Taxes[0].SalesAmountWithTax TooLarge',
        'Payments[0].Amount TooLarge',
      ]);
    },
  );

  test('TaxAmount too', () => {
    const Taxes = [{ TaxPercent: 15.5, SalesAmountWithTax: 115.5, TaxAmount: exact('-1e17') }];
    expect(found(invoice(1, 'R-1', { Taxes }))).toContain('Taxes[0].TaxAmount TooLarge');
  });

  test('the message says how many digits there may be', () => {
    expect(check(exemptOf('FiscalInvoice', '1e17'))[0]?.Message).toContain('17 digits');
  });
});

describe('the sums TotalAmount must equal', () => {
  const offByOne = exact('115.51');

  test('inclusive: the sum of all LineTotal (RCPT019) and of all SalesAmountWithTax (RCPT038), with the sum in the message', () => {
    const violations = check(
      invoice(1, 'R-1', { TotalAmount: offByOne, Payments: [{ Type: 'Cash', Amount: offByOne }] }),
    );
    expect(violations).toEqual([
      {
        Field: 'TotalAmount',
        Code: 'RCPT019',
        Message: 'TotalAmount must be the sum of all LineTotal, 115.50, got 115.51',
      },
      {
        Field: 'TotalAmount',
        Code: 'RCPT038',
        Message: 'TotalAmount must be the sum of all SalesAmountWithTax, 115.50, got 115.51',
      },
    ]);
  });

  test('exclusive: the sum of all LineTotal and TaxAmount (RCPT037) and of all SalesAmountWithTax (RCPT038)', () => {
    const exclusive = {
      ReceiptLinesTaxInclusive: false,
      TotalAmount: 133.4,
      Payments: [{ Type: 'Cash', Amount: 133.4 }],
      Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: 133.4, TaxAmount: 17.9 }],
    };
    expect(found(invoice(1, 'R-1', exclusive))).toEqual([]);
    const low = { TotalAmount: 133.39, Payments: [{ Type: 'Cash', Amount: 133.39 }] };
    expect(check(invoice(1, 'R-1', { ...exclusive, ...low }))).toEqual([
      {
        Field: 'TotalAmount',
        Code: 'RCPT037',
        Message: 'TotalAmount must be the sum of all LineTotal and TaxAmount, 133.40, got 133.39',
      },
      {
        Field: 'TotalAmount',
        Code: 'RCPT038',
        Message: 'TotalAmount must be the sum of all SalesAmountWithTax, 133.40, got 133.39',
      },
    ]);
  });

  test('are exact where floats are not: 0.1 three times is 0.3', () => {
    const line = { Type: 'Sale', Name: 'Sweet', HsCode: '17049000', Quantity: 1, LineTotal: 0.1, TaxPercent: 0 };
    const sweets = {
      TotalAmount: 0.3,
      ReceiptLines: [line, line, line],
      Payments: [
        { Type: 'Cash', Amount: 0.1 },
        { Type: 'Card', Amount: 0.2 },
      ],
      Taxes: [{ TaxPercent: 0, SalesAmountWithTax: 0.3, TaxAmount: 0 }],
    };
    expect(found(invoice(1, 'R-1', sweets))).toEqual([]);
  });

  test('are exact beyond sixteen digits', () => {
    const big = exemptOf('FiscalInvoice', '9999999999999999.99');
    expect(found(big)).toEqual([]);
    expect(found({ ...big, TotalAmount: exact('9999999999999999.98') })).toEqual([
      'TotalAmount RCPT019',
      'TotalAmount RCPT038',
      'Payments RCPT039',
    ]);
  });
});

describe('one cause, one error', () => {
  const NOISE = '115.50000000000001';

  test("a float's noise is told where it stands, not again by every sum it is part of", () => {
    expect(check(invoice(1, 'R-1', { TotalAmount: exact(NOISE) }))).toEqual([
      {
        Field: 'TotalAmount',
        Code: 'RCPT040',
        Message: `TotalAmount has at most 2 decimals, got ${NOISE}: it comes from a binary float, send 115.50`,
      },
    ]);
    expect(found(invoice(1, 'R-1', { Payments: [{ Type: 'Cash', Amount: exact(NOISE) }] }))).toEqual([
      'Payments[0].Amount TooManyDecimals',
    ]);
    const line = { Type: 'Sale', Name: 'Thing', HsCode: '12345678', Quantity: 1, TaxPercent: 15.5 };
    expect(found(invoice(1, 'R-1', { ReceiptLines: [{ ...line, LineTotal: exact(NOISE) }] }))).toEqual([
      'ReceiptLines[0].LineTotal RCPT024',
    ]);
    const price = { ...line, UnitPrice: exact(NOISE), LineTotal: exact('115.5') };
    expect(found(invoice(1, 'R-1', { ReceiptLines: [price] }))).toEqual(['ReceiptLines[0].UnitPrice TooManyDecimals']);
    const tax = { TaxPercent: 15.5, SalesAmountWithTax: exact(NOISE), TaxAmount: exact('15.5') };
    expect(found(invoice(1, 'R-1', { Taxes: [tax] }))).toEqual(['Taxes[0].SalesAmountWithTax RCPT027']);
  });

  test('a sum that is wrong by more than noise is told as well', () => {
    expect(found(invoice(1, 'R-1', { TotalAmount: exact('115.60000000000001') }))).toEqual([
      'TotalAmount RCPT040',
      'TotalAmount RCPT019',
      'TotalAmount RCPT038',
      'Payments RCPT039',
    ]);
  });

  test('cents in place of units are named as such', () => {
    const messages = check(invoice(1, 'R-1', { TotalAmount: 11550 })).map(({ Message }) => Message);
    expect(messages).toHaveLength(3);
    for (const message of messages) expect(message).toContain('one of them seems to be in cents');
    expect(check(invoice(1, 'R-1', { TotalAmount: 115 }))[0]?.Message).not.toContain('cents');
  });
});
