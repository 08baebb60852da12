import type { searchPayments } from '../../contract/billpay/managed-payment.ts';
import type { QueryOf } from '../../contract/shared/operation.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { readInstantField } from '../../kernel/instant.ts';
import { type Refused, refused, type Violation } from '../../kernel/refusal.ts';
import type { PaymentFilter } from './store.ts';

const MAX_ID = 2n ** 63n - 1n;

/** The query as a filter with the place of its cursor, or what is wrong with it. A vendor's own list counts in numbers. */
export function readPaymentQuery(
  query: QueryOf<typeof searchPayments>,
  isPlace: (place: string) => boolean = () => true,
): { readonly filter: PaymentFilter; readonly place: string | undefined } | Refused {
  const violations: Violation[] = [];
  const place = query.Cursor === undefined ? undefined : readCursor(query.Cursor);
  if (query.Cursor !== undefined && (place === undefined || !isPlace(place))) {
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
  if (violations.length === 0) return { filter, place };
  return refused({ code: 'InvalidRequest', detail: 'The query has errors.', errors: violations });
}

/** A place in a list as opaque text. Whatever does not read back exactly is no cursor of ours. */
export function writePaymentCursor(place: string): string {
  return Buffer.from(`p:${place}`).toString('base64url');
}

function readCursor(text: string): string | undefined {
  return /^p:([0-9A-Za-z-]{1,50})$/.exec(Buffer.from(text, 'base64url').toString('utf8'))?.[1];
}

/** Whether it is one in a vendor's own list. */
export function isPaymentId(place: string): boolean {
  return /^\d{1,19}$/.test(place) && BigInt(place) <= MAX_ID;
}
