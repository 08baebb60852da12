import { tellCommitted } from '../../platform/database/database.ts';
import { type Asked, GroupCommit, unanswered } from '../../platform/database/group-commit.ts';
import { MAX_UNDECIDED_MS } from '../../platform/database/in-time.ts';
import { sealAhead } from './seal-ahead.ts';
import type { SealContext } from './seal-context.ts';
import type { SealOutcome, SealRequest } from './seal-request.ts';
import { sealUnderLock } from './seal-under-lock.ts';
import { isLostRace } from './store.ts';

const MAX_PER_BATCH = 500;
/** Fewer than this wait for the running batch: a separate commit would cost more than it saves. */
const WORTH_A_BATCH = 12;
/** Beyond this a newcomer would wait longer than it is worth: it is sent away instead of growing the queue. */
const MAX_QUEUE = 5000;
const MAX_RACES = 20;
/** A head that stays locked this long is not busy but stuck. Shorter than the time a stopping service has left. */
const MAX_WAIT_MS = 5000;

type Waiting = Asked<SealRequest, SealOutcome>;
type ObserveBatch = (sealed: number, durationSeconds: number) => void;

/**
 * The only way to a seal. One per process: it gathers what arrived while a batch was written, for all devices, and seals it
 * in one transaction, so one commit serves many receipts; an idle service adds no wait. When enough has come together
 * the next batch is made ready while the one before it is still being written.
 */
export class Sealer {
  readonly #context: SealContext;
  readonly #observeBatch: ObserveBatch | undefined;
  readonly #commits: GroupCommit<SealRequest, SealOutcome>;

  constructor(context: SealContext, observeBatch?: ObserveBatch) {
    this.#context = context;
    this.#observeBatch = observeBatch;
    this.#commits = new GroupCommit<SealRequest, SealOutcome>({
      name: 'seal receipts',
      work: (batch) => this.#sealAll(batch),
      maxPerBatch: MAX_PER_BATCH,
      maxWaitMs: MAX_UNDECIDED_MS,
      // Among other instances most seal under the lock, where two batches would only stand in each other's way.
      mayOverlap: (waiting) => waiting >= WORTH_A_BATCH && !context.heads.areShared,
      onPoisoned: (error, size) => context.log.warn({ err: error, size }, 'a batch failed and is sealed one by one'),
    });
  }

  seal(request: SealRequest): Promise<SealOutcome> {
    if (this.queueLength < MAX_QUEUE) return this.#commits.run(request);
    const detail = 'More receipts are waiting to be sealed than can be answered in time. Nothing was signed.';
    return Promise.resolve({ kind: 'refused', refusal: { code: 'Overloaded', detail, retryAfterSeconds: 1 } });
  }

  get queueLength(): number {
    return this.#commits.queueLength;
  }

  /** Resolves when everything that was asked for is answered. */
  async drain(): Promise<void> {
    await this.#commits.drain();
    this.#context.appendConnection.close();
  }

  async #sealAll(batch: readonly Waiting[]): Promise<void> {
    await this.#seal(batch, sealAhead);
    const rest = unanswered(batch);
    if (rest.length > 0) await this.#sealRestUnderLock(rest);
    for (const one of unanswered(rest)) giveUpWhenLate(one);
  }

  async #sealRestUnderLock(rest: readonly Waiting[]): Promise<void> {
    for (let races = 0; ; races += 1) {
      try {
        return await this.#seal(rest, sealUnderLock);
      } catch (error) {
        // A twin on another instance or device was faster. Rolled back whole, so no gap; the next try finds it sealed.
        if (!isLostRace(error) || races >= MAX_RACES) throw error;
      }
    }
  }

  async #seal(batch: readonly Waiting[], way: typeof sealAhead): Promise<void> {
    const startedAtMs = performance.now();
    const outcomes = await way(
      this.#context,
      batch.map(({ item }) => item),
    );
    if (outcomes.size === 0) return;
    const taxpayers = new Set<string>();
    let sealedCount = 0;
    for (const one of batch) {
      const outcome = outcomes.get(one.item);
      if (outcome === undefined) continue;
      if (outcome.kind === 'sealed') {
        sealedCount += 1;
        taxpayers.add(one.item.taxpayerId);
      }
      one.answer(outcome);
    }
    this.#observeBatch?.(sealedCount, (performance.now() - startedAtMs) / 1000);
    if (sealedCount > 0) tellCommitted(this.#context.pool, taxpayers);
  }
}

/** So that neither a receipt nor a stopping service waits for a head for ever. */
function giveUpWhenLate(waiting: Waiting): void {
  if (performance.now() - waiting.sinceMs < MAX_WAIT_MS) return;
  const deviceId = waiting.item.receipt.AuthorityDeviceId;
  const detail = `Device ${deviceId} is held by another process. Nothing was signed; send the same receipt again.`;
  waiting.answer({ kind: 'refused', refusal: { code: 'Unavailable', detail, retryAfterSeconds: 2 } });
}
