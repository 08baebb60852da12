import { isNote } from '../../fdms/index.ts';
import { inTransaction, type Transaction } from '../../platform/database/database.ts';
import { type DeviceKey, deviceText } from '../core/keys.ts';
import type { LastReceipt } from '../devices/hold-device.ts';
import { findReceipts, type StoredReceipt } from '../sealed/store.ts';
import { Batch, type FoundDevice } from './batch.ts';
import { findOriginals } from './find-originals.ts';
import { holdForLostRows } from './lost-rows.ts';
import type { SealContext } from './seal-context.ts';
import { deviceKey, keyText, referenceOf, type SealOutcomes, type SealRequest } from './seal-request.ts';
import { findMissing, lockHeads, type MovedHead, waitForHead } from './store.ts';

/**
 * Seals a batch over all devices in one transaction: lock the heads, find replays and originals, decide each receipt in the
 * order of arrival, append, commit. A receipt whose head is held by another instance, or whose original is in this very batch,
 * is left waiting. If it throws, nothing was sealed or the commit's fate is unknown, and a retry with the same
 * reference finds out.
 */
export async function sealUnderLock(context: SealContext, requests: readonly SealRequest[]): Promise<SealOutcomes> {
  // In turn with what is written ahead, which would find its heads held.
  const { outcomes, moved, lost } = await context.sequence.run(() =>
    inTransaction(context.pool, (tx) => sealInTransaction(context, tx, requests)),
  );
  context.acknowledged.noteHeads(moved);
  if (moved.length > 0) context.countBatch('under the lock');
  // What waits on these devices finds the hold with the next batch.
  if (lost.length > 0) await holdForLostRows(context, lost);
  return outcomes;
}

interface Sealed {
  readonly outcomes: SealOutcomes;
  readonly moved: readonly MovedHead[];
  /** Receipts that this process had answered and that the tables lack: nothing was sealed on their devices. */
  readonly lost: readonly LastReceipt[];
}

async function sealInTransaction(
  context: SealContext,
  tx: Transaction,
  requests: readonly SealRequest[],
): Promise<Sealed> {
  const [heads, found] = await Promise.all([lockHeads(tx, deviceKeys(requests), 'skip'), findStored(tx, requests)]);
  let stored = found;
  const isStored = (request: SealRequest) => stored.has(keyText(referenceOf(request)));
  const first = requests.find((request) => !isStored(request));
  // Every head we need is being sealed on by another instance: wait for one of them rather than spin.
  if (heads.length === 0 && first) {
    heads.push(...(await waitForHead(tx, deviceKey(first))));
    // Its holder may have sealed these very requests: a note would find its original already used up by its own first attempt.
    stored = await findStored(tx, requests);
  }
  const now = context.clock(); // after the lock was acquired, however long that took
  context.heads.foundUnderLock(heads);
  const devices = new Map<string, FoundDevice>();
  for (const head of heads) {
    const signing = await context.devices.at(tx, head.taxpayerId, head.deviceId, head.revision);
    devices.set(deviceText(head), { head, signing });
  }
  const lost = await findLost(context, tx, [...devices.values()]);
  for (const one of lost) devices.delete(deviceText(one));
  const device = (key: DeviceKey) => devices.get(deviceText(key));
  const sealable = requests.filter((request) => !isStored(request) && device(deviceKey(request)) !== undefined);
  const originals = await findOriginals(tx, sealable);
  const notes = sealable.filter(({ receipt }) => isNote(receipt));
  // While an original was waited for, another device may have sealed these very notes.
  if (notes.length > 0) stored = new Map([...stored, ...(await findStored(tx, notes))]);

  const batch = new Batch({ now, device, locked: { tx, stored, originals } });
  await batch.decide(requests);
  if (await batch.sign(context.signer)) {
    // The commit travels with the rows, and is checked to be one.
    const [isAppended] = await Promise.all([batch.append(tx), tx.commit()]);
    if (!isAppended) throw new Error('a head moved while it was locked');
    context.heads.remember(batch.moved());
  }
  return { outcomes: batch.outcomes(), moved: batch.moved(), lost };
}

/** Nearly always nothing is missing, and nothing is asked. Where that is known already, the hold refuses. */
async function findLost(
  { acknowledged }: SealContext,
  tx: Transaction,
  devices: readonly FoundDevice[],
): Promise<LastReceipt[]> {
  const missing = devices
    .filter(({ signing }) => !signing.device.holds.some(({ kind }) => kind === 'RowsLost'))
    .map(({ head }) => acknowledged.missingIn(head))
    .filter((one) => one !== undefined);
  return missing.length === 0 ? [] : findMissing(tx, missing);
}

function deviceKeys(requests: readonly SealRequest[]): DeviceKey[] {
  return [...new Map(requests.map(deviceKey).map((key) => [deviceText(key), key])).values()];
}

async function findStored(tx: Transaction, requests: readonly SealRequest[]): Promise<Map<string, StoredReceipt>> {
  const stored = await findReceipts(tx, requests.map(referenceOf));
  return new Map(stored.map((one) => [keyText({ taxpayerId: one.taxpayerId, reference: one.sealed.reference }), one]));
}
