/** The results of an outbox as the program sees them, made from the rows of its file. */
import type { DatabaseSync } from 'node:sqlite';
import type { SignedReceipt } from '../wire/api.ts';
import { type ProblemError, problemOf } from '../wire/errors.ts';
import { parseExactJson } from '../wire/exact-json.ts';
import { haltOf, lastFailed, queueOf, type Sale, type State, setAsideSales } from './sales.ts';

export interface LastFailure {
  readonly at: Date;
  /** When the first failure in a row happened. */
  readonly since: Date;
  readonly message: string;
}

export interface Signed {
  readonly outcome: 'Signed';
  readonly reference: string;
  /** Null only if the answer had none. */
  readonly number: number | null;
  /** Null only if the sale was signed more than a minute ago, and Tillseal cannot be asked for it again now. */
  readonly receipt: SignedReceipt | null;
  readonly clockAheadSeconds: number | null;
}

/** It is on the disk and will be sealed later. */
export interface Queued {
  readonly outcome: 'Queued';
  readonly reference: string;
  readonly lastFailure: LastFailure | null;
}

/** Refused because of its content, and waiting for a person; `problem.errors` says why. */
export interface SetAside {
  readonly outcome: 'SetAside';
  readonly reference: string;
  readonly problem: ProblemError;
}

/** What became of a sale. */
export type Sold = Signed | Queued | SetAside;

export interface OutboxStatus {
  /** How many sales wait to be sealed, and when the oldest of them was sold. */
  readonly queued: number;
  readonly oldest: Date | null;
  readonly lastFailure: LastFailure | null;
  readonly setAside: readonly { readonly reference: string; readonly problem: ProblemError }[];
  /** Nothing of this token or address passes: until `resume()` there is only one attempt every five minutes. */
  readonly halted: { readonly since: Date; readonly problem: ProblemError } | null;
}

export interface FoundSale {
  readonly reference: string;
  readonly state: State;
  readonly soldAt: Date;
  readonly attempts: number;
  readonly number: number | null;
  readonly receipt: SignedReceipt | null;
  readonly problem: ProblemError | null;
  readonly lastFailure: LastFailure | null;
}

/** What a drain did, and the status of the outbox after it. */
export interface Drained {
  readonly signed: number;
  readonly setAside: number;
  readonly status: OutboxStatus;
}

export function statusOf(db: DatabaseSync): OutboxStatus {
  const [{ queued, oldest }, halt] = [queueOf(db), haltOf(db)];
  return {
    queued,
    oldest: oldest === null ? null : dateOf(oldest),
    lastFailure: failureOf(lastFailed(db)),
    setAside: setAsideSales(db).map(({ reference, status, answer }) => ({
      reference,
      problem: problemOf(status ?? 0, answer ?? ''),
    })),
    halted: halt ? { since: dateOf(halt.halted_at), problem: problemOf(halt.halted_status, halt.halted_answer) } : null,
  };
}

export function foundOf(sale: Sale): FoundSale {
  const { reference, state, attempts, number, status, answer } = sale;
  const isProblem = state !== 'Signed' && status !== null && answer !== null;
  return {
    reference,
    state,
    soldAt: dateOf(sale.sold_at),
    attempts,
    number,
    receipt: state === 'Signed' ? receiptOf(answer) : null,
    problem: isProblem ? problemOf(status, answer) : null,
    lastFailure: failureOf(sale),
  };
}

/** Undefined while it is queued. */
export function endOf(sale: Sale): Signed | SetAside | 'Discarded' | undefined {
  if (sale.state === 'Queued') return undefined;
  if (sale.state === 'Discarded') return sale.state;
  const { reference, status, answer } = sale;
  if (sale.state !== 'Signed') return { outcome: 'SetAside', reference, problem: problemOf(status ?? 0, answer ?? '') };
  const { number, clock_ahead: clockAheadSeconds } = sale;
  return { outcome: 'Signed', reference, number, receipt: receiptOf(answer), clockAheadSeconds };
}

export function failureOf(sale: Sale | undefined): LastFailure | null {
  const { failed_at = null, failing_since = null, failure = null } = sale ?? {};
  if (failed_at === null) return null;
  return { at: dateOf(failed_at), since: dateOf(failing_since ?? failed_at), message: failure ?? '' };
}

function receiptOf(answer: string | null): SignedReceipt | null {
  return answer === null ? null : (parseExactJson(answer) as SignedReceipt);
}

function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}
