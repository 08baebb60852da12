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
/** Answers that the same body will get again, however often it is sent. */
const REJECTIONS: ReadonlySet<number> = new Set([400, 413, 415, 422]);

export function afterSigning(answer: SigningAnswer): NextStep {
  if (answer.kind === 'sealed') return { kind: 'adopt', sealed: answer.sealed };
  if (answer.kind === 'lost') return { kind: 'resend', trouble: lostTrouble(answer.reason) };
  const { status, errors, retryAfterSeconds: afterSeconds } = answer;
  const trouble = refusedTrouble(answer);
  if (status === 409) return { kind: 'conflict', trouble };
  if (status === 401 || status === 403) {
    return { kind: 'pause', trouble: tokenTrouble(answer), afterSeconds: TOKEN_PAUSE_SECONDS };
  }
  const isAboutDate = status === 400 && errors.some(({ Code }) => DATE_CODES.has(Code));
  if (status === 503 || status === 429 || isAboutDate) return { kind: 'look', trouble, afterSeconds };
  return REJECTIONS.has(status) ? { kind: 'reject', trouble } : { kind: 'resend', trouble };
}

export function lostTrouble(reason: string): Trouble {
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
