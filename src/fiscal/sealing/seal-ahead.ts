import { seconds } from '../../platform/clock.ts';
import { isConnectionFailure } from '../../platform/connection-failure.ts';
import { isNote } from '../core/receipt.ts';
import { decideSeal } from '../core/seal.ts';
import { type BatchResult, type Decided, deviceKey, MovingHeads, sealedOutcomes, signDecided } from './decided.ts';
import type { SealContext } from './seal-context.ts';
import { keyText, referenceOf, type SealOutcome, type SealRequest } from './seal-request.ts';
import { appendReceipts, type MovedHead } from './store.ts';

interface Written {
  readonly moved: readonly MovedHead[];
  readonly outcomes: ReadonlyMap<SealRequest, SealOutcome>;
  readonly waiting: readonly SealRequest[];
  readonly isAppended: Promise<boolean>;
}

/**
 * The common case takes one round trip, and the next batch need not wait for it: decide on the heads as the batches before
 * will leave them, sign, and append on condition that they do. The statements run in the order of the decisions, on one
 * connection. Only plain success counts: who would be refused, is a note, or whose head is not known, has to
 * wait for the lock, and so has everybody in a batch that was not appended.
 */
export async function sealAhead(context: SealContext, requests: readonly SealRequest[]): Promise<BatchResult> {
  const { heads } = context;
  const written = await context.turns.run(() => write(context, requests));
  if (written === undefined) return nothingSealed(requests);
  const { moved, outcomes, waiting } = written;
  try {
    if (await written.isAppended) return { outcomes, waiting, sealedCount: outcomes.size };
    heads.guessedWrong(moved);
  } catch (error) {
    // A retry of what is sealed already, a twin that was faster, or a row that cannot be: rolled back whole.
    heads.forget(moved);
    if (isConnectionFailure(error)) throw error;
  }
  return nothingSealed(requests);
}

async function write(context: SealContext, requests: readonly SealRequest[]): Promise<Written | undefined> {
  const now = context.clock();
  const { decided, waiting, moved } = decideAhead(context, requests, seconds(now));
  if (decided.length === 0) return undefined;
  const rows = await signDecided(context.signer, decided);
  const isAppended = appendReceipts(context.line, rows, moved, now);
  isAppended.catch(() => {}); // looked at when this turn is over
  context.heads.remember(moved);
  return { moved, outcomes: sealedOutcomes(decided, rows, now), waiting, isAppended };
}

function decideAhead(context: SealContext, requests: readonly SealRequest[], nowSeconds: number) {
  const heads = new MovingHeads();
  const decided = new Map<string, Decided>();
  const waiting: SealRequest[] = [];
  for (const request of requests) {
    const key = deviceKey(request);
    const reference = keyText(referenceOf(request));
    const head = heads.get(key) ?? heads.take(context.heads.get(key));
    const signing = head && context.devices.known(key.taxpayerId, key.deviceId, head.revision);
    if (head === undefined || signing === undefined || isNote(request.receipt) || decided.has(reference)) {
      waiting.push(request);
      continue;
    }
    const { receipt, isVatRegistered } = request;
    const decision = decideSeal({
      receipt,
      device: signing.device,
      isVatRegistered,
      head,
      original: undefined,
      nowSeconds,
    });
    if (decision.kind !== 'seal') {
      waiting.push(request);
      continue;
    }
    heads.move(decision.head);
    decided.set(reference, { request, link: decision.link, signing });
  }
  return { decided: [...decided.values()], waiting, moved: heads.moved() };
}

function nothingSealed(requests: readonly SealRequest[]): BatchResult {
  return { outcomes: new Map(), waiting: requests, sealedCount: 0 };
}
