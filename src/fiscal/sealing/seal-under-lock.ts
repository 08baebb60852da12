import { inTransaction, type Transaction } from '../../platform/database.ts';
import { isNote } from '../core/receipt.ts';
import { findReceipts } from '../receipts/store.ts';
import { type BatchResult, deviceKey, deviceKeys } from './decided.ts';
import { findOriginals } from './find-originals.ts';
import { LockedBatch } from './locked-batch.ts';
import type { SealContext } from './seal-context.ts';
import { keyText, referenceOf, type SealRequest } from './seal-request.ts';
import { lockHeads, waitForHead } from './store.ts';

/**
 * Seals a batch over all devices in one transaction: lock the heads, find replays and originals, decide each receipt in the
 * order of arrival, append, commit. Whose head is held by another instance, or whose original is in this very batch, is
 * left waiting. If it throws, nothing was sealed or the commit's fate is unknown, and a retry with the same
 * reference finds out.
 */
export function sealUnderLock(context: SealContext, requests: readonly SealRequest[]): Promise<BatchResult> {
  // In turn with what is written ahead, which would find its heads held.
  return context.turns.run(() => inTransaction(context.pool, (tx) => sealInTransaction(context, tx, requests)));
}

async function sealInTransaction(
  context: SealContext,
  tx: Transaction,
  requests: readonly SealRequest[],
): Promise<BatchResult> {
  const [heads, stored] = await Promise.all([
    lockHeads(tx, deviceKeys(requests), 'skip'),
    findReceipts(tx, requests.map(referenceOf)),
  ]);
  let batch = new LockedBatch(context, tx, stored);
  const first = requests.find((request) => !batch.isStored(request));
  // Every head we need is being sealed on by somebody else: wait for one of them rather than spin.
  if (heads.length === 0 && first) {
    heads.push(...(await waitForHead(tx, deviceKey(first))));
    // Whoever held it may have sealed these very requests: a note would find its original used up by itself.
    batch = new LockedBatch(context, tx, await findReceipts(tx, requests.map(referenceOf)));
  }
  const unsealed = requests.filter((request) => !batch.isStored(request));
  await batch.takeHeads(heads);
  const sealable = unsealed.filter((request) => batch.hasHead(request));
  const invoices = sealable.filter(({ receipt }) => !isNote(receipt)).map((request) => keyText(referenceOf(request)));
  batch.takeOriginals(await findOriginals(tx, sealable), new Set(invoices));
  for (const request of requests) await batch.decide(request);
  await batch.append();
  return batch.result();
}
