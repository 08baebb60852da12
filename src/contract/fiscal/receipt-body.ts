import type { Decimal } from '../../kernel/decimal.ts';
import { PAYMENT_TYPES } from '../shared/values.ts';
import { IF_MISSING, IGNORED_EMPTY, input, OTHER_NAMES, RULES_APART, Type } from '../shared/vocabulary.ts';

/**
 * The receipt as it comes over the wire (docs/signing.md): one source for the shape check, the types and the API description.
 * The shape check looks only at JSON types and at missing and unknown keys; lengths, patterns and enumerations stand here as
 * documentation and are enforced by the rules, which know their codes.
 */
export const RECEIPT_TYPES = ['FiscalInvoice', 'CreditNote', 'DebitNote'] as const;
export const LINE_TYPES = ['Sale', 'Discount'] as const;
export const PRINT_FORMS = ['Receipt48', 'InvoiceA4'] as const;

export const MAX_LINES = 2000;
export const MAX_PAYMENTS = 50;
export const MAX_TAXES = 50;

// Not `multipleOf: 0.01`: validators divide binary floats, and would refuse amounts such as 19.99.
const number = <Exact>(options: object = {}) => Type.Unsafe<Exact>({ type: 'number', format: 'decimal', ...options });
const amount = <Exact>(description: string) => number<Exact>({ description: `${description} At most 2 decimals.` });
const numberOrNull = <Exact>(description: string, options: object = {}) =>
  Type.Unsafe<Exact | null>({ type: ['number', 'null'], format: 'decimal', description, ...options });
const taxPercent = <Exact>() =>
  numberOrNull<Exact>(
    'Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present.',
    { [IF_MISSING]: 'send null for exempt' },
  );
const optionalText = (options: object) => Type.Optional(Type.textOrNull(options));
const optionalInteger = (options: object) =>
  Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options }));

const line = <Exact>() =>
  input('ReceiptLine', {
    Type: Type.String({ enum: LINE_TYPES }),
    Name: Type.String({ minLength: 1, maxLength: 200, description: 'Product or service.' }),
    HsCode: optionalText({
      pattern: '^([0-9]{4}|[0-9]{8})$',
      description:
        'Required, unless the taxpayer has automatic HS codes for this kind of tax. 4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt.',
    }),
    UnitPrice: Type.Optional(numberOrNull<Exact>('If given, LineTotal = UnitPrice × Quantity exactly.')),
    Quantity: number<Exact>({ exclusiveMinimum: 0 }),
    LineTotal: amount<Exact>('Includes tax when ReceiptLinesTaxInclusive is true.'),
    TaxPercent: taxPercent<Exact>(),
  });

const PAYMENT_AMOUNT = '≥ 0 on an invoice or debit note, ≤ 0 on a credit note.';
const payment = <Exact>() =>
  input('Payment', { Type: Type.String({ enum: PAYMENT_TYPES }), Amount: amount<Exact>(PAYMENT_AMOUNT) });

const tax = <Exact>() =>
  input('Tax', {
    TaxPercent: taxPercent<Exact>(),
    SalesAmountWithTax: amount<Exact>('Sum of the line totals of this percentage, tax included.'),
    TaxAmount: amount<Exact>('Tax of the group, rounded once, half to even (half up with `TAX_ROUNDING=half-up`).'),
  });

