import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { sendProblem } from '../../platform/http/problem.ts';
import { findReceipt } from '../receipts/store.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, requireScope } from '../taxpayers/require-scope.ts';
import { attachRenderer } from './attach-renderer.ts';
import { printReceiptDocumentation } from './print-documentation.ts';
import { type PrintQuery, PrintQuerySchema } from './print-format.ts';
import { printReceipt } from './print-receipt.ts';
import { sendPrinted } from './send-printed.ts';

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
      // PostgreSQL refuses a zero byte in text; no reference has one.
      const stored = reference.includes('\u0000')
        ? undefined
        : await findReceipt(pool, callerOf(request).taxpayerId, reference);
      if (!stored) return sendProblem(reply, { code: 'NotFound', detail: 'There is no receipt with this reference.' });
      return sendPrinted(
        reply,
        await printReceipt(context, stored, request.query, () => !request.socket.destroyed),
        reference,
      );
    },
  });
}
