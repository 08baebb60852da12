/** The outbox: every sale is on the till's disk before it is sent, and is sealed exactly once, in order (docs/outbox.md). */
import { setTimeout as delay } from 'node:timers/promises';
import type { Receipt, SignedReceipt } from '../api.ts';
import { type AnswerError, errorOf, JournalError } from '../errors.ts';
import { parseExactJson } from '../exact-json.ts';
import type { Connection } from '../http.ts';
import { DrainLock } from './drain-lock.ts';
import { Journal } from './journal.ts';
import { type JournalRecord, secondsOf } from './record.ts';
import type { Halt, Sale } from './sales.ts';
import { type Attempt, Sender } from './sender.ts';
import { Waits } from './waits.ts';

export interface OutboxOptions extends Connection {
  /** The journal, best in a folder of its own on a local disk. Tills on one machine may share it. */
  readonly file: string;
  /** How long `sell` tries before it answers `Queued`. */
  readonly deadlineMs?: number;
  /** Hears of every attempt of this process, also of those in the background. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

/** What became of a sale. */
export type Sold =
  | { readonly outcome: 'Signed'; readonly receipt: SignedReceipt }
  /** It is on the disk and will be sealed later. */
  | { readonly outcome: 'Queued'; readonly reference: string }
  /** Refused for what it is, and parked; `error.errors` says why. */
  | { readonly outcome: 'Refused'; readonly error: AnswerError };

export interface OutboxStatus {
  /** How many sales wait to be sealed. */
  readonly open: number;
  /** When the oldest of them was sold. */
  readonly oldest: string | undefined;
  readonly parked: readonly { readonly reference: string; readonly status: number; readonly answer: string }[];
  /** The token was refused: nothing is sent until `resume()`. */
  readonly halted: Halt | undefined;
}

const ATTEMPT_MS = 30_000;
const LOOK_AGAIN_MS = 50;
/** What is finished stays so long, for a `sell` that waits for it, and then goes: buyers' data do not stay on tills. */
const KEEP_MS = 60_000;
const DEVICES_AT_ONCE = 16;

export class Outbox {
  readonly #options: Required<Pick<OutboxOptions, 'deadlineMs' | 'onAttempt'>>;
  readonly #journal: Journal;
  readonly #lock: DrainLock;
  readonly #waits = new Waits();
  readonly #sender: Sender;
  #compactedAt = 0;
  #background: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  private constructor({ file, deadlineMs = 5_000, onAttempt = () => {}, ...connection }: OutboxOptions) {
    this.#options = { deadlineMs, onAttempt };
    this.#journal = new Journal(file);
    this.#lock = new DrainLock(this.#journal.file);
    this.#sender = new Sender(connection, this.#journal, this.#lock, this.#waits);
  }

