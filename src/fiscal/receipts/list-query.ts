import { Type } from 'typebox';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { readInstantField } from '../../kernel/instant.ts';
import type { Violation } from '../../kernel/refusal.ts';
import { RECEIPT_TYPES } from '../core/receipt-schema.ts';
import { readCursor } from './cursor.ts';
import { SUBMISSION_STATES } from './sealed-receipt.ts';
import { REMARK_COLOURS, type ReceiptFilter } from './store.ts';

const LARGEST_INTEGER = 2_147_483_647;

/** The filters that taxpayers and operators share. */
export const listFields = {
  AuthorityDeviceId: Type.Optional(Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER })),
  FiscalDayNumber: Type.Optional(Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER })),
  Type: Type.Optional(Type.String({ enum: RECEIPT_TYPES })),
  Currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  RemarkColour: Type.Optional(
    Type.String({
      enum: REMARK_COLOURS,
      description: 'Accepted with a remark of this colour, which keeps the device from closing the day.',
    }),
  ),
  Reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description: 'Exactly this one; also finds `.` and `..`, which no path can name.',
    }),
  ),
  ReferenceStarts: Type.Optional(
    Type.String({ minLength: 1, maxLength: 50, description: 'How the reference begins, letter by letter.' }),
  ),
  SealedFrom: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601 with Z or an offset; included.' })),
  SealedTo: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601 with Z or an offset; not included.' })),
  Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  Cursor: Type.Optional(Type.String({ maxLength: 200, description: 'NextCursor of the page before.' })),
};

const oneState = `(${SUBMISSION_STATES.join('|')})`;
export const ListQuerySchema = Type.Object(
  {
    ...listFields,
    SubmissionState: Type.Optional(
      Type.String({
        pattern: `^${oneState}(,${oneState})*$`,
        maxLength: 200,
        description: `Only in these states, separated by commas: ${SUBMISSION_STATES.join(', ')}.`,
      }),
    ),
  },
  { additionalProperties: false },
);

export type ListQuery = Type.Static<typeof ListQuerySchema>;

/** The query as a filter, or what is wrong with it. */
export function readListQuery(query: ListQuery): ReceiptFilter | Violation[] {
  const violations: Violation[] = [];
  const before = query.Cursor === undefined ? undefined : readCursor(query.Cursor);
  if (query.Cursor !== undefined && before === undefined) {
    const Message = 'Cursor must be the NextCursor of an answer to this list, unchanged';
    violations.push({ Field: 'Cursor', Code: 'Malformed', Message });
  }
  const filter: ReceiptFilter = {
    taxpayerId: undefined,
    reference: query.Reference,
    referenceStarts: query.ReferenceStarts,
    states: SUBMISSION_STATES.filter((state) => query.SubmissionState?.split(',').includes(state)),
    remarkColour: REMARK_COLOURS.find((colour) => colour === query.RemarkColour),
    deviceId: query.AuthorityDeviceId,
    type: query.Type,
    currency: query.Currency === undefined ? undefined : canonicalCurrency(query.Currency),
    fiscalDayNumber: query.FiscalDayNumber,
    sealedFrom: readInstantField('SealedFrom', query.SealedFrom, violations),
    sealedTo: readInstantField('SealedTo', query.SealedTo, violations),
    before,
  };
  return violations.length === 0 ? filter : violations;
}
