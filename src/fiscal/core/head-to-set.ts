import type { DayState, Head } from './head.ts';

/** The last receipt of a chain, as far as it is known. */
export interface ChainEnd {
  readonly globalCounter: number;
  readonly fiscalDayNumber: number;
  readonly fiscalDayCounter: number;
  readonly hash: Buffer | undefined;
  readonly wallSeconds: number | undefined;
}

/** What the authority said since the hold began. */
export interface AuthorityEnd {
  readonly globalCounter: number;
  readonly fiscalDayNumber: number;
  readonly dayStatus: string;
}

export interface HeadEvidence {
  readonly head: Head;
  /** The last receipt that any instance had answered; undefined when none has said so. */
  readonly known: ChainEnd | undefined;
  readonly authority: AuthorityEnd | undefined;
}

/** How a chain goes on behind receipts that are lost here. */
export type HeadToSet =
  /** Not yet, and why. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** The day goes on. `end` undefined: only the authority has that receipt, and its place, hash and date have to be entered. */
  | { readonly kind: 'continue'; readonly globalCounter: number; readonly end: ChainEnd | undefined }
  /** The authority has closed the day: it is adopted, and the next day needs no hash. */
  | { readonly kind: 'closed'; readonly globalCounter: number; readonly fiscalDayNumber: number };

/**
 * Where the head has to be so that no number is given twice: at the last receipt known to any instance or to the authority, whichever
 * is higher. A hash is never guessed: the authority would find every later signature of the day wrong.
 */
export function headToSet({ head, known, authority }: HeadEvidence): HeadToSet {
  if (authority === undefined) {
    return {
      kind: 'wait',
      reason: 'the authority has not yet said which receipt it knows last; it is asked every minute',
    };
  }
  const globalCounter = Math.max(head.globalCounter, known?.globalCounter ?? 0, authority.globalCounter);
  const fiscalDayNumber = Math.max(head.fiscalDayNumber, known?.fiscalDayNumber ?? 0, authority.fiscalDayNumber);
  const isClosedThere = authority.dayStatus === 'FiscalDayClosed';
  if (isClosedThere && authority.fiscalDayNumber >= head.fiscalDayNumber) {
    return { kind: 'closed', globalCounter, fiscalDayNumber: authority.fiscalDayNumber };
  }
  if (fiscalDayNumber > head.fiscalDayNumber || !OPEN.has(head.dayState)) {
    const reason = `day ${fiscalDayNumber} was opened after the last that is known here: ask the authority to close it by hand, then come back`;
    return { kind: 'wait', reason };
  }
  if (globalCounter === head.globalCounter) return { kind: 'continue', globalCounter, end: endOf(head) };
  return { kind: 'continue', globalCounter, end: known?.globalCounter === globalCounter ? known : undefined };
}

const OPEN: ReadonlySet<DayState> = new Set<DayState>(['Opened', 'CloseFailed']);

export function endOf(head: Head): ChainEnd {
  const { globalCounter, fiscalDayNumber, fiscalDayCounter, lastHash: hash, lastWallSeconds: wallSeconds } = head;
  return { globalCounter, fiscalDayNumber, fiscalDayCounter, hash, wallSeconds };
}

/** From and through these numbers; undefined when there is none. */
export type Numbers = { readonly first: number; readonly last: number } | undefined;

export const numbersBetween = (before: number, last: number): Numbers =>
  last > before ? { first: before + 1, last } : undefined;

/** What follows, said before it is done. */
export function consequencesOf({ head, authority }: HeadEvidence, found: HeadToSet): string[] {
  if (found.kind === 'wait' || authority === undefined) return [];
  const here = numbersBetween(head.globalCounter, found.globalCounter);
  const there = numbersBetween(Math.max(authority.globalCounter, head.globalCounter), found.globalCounter);
  const words: string[] = [];
  if (here !== undefined) {
    words.push(
      `Here ${receipts(here)} cannot be read, printed or credited any more. A till that sends one of these sales again gets a new number for it: if the authority has the first, it then has the sale twice.`,
    );
  }
  if (there !== undefined) {
    words.push(
      `The authority does not have ${receipts(there)} and never will: the next receipt behind the gap is accepted with the grey remarks RCPT011 and RCPT012 (the one before is missing), and the day cannot be closed with them (MissingReceipts).`,
    );
  }
  if (found.kind === 'closed') {
    words.push(
      `The authority has closed day ${found.fiscalDayNumber}: it is adopted with its counters. What was not submitted by then becomes Undeliverable, and the next day is opened.`,
    );
  } else if (here !== undefined) {
    words.push(
      `The counters of day ${head.fiscalDayNumber} are computed from the receipts that are here, so its closing fails (${there === undefined ? 'CountersMismatch' : 'MissingReceipts'}). Selling goes on until the day reaches its maximum length; before that, ask the authority to close it by hand. It is then adopted and the next day is opened.`,
    );
  }
  return words;
}

function receipts({ first, last }: { readonly first: number; readonly last: number }): string {
  return first === last ? `receipt ${first}` : `receipts ${first} to ${last}`;
}
