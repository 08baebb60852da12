/** The outbox: every sale is on the till's disk before it is sent, and is sealed exactly once, in order (docs/outbox.md). */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Receipt } from '../wire/api.ts';
import { OutboxError } from '../wire/errors.ts';
import type { Connection } from '../wire/http.ts';
import { drainAll, LOOK_AGAIN_MS } from './draining.ts';
import { CommitError, LostFileError, OutboxFile } from './file.ts';
import { type Report, Reports } from './reports.ts';
import {
  type Drained,
  endOf,
  type FoundSale,
  failureOf,
  foundOf,
  type OutboxStatus,
  type Sold,
  statusOf,
} from './results.ts';
import {
  discardSale,
  emptySales,
  endHalt,
  findSale,
  lastFailed,
  type NewSale,
  retrySales,
  type Sale,
  touchSale,
  writeSale,
} from './sales.ts';
import { type Attempt, LATE, Sending } from './sending.ts';

export interface OutboxOptions {
  /** How long `sell` tries before it answers `Queued` (5). */
  readonly deadlineSeconds?: number;
  /** Is told what a person should know; by default it is written to standard error. */
  readonly report?: (report: Report) => unknown;
}

const BACKGROUND_MS = 1_000;
const EMPTY_EVERY_MS = 60_000;

