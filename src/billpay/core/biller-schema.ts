import { type Static, Type } from 'typebox';
import { CODE_PATTERN } from '../../kernel/code.ts';
import { CONNECTORS } from './biller.ts';

/**
 * A biller as it goes over the wire: one source for the shape check, the types and the API description. Lengths, patterns and
 * bounds stand here as documentation; check-biller.ts enforces them, all in one pass.
 */
export const MOST_CURRENCIES = 50;
export const MOST_PRODUCTS = 1000;

const closed = { additionalProperties: false };
const optional = <T>(type: string, options: object) =>
  Type.Optional(Type.Unsafe<T | null>({ type: [type, 'null'], ...options }));
const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217; ZIG is taken for ZWG.' });

export const FeeSchema = Type.Object(
  {
    Currency,
    Fixed: optional<number>('number', { minimum: 0, description: 'Added to every payment. At most 2 decimals.' }),
    Percent: optional<number>('number', {
      minimum: 0,
      maximum: 100,
      description: 'Of the amount, rounded half to even to the cent. At most 2 decimals.',
    }),
  },
  { ...closed, title: 'Fee' },
);

export const ProductSchema = Type.Object(
  {
    Code: Type.String({ pattern: CODE_PATTERN }),
    Name: Type.String({ minLength: 1, maxLength: 200, description: 'Becomes the line of an invoice.' }),
    Description: optional<string>('string', { maxLength: 1000 }),
    Enabled: Type.Boolean(),
    Prices: Type.Array(
      Type.Object(
        { Currency, Price: Type.Number({ exclusiveMinimum: 0, description: 'At most 2 decimals.' }) },
        { ...closed, title: 'Price' },
      ),
      { maxItems: MOST_CURRENCIES, description: 'A currency without a price leaves the price to the vendor.' },
    ),
  },
  { ...closed, title: 'Product' },
);

const fields = {
  Name: Type.String({ minLength: 1, maxLength: 200 }),
  Description: optional<string>('string', { maxLength: 1000 }),
  Enabled: Type.Boolean({ description: 'Whether it takes payments.' }),
  Currencies: Type.Array(Currency, { minItems: 1, maxItems: MOST_CURRENCIES }),
  Fees: Type.Array(FeeSchema, { maxItems: MOST_CURRENCIES, description: 'What the payer pays on top, per currency.' }),
  MemberNumberRegex: optional<string>('string', {
    maxLength: 500,
    description: 'Must match the whole member number. RE2 syntax: no look-around and no back-references.',
  }),
  Products: Type.Array(ProductSchema, { maxItems: MOST_PRODUCTS, description: 'Empty: payments have no products.' }),
  VendorMustInvoicePayments: Type.Boolean({ description: 'Every payment gets a fiscal invoice of the vendor.' }),
  InvoiceHsCode: optional<string>('string', {
    pattern: '^([0-9]{4}|[0-9]{8})$',
    description: '4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt.',
  }),
  InvoiceTaxPercent: optional<number>('number', { minimum: 0, maximum: 100, description: 'null: exempt.' }),
  InvoiceTaxInclusive: optional<boolean>('boolean', { description: 'Whether invoice lines show prices with tax.' }),
  AllowFeed: Type.Boolean({ description: 'Whether the feed shows its payments.' }),
  TargetAmount: optional<number>('number', { minimum: 0, description: 'With TargetUnits null as well: no target.' }),
  TargetUnits: optional<number>('integer', { minimum: 0 }),
  TargetAchievedSinceDate: optional<string>('string', {
    maxLength: 40,
    description: 'ISO 8601 with Z or an offset. null: payments have counted from the beginning.',
  }),
};

/** What a vendor is shown. */
export const BillerSchema = Type.Object(
  { Code: Type.String({ pattern: CODE_PATTERN }), ...fields },
  { ...closed, title: 'Biller' },
);

const Connector = Type.String({ enum: [...CONNECTORS], description: 'How the biller is reached.' });

/** What an operator sends. */
export const ManagedBillerSchema = Type.Object(
  {
    Code: Type.String({ pattern: CODE_PATTERN }),
    ...fields,
    Connector,
    Revision: optional<number>('integer', {
      description: 'The one that was read: the change is refused when it is old.',
    }),
    ChangedAt: optional<string>('string', { description: 'As it was read; not looked at.' }),
    CreatedAt: optional<string>('string', { description: 'As it was read; not looked at.' }),
  },
  { ...closed, title: 'BillerConfiguration', 'x-rules-apart': true },
);

export type WireBiller = Static<typeof BillerSchema>;
export type WireManagedBiller = Static<typeof ManagedBillerSchema>;
