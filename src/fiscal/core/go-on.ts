import type { Head } from './head.ts';

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

export interface ChainEvidence {
  readonly head: Head;
  /** The last receipt that any instance had answered; undefined when none has said so. */
  readonly known: ChainEnd | undefined;
  readonly authority: AuthorityEnd | undefined;
  /** Device local time. */
  readonly nowWall: number;
}

/** The head behind which a chain with lost receipts goes on; `CloseInitiated` where the keeper then adopts the authority's closing. */
export interface NewHead extends ChainEnd {
  readonly dayState: 'Opened' | 'CloseFailed' | 'CloseInitiated';
}

/**
 * So that no number is given twice, it is the last receipt known to any instance or to the authority, whichever is higher. A hash is
 * never guessed: the authority would find every later signature of the day wrong. A text says why it cannot be at this moment.
 */
export function headToGoOn({ head, known, authority, nowWall }: ChainEvidence): NewHead | string {
  if (authority === undefined) {
    return 'the authority has not yet said which receipt it knows last; it is asked every minute';
  }
  const { dayState } = head;
  const globalCounter = Math.max(head.globalCounter, known?.globalCounter ?? 0, authority.globalCounter);
  const last = [endOf(head), known].find((end) => end?.globalCounter === globalCounter);
  if (authority.dayStatus === 'FiscalDayClosed' && authority.fiscalDayNumber >= head.fiscalDayNumber) {
    const isSameDay = authority.fiscalDayNumber === head.fiscalDayNumber;
    // The authority does not say when its last receipt was dated.
    const dates = [head.lastWallSeconds, known?.wallSeconds, last ? undefined : nowWall].filter(
      (date) => date !== undefined,
    );
    return {
      globalCounter,
      fiscalDayNumber: authority.fiscalDayNumber,
      fiscalDayCounter: isSameDay ? head.fiscalDayCounter : 0,
      hash: isSameDay ? head.lastHash : undefined,
      wallSeconds: dates.length === 0 ? undefined : Math.max(...dates),
      dayState: 'CloseInitiated',
    };
  }
  const day = Math.max(head.fiscalDayNumber, known?.fiscalDayNumber ?? 0, authority.fiscalDayNumber);
  if (authority.dayStatus === 'FiscalDayCloseInitiated' && authority.fiscalDayNumber === day) {
    return `the authority is closing day ${day}; it is asked every minute how that ends`;
  }
  const isSameDay = day === head.fiscalDayNumber;
  if (isSameDay && last && (dayState === 'Opened' || dayState === 'CloseFailed')) return { ...last, dayState };
  const reason = !isSameDay
    ? `day ${day} was opened after the last that is known here`
    : last
      ? `day ${day} is not open here`
      : `only the authority has receipt ${globalCounter}, and nobody knows its hash`;
  return `${reason}: ask the authority to close day ${day} of device ${head.deviceId} by hand. That may take days. It is asked every minute; when it says that the day is closed, the chain can go on here`;
}

function endOf(head: Head): ChainEnd {
  const { globalCounter, fiscalDayNumber, fiscalDayCounter, lastHash: hash, lastWallSeconds: wallSeconds } = head;
  return { globalCounter, fiscalDayNumber, fiscalDayCounter, hash, wallSeconds };
}

/** What is lost and what follows, said before it is done. */
export function consequencesOf({ head, authority }: ChainEvidence, { globalCounter, ...next }: NewHead): string[] {
  const here = receiptsBetween(head.globalCounter, globalCounter);
  const there = receiptsBetween(Math.max(authority?.globalCounter ?? 0, head.globalCounter), globalCounter);
  const words: string[] = [];
  if (here !== undefined) {
    words.push(
      `Here ${here} cannot be read, printed or credited any more. A till that sends one of these sales again gets a new number for it: if the authority has the first, it then has the sale twice.`,
    );
  }
  if (there !== undefined) {
    words.push(
      `The authority does not have ${there} and never will: the next receipt behind the gap is accepted with the grey remarks RCPT011 and RCPT012 (the one before is missing), and the day cannot be closed with them (MissingReceipts).`,
    );
  }
  if (next.dayState === 'CloseInitiated') {
    words.push(
      `The authority has closed day ${next.fiscalDayNumber}: it is adopted with its counters. What was not submitted by then becomes Undeliverable, and the next day is opened.`,
    );
  } else if (here !== undefined) {
    words.push(
      `The counters of day ${next.fiscalDayNumber} are computed from the receipts that are here, so its closing fails (${there === undefined ? 'CountersMismatch' : 'MissingReceipts'}). Selling goes on until the day reaches its maximum length; before that, ask the authority to close it by hand. It is then adopted and the next day is opened.`,
    );
  }
  return words;
}

/** Those after the first number, through the last. */
function receiptsBetween(before: number, last: number): string | undefined {
  if (last <= before) return undefined;
  return last === before + 1 ? `receipt ${last}` : `receipts ${before + 1} to ${last}`;
}
