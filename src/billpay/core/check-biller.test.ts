import { describe, expect, test } from 'vitest';
import { BillerConfiguration, MAX_META_DATA } from '../../contract/billpay/biller.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import { billerText, readBiller, targetOf } from './biller.ts';
import { checkBiller } from './check-biller.ts';

const FULL = {
  Code: 'CITY-WATER',
  Name: 'City Water',
  Description: 'Water accounts',
  Enabled: true,
  Currencies: ['USD', 'ZIG'],
  Fees: [{ Currency: 'USD', Fixed: 0.5, Percent: 1.25 }, { Currency: 'ZWG' }],
  MemberNumberRegex: '[0-9]{8}',
  Products: [
    { Code: 'A', Name: 'Small', Enabled: true, Prices: [{ Currency: 'ZIG', Price: 99.99 }] },
    {
      Code: 'B',
      Name: 'Open price',
      Description: 'Any amount',
      Enabled: false,
      Prices: [],
      MetaData: [{ Key: 'Route', Value: '7' }],
    },
  ],
  VendorMustInvoicePayments: true,
  InvoiceHsCode: '2201',
  InvoiceTaxPercent: 15.5,
  InvoiceTaxInclusive: true,
  AllowFeed: true,
  TargetAmount: 1000,
  TargetUnits: 10,
  TargetAchievedSinceDate: '2026-01-01T02:00:00+02:00',
  Connector: 'Offline',
};

const said = (count: number) => Array.from({ length: count }, (_, at) => ({ Key: `K${at}`, Value: 'x'.repeat(500) }));

function read(document: object | string) {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return exactValue(BillerConfiguration)(parseExactJson(Buffer.from(text))) as BillerConfiguration;
}

function violations(changes: object) {
  return checkBiller(read({ ...FULL, ...changes })).map(({ Field, Code }) => `${Field} ${Code}`);
}

test('a whole configuration has nothing wrong, and so has one with everything optional left out', () => {
  expect(violations({})).toEqual([]);
  const none = {
    Description: undefined,
    MemberNumberRegex: null,
    Fees: [],
    Products: [],
    VendorMustInvoicePayments: false,
    InvoiceHsCode: null,
    InvoiceTaxPercent: null,
    InvoiceTaxInclusive: null,
    TargetAmount: null,
    TargetUnits: null,
    TargetAchievedSinceDate: null,
  };
  expect(violations(none)).toEqual([]);
});

test.each([
  { Name: 'x'.repeat(200) },
  { Fees: [{ Currency: 'USD', Fixed: 0, Percent: 100 }] },
  { MemberNumberRegex: 'a'.repeat(500) },
  { MemberNumberRegex: 'a{1000}b{998}' },
  { InvoiceHsCode: '22011000' },
  { Products: [{ ...FULL.Products[0], MetaData: said(MAX_META_DATA) }] },
  { TargetAmount: 0 },
  { TargetAmount: null },
  { TargetUnits: 0 },
  { TargetUnits: null },
  { TargetUnits: Number.MAX_SAFE_INTEGER },
])('%o is just allowed', (changes) => {
  expect(violations(changes)).toEqual([]);
});

