import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { SignedReceipt } from '../../contract/fiscal/receipt.ts';
import { ANSWER_FIELDS, ReceiptBody } from '../../contract/fiscal/receipt-body.ts';
import { decimal, someOf, wholeDecimal } from '../../contract/shared/schemas.ts';
import { formatDecimal } from '../../kernel/decimal.ts';
import { parseExactJson } from '../json/exact-json.ts';
import { bodyShape, queryShape } from './shape.ts';

const shape = bodyShape(ReceiptBody);
const check = (value: unknown) => shape(parseExactJson(Buffer.from(JSON.stringify(value))));
const LINE = { Type: 'Sale', Name: 'x', HsCode: '1234', Quantity: 1, LineTotal: 1, TaxPercent: 15.5 };

function found(value: unknown): string[] {
  return check(value).map(({ Field, Code }) => `${Field} ${Code}`);
}

function without(key: string): object {
  return Object.fromEntries(Object.entries(invoice(1, 'R-1')).filter(([name]) => name !== key));
}

describe('a receipt of the right shape', () => {
  test('passes with and without its optional fields', () => {
    expect(check(invoice(1, 'R-1'))).toEqual([]);
    expect(check(creditNote(1, 'R-1', 'O-1', { BuyerName: 'Shop', Cashier: 'Rudo' }))).toEqual([]);
  });

  test.each([
    'OriginalReference',
    'OriginalFiscalDayNumber',
    'OriginalGlobalCounter',
    'OriginalAuthorityDeviceId',
    'Notes',
    'ReceiptPrintForm',
    'BuyerTIN',
    'BuyerVAT',
    'BuyerName',
    'BuyerAddress',
    'BuyerPhone',
    'BuyerEmail',
    'Cashier',
  ])('may have null for the optional %s', (field) => {
    expect(check(invoice(1, 'R-1', { [field]: null }))).toEqual([]);
  });

  test('may have null for HsCode and UnitPrice of a line', () => {
    expect(check(invoice(1, 'R-1', { ReceiptLines: [{ ...LINE, HsCode: null, UnitPrice: null }] }))).toEqual([]);
  });

  test('leaves lengths, patterns, enumerations and empty lists to the rules, which know their codes', () => {
    const value = { Type: 'x', Currency: '', Reference: '', ReceiptLines: [], BuyerTIN: 'x', TotalAmount: 0.001 };
    expect(check(invoice(1, 'R-1', { ...value, Payments: [], Taxes: [], Notes: 'x'.repeat(1000) }))).toEqual([]);
  });
});

const A_NUMBER = 'must be a number, or its digits as text such as "12.50"';

describe('a decimal as text', () => {
  test('is the number its digits spell, whatever its length', () => {
    for (const [digits, spelled] of [
      ['115.50', '115.5'],
      ['-0.10', '-0.1'],
      ['9999999999999999.99', '9999999999999999.99'],
      ['0', '0'],
      ['-0.00', '0'],
      [`1${'0'.repeat(400)}`, `1${'0'.repeat(60)}`],
    ]) {
      const json = parseExactJson(Buffer.from(JSON.stringify(invoice(1, 'R-1', { TotalAmount: digits }))));
      expect(shape(json)).toEqual([]);
      expect(formatDecimal(json.decimal(Object(json.value), 'TotalAmount')), digits).toBe(spelled);
      expect(formatDecimal(json.decimal(Object(json.value), 'AuthorityDeviceId'))).toBe('1');
    }
  });

  test('beside numbers that are too long for a float leaves both as they were sent', () => {
    const text = '{"TotalAmount":"0.30","Payments":[{"Type":"Cash","Amount":9007199254740993.01}]}';
    const json = parseExactJson(Buffer.from(text));
    shape(json);
    const { Payments } = Object(json.value);
    expect(formatDecimal(json.decimal(Object(json.value), 'TotalAmount'))).toBe('0.3');
    expect(formatDecimal(json.decimal(Payments[0], 'Amount'))).toBe('9007199254740993.01');
  });

  test.each(['', ' 1', '1 ', '+1', '1.', '.5', '1e2', '007', '1,50', '1 000', '0x10', 'NaN', '١', '--1'])(
    '%j is refused: it is not plainly digits',
    (TotalAmount) => {
      expect(check(invoice(1, 'R-1', { TotalAmount }))).toEqual([
        { Field: 'TotalAmount', Code: 'WrongType', Message: `${A_NUMBER}, got ${JSON.stringify(TotalAmount)}` },
      ]);
    },
  );

  test('is held to the bounds of its field', () => {
    const price = bodyShape(Type.Object({ Price: decimal({ exclusiveMinimum: 0 }), Units: wholeDecimal() }));
    const checked = (Price: unknown, Units: unknown) =>
      price(parseExactJson(Buffer.from(JSON.stringify({ Price, Units })))).map(({ Field }) => Field);
    expect(checked('1.50', '3')).toEqual([]);
    expect(checked('-1.50', '3')).toEqual(['Price']);
    expect(checked('1.50', '3.5')).toEqual(['Units']);
  });

  test('of a whole number says so, and what came instead', () => {
    const units = bodyShape(Type.Object({ Units: wholeDecimal() }));
    const said = (Units: unknown) =>
      units(parseExactJson(Buffer.from(JSON.stringify({ Units })))).map(({ Message }) => Message);
    expect(said(1.5)).toEqual(['must be a whole number, or its digits as text, got 1.5']);
    expect(said('one')).toEqual(['must be a whole number, or its digits as text, got "one"']);
  });
});

