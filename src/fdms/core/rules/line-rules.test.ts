import { describe, expect, test } from 'vitest';
import { type ExactNumber, exact } from '../../../../test/support/exact-number.ts';
import { creditNote, invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { checkLines } from './line-rules.ts';
import { gather } from './report.ts';

const SALE = { Type: 'Sale', Name: 'Kettle', HsCode: '8516', Quantity: 1, LineTotal: 10, TaxPercent: 15.5 };

function check(type: string, ...lines: object[]) {
  const ReceiptLines = lines.map((line) => ({ ...SALE, ...line }));
  const wire =
    type === 'FiscalInvoice'
      ? invoice(1, 'R-1', { ReceiptLines })
      : creditNote(1, 'R-1', 'O-1', { Type: type, ReceiptLines });
  return gather((report) => checkLines(receiptOf(wire), report));
}

function found(type: string, ...lines: object[]): string[] {
  return check(type, ...lines).map(({ Field, Code }) => `${Field} ${Code}`);
}

describe('a receipt has at least one line (RCPT016)', () => {
  test('none is refused, one is enough', () => {
    expect(check('FiscalInvoice')).toEqual([
      { Field: 'ReceiptLines', Code: 'RCPT016', Message: 'at least one line is needed' },
    ]);
    expect(check('FiscalInvoice', {})).toEqual([]);
  });

  test('and at most 2,000 (TooMany)', () => {
    expect(found('FiscalInvoice', ...Array.from({ length: 2000 }, () => ({})))).toEqual([]);
    expect(found('FiscalInvoice', ...Array.from({ length: 2001 }, () => ({})))).toEqual(['ReceiptLines TooMany']);
  });
});

describe('Quantity (RCPT023)', () => {
  test.each(['0', '-0', '0.00', '-1', '-0.000001', '-1e400'])('%s is refused', (quantity) => {
    expect(found('FiscalInvoice', { Quantity: exact(quantity) })).toContain('ReceiptLines[0].Quantity RCPT023');
    expect(found('CreditNote', { Quantity: exact(quantity) })).toContain('ReceiptLines[0].Quantity RCPT023');
  });

  test.each(['0.000001', '1', '1e2', '1.5e-3', '9999999999999999999.999999'])('%s is taken', (quantity) => {
    expect(found('FiscalInvoice', { Quantity: exact(quantity) })).toEqual([]);
  });

  test('is positive on credit notes too', () => {
    expect(check('CreditNote', { Quantity: -1, LineTotal: -10 })).toEqual([
      {
        Field: 'ReceiptLines[0].Quantity',
        Code: 'RCPT023',
        Message: 'Quantity must be greater than 0, also on credit notes',
      },
    ]);
  });
});

describe('LineTotal (RCPT024)', () => {
  test.each([
    ['10.001', true],
    ['1e-400', true],
    ['10.000', false],
    ['1001e-2', false],
    ['0.01', false],
  ])('%s has too many decimals: %s', (total, isRefused) => {
    expect(found('FiscalInvoice', { LineTotal: exact(total) })).toEqual(
      isRefused ? ['ReceiptLines[0].LineTotal RCPT024'] : [],
    );
  });

  test.each([
    ['3.333333', '3', '10', false],
    ['3.333333', '3', '9.999999', false],
    ['3.33', '3', '9.99', true],
    ['0.1', '3', '0.3', true],
    ['0.333', '10', '3.33', true],
    ['2.5', '0.4', '1', true],
    ['0.000001', '1000000', '1', true],
    ['123456.789012', '1e6', '123456789012', true],
    ['9007199254740993', '1', '9007199254740993', true],
    ['9007199254740993', '1', '9007199254740992', false],
    ['1e2', '1e1', '1E3', true],
  ])('with UnitPrice %s and Quantity %s is not exactly %s otherwise: %s', (price, quantity, total, isExact) => {
    const line = { UnitPrice: exact(price), Quantity: exact(quantity), LineTotal: exact(total) };
    expect(found('FiscalInvoice', line).includes('ReceiptLines[0].LineTotal RCPT024')).toBe(!isExact);
  });

  test('that is a product of more decimals is refused once, with the way out', () => {
    const line = { UnitPrice: exact('3.333'), Quantity: exact('3'), LineTotal: exact('9.999') };
    expect(check('FiscalInvoice', line)).toEqual([
      {
        Field: 'ReceiptLines[0].LineTotal',
        Code: 'RCPT024',
        Message:
          'LineTotal has at most 2 decimals, got 9.999, which is UnitPrice × Quantity: send the LineTotal that is charged, without UnitPrice',
      },
    ]);
  });

  test('says what the product is, and that UnitPrice may be left out', () => {
    const [violation] = check('FiscalInvoice', { UnitPrice: 3.33, Quantity: 3, LineTotal: 10 });
    expect(violation?.Message).toMatch(/UnitPrice × Quantity, 9\.99, got 10\.00; leave UnitPrice out/);
    expect(found('FiscalInvoice', { Quantity: 3, LineTotal: 10 })).toEqual([]);
    // With as many decimals as there may be.
    expect(found('FiscalInvoice', { UnitPrice: 2, Quantity: 1.500001, LineTotal: 3 })).toEqual([
      'ReceiptLines[0].LineTotal RCPT024',
    ]);
    expect(found('FiscalInvoice', { UnitPrice: null, Quantity: 3, LineTotal: 10 })).toEqual([]);
  });
});

describe('the signs of UnitPrice and LineTotal (RCPT022)', () => {
  test.each([
    ['FiscalInvoice', 'Sale', 1],
    ['FiscalInvoice', 'Discount', -1],
    ['DebitNote', 'Sale', 1],
    ['DebitNote', 'Discount', -1],
    ['CreditNote', 'Sale', -1],
    ['CreditNote', 'Discount', 1],
  ])('%s, %s: only %i is taken', (type, lineType, sign) => {
    const line = (amount: number) => ({ Type: lineType, UnitPrice: amount, LineTotal: amount });
    const both = ['ReceiptLines[0].UnitPrice RCPT022', 'ReceiptLines[0].LineTotal RCPT022'];
    expect(found(type, line(10 * sign))).toEqual([]);
    expect(found(type, line(-10 * sign))).toEqual(both);
    expect(found(type, line(0))).toEqual(both);
    expect(found(type, { Type: lineType, LineTotal: -0.01 * sign })).toEqual(['ReceiptLines[0].LineTotal RCPT022']);
  });

  test('a negative zero is a zero', () => {
    expect(found('CreditNote', { LineTotal: exact('-0.00') })).toEqual(['ReceiptLines[0].LineTotal RCPT022']);
  });

  test('the message says what was expected of which line', () => {
    const [violation] = check('CreditNote', { Type: 'Discount', LineTotal: -1 });
    expect(violation?.Message).toBe('LineTotal must be greater than 0 on a Discount line of a CreditNote, got -1.00');
  });
});

describe('HsCode', () => {
  test.each([undefined, null, ''])('%j is missing (RCPT047), and the message says what is needed', (HsCode) => {
    const message = (TaxPercent: number | null) => check('FiscalInvoice', { HsCode, TaxPercent })[0];
    expect(message(15.5)).toEqual({
      Field: 'ReceiptLines[0].HsCode',
      Code: 'RCPT047',
      Message: 'HsCode is missing: 4 or 8 digits for 15.5%',
    });
    expect(message(0)?.Message).toBe('HsCode is missing: exactly 8 digits for 0%');
    expect(message(null)?.Message).toBe('HsCode is missing: exactly 8 digits for exempt');
  });

  const percents: [string, number | ExactNumber | null, boolean][] = [
    ['15.5 %', 15.5, true],
    ['0.01 %', exact('0.01'), true],
    ['0 %', 0, false],
    ['-0 %', exact('-0'), false],
    ['exempt', null, false],
  ];
  test.each(percents)(
    'for %s has 8 digits, or 4 where the tax is above 0 (RCPT048)',
    (_name, TaxPercent, takesFour) => {
      const refused = (HsCode: string) => found('FiscalInvoice', { HsCode, TaxPercent }).length > 0;
      expect(refused('12345678')).toBe(false);
      expect(refused('1234')).toBe(!takesFour);
      for (const wrong of [
        '1',
        '123',
        '12345',
        '1234567',
        '123456789',
        '1234567a',
        '12 4',
        '1234\n',
        '１２３４',
        '12.4',
        '-123',
      ]) {
        expect(refused(wrong), wrong).toBe(true);
      }
    },
  );

  test('the message of a wrong one says what was expected', () => {
    expect(check('FiscalInvoice', { HsCode: '1234', TaxPercent: null })).toEqual([
      { Field: 'ReceiptLines[0].HsCode', Code: 'RCPT048', Message: 'HsCode must be exactly 8 digits for exempt' },
    ]);
  });
});

describe('what the authority would refuse as malformed', () => {
  test.each(['UnitPrice', 'Quantity'])('%s of more than 6 decimals or 25 digits', (field) => {
    const codes = (text: string) => found('FiscalInvoice', { [field]: exact(text) }).filter((code) => /Too/.test(code));
    expect(codes('1.000001')).toEqual([]);
    expect(codes('1.0000010')).toEqual([]);
    expect(codes('1.0000001')).toEqual([`ReceiptLines[0].${field} TooManyDecimals`]);
    expect(codes('1e-400')).toEqual([`ReceiptLines[0].${field} TooManyDecimals`]);
    expect(codes('9999999999999999999.999999')).toEqual([]);
    expect(codes('10000000000000000000')).toEqual([`ReceiptLines[0].${field} TooLarge`]);
    expect(codes('1e400')).toEqual([`ReceiptLines[0].${field} TooLarge`]);
  });

  test('a Name that is empty or longer than 200 characters', () => {
    expect(found('FiscalInvoice', { Name: 'x'.repeat(200) })).toEqual([]);
    expect(found('FiscalInvoice', { Name: 'x'.repeat(201) })).toEqual(['ReceiptLines[0].Name TooLong']);
    expect(found('FiscalInvoice', { Name: '' })).toEqual(['ReceiptLines[0].Name Malformed']);
    expect(found('FiscalInvoice', { Name: ' \n' })).toEqual(['ReceiptLines[0].Name Malformed']);
  });

  test.each([
    ['SALE', '; did you mean Sale?'],
    ['Refund', ''],
    ['', ''],
  ])('a line of type %j', (Type, hint) => {
    expect(check('FiscalInvoice', { Type })).toEqual([
      { Field: 'ReceiptLines[0].Type', Code: 'NotOneOf', Message: `must be one of Sale, Discount${hint}` },
    ]);
  });
});

test('every wrong line is named by its own index', () => {
  expect(found('FiscalInvoice', {}, { Quantity: 0 }, {}, { HsCode: null, LineTotal: -1 })).toEqual([
    'ReceiptLines[1].Quantity RCPT023',
    'ReceiptLines[3].LineTotal RCPT022',
    'ReceiptLines[3].HsCode RCPT047',
  ]);
});

test('a total with too many decimals is told where they come from', () => {
  const message = (line: object) => check('FiscalInvoice', line)[0]?.Message;
  const PRODUCT = /which is UnitPrice × Quantity/;
  expect(message({ LineTotal: exact('1.125'), UnitPrice: exact('2.25'), Quantity: exact('0.5') })).toMatch(PRODUCT);
  expect(message({ LineTotal: exact('1.126'), UnitPrice: exact('2.25'), Quantity: exact('0.5') })).not.toMatch(PRODUCT);
  expect(message({ LineTotal: exact('1.125') })).not.toMatch(PRODUCT);
  expect(message({ LineTotal: exact('1.0000000001') })).toMatch(/binary float, send 1\.00$/);
  expect(message({ LineTotal: exact('1.000000001') })).not.toMatch(/float/);
});

test('of a product with too many decimals only those are told', () => {
  for (const [Quantity, UnitPrice, field] of [
    ['1.1234567', '1', 'Quantity'],
    ['1', '1.1234567', 'UnitPrice'],
  ] as const) {
    const line = { Quantity: exact(Quantity), UnitPrice: exact(UnitPrice), LineTotal: exact('1.12') };
    expect(found('FiscalInvoice', line)).toEqual([`ReceiptLines[0].${field} TooManyDecimals`]);
  }
});
