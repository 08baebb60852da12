/** Which kind of thing does not hold. Words for programs; `detail` is for people. */
export type FaultKind =
  | 'unreadable'
  | 'changed-line'
  | 'end-missing'
  | 'beyond-end'
  | 'wrong-order'
  | 'wrong-count'
  | 'wrong-certificate'
  | 'another-device'
  | 'gap-in-global-counter'
  | 'day-out-of-order'
  | 'gap-in-day-counter'
  | 'malformed-date'
  | 'date-not-increasing'
  | 'first-of-day-with-previous-hash'
  | 'wrong-link'
  | 'wrong-hash'
  | 'bad-signature'
  | 'unknown-key'
  | 'body-differs'
  | 'wrong-sum'
  | 'wrong-verification-code'
  | 'wrong-evidence'
  | 'counters-differ'
  | 'wrong-head';

/** The first thing that does not hold: thrown where it is found, and caught where the line is known. */
export class BrokenProof extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, detail: string) {
    super(detail);
    this.kind = kind;
  }
}

export function expectThat(holds: boolean, kind: FaultKind, detail: () => string): void {
  if (!holds) throw new BrokenProof(kind, detail());
}
