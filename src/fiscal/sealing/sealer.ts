import { isConnectionFailure } from '../../platform/connection-failure.ts';
import type { Log } from '../../platform/log.ts';
import type { SealContext } from './batch.ts';
import { sealBatch } from './seal-batch.ts';
import type { SealOutcome, SealRequest } from './seal-request.ts';
import { isLostRace } from './store.ts';

const MOST_PER_BATCH = 500;
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
 * The only way to a seal. One per process: it gathers what arrived while the last transaction ran, for all devices, and
 * seals it in one transaction, so one commit serves many receipts; an idle service adds no wait.
 */
export class Sealer {
  readonly #context: SealContext;
  readonly #log: Log;
  readonly #observeBatch: ObserveBatch | undefined;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;

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
      this.#running ??= this.#run();
    });
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  /** Resolves when everything that was asked for is answered. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // Requests that arrive in the same turn of the event loop share the first batch.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MOST_PER_BATCH);
      const left = await this.#sealAll(batch);
      this.#queue.unshift(...left.filter((one) => !gaveUp(one)));
    }
    this.#running = undefined;
  }

  /** Answers the batch, and gives back who has to wait for the next one. */
  async #sealAll(batch: readonly Waiting[]): Promise<Waiting[]> {
    try {
      const waiting = await this.#sealOnce(batch);
      return waiting;
    } catch (error) {
      if (batch.length === 1 || isConnectionFailure(error)) {
        for (const { reject } of batch) reject(error);
        return [];
      }
      // One of them poisons the batch. Found by sealing one by one: strangers do not pay for it.
      this.#log.warn({ err: error, size: batch.length }, 'a batch failed and is sealed one by one');
      const left: Waiting[] = [];
      for (const one of batch) left.push(...(await this.#sealAll([one])));
      return left;
    }
  }

  async #sealOnce(batch: readonly Waiting[]): Promise<Waiting[]> {
    const requests = batch.map(({ request }) => request);
    for (let races = 0; ; races += 1) {
      try {
        const startedAtMs = performance.now();
        const { outcomes, waiting, sealedCount } = await sealBatch(this.#context, requests);
        this.#observeBatch?.(sealedCount, (performance.now() - startedAtMs) / 1000);
        const again = new Set(waiting);
        for (const { request, resolve } of batch) {
          const outcome = outcomes.get(request);
          if (outcome) resolve(outcome);
          else if (!again.has(request)) throw new Error('a request was neither answered nor told to wait');
        }
        return batch.filter(({ request }) => again.has(request));
      } catch (error) {
        // A twin on another instance or device was faster. Rolled back whole, so no gap; the next try finds it sealed.
        if (!isLostRace(error) || races >= MOST_RACES) throw error;
      }
    }
  }
}

/** Answers who has waited too long for its head, so that neither it nor a stopping service waits for ever. */
function gaveUp({ request, resolve, since }: Waiting): boolean {
  if (performance.now() - since < LONGEST_WAIT_MS) return false;
  const detail = `Device ${request.receipt.AuthorityDeviceId} is held by another process. Nothing was signed; send the same receipt again.`;
  resolve({ kind: 'refused', refusal: { code: 'Unavailable', detail, retryAfterSeconds: 2 } });
  return true;
}
