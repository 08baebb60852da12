import { isNote, type NumberHere, type Original, type Receipt } from '../../fdms/index.ts';
import { add } from '../../kernel/decimal.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { type Buyer, hasBuyer } from '../core/apply-defaults.ts';
import type { Link, OriginalLookup } from '../core/seal.ts';
import { readStoredReceipt } from '../sealed/read-stored-receipt.ts';
import { findReceipts } from '../sealed/store.ts';
import { findNumberHere, lockOriginals, readOriginals } from './original-store.ts';
import { keyText, referenceOf, type SealRequest } from './seal-request.ts';

/** The originals of a batch's notes, locked, and kept up to date while the batch is decided. */
export interface Originals {
  /** An original that comes with the same batch cannot be looked up yet. */
  of(request: SealRequest): OriginalLookup | 'in this batch' | undefined;
  /** A note of this batch was decided: the next one finds less left to credit. */
  add(request: SealRequest, link: Link): void;
}

export async function findOriginals(tx: Transaction, requests: readonly SealRequest[]): Promise<Originals> {
  const lookups = new Map<string, OriginalLookup>();
  const notes = requests.filter((request) => isNote(request.receipt));
  if (notes.length > 0) {
    const keys = notes.flatMap((note) => (originalKey(note) === undefined ? [] : [originalReference(note)]));
    const found = await lockOriginals(tx, keys);
    const buyers = await findBuyers(tx, notes);
    for (const { taxpayerId, original } of found) {
      const key = keyText({ taxpayerId, reference: original.reference });
      lookups.set(key, { kind: 'here', original, buyer: buyers.get(key) });
    }
  }
  const invoices = requests.filter((request) => !isNote(request.receipt));
  const inThisBatch = new Set(invoices.map((request) => keyText(referenceOf(request))));
  const elsewhere = new Map<SealRequest, OriginalLookup | 'in this batch'>();
  for (const note of notes) {
    const key = originalKey(note) ?? '';
    if (lookups.has(key)) continue;
    const isComing = inThisBatch.has(key);
    elsewhere.set(note, isComing ? 'in this batch' : { kind: 'elsewhere', numberHere: await numberHere(tx, note) });
  }
  return {
    of: (request) => lookups.get(originalKey(request) ?? '') ?? elsewhere.get(request),
    add: (request, link) => {
      const key = originalKey(request) ?? '';
      const lookup = lookups.get(key);
      if (lookup?.kind !== 'here') return;
      lookups.set(key, { ...lookup, original: withNote(lookup.original, link.receipt) });
    },
  };
}

/** The original of one receipt as it is at this moment, which the next one may change. */
export async function findOriginal(db: Queryable, request: SealRequest): Promise<OriginalLookup | undefined> {
  if (!isNote(request.receipt)) return undefined;
  const [found] = originalKey(request) === undefined ? [] : await readOriginals(db, [originalReference(request)]);
  if (found) {
    const buyers = await findBuyers(db, [request]);
    return { kind: 'here', original: found.original, buyer: buyers.get(originalKey(request) ?? '') };
  }
  return { kind: 'elsewhere', numberHere: await numberHere(db, request) };
}

/** Of the originals whose notes come without one and are to take it. */
async function findBuyers(db: Queryable, notes: readonly SealRequest[]): Promise<ReadonlyMap<string, Buyer>> {
  const wanting = notes.filter((note) => note.takesBuyer && !hasBuyer(note.receipt) && originalKey(note) !== undefined);
  if (wanting.length === 0) return new Map();
  const stored = await findReceipts(db, wanting.map(originalReference));
  return new Map(
    stored.map(({ taxpayerId, sealed }) => [
      keyText({ taxpayerId, reference: sealed.reference }),
      readStoredReceipt(sealed.body),
    ]),
  );
}

/** A debit note makes no room before the authority has it. */
function withNote(original: Original, { Type, Reference: reference, TotalAmount: total }: Receipt): Original {
  return Type === 'CreditNote'
    ? { ...original, notesTotal: add(original.notesTotal, total) }
    : { ...original, uncounted: [...original.uncounted, { reference, total, standing: 'Pending' }] };
}

/** The reference a note credits or debits, as a key; undefined for an invoice. */
function originalKey(request: SealRequest): string | undefined {
  return request.receipt.OriginalReference === undefined ? undefined : keyText(originalReference(request));
}

function originalReference(request: SealRequest) {
  return { taxpayerId: request.taxpayerId, reference: request.receipt.OriginalReference ?? '' };
}

async function numberHere(db: Queryable, note: SealRequest): Promise<NumberHere | 'unlisted' | undefined> {
  const { OriginalAuthorityDeviceId, OriginalGlobalCounter } = note.receipt;
  if (OriginalAuthorityDeviceId === undefined || OriginalGlobalCounter === undefined) return undefined;
  return findNumberHere(db, note.taxpayerId, OriginalAuthorityDeviceId, OriginalGlobalCounter);
}
