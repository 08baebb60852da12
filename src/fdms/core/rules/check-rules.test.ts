import { describe, expect, test } from 'vitest';
import { creditNote, invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { checkRules } from './check-rules.ts';

function check(changes: object, currencies?: readonly string[]) {
  return checkRules(receiptOf(invoice(1, 'R-1', changes)), currencies);
}

function found(...input: Parameters<typeof check>): string[] {
  return check(...input).map(({ Field, Code }) => `${Field} ${Code}`);
}

test('a valid receipt of each type breaks no rule', () => {
  expect(found({})).toEqual([]);
  expect(checkRules(receiptOf(creditNote(1, 'R-1', 'O-1')), undefined)).toEqual([]);
  expect(found({ Type: 'DebitNote', Notes: 'Forgotten', OriginalReference: 'O-1' })).toEqual([]);
});

describe('Currency (RCPT010)', () => {
  test.each(['USD', 'ZWG', 'ZIG'])('%s is taken', (Currency) => {
    expect(found({ Currency })).toEqual([]);
  });

  test.each([
    ['usd', 'USD'],
    ['zig', 'ZWG'],
  ])('%s is told to be %s', (Currency, meant) => {
    expect(check({ Currency })[0]?.Message).toMatch(new RegExp(`: did you mean ${meant}\\?$`));
  });

  test.each(['XXX', 'US', 'USD ', ''])('%j is refused', (Currency) => {
    expect(check({ Currency })).toEqual([
      {
        Field: 'Currency',
        Code: 'RCPT010',
        Message: 'Currency must be a current ISO 4217 code in upper case, such as USD or ZWG',
      },
    ]);
  });

  test('ZWL is refused, and the message names its successor', () => {
    expect(check({ Currency: 'ZWL' })[0]?.Message).toContain('ZWG has replaced ZWL');
  });

  test("is one of the taxpayer's list where it set one, and the message lists it", () => {
    const list = ['USD', 'ZWG'];
    expect(found({ Currency: 'USD' }, list)).toEqual([]);
    expect(found({ Currency: 'ZIG' }, list)).toEqual([]);
    expect(check({ Currency: 'EUR' }, list)).toEqual([
      { Field: 'Currency', Code: 'RCPT010', Message: 'Currency must be one of USD, ZWG' },
    ]);
  });
});

describe('the head of a receipt', () => {
  test.each([
    ['Invoice', ''],
    ['fiscalInvoice', '; did you mean FiscalInvoice?'],
    ['FISCALINVOICE', '; did you mean FiscalInvoice?'],
    ['', ''],
  ])('is not of type %j', (Type, hint) => {
    expect(check({ Type })).toEqual([
      { Field: 'Type', Code: 'NotOneOf', Message: `must be one of FiscalInvoice, CreditNote, DebitNote${hint}` },
    ]);
  });

  test('is printed in one of two forms, the first by default', () => {
    expect(receiptOf(invoice(1, 'R-1')).ReceiptPrintForm).toBe('Receipt48');
    expect(receiptOf(invoice(1, 'R-1', { ReceiptPrintForm: null })).ReceiptPrintForm).toBe('Receipt48');
    expect(found({ ReceiptPrintForm: 'InvoiceA4' })).toEqual([]);
    expect(check({ ReceiptPrintForm: 'A4' })).toEqual([
      { Field: 'ReceiptPrintForm', Code: 'NotOneOf', Message: 'must be one of Receipt48, InvoiceA4' },
    ]);
  });

  test('has a Reference of 1 to 50 characters that can be printed and asked for', () => {
    expect(found({ Reference: 'x'.repeat(50) })).toEqual([]);
    expect(found({ Reference: 'INV/2026 #1 – ä' })).toEqual([]);
    expect(check({ Reference: 'x'.repeat(51) })).toEqual([
      { Field: 'Reference', Code: 'TooLong', Message: 'at most 50 characters, got 51' },
    ]);
    for (const Reference of ['', '   ', 'A\nB', 'A\u0007B'])
      expect(found({ Reference })).toEqual(['Reference Malformed']);
  });

  test('has a Cashier of at most 20 characters', () => {
    expect(found({ Cashier: 'x'.repeat(20) })).toEqual([]);
    expect(found({ Cashier: 'x'.repeat(21) })).toEqual(['Cashier TooLong']);
  });

  test.each(['2026-02-30T12:00:00', 'yesterday', ''])('has a Date that exists, not %j', (text) => {
    const [violation, ...others] = check({ Date: text });
    expect(violation).toMatchObject({ Field: 'Date', Code: 'Malformed' });
    expect(violation?.Message).toContain('2026-03-14T09:26:53');
    expect(others).toEqual([]);
  });
});

test('everything that is wrong is named in one answer', () => {
  const wrong = {
    Type: 'CreditNote',
    Currency: 'ZWL',
    Reference: '',
    Date: 'never',
    ReceiptPrintForm: 'A5',
    Cashier: 'x'.repeat(21),
    TotalAmount: 100.001,
    ReceiptLines: [
      { Type: 'Sale', Name: '', HsCode: '12', UnitPrice: 5, Quantity: 0, LineTotal: 10.005, TaxPercent: 15.555 },
    ],
    Payments: [{ Type: 'Gold', Amount: 7 }],
    Taxes: [{ TaxPercent: 0, SalesAmountWithTax: 1, TaxAmount: 1 }],
    BuyerVAT: '1',
    BuyerEmail: 'nobody',
  };
  const codes = new Set(check(wrong).map(({ Code }) => Code));
  for (const code of ['RCPT010', 'RCPT015', 'RCPT019', 'RCPT022', 'RCPT023', 'RCPT024', 'RCPT025', 'RCPT028']) {
    expect(codes, code).toContain(code);
  }
  for (const code of ['RCPT034', 'RCPT038', 'RCPT039', 'RCPT040', 'RCPT043', 'RCPT048', 'NotOneOf', 'Malformed']) {
    expect(codes, code).toContain(code);
  }
  expect(codes).toContain('TooLong');
  expect(codes).toContain('TooManyDecimals');
});

test('numbers beyond all bounds break rules, not the service', () => {
  for (const text of ['1e400', '-1e400', '1e-400', '1e999999999', `1${'0'.repeat(5000)}`, `0.${'0'.repeat(5000)}1`]) {
    const number = { exact: text };
    const violations = check({
      TotalAmount: number,
      ReceiptLines: [
        {
          Type: 'Sale',
          Name: 'x',
          HsCode: '1234',
          UnitPrice: number,
          Quantity: number,
          LineTotal: number,
          TaxPercent: number,
        },
      ],
      Payments: [{ Type: 'Cash', Amount: number }],
      Taxes: [{ TaxPercent: number, SalesAmountWithTax: number, TaxAmount: number }],
    });
    expect(violations.length).toBeGreaterThan(5);
    for (const { Message } of violations) expect(Message.length).toBeLessThan(500);
  }
});
