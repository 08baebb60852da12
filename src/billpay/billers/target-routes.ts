import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/billpay/biller-figures.ts';
import { Refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { type Guard, route } from '../../platform/http/route.ts';
import { vendorOf } from '../vendors/require-vendor.ts';
import { readTargetStats } from './target-stats.ts';

export function targetRoutes(app: FastifyInstance, pool: Pool, guard: Guard): void {
  route(app, guard, contract.targetStats, async ({ request, reply, query }) => {
    const stats = await readTargetStats(pool, vendorOf(request).vendorId, query.billercode, query.currency);
    return stats ?? reply.send();
  });
}

/** For operators, who have no token of a vendor. */
export function targetAdminRoutes(app: FastifyInstance, { pool, guard }: Administration): void {
  route(app, guard, contract.getBillerTarget, async ({ params, query }) => {
    const stats = await readTargetStats(pool, undefined, params.billerCode, query.Currency);
    return stats instanceof Refused ? stats : { Target: stats ?? null };
  });
}