describe('each rule is broken by its own mistake alone', () => {
  const product = (changes: object) => ({ Products: [{ ...FULL.Products[0], ...changes }] });
  const pattern = (MemberNumberRegex: string) => ({ MemberNumberRegex });
  test.each<[object, string]>([
    [{ Code: '-A' }, 'Code Malformed'],
    [{ Code: 'Ä' }, 'Code Malformed'],
    [{ Name: ' ' }, 'Name Malformed'],
    [{ Name: 'x'.repeat(201) }, 'Name TooLong'],
    [{ Name: 'two\nlines' }, 'Name Malformed'],
    [{ Description: 'x'.repeat(1001) }, 'Description TooLong'],
    [{ Connector: 'Online' }, 'Connector NotOneOf'],
    [{ Currencies: ['USD', 'ZWG', 'XXX'] }, 'Currencies[2] CurrencyUnknown'],
    [{ Currencies: ['USD', 'ZWG', 'ZWL'] }, 'Currencies[2] CurrencyUnknown'],
    [{ Currencies: ['USD', 'ZWG', 'ZIG'] }, 'Currencies[2] Duplicate'],
    [{ Fees: [{ Currency: 'EUR', Fixed: 1 }] }, 'Fees[0].Currency NotOneOf'],
    [{ Fees: [{ Currency: 'ZIG' }, { Currency: 'ZWG' }] }, 'Fees[1].Currency Duplicate'],
    [{ Fees: [{ Currency: 'USD', Fixed: -0.01 }] }, 'Fees[0].Fixed OutOfRange'],
    [{ Fees: [{ Currency: 'USD', Fixed: 0.001 }] }, 'Fees[0].Fixed TooManyDecimals'],
    [{ Fees: [{ Currency: 'USD', Percent: 100.01 }] }, 'Fees[0].Percent OutOfRange'],
    [{ Fees: [{ Currency: 'USD', Percent: -0.01 }] }, 'Fees[0].Percent OutOfRange'],
    [{ Fees: [{ Currency: 'USD', Percent: 0.125 }] }, 'Fees[0].Percent TooManyDecimals'],
    [pattern(''), 'MemberNumberRegex Malformed'],
    [pattern('['), 'MemberNumberRegex Malformed'],
    [pattern('(?=a)b'), 'MemberNumberRegex Malformed'],
    [pattern('(a)\\1'), 'MemberNumberRegex Malformed'],
    [pattern('a{1000}b{999}'), 'MemberNumberRegex TooLarge'],
    [pattern('a'.repeat(501)), 'MemberNumberRegex TooLong'],
    [product({ Code: 'a b' }), 'Products[0].Code Malformed'],
    [product({ Name: '' }), 'Products[0].Name Malformed'],
    [product({ Description: 'x'.repeat(1001) }), 'Products[0].Description TooLong'],
    [product({ MetaData: said(MAX_META_DATA + 1) }), 'Products[0].MetaData TooMany'],
    [product({ MetaData: [{ Key: 'k'.repeat(51), Value: '7' }] }), 'Products[0].MetaData[0].Key TooLong'],
    [product({ MetaData: [{ Key: 'Route', Value: '7'.repeat(501) }] }), 'Products[0].MetaData[0].Value TooLong'],
    [{ Products: [FULL.Products[0], FULL.Products[0]] }, 'Products[1].Code Duplicate'],
    [product({ Prices: [{ Currency: 'EUR', Price: 1 }] }), 'Products[0].Prices[0].Currency NotOneOf'],
    [product({ Prices: [{ Currency: 'USD', Price: 0 }] }), 'Products[0].Prices[0].Price OutOfRange'],
    [product({ Prices: [{ Currency: 'USD', Price: 0.005 }] }), 'Products[0].Prices[0].Price TooManyDecimals'],
    [product({ Prices: [{ Currency: 'USD', Price: 1e20 }] }), 'Products[0].Prices[0].Price TooLarge'],
    [{ InvoiceTaxPercent: 100.5 }, 'InvoiceTaxPercent OutOfRange'],
    [{ InvoiceTaxPercent: 15.555 }, 'InvoiceTaxPercent TooManyDecimals'],
    [{ InvoiceTaxPercent: 0 }, 'InvoiceHsCode Malformed'],
    [{ InvoiceTaxPercent: null }, 'InvoiceHsCode Malformed'],
    [{ InvoiceHsCode: '22O1' }, 'InvoiceHsCode Malformed'],
    [{ InvoiceHsCode: '220110' }, 'InvoiceHsCode Malformed'],
    [{ InvoiceHsCode: '220110001', InvoiceTaxPercent: null }, 'InvoiceHsCode Malformed'],
    [{ InvoiceHsCode: null, VendorMustInvoicePayments: false }, 'InvoiceTaxPercent Malformed'],
    [{ InvoiceHsCode: '22011000', InvoiceTaxPercent: undefined }, 'InvoiceTaxPercent Required'],
    [{ InvoiceHsCode: null, InvoiceTaxPercent: null }, 'InvoiceHsCode Required'],
    [{ TargetAmount: -1 }, 'TargetAmount OutOfRange'],
    [{ TargetAmount: 0, TargetUnits: null }, 'TargetAmount OutOfRange'],
    [{ TargetAmount: null, TargetUnits: 0 }, 'TargetAmount OutOfRange'],
    [{ TargetUnits: -1 }, 'TargetUnits OutOfRange'],
    [{ TargetUnits: 2 ** 53 }, 'TargetUnits OutOfRange'],
    [{ TargetAchievedSinceDate: '2026-01-01' }, 'TargetAchievedSinceDate Malformed'],
    [{ TargetAmount: null, TargetUnits: null }, 'TargetAchievedSinceDate Malformed'],
  ])('%o', (changes, expected) => {
    expect(violations(changes)).toEqual([expected]);
  });

  test('a product with more prices than a biller has currencies', () => {
    const priced = (length: number) =>
      violations(product({ Prices: Array.from({ length }, () => ({ Currency: 'USD', Price: 1 })) }));
    expect(priced(51)).toContain('Products[0].Prices TooMany');
    expect(priced(50)).not.toContain('Products[0].Prices TooMany');
  });

  test('a pattern, and the reason is that of RE2', () => {
    const [found] = checkBiller(read({ ...FULL, ...pattern('[0-9') }));
    expect(found?.Message).toMatch(/\): missing closing ]: `\[0-9`$/);
  });

  test('a biller without any currency', () => {
    expect(violations({ Currencies: [], Fees: [], Products: [] })).toEqual(['Currencies Required']);
  });
});