/** Its fields. What comes in is read digit by digit from its text (fiscal/core/read-receipt.ts); what goes out is exact. */
const fields = <Exact>() => ({
  AuthorityDeviceId: Type.Integer({ description: 'The fiscal device that signs.' }),
  Type: Type.String({ enum: RECEIPT_TYPES }),
  Currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217. ZIG is converted to ZWG.' }),
  Reference: Type.String({
    minLength: 1,
    maxLength: 50,
    description: 'Your receipt reference, unique per taxpayer.',
  }),
  Date: Type.String({
    description:
      'ISO 8601 with an offset, with Z, or without (device local time); also with a space for T, or without seconds.',
  }),
  ReceiptLinesTaxInclusive: Type.Boolean(),
  TotalAmount: amount<Exact>('Total including all taxes.'),
  ReceiptLines: Type.Array(line<Exact>(), { minItems: 1, maxItems: MAX_LINES }),
  Payments: Type.Array(payment<Exact>(), { minItems: 1, maxItems: MAX_PAYMENTS }),
  Taxes: Type.Array(tax<Exact>(), { minItems: 1, maxItems: MAX_TAXES }),
  OriginalReference: optionalText({
    maxLength: 50,
    description: 'Credit and debit notes: the invoice they refer to.',
  }),
  OriginalFiscalDayNumber: optionalInteger({ description: 'Only when the original was not sealed here.' }),
  OriginalGlobalCounter: optionalInteger({ description: 'Only when the original was not sealed here.' }),
  OriginalAuthorityDeviceId: optionalInteger({ description: 'Only when the original was not sealed here.' }),
  Notes: optionalText({ maxLength: 500, description: 'Credit and debit notes: the reason.' }),
  ReceiptPrintForm: optionalText({ enum: PRINT_FORMS }),
  BuyerTIN: optionalText({ pattern: '^[0-9]{10}$' }),
  BuyerVAT: optionalText({ pattern: '^[0-9]{9}$' }),
  BuyerName: optionalText({ maxLength: 250 }),
  BuyerAddress: optionalText({
    maxLength: 400,
    description: 'House number, street, city, province, separated by commas or newlines.',
  }),
  BuyerPhone: optionalText({ maxLength: 20 }),
  BuyerEmail: optionalText({ maxLength: 100 }),
  Cashier: optionalText({ maxLength: 20, description: "The token's default cashier replaces it." }),
});

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

/** What an answer adds to the receipt. A program with one class for both sends them, too, without a value. */
export const ANSWER_FIELDS = [
  'DeviceSignature',
  'DeviceHash',
  'DeviceSerialNumber',
  'FiscalDayCounter',
  'FiscalDayNumber',
  'GlobalCounter',
  'VerificationCode',
  'QrCodeContent',
  'SubmissionFailed',
  'SubmissionError',
  'SubmissionState',
  'Remarks',
  'DateAdvanced',
  'NotSent',
];

/** Values are checked by the rules in fdms/core/rules, which know the authority's codes. */
const options = {
  [RULES_APART]: true,
  [OTHER_NAMES]: NAMES_ELSEWHERE,
  [IGNORED_EMPTY]: ANSWER_FIELDS,
};

export const ReceiptBody = input('Receipt', fields<number>(), options);
export type ReceiptBody = Type.Static<typeof ReceiptBody>;

const computed = (description: string) => Type.Optional(numberOrNull<number>(description));
const draftPayment = input('PaymentDraft', {
  Type: Type.String({ enum: PAYMENT_TYPES }),
  Amount: computed(`${PAYMENT_AMOUNT} Of one payment it may be missing: what the others leave.`),
});
const draftLine = input('ReceiptLineDraft', {
  ...line<number>().properties,
  LineTotal: computed('UnitPrice × Quantity where it is missing, never rounded.'),
});

/** A receipt whose sums are still to be computed. */
export const ReceiptDraft = input(
  'ReceiptDraft',
  {
    ...fields<number>(),
    Date: Type.Optional(Type.textOrNull({ description: 'As on a receipt; now where it is missing.' })),
    ReceiptLines: Type.Array(draftLine, { minItems: 1, maxItems: MAX_LINES }),
    TotalAmount: computed('Computed where it is missing.'),
    Payments: Type.Array(draftPayment, {
      minItems: 1,
      maxItems: MAX_PAYMENTS,
      [IF_MISSING]: 'send how it was paid, [{ "Type": "Cash" }], and its Amount is computed',
    }),
    Taxes: Type.Optional(
      Type.orNull(Type.Array(tax<number>(), { maxItems: MAX_TAXES }), {
        description: 'Computed where they are missing.',
      }),
    ),
  },
  options,
);
export type ReceiptDraft = Type.Static<typeof ReceiptDraft>;

export const receiptFields = fields<Decimal>();
export type NormalisedReceipt = Type.Static<Type.TObject<typeof receiptFields>>;

export type OptionalField = {
  [Field in keyof NormalisedReceipt]-?: undefined extends NormalisedReceipt[Field] ? Field : never;
}[keyof NormalisedReceipt];
export const OPTIONAL_FIELDS = Object.entries(receiptFields)
  .filter(([, schema]) => Type.IsOptional(schema))
  .map(([name]) => name as OptionalField);

/** A receipt as the service would sign it: sent back, it is the same. */
export const NormalisedReceipt = Type.Unsafe<NormalisedReceipt>(ReceiptBody);