describe('a field of the wrong type', () => {
  test.each([
    ['a text for a number', { TotalAmount: 'ten' }, 'TotalAmount', `${A_NUMBER}, got "ten"`],
    ['a null for a required number', { TotalAmount: null }, 'TotalAmount', `${A_NUMBER}, got null`],
    [
      'a device id as text',
      { AuthorityDeviceId: '1' },
      'AuthorityDeviceId',
      'must come without quotes: AuthorityDeviceId',
    ],
    ['a fraction of a device', { AuthorityDeviceId: 1.5 }, 'AuthorityDeviceId', 'must be a whole number, got 1.5'],
    ['a number for a text', { Reference: 17 }, 'Reference', 'must be a text, got a number'],
    ['a null for a required text', { Currency: null }, 'Currency', 'must be a text, got null'],
    [
      'a text for a truth',
      { ReceiptLinesTaxInclusive: 'true' },
      'ReceiptLinesTaxInclusive',
      'must come without quotes: ReceiptLinesTaxInclusive',
    ],
    [
      'a number for a truth',
      { ReceiptLinesTaxInclusive: 1 },
      'ReceiptLinesTaxInclusive',
      'must be true or false, got a number',
    ],
    ['an object for a list', { Payments: {} }, 'Payments', 'must be a list, got an object'],
    ['a null for a list', { Taxes: null }, 'Taxes', 'must be a list, got null'],
    ['a list in a list', { Taxes: [[]] }, 'Taxes[0]', 'must be an object, got a list'],
    ['a null in a list', { Payments: [null] }, 'Payments[0]', 'must be an object, got null'],
    ['a number for an optional text', { Notes: 5 }, 'Notes', 'must be a text, got a number'],
    [
      'a truth for an optional number',
      { OriginalGlobalCounter: true },
      'OriginalGlobalCounter',
      'must be a whole number, got true or false',
    ],
    [
      'a line percentage as words',
      { ReceiptLines: [{ ...LINE, TaxPercent: '15.5%' }] },
      'ReceiptLines[0].TaxPercent',
      `${A_NUMBER}, got "15.5%"`,
    ],
    [
      'an HS code as number',
      { ReceiptLines: [LINE, { ...LINE, HsCode: 1234 }] },
      'ReceiptLines[1].HsCode',
      'must be a text, got a number',
    ],
    ['an object for a text', { BuyerName: {} }, 'BuyerName', 'must be a text, got an object'],
  ])('%s is refused at its path with what was expected', (_name, changes, Field, Message) => {
    expect(check(invoice(1, 'R-1', changes))).toEqual([{ Field, Code: 'WrongType', Message }]);
  });

  test.each([[null], [[]], ['x'], [5], [true]])('a body of %j is no receipt', (value) => {
    expect(found(value)).toEqual(['(body) WrongType']);
  });
});

describe('a missing key', () => {
  test.each([
    'AuthorityDeviceId',
    'Type',
    'Currency',
    'Reference',
    'Date',
    'ReceiptLinesTaxInclusive',
    'TotalAmount',
    'ReceiptLines',
    'Payments',
    'Taxes',
  ])('%s is refused', (key) => {
    expect(check(without(key))).toEqual([{ Field: key, Code: 'Required', Message: `${key} is missing` }]);
  });

  test('TaxPercent is not the same as null, on lines and in the table', () => {
    const { TaxPercent: _percent, ...line } = LINE;
    const tax = { SalesAmountWithTax: 1, TaxAmount: 0 };
    expect(check(invoice(1, 'R-1', { ReceiptLines: [LINE, line], Taxes: [tax] }))).toEqual([
      {
        Field: 'ReceiptLines[1].TaxPercent',
        Code: 'Required',
        Message: 'TaxPercent is missing: send null for exempt',
      },
      { Field: 'Taxes[0].TaxPercent', Code: 'Required', Message: 'TaxPercent is missing: send null for exempt' },
    ]);
    const exempt = { ReceiptLines: [{ ...LINE, TaxPercent: null }], Taxes: [{ ...tax, TaxPercent: null }] };
    expect(check(invoice(1, 'R-1', exempt))).toEqual([]);
  });

  test('an empty object lacks all ten', () => {
    expect(found({})).toHaveLength(10);
  });
});

