import type { BillerRuleCode, PaymentRuleCode } from '../../billpay/index.ts';
import type { RuleCode } from '../../fdms/index.ts';
import type { RefusalCode } from '../../kernel/refusal.ts';
import { AMOUNT_ERRORS, LINE_ERRORS, PAYMENT_ERRORS, TAX_ERRORS } from './amount-errors.ts';
import { BILLER_ERRORS } from './biller-errors.ts';
import type { ErrorEntry } from './entry.ts';
import { BILL_PAYMENT_ERRORS } from './payment-errors.ts';
import { BUYER_ERRORS, DEVICE_ERRORS, NOTE_ERRORS, VALUE_ERRORS } from './receipt-errors.ts';
import { REQUEST_ERRORS, SERVICE_ERRORS, SHAPE_ERRORS } from './request-errors.ts';

/** What the first look at a request finds (platform/http/shape.ts), before any rule. */
export type ShapeCode = 'Required' | 'UnknownField' | 'WrongType' | 'TooMany' | 'Malformed' | 'TooLong' | 'NotOneOf';

export type ErrorCode = RefusalCode | 'InternalError' | ShapeCode | RuleCode | PaymentRuleCode | BillerRuleCode;

/** The one source of what is said of errors: the page and the API description are made from it. */
export const CHAPTERS = [
  { title: 'The request', about: 'The whole request was refused. Programs look at `Code`.', entries: REQUEST_ERRORS },
  { title: 'Not now', about: 'Nothing was done. The same request has a chance later.', entries: SERVICE_ERRORS },
  {
    title: 'Shape',
    about: 'Items of `errors`: fields that are missing, unknown or of another type. All of them are named at once.',
    entries: SHAPE_ERRORS,
  },
  {
    title: 'Values',
    about: 'Items of `errors`: a value that the authority would never accept.',
    entries: VALUE_ERRORS,
  },
  {
    title: 'Totals',
    about: "Items of `errors`. RCPT… are the authority's own codes. Every broken rule is named at once.",
    entries: AMOUNT_ERRORS,
  },
  { title: 'Lines', about: 'Items of `errors` about `ReceiptLines`.', entries: LINE_ERRORS },
  { title: 'Taxes', about: 'Items of `errors` about percentages and `Taxes`.', entries: TAX_ERRORS },
  { title: 'Payments', about: 'Items of `errors` about `Payments`.', entries: PAYMENT_ERRORS },
  { title: 'Buyer', about: 'Items of `errors` about the `Buyer…` fields.', entries: BUYER_ERRORS },
  {
    title: 'Credit and debit notes',
    about: 'Items of `errors` about a note and the invoice it refers to.',
    entries: NOTE_ERRORS,
  },
  { title: 'Device and date', about: 'Items of `errors` about what signs, and when.', entries: DEVICE_ERRORS },
  {
    title: 'Bill payments',
    about: '`NotReversible` answers a whole request; the others are items of `errors` about a payment.',
    entries: BILL_PAYMENT_ERRORS,
  },
  {
    title: 'Billers and vendors',
    about: 'Items of `errors`, for operators who set up bill payments.',
    entries: BILLER_ERRORS,
  },
] as const satisfies readonly { title: string; about: string; entries: Partial<Record<ErrorCode, ErrorEntry>> }[];

/** It does not compile when a code has no entry. */
export const CATALOGUE: Readonly<Record<ErrorCode, ErrorEntry>> = {
  ...REQUEST_ERRORS,
  ...SERVICE_ERRORS,
  ...SHAPE_ERRORS,
  ...VALUE_ERRORS,
  ...AMOUNT_ERRORS,
  ...LINE_ERRORS,
  ...TAX_ERRORS,
  ...PAYMENT_ERRORS,
  ...BUYER_ERRORS,
  ...NOTE_ERRORS,
  ...DEVICE_ERRORS,
  ...BILL_PAYMENT_ERRORS,
  ...BILLER_ERRORS,
};
