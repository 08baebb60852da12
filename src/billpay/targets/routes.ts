import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import { unknownBiller } from '../payments/refusals.ts';
import type { AuthenticateVendor } from '../vendors/authenticate.ts';
import { requireVendor, vendorOf } from '../vendors/require-vendor.ts';
import { type TargetStatsQuery, TargetStatsQuerySchema, targetStatsDocumentation } from './target-documentation.ts';
import { presentTargetStats, readTargetStats } from './target-stats.ts';

export function targetRoutes(
  app: FastifyInstance,
  { pool, authenticate }: { readonly pool: Pool; readonly authenticate: AuthenticateVendor },
): void {
  app.get<{ Querystring: TargetStatsQuery }>('/api/payment/TargetStats', {
    onRequest: requireVendor(authenticate, 'read'),
    schema: { querystring: TargetStatsQuerySchema, documentation: targetStatsDocumentation },
    handler: async (request, reply) => {
      const { billercode, currency } = request.query;
      const wanted = currency === undefined ? undefined : canonicalCurrency(currency);
      const stats = await readTargetStats(pool, vendorOf(request).vendorId, billercode, wanted);
      if (stats.kind === 'unknown biller') return sendProblem(reply, unknownBiller());
      if (stats.kind === 'not configured') return reply.send();
      return reply.type('application/json; charset=utf-8').send(presentTargetStats(stats.target, stats.achieved));
    },
  });
}