  /** Fails if the journal cannot be read. */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const outbox = new Outbox(options);
    await outbox.#journal.refresh();
    await outbox.#compact();
    return outbox;
  }

  /**
   * Writes the sale to the disk, then tries to have it sealed. Throws only if it cannot be written, before anything is sent. The same
   * receipt again is the same sale.
   */
  async sell(receipt: Receipt): Promise<Sold> {
    const { Reference: reference, AuthorityDeviceId: deviceId } = receipt;
    const body = JSON.stringify(receipt);
    if (typeof reference !== 'string' || reference === '' || !Number.isSafeInteger(deviceId))
      throw new TypeError('A sale needs its Reference, a text, and its AuthorityDeviceId, a whole number.');
    let isAlone = false;
    await this.#journal.append((sales) => {
      const known = sales.find(reference);
      if (known !== undefined && known.body !== body)
        throw new JournalError(
          `${reference} is already in ${this.#journal.file} with other data. Discard that one first, or use another reference.`,
        );
      isAlone = known === undefined && !sales.firstOpen().has(deviceId);
      return known === undefined ? saleOf(reference, deviceId, body) : undefined;
    });
    try {
      return await this.#settle(reference, deviceId, isAlone ? reference : undefined);
    } catch (error) {
      // The sale is on the disk and will be sealed, whatever happened to the disk since.
      if (error instanceof JournalError) return { outcome: 'Queued', reference };
      throw error;
    } finally {
      await this.#compact();
    }
  }

  /** Sends until no sale is open, the queue is halted, or the time is up. */
  async drain({
    withinMs = Number.POSITIVE_INFINITY,
    signal,
  }: {
    withinMs?: number;
    signal?: AbortSignal;
  } = {}): Promise<OutboxStatus> {
    const deadline = Date.now() + withinMs;
    const running = new Set<Promise<void>>();
    const failures: unknown[] = [];
    const send = async (deviceId: number) => {
      const attempt = await this.#attempt(deviceId, Math.min(ATTEMPT_MS, deadline - Date.now()));
      if (attempt?.unwritten !== undefined) throw attempt.unwritten;
      // Another process sends; or nothing is left.
      if (attempt === undefined) await delay(LOOK_AGAIN_MS);
    };
    const start = (deviceId: number) => {
      const sent = send(deviceId)
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => running.delete(sent));
      running.add(sent);
    };
    const isOver = () => failures.length > 0 || signal?.aborted === true || Date.now() >= deadline;
    while (!isOver()) {
      const sales = await this.#journal.refresh();
      const devices = sales.halt === undefined ? [...sales.firstOpen().keys()] : [];
      if (devices.length === 0) break;
      for (const deviceId of devices) if (running.size < DEVICES_AT_ONCE && this.#isReady(deviceId)) start(deviceId);
      await Promise.race([delay(LOOK_AGAIN_MS), ...running]);
    }
    await Promise.all(running);
    if (failures.length > 0) throw failures[0];
    await this.#compact();
    return this.status();
  }

  /** Drains in the background, as long as the process runs or until `stop`. */
  start({ everyMs = 1_000, onError }: { readonly everyMs?: number; readonly onError: (error: unknown) => void }): void {
    if (this.#background !== undefined) return;
    const stop = new AbortController();
    const work = async () => {
      while (!stop.signal.aborted) {
        await this.drain({ signal: stop.signal }).catch(onError);
        await delay(everyMs, undefined, { signal: stop.signal }).catch(() => {});
      }
    };
    this.#background = { stop, ended: work() };
  }

  /** Ends what `start` began; a request that is on its way is waited for. */
  async stop(): Promise<void> {
    this.#background?.stop.abort();
    await this.#background?.ended;
    this.#background = undefined;
  }

  async status(): Promise<OutboxStatus> {
    const sales = await this.#journal.refresh();
    const open = sales.all('Open');
    const parked = sales.all('Parked').map(({ reference, status = 0, answer = '' }) => ({ reference, status, answer }));
    return { open: open.length, oldest: open[0]?.soldAt, parked, halted: sales.halt };
  }

  /** After the token was mended: sending goes on. */
  resume(): Promise<void> {
    return this.#journal.append((sales) =>
      sales.halt === undefined ? undefined : { Kind: 'Resumed', At: secondsOf(Date.now()) },
    );
  }

  /** A parked sale is tried again, at its old place. */
  retry(reference: string): Promise<void> {
    return this.#decide(reference, 'Retried');
  }

  /** A parked sale is given up; its reference is free again. */
  discard(reference: string): Promise<void> {
    return this.#decide(reference, 'Discarded');
  }

  #decide(Reference: string, Kind: 'Retried' | 'Discarded'): Promise<void> {
    return this.#journal.append((sales) => {
      if (sales.find(Reference)?.state === 'Parked') return { Kind, At: secondsOf(Date.now()), Reference };
      throw new JournalError(`${Reference} is not parked in ${this.#journal.file}.`);
    });
  }

  /** Until the sale has its end, or the deadline is certain to pass without one. */
  async #settle(reference: string, deviceId: number, fresh: string | undefined): Promise<Sold> {
    const deadline = Date.now() + this.#options.deadlineMs;
    const queued: Sold = { outcome: 'Queued', reference };
    for (let untried = fresh; ; ) {
      const sales = await this.#journal.refresh();
      const end = endOf(sales.find(reference));
      if (end !== undefined) return end;
      if (sales.halt !== undefined || Math.max(Date.now(), this.#waits.until(deviceId)) >= deadline) return queued;
      if (!this.#isReady(deviceId)) {
        await Promise.race([delay(LOOK_AGAIN_MS), this.#sender.busyWith(deviceId)]);
        continue;
      }
      const attempt = await this.#attempt(deviceId, Math.min(ATTEMPT_MS, deadline - Date.now()), untried);
      if (attempt === undefined) await delay(LOOK_AGAIN_MS);
      else untried = undefined;
      if (attempt?.unwritten === undefined) continue;
      return (attempt.sale.reference === reference && endOf(settled(attempt))) || queued;
    }
  }

  async #attempt(deviceId: number, timeoutMs: number, fresh?: string): Promise<Attempt | undefined> {
    const attempt = await this.#sender.attempt(deviceId, timeoutMs, fresh);
    if (attempt !== undefined) this.#options.onAttempt(attempt);
    return attempt;
  }

  #isReady(deviceId: number): boolean {
    return this.#sender.busyWith(deviceId) === undefined && this.#waits.until(deviceId) <= Date.now();
  }

  /** Not a duty: what is left stays until the next time. */
  async #compact(): Promise<void> {
    if (Date.now() - this.#compactedAt < KEEP_MS) return;
    const before = secondsOf(Date.now() - KEEP_MS);
    if (!this.#journal.sales.hasFinished(before)) return;
    this.#compactedAt = Date.now();
    await this.#lock
      .tryUse(() => this.#journal.compact(before, () => this.#lock.isMine()))
      .catch((error: unknown) => {
        if (!(error instanceof JournalError)) throw error;
      });
  }
}

function saleOf(Reference: string, AuthorityDeviceId: number, Body: string): JournalRecord {
  return { Kind: 'Sale', At: secondsOf(Date.now()), Reference, AuthorityDeviceId, Body };
}

/** A sale as it would be if its end could have been written. */
function settled({ sale, verdict }: Attempt): Sale {
  return verdict.kind === 'Signed' || verdict.kind === 'Parked' ? { ...sale, ...verdict, state: verdict.kind } : sale;
}

function endOf(sale: Sale | undefined): Sold | undefined {
  if (sale?.state === 'Signed')
    return { outcome: 'Signed', receipt: parseExactJson(sale.answer ?? '') as SignedReceipt };
  if (sale?.state === 'Parked')
    return { outcome: 'Refused', error: errorOf(sale.status ?? 0, sale.answer ?? '', new Headers()) };
  return undefined;
}
