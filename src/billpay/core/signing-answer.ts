import { THEN, type Then } from '../../contract/shared/problem.ts';
import type { Violation } from '../../kernel/refusal.ts';
import type { FiscalReceipt } from './fiscal-receipt.ts';

/** What is known of a sealed receipt, ready to be kept with the payment. */
export interface SignedInvoice {
  readonly receipt: FiscalReceipt;
  /** As it was answered. */
  readonly text: string;
  readonly signature: string;
  readonly metadata: string;
}

/** What the signing service said, or that it said nothing that could be understood. */
export type SigningAnswer =
  | { readonly kind: 'sealed'; readonly sealed: SignedInvoice }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string | undefined;
      /** Its `Then`. */
      readonly verdict: string | undefined;
      readonly detail: string;
      readonly errors: readonly Violation[];
      readonly retryAfterSeconds: number | undefined;
    }
  | { readonly kind: 'lost'; readonly reason: string };

export type Refused = Extract<SigningAnswer, { kind: 'refused' }>;

/** Why an attempt did not seal the invoice; shown to operators. */
export interface Trouble {
  readonly status: number | undefined;
  readonly error: string;
  readonly errors: readonly Violation[];
}

/** What follows from the answer to an attempt. */
export type NextStep =
  | { readonly kind: 'adopt'; readonly sealed: SignedInvoice }
  /** The same body again: whether it arrived is not known, and sending it twice seals it once. */
  | { readonly kind: 'resend'; readonly trouble: Trouble }
  /** Not now. Where nothing was sealed meanwhile, a new Date is needed; `afterSeconds` undefined: by our own rhythm. */
  | { readonly kind: 'look'; readonly trouble: Trouble; readonly afterSeconds: number | undefined }
  | { readonly kind: 'conflict'; readonly trouble: Trouble }
  | { readonly kind: 'pause'; readonly trouble: Trouble; readonly afterSeconds: number }
  | { readonly kind: 'reject'; readonly trouble: Trouble };

/** Someone has to change the vendor's token; it may also be changed at the signing service, which does not notify us. */
const TOKEN_PAUSE_SECONDS = 60;
/** The Date is the matter (too far behind the device's last one, or ahead of the service's clock): a new one may help. */
const DATE_CODES: ReadonlySet<string> = new Set(['RCPT030', 'RCPT031']);
/** It said no, and a date that was good then may be too old by the time it says yes. */
const SEALED_NOTHING: ReadonlySet<number> = new Set([400, 429, 503]);

export function afterSigning(answer: SigningAnswer): NextStep {
  if (answer.kind === 'sealed') return { kind: 'adopt', sealed: answer.sealed };
  if (answer.kind === 'lost') return { kind: 'resend', trouble: lostTrouble(answer.reason) };
  const { status, code, errors, retryAfterSeconds: afterSeconds } = answer;
  const trouble = refusedTrouble(answer);
  if (status === 409) return { kind: 'conflict', trouble };
  if (errors.some(({ Code }) => DATE_CODES.has(Code))) return { kind: 'look', trouble, afterSeconds };
  switch (thenOf(answer)) {
    case 'Stop':
      return { kind: 'pause', trouble: tokenTrouble(answer), afterSeconds: TOKEN_PAUSE_SECONDS };
    case 'SetAside':
      return { kind: 'reject', trouble };
    case 'Again':
      return SEALED_NOTHING.has(status) && code !== 'Unavailable'
        ? { kind: 'look', trouble, afterSeconds }
        : { kind: 'resend', trouble };
  }
}

/** As it says; an older service does not, and the status decides. */
function thenOf({ status, code, verdict, errors }: Refused): Then {
  const said = THEN.find((word) => word === verdict);
  if (said !== undefined) return said;
  // Not the service's own words: nothing is known of the receipt.
  if (code === undefined) return 'Again';
  if (status === 401 || status === 403) return 'Stop';
  if (status === 413 || status === 415) return 'SetAside';
  if (status !== 400) return 'Again';
  return errors.length > 0 && errors.every(({ Code }) => Code === 'DeviceBlocked') ? 'Again' : 'SetAside';
}

function lostTrouble(reason: string): Trouble {
  return { status: undefined, error: `No answer from the signing service: ${reason}.`, errors: [] };
}

function refusedTrouble({ status, code, detail, errors }: Refused): Trouble {
  return { status, error: `The signing service answered ${status}${code ? ` ${code}` : ''}: ${detail}`, errors };
}

function tokenTrouble(answer: Refused): Trouble {
  const { error, ...trouble } = refusedTrouble(answer);
  return {
    ...trouble,
    error: `${error} Give the vendor a FiscalToken that may sign and read at the signing service. It is tried again every minute.`,
  };
}
