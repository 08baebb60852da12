import type { Refusal } from '../../kernel/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { readBillers } from '../billers/read-billers.ts';
import { findVisible } from '../billers/visibility-store.ts';
import type { Connectors } from '../connectors/registry.ts';
import { type Biller, NO_BILLER } from '../core/biller.ts';
import { checkPayment } from '../core/check-payment.ts';
import { differencesOf } from '../core/compare-payment.ts';
import type { Payment, PaymentRequest } from '../core/payment.ts';
import { conflict, invalidPayment } from '../core/payment-refusals.ts';
import { pricePayment } from '../core/price-payment.ts';
import { newBillPayReference } from '../invoices/references.ts';
import { type Change, type DraftPayment, type WriteContext, writePayments } from './settle.ts';
import { BillerClocks } from './settle-store.ts';
import { findByReferences } from './store.ts';

/** A vendor asks for a payment: only to authorise it, or to pay it. */
export interface Admission {
  readonly vendorId: string;
  readonly wants: 'authorisation' | 'payment';
  readonly request: PaymentRequest;
  /** Whether the biller has been asked and would take it. */
  readonly isAuthorised: boolean;
}

export type Admitted =
  | { readonly kind: 'recorded'; readonly payment: Payment }
  | { readonly kind: 'replayed'; readonly payment: Payment }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** Nothing is recorded yet: the biller must be asked first. */
  | { readonly kind: 'unauthorised'; readonly draft: DraftPayment }
  /** A twin is in this batch: the next one finds what became of it. */
  | { readonly kind: 'again' };

export interface AdmitContext {
  readonly clock: Clock;
  readonly connectors: Connectors;
  /** A biller is asked what became of a payment once its answer is so late. */
  readonly inquireAfterMs: number;
}

/**
 * Admits a batch in one transaction. The clocks of the billers are locked before anything is looked up: twins on other instances
 * wait there, and then find the payment of the first. What the reference already stands for decides before every rule.
 */
export async function admitPayments(
  tx: Transaction,
  context: AdmitContext,
  admissions: readonly Admission[],
): Promise<readonly Admitted[]> {
  const codes = [...new Set(admissions.map(({ request }) => request.billerCode))];
  const vendorIds = [...new Set(admissions.map(({ vendorId }) => vendorId))];
  const [clocks, stored, billers, ...visible] = await Promise.all([
    BillerClocks.lock(tx, codes),
    findByReferences(tx, admissions.map(referenceOf)),
    readBillers(tx, codes),
    ...vendorIds.map((vendorId) => findVisible(tx, vendorId, codes)),
  ]);
  const seenBy = new Map(vendorIds.map((vendorId, index) => [vendorId, visible[index]]));
  const batch = new Batch({ clocks, billers, now: context.clock() }, context, stored);
  for (const admission of admissions) {
    const { billerCode } = admission.request;
    const isVisible = seenBy.get(admission.vendorId)?.has(billerCode) === true;
    batch.decide(admission, isVisible ? billers.get(billerCode) : undefined);
  }
  return batch.write(tx);
}

function referenceOf({ vendorId, request }: Admission) {
  return { vendorId, vendorReference: request.vendorReference };
}

function keyText({
  vendorId,
  vendorReference,
}: {
  readonly vendorId: string;
  readonly vendorReference: string;
}): string {
  return `${vendorId}:${vendorReference}`;
}

type Decision =
  | Admitted
  | { readonly kind: 'draft'; readonly draft: DraftPayment }
  | { readonly kind: 'change'; readonly change: Change };

/** One transaction's memory: what is stored, and which references this batch takes itself. */
class Batch {
  readonly #write: WriteContext;
  readonly #context: AdmitContext;
  readonly #stored: ReadonlyMap<string, Payment>;
  readonly #taken = new Set<string>();
  readonly #decisions: Decision[] = [];

  constructor(write: WriteContext, context: AdmitContext, stored: readonly Payment[]) {
    this.#write = write;
    this.#context = context;
    this.#stored = new Map(stored.map((payment) => [keyText(payment), payment]));
  }

