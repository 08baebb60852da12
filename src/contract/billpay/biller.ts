import { CODE_PATTERN } from '../../kernel/code.ts';
import { operation } from '../shared/operation.ts';
import { answered, input, only, pages, shape, Type } from '../shared/vocabulary.ts';

export const CONNECTORS = ['Offline', 'Test'] as const;
export type ConnectorName = (typeof CONNECTORS)[number];
export const MAX_CURRENCIES = 50;
const MAX_PRODUCTS = 1000;
export const MAX_META_DATA = 50;

const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217; ZIG means ZWG.' });

const Fee = input('Fee', {
  Currency,
  Fixed: Type.Optional(
    Type.orNull(Type.decimal(), { minimum: 0, description: 'Added to every payment. At most 2 decimals.' }),
  ),
  Percent: Type.Optional(
    Type.orNull(Type.decimal(), {
      minimum: 0,
      maximum: 100,
      description: 'Of the amount, rounded half to even to the cent. At most 2 decimals.',
    }),
  ),
});

const Product = input('Product', {
  Code: Type.String({ pattern: CODE_PATTERN }),
  Name: Type.String({ minLength: 1, maxLength: 200, description: 'Becomes the line of an invoice.' }),
  Description: Type.Optional(Type.textOrNull({ maxLength: 1000 })),
  Enabled: Type.Boolean(),
  Prices: Type.Array(
    input('Price', { Currency, Price: Type.decimal({ exclusiveMinimum: 0, description: 'At most 2 decimals.' }) }),
    { maxItems: MAX_CURRENCIES, description: 'In a currency without a price, the vendor sets it.' },
  ),
  MetaData: Type.Optional(
    Type.orNull(
      Type.Array(Type.KeyValue, {
        maxItems: MAX_META_DATA,
        description:
          'Shown in the feed for payments of this product, beside what the vendor sent, which wins on the same key.',
      }),
    ),
  ),
});

const fields = {
  Code: Type.BillerCode,
  Name: Type.String({ minLength: 1, maxLength: 200 }),
  Description: Type.textOrNull({ maxLength: 1000 }),
  Enabled: Type.Boolean({ description: 'Whether it takes payments.' }),
  Currencies: Type.Array(Currency, { minItems: 1, maxItems: MAX_CURRENCIES }),
  Fees: Type.Array(Fee, { maxItems: MAX_CURRENCIES, description: 'What the payer pays in addition, per currency.' }),
  MemberNumberRegex: Type.textOrNull({
    maxLength: 500,
    description: 'Must match the whole member number. RE2 syntax: no look-around and no back-references.',
  }),
  Products: Type.Array(Product, { maxItems: MAX_PRODUCTS, description: 'Empty: payments have no products.' }),
  VendorMustInvoicePayments: Type.Boolean({ description: 'Every payment gets a fiscal invoice from the vendor.' }),
  InvoiceHsCode: Type.textOrNull({
    pattern: '^([0-9]{4}|[0-9]{8})$',
    description: '4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt.',
  }),
  InvoiceTaxPercent: Type.orNull(Type.decimal(), { minimum: 0, maximum: 100, description: 'null: exempt.' }),
  InvoiceTaxInclusive: Type.orNull(Type.Boolean(), { description: 'Whether invoice lines show prices with tax.' }),
  AllowFeed: Type.Boolean({ description: 'Whether the feed shows its payments.' }),
  TargetAmount: Type.orNull(Type.decimal(), { minimum: 0, description: 'With TargetUnits null as well: no target.' }),
  TargetUnits: Type.orNull(Type.wholeDecimal(), { minimum: 0 }),
  TargetAchievedSinceDate: Type.textOrNull({
    maxLength: 40,
    description: 'ISO 8601 with Z or an offset. null: payments have counted from the beginning.',
  }),
};
const Connector = Type.oneOf(CONNECTORS, { description: 'How the biller is reached.' });

/** What a vendor is shown. */
export const Biller = input('Biller', fields);
export type Biller = Type.Static<typeof Biller>;

/** What an operator is shown. */
export const ManagedBiller = shape('ManagedBiller', {
  ...fields,
  Connector,
  Revision: Type.Integer({ minimum: 1, description: 'Moves with every change.' }),
  ChangedAt: Type.Instant,
  CreatedAt: Type.Instant,
});
export type ManagedBiller = Type.Static<typeof ManagedBiller>;

/** What may be left out of a configuration; it is then as in PLAIN_BILLER. */
const OPTIONAL = [
  'Description',
  'MemberNumberRegex',
  'InvoiceHsCode',
  'InvoiceTaxPercent',
  'InvoiceTaxInclusive',
  'TargetAmount',
  'TargetUnits',
  'TargetAchievedSinceDate',
] as const;
const asRead = Type.Optional(Type.textOrNull({ description: 'As it was read; ignored.' }));

