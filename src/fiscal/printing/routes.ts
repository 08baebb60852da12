import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/fiscal/printing.ts';
import { type Refusal, refused } from '../../kernel/refusal.ts';
import { confirmedOne } from '../../platform/database/barrier.ts';
import { route } from '../../platform/http/route.ts';
import { findReceipt } from '../sealed/store.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, guardOf } from '../taxpayers/require-scope.ts';
import { printReceipt, refusalBeforeReading } from './print-receipt.ts';
import { attachRenderer } from './renderer.ts';
import { sendPrinted } from './send-printed.ts';

const NO_RECEIPT: Refusal = { code: 'NotFound', detail: 'There is no receipt with this reference.' };

export function printRoutes(
  app: FastifyInstance,
  { pool, authenticate }: { readonly pool: Pool; readonly authenticate: Authenticate },
): void {
  const context = { pool, renderer: attachRenderer(app) };
  route(app, guardOf(authenticate), contract.printReceipt, async ({ request, reply, params: { reference }, query }) => {
    const { taxpayerId } = callerOf(request);
    // PostgreSQL refuses a zero byte in text; no reference has one.
    if (reference.includes('\u0000')) return refused(NO_RECEIPT);
    const refusal = await refusalBeforeReading(context, taxpayerId, reference);
    if (refusal !== undefined) return refused(refusal);
    const stored = await findReceipt(confirmedOne(pool), taxpayerId, reference);
    if (!stored) return refused(NO_RECEIPT);
    const printed = await printReceipt(context, stored, query, () => !request.socket.destroyed);
    return sendPrinted(reply, printed, reference);
  });
}
