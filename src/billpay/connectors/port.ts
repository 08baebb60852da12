import type { Decimal } from '../../kernel/decimal.ts';
import type { Payment } from '../core/payment.ts';

/**
 * How a biller is reached. An online biller is one file that implements OnlineConnector, and its line in registry.ts.
 *
 * What it must keep: `pay` and `reverse` are idempotent by `billPayReference` at the biller, because after a crash or a lost answer
 * they are asked again. It may answer as late as it likes: the caller gives up after its own deadline, and the late answer
 * still counts. A throw means that nothing is known; `inquire` will decide.
 */
export type Connector = LocalConnector | OnlineConnector;

/** The payment is accepted here, without asking the biller. */
export interface LocalConnector {
  readonly settlesHere: true;
}

export interface OnlineConnector {
  readonly settlesHere: false;
  /** Whether the biller would take this payment. Nothing is recorded yet, and may not be at the biller either. */
  readonly authorise: (payment: PaymentAtBiller, signal: AbortSignal) => Promise<AuthorisationAnswer>;
  readonly pay: (payment: PaymentAtBiller, signal: AbortSignal) => Promise<PayAnswer>;
  /** What became of an earlier `pay`. `unknown`: the biller never got it, so it is sent again. */
  readonly inquire: (
    payment: PaymentAtBiller,
    signal: AbortSignal,
  ) => Promise<PayAnswer | { readonly kind: 'unknown' }>;
  readonly reverse: (payment: PaymentAtBiller, signal: AbortSignal) => Promise<ReverseAnswer>;
}

type SentOfPayment =
  | 'billPayReference'
  | 'billerCode'
  | 'memberNumber'
  | 'memberName'
  | 'currency'
  | 'products'
  | 'metaData';

/** What is sent to a biller about a payment. The signal ends with the service: a later answer is lost. */
export interface PaymentAtBiller extends Pick<Payment, SentOfPayment> {
  /** Without the fee, which is the vendor's. */
  readonly amount: Decimal;
  /** When it was first asked to take it. */
  readonly askedAt: Date;
}

export type AuthorisationAnswer = { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly reason: string };

export type PayAnswer =
  | { readonly kind: 'paid' }
  /** The biller did not take it and never will. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The biller does not know either: a person has to look. */
  | { readonly kind: 'flagged'; readonly reason: string }
  /** Not decided yet: to be asked again later. */
  | { readonly kind: 'pending' };

export type ReverseAnswer = { readonly kind: 'reversed' } | { readonly kind: 'refused'; readonly reason: string };
