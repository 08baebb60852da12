import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  findInvoice,
  INVOICE_STATES,
  type InvoiceCursor,
  type InvoiceRecord,
  type InvoiceState,
  listInvoices,
  retryInvoice,
} from '../billpay/index.ts';
import { decimal, formatDecimal } from '../kernel/decimal.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import {
  getInvoiceDocumentation,
  listInvoicesDocumentation,
  retryInvoiceDocumentation,
} from './invoice-documentation.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page } from './schemas.ts';

interface InvoiceQuery {
  VendorId?: string;
  State?: InvoiceState;
  Kind?: 'Invoice' | 'CreditNote';
  BillPayReference?: string;
  Limit?: number;
  Cursor?: string;
}

const Cursor = Type.String({
  pattern: '^[0-9]{1,15}_[A-Z0-9-]{1,50}$',
  description: 'NextCursor of the page before.',
});
const params = Type.Object({ reference: Type.String({ minLength: 1, maxLength: 50 }) });
const UNKNOWN = { code: 'NotFound', detail: 'There is no invoice with this reference.' } as const;
const JSON_TYPE = 'application/json; charset=utf-8';

/** The automatic invoices and credit notes of payments. */
export function invoiceRoutes(app: FastifyInstance, { pool, allow, clock }: ConsoleContext): void {
  app.get<{ Querystring: InvoiceQuery }>('/api/admin/invoices', {
    onRequest: allow('viewer'),
    schema: {
      documentation: listInvoicesDocumentation,
      querystring: Type.Object(
        {
          VendorId: Type.Optional(Id),
          State: Type.Optional(Type.String({ enum: INVOICE_STATES })),
          Kind: Type.Optional(Type.String({ enum: ['Invoice', 'CreditNote'] })),
          BillPayReference: Type.Optional(Type.String({ maxLength: 50, description: 'Those of one payment.' })),
          ...page,
          Cursor: Type.Optional(Cursor),
        },
        closed,
      ),
    },
    handler: async (request, reply) => {
      const {
        VendorId: vendorId,
        State: state,
        Kind: kind,
        BillPayReference: billPayReference,
        Cursor: cursor,
        Limit: limit = DEFAULT_PAGE,
      } = request.query;
      const filter = { vendorId, state, kind, billPayReference, before: readCursor(cursor) };
      const invoices = await readPage(limit, (most) => listInvoices(pool, filter, most));
      const next = nextCursor(invoices, (last) => `${last.createdAt.getTime()}_${last.reference}`);
      const items = invoices.rows.map(invoiceText).join(',');
      return reply.type(JSON_TYPE).send(`{"Invoices":[${items}],"NextCursor":${JSON.stringify(next)}}`);
    },
  });

  app.get<{ Params: { reference: string } }>('/api/admin/invoices/:reference', {
    onRequest: allow('viewer'),
    schema: { params, documentation: getInvoiceDocumentation },
    handler: async (request, reply) => {
      const invoice = await findInvoice(pool, request.params.reference);
      if (invoice === undefined) return sendProblem(reply, UNKNOWN);
      const text = `${invoiceText(invoice).slice(0, -1)},"Receipt":${invoice.body ?? 'null'}}`;
      return reply.type(JSON_TYPE).send(text);
    },
  });

  app.post<{ Params: { reference: string } }>('/api/admin/invoices/:reference/retry', {
    onRequest: allow('operator'),
    schema: { params, documentation: retryInvoiceDocumentation },
    handler: async (request, reply) => {
      const { reference } = request.params;
      const retried = await inTransaction(pool, async (tx) => {
        const before = await findInvoice(tx, reference);
        if (before === undefined || !(await retryInvoice(tx, reference, clock()))) return before;
        const after = await findInvoice(tx, reference);
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'invoice.retried',
          taxpayerId: undefined,
          subject: `invoice ${reference} of vendor ${before.vendorCode}`,
          before: auditOf(before),
          after: after && auditOf(after),
        });
        return after;
      });
      return retried ? reply.type(JSON_TYPE).send(invoiceText(retried)) : sendProblem(reply, UNKNOWN);
    },
  });
}

function readCursor(text: string | undefined): InvoiceCursor | undefined {
  if (text === undefined) return undefined;
  const [time = '', reference = ''] = text.split('_');
  return { createdAt: new Date(Number(time)), reference };
}

/** As text: the total has more digits than a number can keep. */
function invoiceText(invoice: InvoiceRecord): string {
  const rest = JSON.stringify({
    VendorFiscalSignature: invoice.signature,
    VendorFiscalMetadata: invoice.metadata === null ? null : (JSON.parse(invoice.metadata) as object),
    Attempts: invoice.attempts,
    NextAttemptAt: invoice.nextAttemptAt?.toISOString() ?? null,
    WaitsForInvoice: invoice.isWaitingForInvoice,
    LastStatus: invoice.lastStatus,
    Error: invoice.error,
    Errors: invoice.errors === null ? [] : (JSON.parse(invoice.errors) as object[]),
    CreatedAt: invoice.createdAt.toISOString(),
    SealedAt: invoice.sealedAt?.toISOString() ?? null,
  });
  const subject = JSON.stringify({
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
  });
  return `${subject.slice(0, -1)},"TotalAmount":${formatDecimal(decimal(invoice.total))},${rest.slice(1)}`;
}

function auditOf({ state, error, attempts, nextAttemptAt }: InvoiceRecord): object {
  return { State: state, Error: error, Attempts: attempts, NextAttemptAt: nextAttemptAt?.toISOString() ?? null };
}
