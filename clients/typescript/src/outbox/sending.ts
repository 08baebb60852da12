/** Sends the first queued sale of a device and records the result (docs/outbox.md, "Sending"). */
import { OutboxError, problemOf } from '../wire/errors.ts';
import { type Connection, exchange } from '../wire/http.ts';
import type { OutboxFile } from './file.ts';
import type { Reports } from './reports.ts';
import { type Claim, claimFirst, recordVerdict, type Sale } from './sales.ts';
import { judge, noAnswer, type Verdict } from './verdict.ts';
import { Waits } from './waits.ts';

export interface Attempt {
  /** As it is in the file now, or should be. */
  readonly sale: Sale;
  readonly verdict: Verdict;
  /** The disk is full: the sale stays queued, and the same request will get the same answer. */
  readonly unrecorded: OutboxError | null;
}

export const LATE = { 'late-receipt': 'true' } as const;
const ATTEMPT_MS = 30_000;
const STUCK_SECONDS = 300;

export class Sending {
  readonly waits = new Waits();
  readonly #connection: Connection;
  readonly #file: OutboxFile;
  readonly #reports: Reports;
  /** Devices with an open request of this process, even if its lease has expired. */
  readonly #busy = new Set<number>();

  constructor(connection: Connection, file: OutboxFile, reports: Reports) {
    this.#connection = connection;
    this.#file = file;
    this.#reports = reports;
  }

  /** One attempt for one device, unless another process is sending, nothing is queued, or the outbox is halted. */
  async attempt(device: number, deadline = Number.POSITIVE_INFINITY): Promise<Attempt | 'Nothing' | 'Busy' | 'Halted'> {
    if (this.#busy.has(device)) return 'Busy';
    const claim = await this.#file.change((db) => claimFirst(db, device));
    return typeof claim === 'string' ? claim : this.#send(claim, deadline, true);
  }

  /** The first attempt of a sale that was written with its lease. */
  sendFresh(sale: Sale, deadline: number): Promise<Attempt> {
    return this.#send({ sale, waiting: 1, seconds: 0 }, deadline, false);
  }

  /** The answer to a sale, without recording it. */
  async ask(reference: string, body: string, headers: Readonly<Record<string, string>>, deadline: number) {
    const timeoutMs = Math.min(ATTEMPT_MS, deadline - performance.now());
    const question = { method: 'POST', path: '/api/receipt/sign', body, headers, timeoutMs };
    try {
      return judge(reference, await exchange(this.#connection, question), 'late-receipt' in headers);
    } catch (error) {
      return noAnswer(error instanceof Error ? error.message : String(error));
    }
  }

  async #send({ sale, waiting, seconds }: Claim, deadline: number, isLate: boolean): Promise<Attempt> {
    const { reference, body, device } = sale;
    this.#busy.add(device);
    try {
      const backlog = { 'outbox-backlog': `waiting=${waiting}, seconds=${seconds}` };
      const headers = isLate ? { ...backlog, ...LATE } : backlog;
      const verdict = await this.ask(reference, body ?? '', headers, deadline);
      const attempt = await this.#record(sale, verdict);
      const isAgain = verdict.kind === 'Again' || attempt.unrecorded !== null;
      if (!isAgain) this.waits.answered(device);
      // When only the date is refused, the same sale is sent again immediately as a late one.
      else if (!verdict.isMisdated || attempt.unrecorded !== null) this.waits.failed(device, verdict.afterSeconds);
      return attempt;
    } finally {
      this.#busy.delete(device);
    }
  }

  async #record(sent: Sale, verdict: Verdict): Promise<Attempt> {
    try {
      const recorded = await this.#file.change((db) => recordVerdict(db, sent, verdict));
      this.#tell(recorded.sale ?? sent, verdict, recorded);
      const sale = recorded.sale ?? withSeal({ ...sent, state: 'Discarded' }, verdict);
      return { sale, verdict, unrecorded: null };
    } catch (error) {
      if (!(error instanceof OutboxError)) throw error;
      this.#reports.tellSometimes('Failed', sent.device, error.message, sent.reference);
      return { sale: withSeal(sent, verdict), verdict, unrecorded: error };
    }
  }

  #tell(sale: Sale, verdict: Verdict, { before, hasHalted }: Omit<ReturnType<typeof recordVerdict>, 'sale'>): void {
    const { reference, device, failing_since } = sale;
    const { kind, answer, failure, clockAhead } = verdict;
    const about = {
      reference,
      problem: answer === null || kind === 'Signed' ? null : problemOf(answer.status, answer.text),
    };
    if (kind === 'Signed' && before !== 'Queued' && before !== 'Signed')
      this.#reports.tell('SignedAfterAll', `${reference} was sealed, although it had been ${WORDS[before]}.`, about);
    if (kind === 'SetAside' && before === 'Queued')
      this.#reports.tell('SetAside', `${reference} is set aside and waits for a person: ${failure}`, about);
    if (hasHalted) this.#reports.tell('Halted', `Nothing is sent: ${failure}`, about);
    if (verdict.isStranger)
      this.#reports.tellSometimes('Stranger', device, `${this.#connection.url} answered with ${failure}.`, reference);
    if (clockAhead !== null)
      this.#reports.tellSometimes('ClockAhead', device, `The till's clock is ${clockAhead} seconds ahead.`, reference);
    if (kind !== 'Signed' && failing_since !== null && Date.now() / 1000 - failing_since >= STUCK_SECONDS)
      this.#reports.tellSometimes(
        'Stuck',
        device,
        `The sales of device ${device} wait since ${new Date(failing_since * 1000).toISOString()}: ${failure}`,
        reference,
      );
  }
}

/** The sale is sealed even if that is not in the file. */
function withSeal(sale: Sale, { kind, number, clockAhead, answer }: Verdict): Sale {
  if (kind !== 'Signed') return sale;
  return { ...sale, state: 'Signed', number, clock_ahead: clockAhead, answer: answer?.text ?? null };
}

const WORDS = { SetAside: 'set aside', Discarded: 'discarded', Gone: 'discarded' } as const;