describe('an unknown key', () => {
  test.each([
    ['TOTALAMOUNT', 'TotalAmount'],
    ['BuyerTin', 'BuyerTIN'],
    ['Chashier', 'Cashier'],
    ['BuyerVatNumber', 'BuyerVAT'],
    // How services with the same API and the authority's own protocol say it.
    ['ZimraDeviceId', 'AuthorityDeviceId'],
    ['deviceID', 'AuthorityDeviceId'],
    ['invoiceNo', 'Reference'],
  ])('%s is refused', (name, meant) => {
    const [violation, ...others] = check(invoice(1, 'R-1', { [name]: 'x' }));
    expect(others).toEqual([]);
    expect(violation).toMatchObject({ Field: name, Code: 'UnknownField' });
    expect(violation?.Message).toBe(`there is no field ${name}: did you mean ${meant}?`);
  });

  test('that is a name of every object is refused without a guess', () => {
    expect(check({ ...invoice(1, 'R-1'), constructor: 1 })[0]?.Message).toBe('there is no field constructor');
  });

  test('is found inside lists with a suggestion of their own fields', () => {
    const Payments = [
      { Type: 'Cash', Amount: 1 },
      { Type: 'Cash', Amount: 1, amout: 2 },
    ];
    expect(check(invoice(1, 'R-1', { Payments }))).toEqual([
      { Field: 'Payments[1].amout', Code: 'UnknownField', Message: 'there is no field amout: did you mean Amount?' },
    ]);
  });

  test('that is near nothing gets no suggestion, however long it is', () => {
    expect(check(invoice(1, 'R-1', { zzzzzz: 1 }))[0]?.Message).toBe('there is no field zzzzzz');
    const long = 'TotalAmount'.repeat(10);
    expect(check(invoice(1, 'R-1', { [long]: 1 }))[0]?.Message).toBe(`there is no field ${long}`);
  });

  test('may be a word every object knows', () => {
    expect(found(invoice(1, 'R-1', { constructor: 1, toString: 2 }))).toEqual([
      'constructor UnknownField',
      'toString UnknownField',
    ]);
  });
});

const camel = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(camel)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value).map(([key, one]) => [key.charAt(0).toLowerCase() + key.slice(1), camel(one)]),
        )
      : value;

describe('what typed programs send', () => {
  test('names in camelCase are one error', () => {
    expect(check(camel(invoice(1, 'R-1')))).toEqual([
      {
        Field: 'authorityDeviceId',
        Code: 'UnknownField',
        Message: expect.stringMatching(/^names begin with a capital letter: AuthorityDeviceId, Type, Currency, /),
      },
    ]);
    const ReceiptLines = [camel(LINE), camel(LINE)];
    expect(check(invoice(1, 'R-1', { ReceiptLines, Extra: 1 }))).toEqual([
      {
        Field: 'ReceiptLines[0].type',
        Code: 'UnknownField',
        Message: 'names begin with a capital letter: Type, Name, HsCode, Quantity, LineTotal, TaxPercent',
      },
      { Field: 'Extra', Code: 'UnknownField', Message: 'there is no field Extra' },
    ]);
  });

  test('numbers and booleans in quotes are one error', () => {
    const quoted = { AuthorityDeviceId: '1001', OriginalGlobalCounter: '7', ReceiptLinesTaxInclusive: 'true' };
    expect(check(invoice(1, 'R-1', quoted))).toEqual([
      {
        Field: 'AuthorityDeviceId',
        Code: 'WrongType',
        Message: 'must come without quotes: AuthorityDeviceId, ReceiptLinesTaxInclusive, OriginalGlobalCounter',
      },
    ]);
  });

  test('fields of the answer without a value, and unknown ones that are null or empty, are taken out', () => {
    expect(Object.keys(SignedReceipt.properties)).toEqual([...Object.keys(ReceiptBody.properties), ...ANSWER_FIELDS]);
    for (const value of [null, '', 0, []]) {
      const seal = Object.fromEntries(ANSWER_FIELDS.map((field) => [field, value]));
      const json = parseExactJson(Buffer.from(JSON.stringify(invoice(1, 'R-1', { ...seal, Sku: null, Colour: '' }))));
      expect(shape(json)).toEqual([]);
      expect(json.value).toEqual(invoice(1, 'R-1'));
    }
    expect(found(invoice(1, 'R-1', { GlobalCounter: 7, Sku: 0, Tags: [] }))).toEqual([
      'GlobalCounter UnknownField',
      'Sku UnknownField',
      'Tags UnknownField',
    ]);
  });
});

