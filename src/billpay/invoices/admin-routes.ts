import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/billpay/invoice.ts';
import type { FiscalMetadata } from '../../contract/billpay/payment.ts';
import { decimal } from '../../kernel/decimal.ts';
import { ExactText } from '../../kernel/exact-json.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { retryInvoice } from './job-store.ts';
import { findInvoice, type InvoiceCursor, type InvoiceRecord, listInvoices } from './store.ts';

const NO_INVOICE = { code: 'NotFound', detail: 'There is no invoice with this reference.' } as const;

/** The automatic invoices and credit notes of payments. */
export function invoiceAdminRoutes(app: FastifyInstance, { pool, guard, audited, clock }: Administration): void {
  route(app, guard, contract.listPaymentInvoices, async ({ query }) => {
    const filter = {
      vendorId: query.VendorId,
      state: query.State,
      kind: query.Kind,
      billPayReference: query.BillPayReference,
      before: readCursor(query.Cursor),
    };
    const invoices = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listInvoices(pool, filter, limit));
    return {
      Invoices: invoices.rows.map(presentInvoice),
      NextCursor: nextCursor(invoices, (last) => `${last.createdAt.getTime()}_${last.reference}`),
    };
  });

  route(app, guard, contract.getPaymentInvoice, async ({ params }) => {
    const invoice = await findInvoice(pool, params.reference);
    if (invoice === undefined) return refused(NO_INVOICE);
    // The receipt goes out letter by letter as it is stored.
    return { ...presentInvoice(invoice), Receipt: invoice.body === null ? null : new ExactText(invoice.body) };
  });

  route(app, guard, contract.retryPaymentInvoice, ({ request, params: { reference } }) =>
    audited<contract.PaymentInvoice>(request, async (tx) => {
      const before = await findInvoice(tx, reference);
      if (before === undefined) return refused(NO_INVOICE);
      const isDue = await retryInvoice(tx, reference, clock());
      const after = isDue ? await findInvoice(tx, reference) : undefined;
      if (after === undefined) return { answer: presentInvoice(before) };
      const subject = `invoice ${reference} of vendor ${before.vendorCode}`;
      const entry = { subject, before: auditOf(before), after: auditOf(after) };
      return { action: 'invoice.retried', ...entry, answer: presentInvoice(after) };
    }),
  );
}

function readCursor(text: string | undefined): InvoiceCursor | undefined {
  if (text === undefined) return undefined;
  const [time = '', reference = ''] = text.split('_');
  return { createdAt: new Date(Number(time)), reference };
}

function presentInvoice(invoice: InvoiceRecord): contract.PaymentInvoice {
  return {
    Reference: invoice.reference,
    Kind: invoice.kind,
    State: invoice.state,
    VendorId: invoice.vendorId,
    VendorCode: invoice.vendorCode,
    VendorReference: invoice.vendorReference,
    BillPayReference: invoice.billPayReference,
    BillerCode: invoice.billerCode,
    PaymentStatus: invoice.paymentStatus,
    Currency: invoice.currency,
    TotalAmount: decimal(invoice.total),
    VendorFiscalSignature: invoice.signature,
    VendorFiscalMetadata: invoice.metadata === null ? null : (JSON.parse(invoice.metadata) as FiscalMetadata),
    Attempts: invoice.attempts,
    NextAttemptAt: invoice.nextAttemptAt?.toISOString() ?? null,
    WaitsForInvoice: invoice.isWaitingForInvoice,
    LastStatus: invoice.lastStatus,
    Error: invoice.error,
    Errors: invoice.errors === null ? [] : (JSON.parse(invoice.errors) as contract.PaymentInvoice['Errors']),
    CreatedAt: invoice.createdAt.toISOString(),
    SealedAt: invoice.sealedAt?.toISOString() ?? null,
  };
}

function auditOf({ state, error, attempts, nextAttemptAt }: InvoiceRecord): object {
  return { State: state, Error: error, Attempts: attempts, NextAttemptAt: nextAttemptAt?.toISOString() ?? null };
}
