import type { PaymentState } from '../../contract/billpay/payment.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { type NewEvent, recordEvents } from '../../platform/events/store.ts';
import { readBillers } from '../billers/read-billers.ts';
import { type Biller, targetOf } from '../core/biller.ts';
import type { Payment } from '../core/payment.ts';
import { mayBecome } from '../core/payment-state.ts';
import { assignCreditNote, assignInvoices } from '../invoices/job-store.ts';
import { countPaid, countReversed } from '../targets/figures-store.ts';
import {
  BillerClocks,
  insertPayments,
  lockPayments,
  type Move,
  movePayments,
  type NewPayment,
} from './settle-store.ts';
import type { PaymentKey } from './store.ts';
import { stateEvents, tellOperators } from './tell-of-payments.ts';

/**
 * The one way to write a payment's state (decision 11). Everything that follows from it is written in the same transaction: the
 * moment of being paid, the target's figures, the invoice or credit note, alerts, events. A payment that is not in a state from
 * which the wanted one can be reached is left as it is, so a second answer to the same question changes nothing.
 */
export interface Change extends PaymentKey {
  readonly billerCode: string;
  readonly to: PaymentState;
  readonly cause: string;
  readonly narration?: string;
  /** When it becomes BeingPaid: when the biller is asked what became of it. */
  readonly nextAttemptAt?: Date | undefined;
}

export type Changed =
  | { readonly kind: 'changed' | 'unchanged'; readonly payment: Payment }
  /** Another change of the same payment is in this batch: this one comes into the next. */
  | { readonly kind: 'again' };

export type DraftPayment = Omit<NewPayment, 'paidAt'>;

export interface Writing {
  readonly drafts: readonly DraftPayment[];
  readonly changes: readonly Change[];
}

export interface Written {
  /** In the order of the drafts. */
  readonly recorded: readonly Payment[];
  /** In the order of the changes. */
  readonly changed: readonly Changed[];
}

/** Changes of payments alone, in a separate transaction. */
export async function settlePayments(
  tx: Transaction,
  clock: Clock,
  changes: readonly Change[],
): Promise<readonly Changed[]> {
  const codes = changes.map(({ billerCode }) => billerCode);
  const [clocks, billers] = await Promise.all([BillerClocks.lock(tx, codes), readBillers(tx, codes)]);
  return (await writePayments(tx, { clocks, billers, now: clock() }, { drafts: [], changes })).changed;
}

export interface WriteContext {
  readonly clocks: BillerClocks;
  /** Read under the clocks' locks. */
  readonly billers: ReadonlyMap<string, Biller>;
  readonly now: Date;
}

/** Writes all of it. With drafts nothing may follow in the transaction: it may be committed already. */
export async function writePayments(tx: Transaction, context: WriteContext, writing: Writing): Promise<Written> {
  const { clocks, now } = context;
  const planned = await planChanges(tx, context, writing.changes);
  const made = writing.drafts.map(
    (draft): NewPayment => ({
      ...draft,
      paidAt: draft.status === 'Paid' ? clocks.next(draft.billerCode, now) : undefined,
    }),
  );
  if (made.length === 0 && planned.moves.length === 0) return { recorded: [], changed: planned.changed };
  // Without an invoice to assign nothing needs the new ids, and all of it shares a round trip with the commit.
  const isShort = planned.moves.length === 0 && !hasInvoices(context, made);
  const [ids] = await together([
    made.length === 0 ? Promise.resolve(new Map<string, bigint>()) : insertPayments(tx, made),
    planned.moves.length === 0 ? Promise.resolve() : movePayments(tx, planned.moves),
    clocks.save(tx),
    ...(isShort ? [countNew(tx, context, made), recordEvents(tx, made.flatMap(newEvents)), tx.commit()] : []),
  ]);
  const recorded = made.map((payment) => recordedPayment(payment, ids.get(payment.billPayReference)));
  if (!isShort) {
    await follow(tx, context, [...recorded, ...planned.payments], planned.flagged);
    await recordEvents(tx, [...made.flatMap(newEvents), ...planned.events]);
  }
  return { recorded, changed: planned.changed };
}

interface Plan {
  readonly moves: Move[];
  /** Those that are changed, as they will be. */
  readonly payments: Payment[];
  /** Those of them that an operator has to look at, or has no more. */
  readonly flagged: Payment[];
  readonly events: NewEvent[];
  readonly changed: Changed[];
}

