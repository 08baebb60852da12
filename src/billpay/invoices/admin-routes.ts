import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/billpay/invoice.ts';
import { ExactText } from '../../kernel/exact-json.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { retryInvoice } from './job-store.ts';
import { findInvoice, findInvoiceBody, type InvoiceCursor, listInvoices } from './store.ts';

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
      Invoices: [...invoices.rows],
      NextCursor: nextCursor(invoices, (last) => `${Date.parse(last.CreatedAt)}_${last.Reference}`),
    };
  });

  route(app, guard, contract.getPaymentInvoice, async ({ params }) => {
    const invoice = await findInvoice(pool, params.reference);
    if (invoice === undefined) return refused(NO_INVOICE);
    const body = await findInvoiceBody(pool, params.reference);
    // The stored text of the receipt is put in as it is.
    return { ...invoice, Receipt: body === null ? null : new ExactText(body) };
  });

  route(app, guard, contract.retryPaymentInvoice, ({ request, params: { reference } }) =>
    audited<contract.PaymentInvoice>(request, async (tx) => {
      const before = await findInvoice(tx, reference);
      if (before === undefined) return refused(NO_INVOICE);
      const isDue = await retryInvoice(tx, reference, clock());
      const after = isDue ? await findInvoice(tx, reference) : undefined;
      if (after === undefined) return { answer: before };
      const subject = `invoice ${reference} of vendor ${before.VendorCode}`;
      const entry = { subject, before: auditOf(before), after: auditOf(after) };
      return { action: 'invoice.retried', ...entry, answer: after };
    }),
  );
}

function readCursor(text: string | undefined): InvoiceCursor | undefined {
  if (text === undefined) return undefined;
  const [time = '', reference = ''] = text.split('_');
  return { createdAt: new Date(Number(time)), reference };
}

function auditOf({ State, Error: error, Attempts, NextAttemptAt }: contract.PaymentInvoice): object {
  return { State, Error: error, Attempts, NextAttemptAt };
}
