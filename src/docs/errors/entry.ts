import type { Violation } from '../../kernel/refusal.ts';

/** What the catalogue says of one code. */
export interface ErrorEntry {
  /** What it says, in one sentence. */
  readonly meaning: string;
  /** How one gets there. */
  readonly cause: string;
  /** What to do. */
  readonly fix: string;
  readonly example: ProblemExample | FieldExample;
}

/** A code that answers a whole request. */
export interface ProblemExample {
  readonly kind: 'problem';
  readonly request: string;
  readonly detail: string;
  readonly errors?: readonly Violation[];
  readonly opensAt?: string;
}

/**
 * A code of one field: what is different from the example invoice (credit note, bill payment) of the reference, by path, and
 * what is answered. `undefined` means that the field is left out. A test sends each of them.
 */
export interface FieldExample {
  readonly kind: 'field';
  readonly on?: 'invoice' | 'credit note' | 'payment' | 'biller' | 'vendor';
  readonly sent: Readonly<Record<string, unknown>>;
  readonly field: string;
  readonly message: string;
  /** What must be the case beforehand. */
  readonly given?: string;
}

/** The field at fault is the one that was changed, unless it is said. */
export const field = (
  sent: FieldExample['sent'],
  message: string,
  { at = Object.keys(sent)[0] ?? '', ...more }: Pick<FieldExample, 'on' | 'given'> & { readonly at?: string } = {},
): FieldExample => ({ kind: 'field', sent, field: at, message, ...more });

export const problem = (request: string, detail: string, errors?: readonly Violation[]): ProblemExample => ({
  kind: 'problem',
  request,
  detail,
  ...(errors === undefined ? {} : { errors }),
});
