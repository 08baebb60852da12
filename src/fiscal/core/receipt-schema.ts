import { Type } from 'typebox';

/**
 * The receipt as it comes over the wire (docs/signing.md): one source for the shape check,
 * the types and the API description. The shape check looks only at JSON types and at missing and unknown keys; lengths,
 * patterns and enumerations stand here as documentation and are enforced by the rules, which know their codes.
 */
export const RECEIPT_TYPES = ['FiscalInvoice', 'CreditNote', 'DebitNote'] as const;
export const LINE_TYPES = ['Sale', 'Discount'] as const;
export const PAYMENT_TYPES = ['Cash', 'Card', 'MobileWallet', 'Coupon', 'Credit', 'BankTransfer', 'Other'] as const;
export const PRINT_FORMS = ['Receipt48', 'InvoiceA4'] as const;

export const MAXIMUM_LINES = 2000;
export const MAXIMUM_PAYMENTS = 50;
export const MAXIMUM_TAXES = 50;

// Not `multipleOf: 0.01`: validators divide binary floats, and would refuse amounts such as 19.99.
const amount = (description: string) => Type.Number({ description: `${description} At most 2 decimals.` });
const orNull = { string: ['string', 'null'], number: ['number', 'null'], integer: ['integer', 'null'] };
const optionalText = (options: object) =>
  Type.Optional(Type.Unsafe<string | null>({ type: orNull.string, ...options }));
const optionalInteger = (options: object) =>
  Type.Optional(Type.Unsafe<number | null>({ type: orNull.integer, ...options }));
const taxPercent = Type.Unsafe<number | null>({
  type: orNull.number,
  description:
    'Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be there.',
});
const closed = { additionalProperties: false };

export const ReceiptLineSchema = Type.Object(
  {
    Type: Type.String({ enum: LINE_TYPES }),
    Name: Type.String({ minLength: 1, maxLength: 200, description: 'Product or service.' }),
    HsCode: optionalText({
      pattern: '^([0-9]{4}|[0-9]{8})$',
      description: '4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt.',
    }),
    UnitPrice: Type.Optional(
      Type.Unsafe<number | null>({
        type: orNull.number,
        description: 'If given, LineTotal = UnitPrice × Quantity exactly.',
      }),
    ),
    Quantity: Type.Number({ exclusiveMinimum: 0 }),
    LineTotal: amount('Includes tax when ReceiptLinesTaxInclusive is true.'),
    TaxPercent: taxPercent,
  },
  { ...closed, title: 'ReceiptLine' },
);

export const PaymentSchema = Type.Object(
  {
    Type: Type.String({ enum: PAYMENT_TYPES }),
    Amount: amount('≥ 0 on an invoice or debit note, ≤ 0 on a credit note.'),
  },
  { ...closed, title: 'Payment' },
);

export const TaxSchema = Type.Object(
  {
    TaxPercent: taxPercent,
    SalesAmountWithTax: amount('Sum of the line totals of this percentage, tax included.'),
    TaxAmount: amount('Tax of the group, rounded once, half to even.'),
  },
  { ...closed, title: 'Tax' },
);

/** How services with the same API, and the authority's own protocol, call a field; in lower case. */
const NAMES_ELSEWHERE = {
  zimradeviceid: 'AuthorityDeviceId',
  deviceid: 'AuthorityDeviceId',
  originalzimradeviceid: 'OriginalAuthorityDeviceId',
  receipttype: 'Type',
  receiptcurrency: 'Currency',
  invoiceno: 'Reference',
  receiptdate: 'Date',
  receipttotal: 'TotalAmount',
  receiptpayments: 'Payments',
  receipttaxes: 'Taxes',
  receiptnotes: 'Notes',
};

export const ReceiptSchema = Type.Object(
  {
    AuthorityDeviceId: Type.Integer({ description: 'The fiscal device that signs.' }),
    Type: Type.String({ enum: RECEIPT_TYPES }),
    Currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217. ZIG is converted to ZWG.' }),
    Reference: Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Your receipt reference, unique per taxpayer.',
    }),
    Date: Type.String({ description: 'ISO 8601 with an offset, with Z, or without (device local time).' }),
    ReceiptLinesTaxInclusive: Type.Boolean(),
    TotalAmount: amount('Total including all taxes.'),
    ReceiptLines: Type.Array(ReceiptLineSchema, { minItems: 1, maxItems: MAXIMUM_LINES }),
    Payments: Type.Array(PaymentSchema, { minItems: 1, maxItems: MAXIMUM_PAYMENTS }),
    Taxes: Type.Array(TaxSchema, { minItems: 1, maxItems: MAXIMUM_TAXES }),
    OriginalReference: optionalText({
      maxLength: 50,
      description: 'Credit and debit notes: the invoice they refer to.',
    }),
    OriginalFiscalDayNumber: optionalInteger({ description: 'Only when the original was not sealed here.' }),
    OriginalGlobalCounter: optionalInteger({ description: 'Only when the original was not sealed here.' }),
    OriginalAuthorityDeviceId: optionalInteger({ description: 'Only when the original was not sealed here.' }),
    Notes: optionalText({ maxLength: 500, description: 'Credit and debit notes: the reason.' }),
    ReceiptPrintForm: optionalText({ enum: [...PRINT_FORMS, null] }),
    BuyerTIN: optionalText({ pattern: '^[0-9]{10}$' }),
    BuyerVAT: optionalText({ pattern: '^[0-9]{9}$' }),
    BuyerName: optionalText({ maxLength: 200 }),
    BuyerAddress: optionalText({
      maxLength: 400,
      description: 'House number, street, city, province, separated by commas or newlines.',
    }),
    BuyerPhone: optionalText({ maxLength: 20 }),
    BuyerEmail: optionalText({ maxLength: 100 }),
    Cashier: optionalText({ maxLength: 20, description: "The token's default cashier replaces it." }),
  },
  // Values are checked by the rules in core/rules, which know the authority's codes.
  { ...closed, title: 'Receipt', 'x-rules-apart': true, 'x-other-names': NAMES_ELSEWHERE },
);

export type WireReceipt = Type.Static<typeof ReceiptSchema>;
