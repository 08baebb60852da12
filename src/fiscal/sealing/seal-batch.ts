import { inTransaction } from '../../platform/database.ts';
import { isNote } from '../core/receipt.ts';
import { findReceipts } from '../receipts/store.ts';
import { Batch, type BatchResult, deviceKey, deviceKeys, type SealContext } from './batch.ts';
import { findOriginals } from './find-originals.ts';
import { keyText, referenceOf, type SealRequest } from './seal-request.ts';
import { isLostRace, lockHeads, waitForHead } from './store.ts';

/**
 * Seals a batch over all devices in one transaction. Nothing leaves this function before the commit; if it throws, nothing
 * was sealed or the commit's fate is unknown, and a retry with the same reference finds out.
 */
export async function sealBatch(context: SealContext, requests: readonly SealRequest[]): Promise<BatchResult> {
  return (await sealOnKnownHeads(context, requests)) ?? (await sealUnderLock(context, requests));
}

/**
 * The common case takes one round trip: decide on the heads as this process left them, sign, and append on condition that they
 * are still so. Only plain success counts. Whoever would be refused, is a note, or whose reference is
 * taken, gets its answer under the lock, like everybody in a batch whose heads have moved.
 */
async function sealOnKnownHeads(
  context: SealContext,
  requests: readonly SealRequest[],
): Promise<BatchResult | undefined> {
  const keys = deviceKeys(requests);
  const heads = requests.some(({ receipt }) => isNote(receipt)) ? undefined : context.heads.find(keys);
  if (heads === undefined) return undefined;
  const batch = new Batch(context, context.pool, []);
  await batch.takeHeads(heads);
  for (const request of requests) await batch.decide(request);
  if (!batch.isAllDecided) return undefined;
  try {
    if (await batch.append()) {
      context.heads.guessedRight();
      return batch.result();
    }
    context.heads.guessedWrong(keys);
  } catch (error) {
    // A retry of a receipt that is sealed already, or a twin that was faster: rolled back whole.
    if (!isLostRace(error)) throw error;
  }
  return undefined;
}

/** Lock the heads, find replays and originals, decide each receipt in the order of arrival, append, commit. */
function sealUnderLock(context: SealContext, requests: readonly SealRequest[]): Promise<BatchResult> {
  return inTransaction(context.pool, async (tx) => {
    const [heads, stored] = await Promise.all([
      lockHeads(tx, deviceKeys(requests), 'skip'),
      findReceipts(tx, requests.map(referenceOf)),
    ]);
    const batch = new Batch(context, tx, stored);
    const unsealed = requests.filter((request) => !batch.isStored(request));
    const [first] = unsealed;
    // Every head we need is being sealed on by somebody else: wait for one of them rather than spin.
    if (heads.length === 0 && first) heads.push(...(await waitForHead(tx, deviceKey(first))));
    await batch.takeHeads(heads);
    const sealable = unsealed.filter((request) => batch.hasHead(request));
    const invoices = sealable.filter(({ receipt }) => !isNote(receipt)).map((request) => keyText(referenceOf(request)));
    batch.takeOriginals(await findOriginals(tx, sealable), new Set(invoices));
    for (const request of requests) await batch.decide(request);
    // The commit travels with the rows, and is checked to be one.
    if (!(await batch.append(() => tx.commit()))) throw new Error('a head moved while it was locked');
    return batch.result();
  });
}
