import { Type } from 'typebox';
import { KeyValue } from '../../contract/vocabulary.ts';
import { PAYMENT_TYPES } from './payment.ts';

/**
 * A payment as a vendor asks for it: one source for the shape check, the types and the API description. Lengths, patterns and
 * enumerations stand here as documentation and are enforced by check-payment.ts, which knows their codes.
 */
export const MOST_PRODUCTS_PAID = 100;
export const MOST_META_DATA = 50;
export const LARGEST_QUANTITY = 999_999_999;

const closed = { additionalProperties: false };
const optional = <T>(type: string, options: object) =>
  Type.Optional(Type.Unsafe<T | null>({ type: [type, 'null'], ...options }));

const RequestedProductSchema = Type.Object(
  {
    Code: Type.String({ description: "One of the biller's products." }),
    Name: optional<string>('string', { description: "May be sent; the biller's own name is kept." }),
    Quantity: Type.Integer({ minimum: 1, maximum: LARGEST_QUANTITY }),
    Price: optional<number>('number', {
      description: 'Of one unit. Needed only where the biller sets none in this currency; otherwise it must agree.',
    }),
  },
  { ...closed, title: 'RequestedProduct' },
);

export const PaymentRequestSchema = Type.Object(
  {
    VendorReference: Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Your reference of the payment, unique per vendor. The same one never pays twice.',
    }),
    BillerCode: Type.String({ maxLength: 50 }),
    MemberNumber: Type.String({ minLength: 1, maxLength: 100, description: 'Whom the biller credits.' }),
    MemberName: optional<string>('string', { maxLength: 200 }),
    Currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217. ZIG is converted to ZWG.' }),
    Amount: Type.Number({
      exclusiveMinimum: 0,
      description: 'What the biller gets, without the fee. At most 2 decimals. With products: their sum.',
    }),
    Products: optional<WireProduct[]>('array', { items: RequestedProductSchema, maxItems: MOST_PRODUCTS_PAID }),
    PaymentType: optional<string>('string', { enum: [...PAYMENT_TYPES, null], description: 'Other by default.' }),
    MetaData: optional<{ Key: string; Value: string }[]>('array', { items: KeyValue, maxItems: MOST_META_DATA }),
  },
  { ...closed, title: 'PaymentRequest', 'x-rules-apart': true },
);

type WireProduct = Type.Static<typeof RequestedProductSchema>;
export type WirePayment = Type.Static<typeof PaymentRequestSchema>;
