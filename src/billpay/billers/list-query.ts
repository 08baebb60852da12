import { Type } from 'typebox';
import { readInstant } from '../../kernel/instant.ts';
import type { Violation } from '../../kernel/refusal.ts';
import type { BillerFilter } from './visibility-store.ts';

export interface ListBillersQuery {
  readonly billerCodes?: string;
  readonly changedSince?: string;
}

export const ListBillersQuerySchema = Type.Object(
  {
    billerCodes: Type.Optional(
      Type.String({ maxLength: 12_000, description: 'Only these, separated by commas. Unknown ones are left out.' }),
    ),
    changedSince: Type.Optional(
      Type.String({
        maxLength: 40,
        description: '`AsOf` of the last answer: what changed at or after that moment, withdrawn billers included.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function readListBillersQuery(query: ListBillersQuery): Omit<BillerFilter, 'vendorId'> | Violation[] {
  const codes = query.billerCodes
    ?.split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '');
  const filter = { codes: codes?.length === 0 ? undefined : codes, changedSince: undefined };
  if (query.changedSince === undefined) return filter;
  // An offset's plus that was not escaped arrives as a space.
  const changedSince = readInstant(query.changedSince.replace(/ (?=\d{2}:\d{2}$)/, '+'));
  if (changedSince !== undefined) return { ...filter, changedSince };
  const Message = 'must be a date and time with Z or an offset, such as 2026-11-15T10:00:00.000Z: send AsOf as it came';
  return [{ Field: 'changedSince', Code: 'Malformed', Message }];
}
