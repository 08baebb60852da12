import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Refusal } from '../../kernel/refusal.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import { findReceipt } from '../receipts/store.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, requireScope } from '../taxpayers/require-scope.ts';
import { attachRenderer } from './attach-renderer.ts';
import { printReceiptDocumentation } from './print-documentation.ts';
import { type PrintQuery, PrintQuerySchema } from './print-format.ts';
import { printReceipt, refusalBeforeReading } from './print-receipt.ts';
import { sendPrinted } from './send-printed.ts';

const NO_RECEIPT: Refusal = { code: 'NotFound', detail: 'There is no receipt with this reference.' };

export function printRoutes(
  app: FastifyInstance,
  { pool, authenticate }: { pool: Pool; authenticate: Authenticate },
): void {
  const context = { pool, renderer: attachRenderer(app) };
  app.get<{ Params: { reference: string }; Querystring: PrintQuery }>('/api/receipt/:reference/print', {
    schema: { querystring: PrintQuerySchema, documentation: printReceiptDocumentation },
    onRequest: requireScope(authenticate, 'read'),
    handler: async (request, reply) => {
      const { reference } = request.params;
      const { taxpayerId } = callerOf(request);
      // PostgreSQL refuses a zero byte in text; no reference has one.
      if (reference.includes('\u0000')) return sendProblem(reply, NO_RECEIPT);
      const refusal = await refusalBeforeReading(context, taxpayerId, reference);
      if (refusal !== undefined) return sendProblem(reply, refusal);
      const stored = await findReceipt(pool, taxpayerId, reference);
      if (!stored) return sendProblem(reply, NO_RECEIPT);
      return sendPrinted(
        reply,
        await printReceipt(context, stored, request.query, () => !request.socket.destroyed),
        reference,
      );
    },
  });
}
