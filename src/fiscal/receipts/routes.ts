import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ExactJson } from '../../platform/http/exact-json.ts';
import { sendOtherMethods } from '../../platform/http/not-found.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import { readReceipt } from '../core/read-receipt.ts';
import { ReceiptSchema, type WireReceipt } from '../core/receipt-schema.ts';
import type { Submit } from '../submission/submit-receipt.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, requireScope } from '../taxpayers/require-scope.ts';
import { writeCursor } from './cursor.ts';
import { type ListQuery, ListQuerySchema, readListQuery } from './list-query.ts';
import { getReceiptDocumentation, listReceiptsDocumentation, signDocumentation } from './receipt-documentation.ts';
import { type SealedReceipt, signedReceiptText } from './sealed-receipt.ts';
import { searchReceipts } from './search-store.ts';
import { type SignContext, signReceipt } from './sign-receipt.ts';
import { findReceipt } from './store.ts';

export interface ReceiptRoutesContext extends SignContext {
  readonly authenticate: Authenticate;
  readonly submit: Submit;
}

const DEFAULT_PAGE = 50;

export function receiptRoutes(app: FastifyInstance, context: ReceiptRoutesContext): void {
  app.post('/api/receipt/sign', {
    schema: { body: ReceiptSchema, documentation: signDocumentation },
    onRequest: requireScope(context.authenticate, 'sign'),
    handler: async (request, reply) => {
      const json = request.body as ExactJson;
      const submitted = readReceipt(json.value as WireReceipt, json.decimal);
      const outcome = await signReceipt(context, callerOf(request), submitted);
      if (outcome.kind === 'refused') return sendProblem(reply, outcome.refusal);
      if (outcome.kind === 'replayed') return sendSigned(reply.header('idempotent-replay', 'true'), outcome.sealed);
      if (outcome.advancedSeconds > 0) reply.header('date-advanced', outcome.advancedSeconds);
      return sendSigned(reply, await context.submit(callerOf(request).taxpayerId, outcome.sealed));
    },
  });

  app.get<{ Params: { reference: string } }>('/api/receipt/:reference', {
    schema: { documentation: getReceiptDocumentation },
    onRequest: requireScope(context.authenticate, 'read'),
    handler: async (request, reply) => {
      const { reference } = request.params;
      // PostgreSQL refuses a zero byte in text; no reference has one.
      const stored = reference.includes('\u0000')
        ? undefined
        : await findReceipt(context.pool, callerOf(request).taxpayerId, reference);
      if (stored) return sendSigned(reply, stored.sealed);
      // Who GETs /api/receipt/sign means the address, not a receipt of that name.
      if (sendOtherMethods(request, reply)) return reply;
      return sendProblem(reply, { code: 'NotFound', detail: 'There is no receipt with this reference.' });
    },
  });

  app.get<{ Querystring: ListQuery }>('/api/receipt', {
    schema: { querystring: ListQuerySchema, documentation: listReceiptsDocumentation },
    onRequest: requireScope(context.authenticate, 'read'),
    handler: async (request, reply) => {
      const filter = readListQuery(request.query);
      if (Array.isArray(filter)) {
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors: filter });
      }
      const limit = request.query.Limit ?? DEFAULT_PAGE;
      const { taxpayerId } = callerOf(request);
      const { receipts, last } = await searchReceipts(context.pool, { ...filter, taxpayerId }, limit);
      const next = last === undefined ? 'null' : `"${writeCursor(last)}"`;
      const items = receipts.map(({ sealed }) => signedReceiptText(sealed)).join(',');
      return reply.type('application/json; charset=utf-8').send(`{"Receipts":[${items}],"NextCursor":${next}}`);
    },
  });
}

function sendSigned(reply: FastifyReply, sealed: SealedReceipt): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(signedReceiptText(sealed));
}
