import { Type } from 'typebox';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { readInstantField } from '../../kernel/instant.ts';
import type { Violation } from '../../kernel/refusal.ts';
import { PAYMENT_STATES } from '../core/payment-state.ts';
import type { PaymentFilter } from './store.ts';

const LARGEST_ID = 2n ** 63n - 1n;

/** The filters that vendors and operators share. */
export const paymentListFields = {
  BillerCode: Type.Optional(Type.String({ maxLength: 50 })),
  Status: Type.Optional(Type.Unsafe<(typeof PAYMENT_STATES)[number]>({ type: 'string', enum: PAYMENT_STATES })),
  Currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  MemberNumber: Type.Optional(Type.String({ maxLength: 100 })),
  VendorReference: Type.Optional(Type.String({ maxLength: 50 })),
  VendorReferenceStarts: Type.Optional(
    Type.String({ minLength: 1, maxLength: 50, description: 'How the VendorReference begins, letter by letter.' }),
  ),
  From: Type.Optional(
    Type.String({ maxLength: 40, description: 'Recorded at or after. ISO 8601 with Z or an offset.' }),
  ),
  To: Type.Optional(Type.String({ maxLength: 40, description: 'Recorded before. ISO 8601 with Z or an offset.' })),
  Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  Cursor: Type.Optional(Type.String({ maxLength: 200, description: 'NextCursor of the page before.' })),
};

export const PaymentListSchema = Type.Object(paymentListFields, { additionalProperties: false });
export type PaymentListQuery = Type.Static<typeof PaymentListSchema>;

export const DEFAULT_PAGE = 50;

/** The query as a filter with the text of its cursor, or what is wrong with it. */
export function readPaymentListQuery(
  query: PaymentListQuery,
): { readonly filter: PaymentFilter; readonly cursor: string | undefined } | Violation[] {
  const violations: Violation[] = [];
  const cursor = query.Cursor === undefined ? undefined : readCursor(query.Cursor);
  if (query.Cursor !== undefined && cursor === undefined) {
    const Message = 'Cursor must be the NextCursor of an answer to this list, unchanged';
    violations.push({ Field: 'Cursor', Code: 'Malformed', Message });
  }
  const filter: PaymentFilter = {
    vendorReference: query.VendorReference,
    vendorReferenceStarts: query.VendorReferenceStarts,
    billerCode: query.BillerCode,
    status: query.Status,
    currency: query.Currency === undefined ? undefined : canonicalCurrency(query.Currency),
    memberNumber: query.MemberNumber,
    from: readInstantField('From', query.From, violations),
    to: readInstantField('To', query.To, violations),
  };
  return violations.length === 0 ? { filter, cursor } : violations;
}

/** A place in a list as opaque text. Whatever does not read back exactly is no cursor of ours. */
export function writePaymentCursor(place: string): string {
  return Buffer.from(`p:${place}`).toString('base64url');
}

function readCursor(text: string): string | undefined {
  return /^p:([0-9A-Za-z-]{1,50})$/.exec(Buffer.from(text, 'base64url').toString('utf8'))?.[1];
}

/** The place in a vendor's own list; undefined: it is a cursor of another one. */
export function paymentIdOf(place: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(place)) return undefined;
  const id = BigInt(place);
  return id > LARGEST_ID ? undefined : id;
}