export class Outbox {
  readonly #file: OutboxFile;
  readonly #sending: Sending;
  readonly #reports: Reports;
  readonly #deadlineSeconds: number;
  #emptiedAt = Number.NEGATIVE_INFINITY;
  #background: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  private constructor(connection: Connection, file: OutboxFile, { deadlineSeconds = 5, report }: OutboxOptions) {
    this.#file = file;
    this.#reports = new Reports(report);
    this.#sending = new Sending(connection, file, this.#reports);
    this.#deadlineSeconds = deadlineSeconds;
  }

  static async open(connection: Connection, file: string, options: OutboxOptions): Promise<Outbox> {
    const outbox = new Outbox(connection, await OutboxFile.open(file), options);
    await outbox.#empty();
    return outbox;
  }

  /**
   * Writes the sale to the disk, then tries to have it sealed. Throws if it cannot be written, before anything is sent; later only if the
   * file is lost or the sale discarded meanwhile. The same receipt again is the same sale.
   */
  async sell(
    receipt: Receipt,
    { deadlineSeconds = this.#deadlineSeconds }: { readonly deadlineSeconds?: number } = {},
  ): Promise<Sold> {
    const deadline = performance.now() + deadlineSeconds * 1000;
    const sale = newSale(receipt);
    const written = await this.#write(sale, deadlineSeconds > 0);
    try {
      const known = await this.#withSeal(written.sale, sale.body, deadline);
      const sold = await this.#settle({ ...written, sale: known }, deadline);
      if (sold !== 'Discarded') return sold;
    } catch (error) {
      if (!(error instanceof OutboxError) || error instanceof LostFileError) throw error;
      // The sale is on the disk and will be sealed, whatever happened to the disk since.
      this.#reports.tell('Failed', error.message, { reference: sale.reference });
      return { outcome: 'Queued', reference: sale.reference, lastFailure: null };
    } finally {
      await this.#empty();
    }
    throw new OutboxError(`${sale.reference} was discarded meanwhile.`);
  }

  /** Sends until nothing is queued, the outbox is halted, or the time is up. Every device that does not wait gets at least one attempt. */
  async drain({ withinSeconds = 60 }: { readonly withinSeconds?: number } = {}): Promise<Drained> {
    const deadline = performance.now() + withinSeconds * 1000;
    const counts = await drainAll(this.#file, this.#sending, () => performance.now() >= deadline);
    await this.#empty();
    return { ...counts, status: await this.status() };
  }

  /** Drains in the background, until `stop`. */
  start(): void {
    if (this.#background !== undefined) return;
    const stop = new AbortController();
    const work = async () => {
      while (!stop.signal.aborted) {
        await drainAll(this.#file, this.#sending, () => stop.signal.aborted).catch((error: unknown) => {
          this.#reports.tellSometimes('Failed', null, error instanceof Error ? error.message : String(error));
        });
        await this.#empty();
        await delay(BACKGROUND_MS, undefined, { signal: stop.signal }).catch(() => {});
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

  status(): Promise<OutboxStatus> {
    return this.#file.look(statusOf);
  }

  /** What became of a sale, for 90 days; null if it was never sold here. */
  async find(reference: string): Promise<FoundSale | null> {
    const sale = await this.#file.look((db) => findSale(db, reference));
    return sale === undefined ? null : foundOf(sale);
  }

  /** A sale that is set aside is queued again, at its old place; without a reference all of them. */
  retry(reference?: string): Promise<void> {
    return this.#file.change((db) => retrySales(db, reference));
  }

  /** Gives up a sale that is set aside, or queued and surely not sealed; its reference is free again. */
  discard(reference: string): Promise<void> {
    return this.#file.change((db) => discardSale(db, reference));
  }

  /** After the token was mended: sending goes on. */
  resume(): Promise<void> {
    return this.#file.change(endHalt);
  }

  async #write(sale: NewSale, canSend: boolean): Promise<{ sale: Sale; isFresh: boolean }> {
    const write = () => this.#file.change((db) => writeSale(db, sale, canSend));
    const written = await write().catch(async (error: unknown) => {
      if (!(error instanceof CommitError)) throw error;
      // It may be there after all. Then one more write flushes it; if that fails too, nobody knows.
      const found = await this.#file.look((db) => findSale(db, sale.reference)).catch(() => undefined);
      if (found?.body_sha256 === sale.body_sha256 && found.state !== 'Discarded') {
        const flushed = this.#file.change((db) => touchSale(db, found)).then(() => true);
        if (await flushed.catch(() => false))
          return { sale: found, isFresh: found.state === 'Queued' && found.attempts === 1 };
      }
      throw new OutboxError(`${error.message} The same receipt may be sold again, unchanged.`, { cause: error });
    });
    const { state, number, reference, body_sha256 } = written.sale;
    if (body_sha256 === sale.body_sha256) return written;
    const signed = number === null ? 'signed' : `signed as number ${number}`;
    const what = state === 'Signed' ? signed : state === 'Queued' ? 'queued' : 'set aside';
    throw new OutboxError(
      `${reference} is already in ${this.#file.path} (${what}) with other data. If this is the same sale, do not sell it again: ` +
        `find("${reference}") says what became of it. If it is another sale, it needs a Reference of its own.`,
    );
  }

  /** Until the sale has ended, or is certain not to end before the deadline. */
  async #settle(
    { sale, isFresh }: { readonly sale: Sale; readonly isFresh: boolean },
    deadline: number,
  ): Promise<Sold | 'Discarded'> {
    const { reference, device, body_sha256 } = sale;
    const { waits } = this.#sending;
    let known = isFresh ? ownOf(await this.#sending.sendFresh(sale, deadline), sale) : sale;
    for (;;) {
      known ??= await this.#file.look((db) => findSale(db, reference));
      // If it is gone, its reference may have been used for another sale.
      if (known?.body_sha256 !== body_sha256) return 'Discarded';
      const end = endOf(known);
      if (end !== undefined) return end;
      const now = performance.now();
      if (Math.max(now, waits.until(device)) >= deadline) break;
      const attempt = waits.until(device) > now ? 'Busy' : await this.#sending.attempt(device, deadline);
      if (attempt === 'Halted') break;
      if (typeof attempt === 'string') await delay(LOOK_AGAIN_MS);
      known = typeof attempt === 'string' ? undefined : ownOf(attempt, sale);
    }
    const failed = await this.#file.look((db) => lastFailed(db, device));
    return { outcome: 'Queued', reference, lastFailure: failureOf(failed) };
  }

  /** The seal of a sale whose answer was removed from the file: the same request gets it again. */
  async #withSeal(sale: Sale, body: string, deadline: number): Promise<Sale> {
    if (sale.state !== 'Signed' || sale.answer !== null || performance.now() >= deadline) return sale;
    const { kind, answer } = await this.#sending.ask(sale.reference, body, LATE, deadline);
    return kind === 'Signed' && answer !== null ? { ...sale, answer: answer.text } : sale;
  }

  /** It may fail: the rest stays until the next time, and it does not wait for a locked file. */
  async #empty(): Promise<void> {
    if (performance.now() - this.#emptiedAt < EMPTY_EVERY_MS) return;
    this.#emptiedAt = performance.now();
    await this.#file.change(emptySales, 0).catch(() => {});
  }
}

function newSale(receipt: Receipt): NewSale {
  const { Reference: reference, AuthorityDeviceId: device } = receipt;
  if (typeof reference !== 'string' || reference === '' || !Number.isSafeInteger(device))
    throw new TypeError('A sale needs its Reference, a text, and its AuthorityDeviceId, a whole number.');
  const body = JSON.stringify(receipt);
  return { reference, device, body, body_sha256: createHash('sha256').update(body).digest('hex') };
}

/** What an attempt made of this sale; undefined if it was one of another. */
function ownOf({ sale, unrecorded }: Attempt, { place }: Sale): Sale | undefined {
  const own = sale.place === place ? sale : undefined;
  if (unrecorded instanceof LostFileError && own?.state !== 'Signed') throw unrecorded;
  return own;
}