async function planChanges(tx: Transaction, { clocks, now }: WriteContext, changes: readonly Change[]): Promise<Plan> {
  const plan: Plan = { moves: [], payments: [], flagged: [], events: [], changed: [] };
  if (changes.length === 0) return plan;
  const locked = new Map((await lockPayments(tx, changes)).map((payment) => [payment.paymentId, payment]));
  const moved = new Set<bigint>();
  for (const change of changes) {
    const { paymentId, vendorId, to, cause, narration, nextAttemptAt } = change;
    const payment = locked.get(paymentId);
    if (payment === undefined) throw new Error('a payment that does not exist was changed');
    if (moved.has(paymentId)) plan.changed.push({ kind: 'again' });
    else if (!mayBecome(payment.status, to)) plan.changed.push({ kind: 'unchanged', payment });
    else {
      moved.add(paymentId);
      const at = to === 'Paid' ? clocks.next(payment.billerCode, now) : notBefore(payment.paidAt, now);
      plan.moves.push({ vendorId, paymentId, from: payment.status, to, at, cause, narration, nextAttemptAt });
      const after: Payment = {
        ...payment,
        status: to,
        narration: narration ?? payment.narration,
        paidAt: to === 'Paid' ? at : payment.paidAt,
        reversedAt: to === 'Reversed' ? at : undefined,
      };
      plan.payments.push(after);
      plan.events.push(...stateEvents(after, at));
      if (to === 'Flagged' || payment.status === 'Flagged') plan.flagged.push(after);
      plan.changed.push({ kind: 'changed', payment: after });
    }
  }
  return plan;
}

/** A biller's clock may run ahead of ours after a burst; no payment may appear to be reversed before it was paid. */
function notBefore(paidAt: Date | undefined, now: Date): Date {
  return paidAt !== undefined && paidAt > now ? paidAt : now;
}

/** What follows from the new states, in the order in which locks are taken: invoices, figures, alerts; events come last. */
async function follow(
  tx: Transaction,
  context: WriteContext,
  payments: readonly Payment[],
  flagged: readonly Payment[],
): Promise<void> {
  const paid = payments.filter(isPaid);
  await assignInvoices(
    tx,
    paid.filter(({ billerCode }) => context.billers.get(billerCode)?.VendorMustInvoicePayments),
  );
  const reversed = payments.filter(isReversed);
  for (const payment of reversed) await assignCreditNote(tx, payment);
  await countNew(tx, context, paid);
  for (const payment of reversed) await countReversed(tx, payment);
  for (const payment of flagged) await tellOperators(tx, payment);
}

async function countNew(
  tx: Transaction,
  { billers }: WriteContext,
  payments: readonly (Payment | NewPayment)[],
): Promise<void> {
  const counted = payments.flatMap((payment) => {
    const { paidAt } = payment;
    const biller = billers.get(payment.billerCode);
    const hasTarget = biller !== undefined && targetOf(biller) !== undefined;
    return payment.status === 'Paid' && paidAt !== undefined && hasTarget ? [{ ...payment, paidAt }] : [];
  });
  await countPaid(tx, counted);
}

function newEvents(made: NewPayment): NewEvent[] {
  return stateEvents({ ...made, narration: undefined }, made.paidAt ?? made.createdAt);
}

function hasInvoices({ billers }: WriteContext, made: readonly NewPayment[]): boolean {
  return made.some(({ status, billerCode }) => status === 'Paid' && billers.get(billerCode)?.VendorMustInvoicePayments);
}

function isPaid(payment: Payment): payment is Payment & { readonly paidAt: Date } {
  return payment.status === 'Paid' && payment.paidAt !== undefined;
}

function isReversed(payment: Payment): payment is Payment & { readonly paidAt: Date; readonly reversedAt: Date } {
  return payment.status === 'Reversed' && payment.reversedAt !== undefined && payment.paidAt !== undefined;
}

function recordedPayment(made: NewPayment, paymentId: bigint | undefined): Payment {
  if (paymentId === undefined) throw new Error('a payment that was written has no id');
  return { ...made, paymentId, narration: undefined, reversedAt: undefined };
}

/** Sends statements that do not wait for each other; fails when one of them does, after all have ended. */
async function together<First>(statements: readonly [Promise<First>, ...Promise<unknown>[]]): Promise<[First]> {
  const results = await Promise.allSettled(statements);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return [(results[0] as PromiseFulfilledResult<First>).value];
}