describe('an answer', () => {
  test('names everything that is wrong with the shape', () => {
    const line = { Type: 1, Name: 'x', Quantity: 'one', LineTotal: 1, Colour: 'red' };
    const wrong = { ...without('Currency'), TotalAmount: true, ReceiptLines: [line], Extra: 1 };
    expect(found(wrong).toSorted()).toEqual(
      [
        'Currency Required',
        'Extra UnknownField',
        'TotalAmount WrongType',
        'ReceiptLines[0].Type WrongType',
        'ReceiptLines[0].Quantity WrongType',
        'ReceiptLines[0].TaxPercent Required',
        'ReceiptLines[0].Colour UnknownField',
      ].toSorted(),
    );
  });

  test('stops at a hundred errors', () => {
    const Payments = Array.from({ length: 50 }, () => ({ a: 1, b: 2 }));
    expect(check(invoice(1, 'R-1', { Payments }))).toHaveLength(100);
  });

  test.each([
    ['ReceiptLines', 2000],
    ['Payments', 50],
    ['Taxes', 50],
  ])('refuses more than %s of %i by their number alone', (list, maximum) => {
    const filled = (length: number) => invoice(1, 'R-1', { [list]: Array.from({ length }, () => 'wrong') });
    expect(check(filled(maximum + 1))).toEqual([
      { Field: list, Code: 'TooMany', Message: `at most ${maximum} entries, got ${maximum + 1}` },
    ]);
    expect(found(filled(maximum))).not.toContain(`${list} TooMany`);
  });

  test('is not misled by a list that is none', () => {
    expect(found(invoice(1, 'R-1', { ReceiptLines: { length: 1e9 } }))).toContain('ReceiptLines WrongType');
  });
});

describe('a query string', () => {
  const query = queryShape(
    Type.Object(
      {
        Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
        Currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
      },
      { additionalProperties: false },
    ),
  );

  test('is text that becomes numbers', () => {
    const value = { Limit: '20' };
    expect(query(value)).toEqual([]);
    expect(value.Limit).toBe(20);
  });

  test.each([
    [{ Limit: '0' }, 'Limit Malformed'],
    [{ Limit: '201' }, 'Limit Malformed'],
    [{ Limit: 'many' }, 'Limit WrongType'],
    [{ Currency: 'usd' }, 'Currency Malformed'],
    [{ limit: '5' }, 'limit UnknownField'],
  ])('%j is refused: %s', (value, expected) => {
    expect(query(value).map(({ Field, Code }) => `${Field} ${Code}`)).toEqual([expected]);
  });
});

test('a number in a query is written in plain digits: an infinite one would pass every bound', () => {
  const check = queryShape(Type.Object({ Limit: Type.Integer({ minimum: 1, maximum: 200 }) }));
  for (const Limit of ['1e400', '-1e400', 'Infinity', '0x10', ' 5', '1e1', '5.0', '', '9'.repeat(400)]) {
    expect(check({ Limit }), Limit).toMatchObject([{ Field: 'Limit', Code: 'WrongType' }]);
  }
  expect(check({ Limit: '200' })).toEqual([]);
  expect(check({ Limit: '201' })).toMatchObject([{ Field: 'Limit', Code: 'Malformed' }]);
});

test('bounds and digits are named in plain words, and the same field in small letters is not explained by the other', () => {
  const check = queryShape(
    Type.Object({
      after: Type.String({ pattern: '^[0-9]{1,18}$', description: 'The same as `After`.' }),
      Wait: Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds to wait for an event.' }),
    }),
  );
  expect(check({ after: 'abc', Wait: '500' }).map(({ Message }) => Message)).toEqual([
    'must be a whole number of at most 18 digits',
    'must be at most 30 (Seconds to wait for an event)',
  ]);
  expect(check({ after: '1', Wait: '-1' })[0]?.Message).toMatch(/^must be at least 0 /);
});

test('a query of several words names those there are, not a pattern', () => {
  const states = queryShape(Type.Object({ State: someOf(['Open', 'Shut'], 'Only in these states') }));
  expect(states({ State: 'Open,Shut' })).toEqual([]);
  expect(states({ State: 'Open,Foo' })).toEqual([
    { Field: 'State', Code: 'NotOneOf', Message: 'must be one of Open, Shut, or several of them with commas' },
  ]);
});

test('nothing of a body that was refused is kept', async () => {
  const refused = () => {
    const json = parseExactJson(Buffer.from('{"ReceiptLines":[{}]}'));
    expect(shape(json)).not.toEqual([]);
    return new WeakRef(Object(json.value));
  };
  const body = refused();
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  await expect
    .poll(() => {
      collect();
      return body.deref() === undefined;
    })
    .toBe(true);
});
