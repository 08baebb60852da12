import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Span, tracedBatch, tracing } from '../tracing/tracing.ts';
import { isCancelled, isConnectionFailure } from './connection-failure.ts';
import { inTransaction, type Transaction } from './database.ts';
import { UnconfirmedError } from './server.ts';

/** One is being written while the next is decided. */
const MAX_BATCHES = 2;
const LOOK_FOR_LATE_MS = 500;

/** An item that waits for its result. */
export class Asked<Item, Result> {
  readonly item: Item;
  readonly sinceMs = performance.now();
  /** The request or step that asked. */
  readonly span: Span | undefined = tracing?.current();
  isAnswered = false;
  /** Until when its outcome is waited for. */
  readonly untilMs: number;
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;

  constructor(item: Item, patienceMs: number, resolve: (result: Result) => void, reject: (error: unknown) => void) {
    this.item = item;
    this.untilMs = this.sinceMs + patienceMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  answer(result: Result): void {
    this.isAnswered = true;
    this.#resolve(result);
  }

  fail(error: unknown): void {
    this.isAnswered = true;
    this.#reject(error);
  }
}

export interface GroupCommitOptions<Item, Result> {
  /** Of a batch in a trace. */
  readonly name: string;
  /** Answers each after its commit. What it leaves unanswered comes again, at the head of the next batch. */
  readonly work: (batch: readonly Asked<Item, Result>[]) => Promise<void>;
  readonly maxPerBatch: number;
  /** A batch begins no sooner than this after the one before it did: what can wait a moment shares more. None by default. */
  readonly apartMs?: number;
  /** Whether a batch may begin while another one is under way; never by default. */
  readonly mayOverlap?: (queueLength: number) => boolean;
  /**
   * Who has waited this long is told that the outcome is not known: the database may hang for ever, and a commit that waits for its
   * standby may still be kept. What had not begun by then is not done. No limit by default.
   */
  readonly maxWaitMs?: number;
  /** A batch of this size failed and is done one by one. */
  readonly onPoisoned?: (error: unknown, size: number) => void;
}

/**
 * One transaction serves everything that arrived while the last one ran: under load many share a commit, alone none
 * waits. A batch that fails is tried again item by item, so that only the one that poisoned it fails.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #queue: Asked<Item, Result>[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #underWay = new Set<readonly Asked<Item, Result>[]>();
  #deadlines: NodeJS.Timeout | undefined;
  /** Work begins in the next turn of the event loop, so that what arrives together shares a batch. */
  #isStarting = false;
  #nextAtMs = 0;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  /** Resolves after the commit. */
  run(item: Item, patienceMs: number = this.#options.maxWaitMs ?? Number.POSITIVE_INFINITY): Promise<Result> {
    if (patienceMs < Number.POSITIVE_INFINITY) this.#deadlines ??= setInterval(() => this.#giveUp(), LOOK_FOR_LATE_MS);
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push(new Asked(item, patienceMs, resolve, reject));
      if (!this.#isStarting && (this.#running.size === 0 || this.#isAnotherWanted)) this.#start();
    });
  }

  /** Resolves when everything that was asked for is answered. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  get #isAnotherWanted(): boolean {
    return this.#running.size < MAX_BATCHES && this.#options.mayOverlap?.(this.#queue.length) === true;
  }

  #start(): void {
    this.#isStarting = true;
    const running: Promise<void> = this.#run().finally(() => {
      this.#running.delete(running);
      if (this.#running.size > 0) return;
      if (this.#queue.length > 0) return this.#start();
      clearInterval(this.#deadlines);
      this.#deadlines = undefined;
    });
    this.#running.add(running);
  }

  #giveUp(): void {
    const nowMs = performance.now();
    const isLate = ({ isAnswered, untilMs }: Asked<Item, Result>) => !isAnswered && untilMs < nowMs;
    const late = [...this.#underWay].flat().filter(isLate).concat(this.#queue.filter(isLate));
    for (const one of late) one.fail(new UnconfirmedError('the database did not answer in time'));
    if (late.length > 0) this.#queue = unanswered(this.#queue);
  }

  async #run(): Promise<void> {
    await new Promise(setImmediate);
    this.#isStarting = false;
    while (this.#queue.length > 0 && (this.#running.size === 1 || this.#options.mayOverlap?.(this.#queue.length))) {
      await this.#pause();
      const batch = this.#queue.splice(0, this.#options.maxPerBatch);
      await this.#commit(batch);
      this.#queue.unshift(...unanswered(batch));
    }
  }

  async #pause(): Promise<void> {
    const { apartMs = 0 } = this.#options;
    if (apartMs === 0) return;
    const waitMs = this.#nextAtMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    this.#nextAtMs = performance.now() + apartMs;
  }

  async #commit(batch: readonly Asked<Item, Result>[]): Promise<void> {
    const { name, work } = this.#options;
    this.#underWay.add(batch);
    try {
      await (tracing === undefined
        ? work(batch)
        : tracedBatch(
            name,
            batch.map(({ span }) => span),
            () => work(batch),
          ));
    } catch (error) {
      const open = unanswered(batch);
      // Without a database, or behind what made it give up, one by one would fail as well, each after its own wait.
      if (open.length === 1 || isConnectionFailure(error) || isCancelled(error))
        for (const one of open) one.fail(error);
      else {
        this.#options.onPoisoned?.(error, open.length);
        for (const one of open) await this.#commit([one]);
      }
    } finally {
      this.#underWay.delete(batch);
    }
  }
}

export function unanswered<Item, Result>(batch: readonly Asked<Item, Result>[]): Asked<Item, Result>[] {
  return batch.filter(({ isAnswered }) => !isAnswered);
}

/** The work of a group that is done with one statement or call: its results come in the order of the items. */
export function together<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): GroupCommitOptions<Item, Result>['work'] {
  return async (batch) => {
    const results = await work(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error('a batch was answered with another number of results');
    for (const [index, one] of batch.entries()) one.answer(results[index] as Result);
  };
}

/** The same in one transaction. */
export function inOneTransaction<Item, Result>(
  pool: Pool,
  work: (tx: Transaction, items: readonly Item[]) => Promise<readonly Result[]>,
): GroupCommitOptions<Item, Result>['work'] {
  return together((items) => inTransaction(pool, (tx) => work(tx, items)));
}