/** What an operator sends. Lengths, patterns and bounds are enforced by the rules of billers, all in one pass. */
export const BillerConfiguration = input(
  'BillerConfiguration',
  {
    ...fields,
    ...Type.Partial(Type.Pick(Biller, OPTIONAL)).properties,
    Connector,
    Revision: Type.Optional(
      Type.orNull(Type.Integer(), {
        description: 'The one that was read: the change is refused if it is no longer the current one.',
      }),
    ),
    ChangedAt: asRead,
    CreatedAt: asRead,
  },
  { 'x-rules-apart': true },
);
export type BillerConfiguration = Type.Static<typeof BillerConfiguration>;

const EXAMPLE_CODE = 'CITYWATER';
/** Everything a biller can have. */
export const billerExample = {
  Code: EXAMPLE_CODE,
  Name: 'City Water',
  Description: 'Water accounts of the city council',
  Enabled: true,
  Currencies: ['USD', 'ZWG'],
  Fees: [
    { Currency: 'USD', Fixed: 0.5, Percent: 1.5 },
    { Currency: 'ZWG', Fixed: 10, Percent: 1.5 },
  ],
  MemberNumberRegex: '[0-9]{8}',
  Products: [
    {
      Code: 'PREPAID-10',
      Name: 'Prepaid water, 10 m³',
      Description: null,
      Enabled: true,
      Prices: [{ Currency: 'USD', Price: 12.5 }],
      MetaData: [{ Key: 'Volume', Value: '10 m³' }],
    },
  ],
  VendorMustInvoicePayments: true,
  InvoiceHsCode: '22011000',
  InvoiceTaxPercent: 15.5,
  InvoiceTaxInclusive: true,
  AllowFeed: false,
  TargetAmount: 250000,
  TargetUnits: 10000,
  TargetAchievedSinceDate: '2026-01-01T00:00:00.000Z',
  Connector: 'Offline',
};

export const listBillers = operation('GET /api/payment/ListBillers', {
  access: 'vendor that reads',
  tag: 'Payments',
  summary: 'List the billers you may take payments for',
  description:
    'Each with its whole configuration, ordered by code. Ask with `changedSince` = `AsOf` of the last answer for what has changed; ' +
    'that moment is included, so the last change may appear again. A biller that was withdrawn from you is then listed as not ' +
    'enabled. Send `If-None-Match` with the last `ETag` and an unchanged list is answered 304 without a body.',
  query: only({
    billerCodes: Type.Optional(
      Type.String({ maxLength: 12_000, description: 'Only these, separated by commas. Unknown ones are left out.' }),
    ),
    changedSince: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          '`AsOf` of the last answer: what has changed at or after that moment, including withdrawn billers.',
      }),
    ),
  }),
  answer: {
    ...answered(
      'The billers.',
      shape('BillerList', {
        Billers: Type.Array(Biller),
        AsOf: Type.String({ format: 'date-time', description: 'The last change that this answer includes.' }),
      }),
    ),
    headers: { ETag: { description: 'Changes with the answer.', schema: { type: 'string' } } },
  },
});

export const listManagedBillers = operation('GET /api/admin/billers', {
  access: 'viewer',
  summary: 'List billers',
  ...pages('Billers', ManagedBiller, 'ManagedBillerList', { Cursor: Type.BillerCode }),
});

export const getManagedBiller = operation('GET /api/admin/billers/:billerCode', {
  access: { installation: 'viewer', vendor: 'viewer', biller: 'viewer' },
  summary: 'Read a biller',
  answer: answered('The biller.', ManagedBiller),
});

export const addBiller = operation('POST /api/admin/billers', {
  access: 'operator',
  summary: 'Add a biller',
  description: 'No vendor sees it until it is granted to one.',
  body: BillerConfiguration,
  bodyExamples: { 'With an invoice for every payment, and a target': billerExample },
  answer: answered('Added.', ManagedBiller, 201),
});

export const replaceBiller = operation('PUT /api/admin/billers/:billerCode', {
  access: 'operator',
  summary: "Replace a biller's configuration",
  description:
    'Replaces all of it. Every vendor that sees the biller is notified by callback and event, unless nothing has changed. Send what ' +
    'was read, with your changes: with `Revision` in it, the change is refused if someone else changed it first. A biller is never ' +
    'deleted: set `Enabled` to false.',
  body: BillerConfiguration,
  bodyExamples: { 'Stop taking payments': { ...billerExample, Enabled: false } },
  answer: answered('As it is now.', ManagedBiller),
});

export const listBillerVendors = operation('GET /api/admin/billers/:billerCode/vendors', {
  access: 'viewer',
  summary: 'List the vendors that see a biller',
  answer: answered('Their ids.', shape('BillerVendors', { VendorIds: Type.Array(Type.Id) })),
});
