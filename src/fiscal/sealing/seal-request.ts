import type { Receipt } from '../../fdms/index.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import type { DeviceKey } from '../core/keys.ts';
import { type Difference, differences } from '../core/receipt-difference.ts';
import type { Link } from '../core/seal.ts';
import { restoreSubmitted } from '../core/submitted-differences.ts';
import { readStoredReceipt } from '../sealed/read-stored-receipt.ts';
import type { SealedReceipt } from '../sealed/sealed-receipt.ts';
import type { ReferenceKey, StoredReceipt } from '../sealed/store.ts';

/** A receipt that passed every rule without state and wants its place in the chain. */
export interface SealRequest {
  readonly taxpayerId: string;
  readonly isVatRegistered: boolean;
  /** As the caller sent it, before cashier, HS and buyer defaults: what a retry is compared with. */
  readonly submitted: Receipt;
  readonly receipt: Receipt;
  readonly zone: string;
  /** Sold while its till was cut off. No part of what a retry is compared with. */
  readonly isLate: boolean;
  /** A note without a buyer takes that of its original. */
  readonly takesBuyer: boolean;
}

export type SealOutcome =
  | { readonly kind: 'sealed'; readonly sealed: SealedReceipt; readonly link: Link }
  | { readonly kind: 'replayed'; readonly sealed: SealedReceipt }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A request that has none waits for the next batch. */
export type SealOutcomes = Map<SealRequest, SealOutcome>;

export function deviceKey(request: SealRequest): DeviceKey {
  return { taxpayerId: request.taxpayerId, deviceId: request.receipt.AuthorityDeviceId };
}

export function referenceOf(request: SealRequest): ReferenceKey {
  return { taxpayerId: request.taxpayerId, reference: request.submitted.Reference };
}

export function keyText(key: ReferenceKey): string {
  return `${key.taxpayerId}:${key.reference}`;
}

/** The reference is sealed already: the same content is a retry and gets the stored seal, any difference is a conflict. */
export function replayOrConflict(stored: StoredReceipt, submitted: Receipt, zone: string): SealOutcome {
  const sealed = readStoredReceipt(stored.sealed.body);
  return compareSubmitted(restoreSubmitted(sealed, stored.differences), submitted, zone, stored.sealed);
}

export function compareSubmitted(before: Receipt, now: Receipt, zone: string, sealed: SealedReceipt): SealOutcome {
  const found = differences(before, now, zone);
  if (found.length === 0) return { kind: 'replayed', sealed };
  return {
    kind: 'refused',
    refusal: {
      code: 'ReferenceConflict',
      detail: conflictWords(now.Reference, found),
      errors: found.slice(0, 100).map((difference) => ({
        Field: difference.field,
        Code: 'ReferenceConflict',
        Message: `sealed with ${difference.sealed}, now ${difference.submitted}`,
      })),
    },
  };
}

/** Most often it is the same sale, built again by a till that lost its answer: nothing here may lead to a second seal for it. */
function conflictWords(reference: string, found: readonly Difference[]): string {
  const read = `read it with GET /api/receipt/${encodeURIComponent(reference)}`;
  const fields = found.map((difference) => difference.field);
  if (fields.length === 1 && fields[0] === 'Date') {
    return `This sale is sealed already, and only its Date differs: ${read}. Nothing was signed.`;
  }
  const shown =
    fields.length > 5 ? `${fields.slice(0, 5).join(', ')} and ${fields.length - 5} more` : fields.join(', ');
  return `Reference ${reference} is sealed already with other data: ${shown}. If this is the same sale, it has its seal: ${read}. Only another sale gets a Reference of its own. Nothing was signed.`;
}
