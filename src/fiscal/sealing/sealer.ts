import { isConnectionFailure } from '../../platform/connection-failure.ts';
import { tellCommitted } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { sealAhead } from './seal-ahead.ts';
import type { SealContext } from './seal-context.ts';
import type { SealOutcome, SealRequest } from './seal-request.ts';
import { sealUnderLock } from './seal-under-lock.ts';
import { isLostRace } from './store.ts';

const MOST_PER_BATCH = 500;
/** One is being written while the next is decided and signed. */
const MOST_LANES = 2;
/** Fewer than this wait for the batch under way: a commit of their own would cost more than it saves. */
const WORTH_A_BATCH = 12;
/** Beyond this a newcomer would wait longer than it is worth: it is told to come back instead of growing the queue. */
const LONGEST_QUEUE = 5000;
const MOST_RACES = 20;
/** A head that is not let go for so long is not busy but stuck. Shorter than the time a stopping service has left. */
const LONGEST_WAIT_MS = 5000;

interface Waiting {
  readonly request: SealRequest;
  readonly resolve: (outcome: SealOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly since: number;
}

type ObserveBatch = (sealed: number, durationSeconds: number) => void;

/**
 * The only way to a seal. One per process: it gathers what arrived while a batch was written, for all devices, and seals it
 * in one transaction, so one commit serves many receipts; an idle service adds no wait. When enough has come together
 * the next batch is made ready while the one before it is still being written.
 */
export class Sealer {
  readonly #context: SealContext;
  readonly #log: Log;
  readonly #observeBatch: ObserveBatch | undefined;
  #queue: Waiting[] = [];
  readonly #lanes = new Set<Promise<void>>();
  /** A lane begins to work in the next turn of the event loop, so that requests that arrive together share its batch. */
  #isLaneStarting = false;

  constructor(context: SealContext, log: Log, observeBatch?: ObserveBatch) {
    this.#context = context;
    this.#log = log;
    this.#observeBatch = observeBatch;
  }

  seal(request: SealRequest): Promise<SealOutcome> {
    if (this.#queue.length >= LONGEST_QUEUE) {
      const detail = 'More receipts are waiting to be sealed than can be answered in time. Nothing was signed.';
      return Promise.resolve({ kind: 'refused', refusal: { code: 'Overloaded', detail, retryAfterSeconds: 1 } });
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject, since: performance.now() });
      if (this.#isLaneWanted && !this.#isLaneStarting) this.#startLane();
    });
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  /** Resolves when everything that was asked for is answered. */
  async drain(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes);
    this.#context.line.close();
  }

  get #isLaneWanted(): boolean {
    if (this.#lanes.size === 0) return true;
    return this.#lanes.size < MOST_LANES && this.#isNextWorthwhile;
  }

  get #isNextWorthwhile(): boolean {
    // Among other instances most seal under the lock, where two batches would only stand in each other's way.
    return this.#queue.length >= WORTH_A_BATCH && !this.#context.heads.areShared;
  }

  #startLane(): void {
    this.#isLaneStarting = true;
    const lane: Promise<void> = this.#runLane().finally(() => {
      this.#lanes.delete(lane);
      if (this.#queue.length > 0 && this.#lanes.size === 0) this.#startLane();
    });
    this.#lanes.add(lane);
  }

  async #runLane(): Promise<void> {
    await new Promise(setImmediate);
    this.#isLaneStarting = false;
    while (this.#queue.length > 0 && (this.#lanes.size === 1 || this.#isNextWorthwhile)) {
      const left = await this.#sealAll(this.#queue.splice(0, MOST_PER_BATCH));
      this.#queue.unshift(...left.filter((one) => !gaveUp(one)));
    }
  }

  /** Answers the batch, and gives back who has to wait for the next one. */
  async #sealAll(batch: readonly Waiting[]): Promise<Waiting[]> {
    let unanswered = batch;
    try {
      unanswered = await this.#seal(batch, sealAhead);
      return await this.#sealUnderLock(unanswered);
    } catch (error) {
      if (unanswered.length === 1 || isConnectionFailure(error)) {
        for (const { reject } of unanswered) reject(error);
        return [];
      }
      // One of them poisons the batch. Found by sealing one by one: strangers do not pay for it.
      this.#log.warn({ err: error, size: unanswered.length }, 'a batch failed and is sealed one by one');
      const left: Waiting[] = [];
      for (const one of unanswered) left.push(...(await this.#sealAll([one])));
      return left;
    }
  }

  async #sealUnderLock(batch: readonly Waiting[]): Promise<Waiting[]> {
    if (batch.length === 0) return [];
    for (let races = 0; ; races += 1) {
      try {
        return await this.#seal(batch, sealUnderLock);
      } catch (error) {
        // A twin on another instance or device was faster. Rolled back whole, so no gap; the next try finds it sealed.
        if (!isLostRace(error) || races >= MOST_RACES) throw error;
      }
    }
  }

  async #seal(batch: readonly Waiting[], way: typeof sealAhead | typeof sealUnderLock): Promise<Waiting[]> {
    const startedAtMs = performance.now();
    const requests = batch.map(({ request }) => request);
    const { outcomes, waiting, sealedCount } = await way(this.#context, requests);
    if (outcomes.size > 0) this.#observeBatch?.(sealedCount, (performance.now() - startedAtMs) / 1000);
    if (sealedCount > 0) tellCommitted(this.#context.pool, new Set(requests.map(({ taxpayerId }) => taxpayerId)));
    const again = new Set(waiting);
    for (const { request, resolve } of batch) {
      const outcome = outcomes.get(request);
      if (outcome) resolve(outcome);
      else if (!again.has(request)) throw new Error('a request was neither answered nor told to wait');
    }
    return batch.filter(({ request }) => again.has(request));
  }
}

/** Answers who has waited too long for its head, so that neither it nor a stopping service waits for ever. */
function gaveUp({ request, resolve, since }: Waiting): boolean {
  if (performance.now() - since < LONGEST_WAIT_MS) return false;
  const detail = `Device ${request.receipt.AuthorityDeviceId} is held by another process. Nothing was signed; send the same receipt again.`;
  resolve({ kind: 'refused', refusal: { code: 'Unavailable', detail, retryAfterSeconds: 2 } });
  return true;
}
