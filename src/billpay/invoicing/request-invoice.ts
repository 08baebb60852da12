import type { Pool } from 'pg';
import type { FiscalMetadata } from '../../contract/billpay/payment.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import type { Clock } from '../../platform/clock.ts';
import { inTransaction, type Transaction } from '../../platform/database/database.ts';
import { recordEvents } from '../../platform/events/store.ts';
import { isOurs } from '../core/fiscal-receipt.ts';
import {
  afterSigning,
  type NextStep,
  type SignedInvoice,
  type SigningAnswer,
  type Trouble,
} from '../core/signing-answer.ts';
import {
  type ClaimedInvoice,
  discardBody,
  type InvoiceKey,
  type InvoiceWork,
  keepWaiting,
  markRejected,
  markSealed,
  releaseCreditNote,
} from '../invoices/job-store.ts';
import { isOutdated, type PrepareContext, type PreparedInvoice, prepareInvoice } from './prepare-invoice.ts';
import type { SigningClient } from './signing-client.ts';

export interface InvoiceContext extends PrepareContext {
  readonly clock: Clock;
  readonly client: SigningClient;
  /** From 0 to 1: spreads those who failed at the same moment. */
  readonly random: () => number;
}

export type InvoiceOutcome = 'sealed' | 'waiting' | 'rejected' | 'lost';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;

/** One attempt at one invoice or credit note, from its stored body to what the answer means. */
export async function requestInvoice(context: InvoiceContext, claimed: ClaimedInvoice): Promise<InvoiceOutcome> {
  const prepared = await prepareInvoice(context, claimed, context.clock());
  if (prepared.kind === 'lost') return 'lost';
  if (prepared.kind === 'incomplete') {
    const trouble: Trouble = { status: undefined, error: prepared.error, errors: [] };
    await rejectInvoice(context.pool, claimed, prepared.work.reference, 'InvoiceRejected', trouble);
    return 'rejected';
  }
  const answer = await context.client.sign(prepared.token, prepared.body);
  return follow(context, claimed, prepared, afterSigning(answer));
}

async function follow(
  context: InvoiceContext,
  claimed: ClaimedInvoice,
  prepared: PreparedInvoice,
  step: NextStep,
): Promise<InvoiceOutcome> {
  const { reference } = prepared.work;
  switch (step.kind) {
    case 'adopt':
      return adopt(context, claimed, prepared, step.sealed);
    case 'reject':
      if (await isOutdated(context, claimed, prepared)) {
        await discardBody(context.pool, claimed, context.clock());
        return 'waiting';
      }
      await rejectInvoice(context.pool, claimed, reference, 'InvoiceRejected', step.trouble);
      return 'rejected';
    case 'pause':
      return wait(context, claimed, step.trouble, { afterSeconds: step.afterSeconds });
    case 'resend':
      return wait(context, claimed, step.trouble, {});
    case 'look':
    case 'conflict':
      return followLook(context, claimed, prepared, step, await context.client.find(prepared.token, reference));
  }
}

/** The reference was looked up, because the answer before said neither that it is sealed nor that it never will be. */
async function followLook(
  context: InvoiceContext,
  claimed: ClaimedInvoice,
  prepared: PreparedInvoice,
  step: Extract<NextStep, { kind: 'look' | 'conflict' }>,
  found: SigningAnswer,
): Promise<InvoiceOutcome> {
  const { reference } = prepared.work;
  if (found.kind === 'sealed') {
    if (isOurs(found.sealed.receipt, prepared.receipt)) return adopt(context, claimed, prepared, found.sealed);
    const error = `${reference} is already used at the signing service by another receipt of this taxpayer. ${step.trouble.error}`;
    await rejectInvoice(context.pool, claimed, reference, 'InvoiceConflict', { ...step.trouble, error });
    return 'rejected';
  }
  const afterSeconds = step.kind === 'look' ? step.afterSeconds : undefined;
  const isAbsent = found.kind === 'refused' && found.status === 404;
  // Whether it is there is not known unless the service said so: then the same body goes again.
  return wait(context, claimed, step.trouble, { afterSeconds, isDateSpent: isAbsent });
}

async function adopt(
  { pool, clock }: InvoiceContext,
  claimed: ClaimedInvoice,
  { work }: PreparedInvoice,
  sealed: SignedInvoice,
): Promise<InvoiceOutcome> {
  await inTransaction(pool, (tx) => adoptInvoice(tx, claimed, work, sealed, clock()));
  return 'sealed';
}

async function wait(
  { pool, clock, random }: InvoiceContext,
  claimed: ClaimedInvoice,
  trouble: Trouble,
  { afterSeconds, isDateSpent = false }: { afterSeconds?: number | undefined; isDateSpent?: boolean },
): Promise<InvoiceOutcome> {
  const waitMs = afterSeconds === undefined ? backoffMs(claimed.attempt, random()) : afterSeconds * 1000;
  await keepWaiting(pool, claimed, { ...trouble, isDateSpent, at: new Date(clock().getTime() + waitMs) });
  return 'waiting';
}

/** Doubles up to a minute; the upper half of it is random. */
function backoffMs(attempt: number, random: number): number {
  const longest = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(longest * (0.5 + random / 2));
}

/** It would be refused repeatedly: a person has to change something first, and an alert says what. */
async function rejectInvoice(
  pool: Pool,
  claimed: ClaimedInvoice,
  reference: string,
  kind: 'InvoiceRejected' | 'InvoiceConflict',
  trouble: Trouble,
): Promise<void> {
  const { vendorId } = claimed;
  await inTransaction(pool, async (tx) => {
    if (!(await markRejected(tx, claimed, trouble))) return;
    const found = trouble.errors.map(({ Field, Code, Message }) => ` ${Field} ${Code}: ${Message}.`).join('');
    const message = `Invoice ${reference} cannot be sealed. ${trouble.error}${found}`;
    await raise(tx, { kind, vendorId, what: reference, message });
  });
}

/**
 * The invoice is sealed: its three fields appear together, the vendor gets its event, and a credit note that waited may go.
 * Safe to say twice: a fact that is known already changes nothing.
 */
async function adoptInvoice(
  tx: Transaction,
  key: InvoiceKey,
  work: Pick<InvoiceWork, 'reference' | 'vendorReference' | 'billPayReference'>,
  sealed: SignedInvoice,
  now: Date,
): Promise<void> {
  if (!(await markSealed(tx, key, { ...sealed, at: now }))) return;
  await settle(tx, ['InvoiceRejected', 'InvoiceConflict'], { vendorId: key.vendorId }, work.reference);
  if (key.kind === 'CreditNote') return;
  await releaseCreditNote(tx, key, now);
  const data = {
    VendorReference: work.vendorReference,
    BillPayReference: work.billPayReference,
    VendorInvoiceReference: work.reference,
    VendorFiscalSignature: sealed.signature,
    VendorFiscalMetadata: JSON.parse(sealed.metadata) as FiscalMetadata,
  };
  await recordEvents(tx, [{ tenantId: key.vendorId, type: 'payment.fiscalised', at: now, data }]);
}