  /** `biller` is undefined when there is none, or none that this vendor sees. */
  decide(admission: Admission, biller: Biller | undefined): void {
    const key = keyText(referenceOf(admission));
    const stored = this.#stored.get(key);
    const decision: Decision = this.#taken.has(key)
      ? { kind: 'again' }
      : stored === undefined
        ? this.#decideNew(admission, biller)
        : this.#decideKnown(admission, stored, biller);
    if (decision.kind === 'draft' || decision.kind === 'change') this.#taken.add(key);
    this.#decisions.push(decision);
  }

  async write(tx: Transaction): Promise<readonly Admitted[]> {
    const drafts = this.#decisions.flatMap((one) => (one.kind === 'draft' ? [one.draft] : []));
    const changes = this.#decisions.flatMap((one) => (one.kind === 'change' ? [one.change] : []));
    if (drafts.length === 0 && changes.length === 0) return this.#decisions as Admitted[];
    const written = await writePayments(tx, this.#write, { drafts, changes });
    const recorded = written.recorded.values();
    const changed = written.changed.values();
    return this.#decisions.map((decision): Admitted => {
      if (decision.kind === 'draft') return { kind: 'recorded', payment: nextOf(recorded) };
      if (decision.kind !== 'change') return decision;
      const one = nextOf(changed);
      if (one.kind === 'again') return one;
      return { kind: one.kind === 'changed' ? 'recorded' : 'replayed', payment: one.payment };
    });
  }

  #decideKnown({ wants, request }: Admission, stored: Payment, biller: Biller | undefined): Decision {
    const differences = differencesOf(stored, request);
    if (differences.length > 0) return { kind: 'refused', refusal: conflict(request.vendorReference, differences) };
    if (wants === 'authorisation' || stored.status !== 'Authorised') return { kind: 'replayed', payment: stored };
    // Authorised with these prices; they stand. Only whether the biller takes payments at all is asked again.
    if (biller === undefined) return { kind: 'refused', refusal: NO_BILLER };
    if (!biller.Enabled) return { kind: 'refused', refusal: invalidPayment(checkPayment(request, biller)) };
    const { vendorId, paymentId, billerCode } = stored;
    return { kind: 'change', change: { vendorId, paymentId, billerCode, ...this.#firstStep(biller) } };
  }

  #decideNew({ vendorId, wants, request, isAuthorised }: Admission, biller: Biller | undefined): Decision {
    if (biller === undefined) return { kind: 'refused', refusal: NO_BILLER };
    const violations = checkPayment(request, biller);
    if (violations.length > 0) return { kind: 'refused', refusal: invalidPayment(violations) };
    const { now } = this.#write;
    const step = wants === 'payment' ? this.#firstStep(biller) : AUTHORISED;
    const draft: DraftPayment = {
      ...request,
      ...pricePayment(request, biller),
      vendorId,
      billPayReference: newBillPayReference(now),
      createdAt: now,
      status: step.to,
      cause: step.cause,
      nextAttemptAt: step.nextAttemptAt,
    };
    const mustAsk = !isAuthorised && !this.#context.connectors[biller.Connector].settlesHere;
    return mustAsk ? { kind: 'unauthorised', draft } : { kind: 'draft', draft };
  }

  #firstStep(biller: Biller) {
    if (this.#context.connectors[biller.Connector].settlesHere) return PAID_HERE;
    const nextAttemptAt = new Date(this.#write.now.getTime() + this.#context.inquireAfterMs);
    return { to: 'BeingPaid', cause: 'the biller is asked to take it', nextAttemptAt } as const;
  }
}

const AUTHORISED = { to: 'Authorised', cause: 'the vendor asked for authorisation', nextAttemptAt: undefined } as const;
const PAID_HERE = { to: 'Paid', cause: 'accepted for the biller', nextAttemptAt: undefined } as const;

function nextOf<Value>(values: Iterator<Value>): Value {
  const next = values.next();
  if (next.done) throw new Error('fewer payments were written than decided');
  return next.value;
}
