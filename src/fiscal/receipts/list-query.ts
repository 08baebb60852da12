import type { SearchQuery } from '../../contract/fiscal/managed-receipt.ts';
import { type ListQuery, SUBMISSION_STATES } from '../../contract/fiscal/receipt.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { readInstantField } from '../../kernel/instant.ts';
import { type Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { readCursor } from './cursor.ts';
import type { ReceiptSearch } from './search-store.ts';

/** The query of a taxpayer or an operator as a search. */
export function readListQuery(query: ListQuery & Partial<SearchQuery>): ReceiptSearch | Refused {
  const errors: Violation[] = [];
  const before = query.Cursor === undefined ? undefined : readCursor(query.Cursor);
  if (query.Cursor !== undefined && before === undefined) {
    const Message = 'Cursor must be the NextCursor of an answer to this list, unchanged';
    errors.push({ Field: 'Cursor', Code: 'Malformed', Message });
  }
  const search: ReceiptSearch = {
    taxpayerId: query.TaxpayerId,
    reference: query.Reference,
    referenceStarts: query.ReferenceStarts,
    states: SUBMISSION_STATES.filter(
      (state) => state === query.State || query.SubmissionState?.split(',').includes(state),
    ),
    remarkColour: query.RemarkColour,
    deviceId: query.AuthorityDeviceId,
    type: query.Type,
    currency: query.Currency === undefined ? undefined : canonicalCurrency(query.Currency),
    fiscalDayNumber: query.FiscalDayNumber,
    sealedFrom: readInstantField('SealedFrom', query.SealedFrom, errors),
    sealedTo: readInstantField('SealedTo', query.SealedTo, errors),
    before,
    total: query.Amount,
    buyer: query.Buyer?.trim(),
    verificationCode: query.VerificationCode?.replaceAll('-', ''),
  };
  return errors.length === 0 ? search : refused({ code: 'InvalidRequest', detail: 'The query has errors.', errors });
}
