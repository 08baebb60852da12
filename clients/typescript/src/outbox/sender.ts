/** Sends the first open sale of a device and writes what became of it (docs/outbox.md, "Selling and draining"). */
import { JournalError, NetworkError } from '../errors.ts';
import { type Answer, type Connection, exchange } from '../http.ts';
import type { DrainLock } from './drain-lock.ts';
import type { Journal } from './journal.ts';
import { type JournalRecord, secondsOf } from './record.ts';
import type { Sale } from './sales.ts';
import { judge, type Verdict } from './verdict.ts';
import type { Waits } from './waits.ts';

export interface Attempt {
  readonly sale: Sale;
  readonly verdict: Verdict;
  /** The disk became full meanwhile: the sale stays open, and the same request gets the same answer again. */
  readonly unwritten?: JournalError;
}

export class Sender {
  readonly #connection: Connection;
  readonly #journal: Journal;
  readonly #lock: DrainLock;
  readonly #waits: Waits;
  /** Devices that have a request on its way from this process. */
  readonly #busy = new Map<number, Promise<unknown>>();

  constructor(connection: Connection, journal: Journal, lock: DrainLock, waits: Waits) {
    this.#connection = connection;
    this.#journal = journal;
    this.#lock = lock;
    this.#waits = waits;
  }

  /** Settles when the request of this device, if there is one, is finished. */
  busyWith(deviceId: number): Promise<unknown> | undefined {
    return this.#busy.get(deviceId);
  }

  /** One attempt for one device; undefined if another process is sending, or there is nothing to send. `fresh` is sent as it is. */
  attempt(deviceId: number, timeoutMs: number, fresh?: string): Promise<Attempt | undefined> {
    const attempt = this.#lock
      .tryUse(() => this.#sendFirst(deviceId, timeoutMs, fresh))
      .finally(() => this.#busy.delete(deviceId));
    this.#busy.set(
      deviceId,
      attempt.catch(() => {}),
    );
    return attempt;
  }

  async #sendFirst(deviceId: number, timeoutMs: number, fresh: string | undefined): Promise<Attempt | undefined> {
    const sales = await this.#journal.refresh();
    const sale = sales.firstOpen().get(deviceId);
    if (sale === undefined || sales.halt !== undefined || !this.#lock.isMine()) return undefined;
    this.#journal.flush();
    const verdict = await this.#send(sale, timeoutMs, sale.reference !== fresh);
    if (!this.#lock.isMine()) return undefined;
    if (verdict.kind === 'Again') this.#waits.failed(deviceId, verdict.afterSeconds);
    else this.#waits.answered(deviceId);
    return this.#record(sale, verdict);
  }

  async #send({ reference, body }: Sale, timeoutMs: number, isLate: boolean): Promise<Verdict> {
    const headers = isLate ? { 'late-receipt': 'true' } : {};
    const question = { method: 'POST', path: '/api/receipt/sign', body, headers, timeoutMs };
    const answer = await exchange(this.#connection, question).catch(networkError);
    return answer instanceof NetworkError ? { kind: 'Again', reason: answer.message } : judge(reference, answer);
  }

  async #record(sale: Sale, verdict: Verdict): Promise<Attempt> {
    try {
      const record = recordOf(sale, verdict);
      if (record !== undefined)
        await this.#journal.append((sales) => {
          const isOpen = sales.find(sale.reference)?.state === 'Open';
          return this.#lock.isMine() && (isOpen || record.Kind === 'Halted') ? record : undefined;
        });
      return { sale, verdict };
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      return { sale, verdict, unwritten: error };
    }
  }
}

function networkError(error: unknown): Answer | NetworkError {
  if (error instanceof NetworkError) return error;
  throw error;
}

function recordOf({ reference: Reference }: Sale, verdict: Verdict): JournalRecord | undefined {
  const At = secondsOf(Date.now());
  switch (verdict.kind) {
    case 'Signed':
      return { Kind: 'Signed', At, Reference, Answer: verdict.answer };
    case 'Parked':
      return { Kind: 'Parked', At, Reference, Status: verdict.status, Answer: verdict.answer };
    case 'Halted':
      return { Kind: 'Halted', At, Status: verdict.status, Answer: verdict.answer };
    case 'Again':
      return undefined;
  }
}