test('everything that is wrong is said at once', () => {
  const wrong = {
    Code: '',
    Name: '',
    Currencies: ['XXX'],
    Fees: [],
    Products: [],
    MemberNumberRegex: '(',
    Connector: '',
  };
  expect(violations(wrong)).toEqual([
    'Code Malformed',
    'Name Malformed',
    'Connector NotOneOf',
    'Currencies[0] CurrencyUnknown',
    'MemberNumberRegex Malformed',
  ]);
});

describe('reading and writing', () => {
  const through = (text: string) => {
    return billerText(readBiller(read(text)));
  };

  test('what was written reads back as the same text: a change of nothing is seen as none', () => {
    const once = through(JSON.stringify(FULL));
    expect(through(once)).toBe(once);
    expect(JSON.parse(once)).toMatchObject({
      Currencies: ['USD', 'ZWG'],
      Fees: [
        { Currency: 'USD', Fixed: 0.5, Percent: 1.25 },
        { Currency: 'ZWG', Fixed: 0, Percent: 0 },
      ],
      Products: [
        { ...FULL.Products[0], Description: null, Prices: [{ Currency: 'ZWG', Price: 99.99 }], MetaData: [] },
        { ...FULL.Products[1], Description: 'Any amount' },
      ],
      InvoiceTaxInclusive: true,
      TargetAchievedSinceDate: '2026-01-01T00:00:00.000Z',
    });
  });

  test.each([
    [{ InvoiceHsCode: null }, { InvoiceTaxInclusive: null }],
    [{ InvoiceTaxInclusive: null }, { InvoiceTaxInclusive: true }],
    [{ InvoiceTaxInclusive: false }, { InvoiceTaxInclusive: false }],
    [{ TargetAmount: null }, { TargetAmount: 0, TargetUnits: 10 }],
    [{ TargetUnits: null }, { TargetAmount: 1000, TargetUnits: 0 }],
    [
      { TargetAmount: null, TargetUnits: null },
      { TargetAmount: null, TargetUnits: null },
    ],
  ])('%o is kept as %o', (changes, kept) => {
    expect(JSON.parse(through(JSON.stringify({ ...FULL, ...changes })))).toMatchObject(kept);
  });

  test('a target counts from its date, or from the beginning', () => {
    const target = (changes: object) => targetOf(readBiller(read({ ...FULL, ...changes })));
    expect(target({})).toEqual({ since: new Date('2026-01-01T00:00:00Z') });
    expect(target({ TargetAchievedSinceDate: null })).toEqual({ since: undefined });
    expect(target({ TargetAmount: null, TargetUnits: null, TargetAchievedSinceDate: null })).toBeUndefined();
  });

  test('units with a fraction too small for a float are refused, and large ones keep every digit', () => {
    const units = (text: string) => JSON.stringify(FULL).replace('"TargetUnits":10', `"TargetUnits":${text}`);
    expect(checkBiller(read(units('5.00000000000000000001')))).toMatchObject([
      { Field: 'TargetUnits', Code: 'OutOfRange' },
    ]);
    expect(through(units('9007199254740991'))).toContain('"TargetUnits":9007199254740991');
  });

  test('10 and 10.00 are the same configuration, and no digit is lost', () => {
    const text = JSON.stringify(FULL);
    expect(through(text.replace('"TargetAmount":1000', '"TargetAmount":1000.00'))).toBe(through(text));
    expect(through(text.replace('"TargetAmount":1000', '"TargetAmount":12345678901234567.89'))).toContain(
      '"TargetAmount":12345678901234567.89',
    );
  });
});
