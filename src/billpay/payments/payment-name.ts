import { Type } from 'typebox';
import type { Refusal } from '../../kernel/refusal.ts';
import type { PaymentName } from './store.ts';

const closed = { additionalProperties: false };
const optionalText = (options: object) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], ...options }));

export const ReverseSchema = Type.Object(
  {
    VendorReference: optionalText({ maxLength: 50, description: 'This or BillPayReference.' }),
    BillPayReference: optionalText({ maxLength: 50, description: 'This or VendorReference.' }),
    Reason: optionalText({ maxLength: 200, description: 'Kept in the history of the payment.' }),
  },
  { ...closed, title: 'Reversal' },
);

export const StatusSchema = Type.Object(
  {
    vendorReference: Type.Optional(Type.String({ maxLength: 200, description: 'Yours; this or billPayReference.' })),
    billPayReference: Type.Optional(Type.String({ maxLength: 200, description: 'Ours; this or vendorReference.' })),
  },
  closed,
);

export interface NameFields {
  readonly VendorReference?: string | null | undefined;
  readonly BillPayReference?: string | null | undefined;
}

/** The one payment that is meant, or what to answer when none or two are. */
export function nameOf(
  fields: NameFields,
  vendorId: string,
  vendorField: string,
  ourField: string,
): PaymentName | Refusal {
  const { VendorReference: vendorReference, BillPayReference: billPayReference } = fields;
  if (typeof vendorReference === 'string' && typeof billPayReference !== 'string') return { vendorId, vendorReference };
  if (typeof billPayReference === 'string' && typeof vendorReference !== 'string')
    return { vendorId, billPayReference };
  const isNone = typeof vendorReference !== 'string';
  const Message = isNone ? `send ${vendorField} or ${ourField}` : `send either ${vendorField} or ${ourField}, not both`;
  return {
    code: 'InvalidRequest',
    detail: 'The request must name exactly one payment.',
    errors: [{ Field: vendorField, Code: isNone ? 'Required' : 'Malformed', Message }],
  };
}
