import { isConnectionFailure } from '../../platform/database/connection-failure.ts';
import type { DeviceKey } from '../core/keys.ts';
import { Batch, type FoundDevice } from './batch.ts';
import type { SealContext } from './seal-context.ts';
import type { SealOutcomes, SealRequest } from './seal-request.ts';

/**
 * The common case takes one round trip, and the next batch need not wait for it: decide on the heads as the batches before
 * will leave them, sign, and append on condition that they do. The statements run in the order of the decisions, on one
 * connection. Only plain success counts: a receipt that would be refused, is a note, or whose head is not known, has to
 * wait for the lock, and so has everything in a batch that was not appended.
 */
export async function sealAhead(context: SealContext, requests: readonly SealRequest[]): Promise<SealOutcomes> {
  const { heads } = context;
  const written = await context.sequence.run(() => write(context, requests));
  if (written === undefined) return new Map();
  try {
    if (await written.isAppended) {
      heads.confirm(written.moved);
      context.acknowledged.noteHeads(written.moved);
      context.countBatch('ahead');
      return written.outcomes;
    }
    heads.guessedWrong(written.moved);
    context.signer.keep(written.batch.signed());
    context.countBatch('guessed wrong');
  } catch (error) {
    // A retry of what is sealed already, a twin that was faster, or a row that cannot be: rolled back whole.
    heads.forget(written.moved);
    if (isConnectionFailure(error)) throw error;
  }
  return new Map();
}

async function write(context: SealContext, requests: readonly SealRequest[]) {
  const batch = new Batch({ now: context.clock(), device: (key) => knownDevice(context, key) });
  await batch.decide(requests);
  if (!(await batch.sign(context.signer))) return undefined;
  const isAppended = batch.append(context.appendConnection);
  isAppended.catch(() => {}); // looked at when its turn in the sequence is over
  const moved = batch.moved();
  context.heads.expect(moved);
  return { moved, outcomes: batch.outcomes(), batch, isAppended };
}

function knownDevice({ heads, devices }: SealContext, key: DeviceKey): FoundDevice | undefined {
  const head = heads.get(key);
  const signing = head && devices.known(key.taxpayerId, key.deviceId, head.revision);
  return signing && { head, signing };
}
