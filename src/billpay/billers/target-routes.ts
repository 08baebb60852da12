import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { TargetStats } from '../../contract/billpay/biller-figures.ts';
import * as contract from '../../contract/billpay/biller-figures.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { type Guard, route } from '../../platform/http/route.ts';
import { NO_BILLER } from '../core/biller.ts';
import { holderOf } from '../vendors/require-vendor.ts';
import { parseBiller } from './read-billers.ts';
import { findAchieved } from './store.ts';

/** A first target counts its past in the background: mostly in less than a second. Five are waited for. */
const LOOK_EVERY_MS = 100;
const MOST_LOOKS = 50;
const STILL_COUNTING: Refusal = {
  code: 'Unavailable',
  detail: 'The payments before this target are still being counted. Ask again.',
  retryAfterSeconds: 5,
};

export function targetRoutes(app: FastifyInstance, pool: Pool, guard: Guard): void {
  route(app, guard, contract.targetStats, async ({ request, reply, query }) => {
    const holder = holderOf(request);
    if (holder.kind === 'biller' && holder.billerCode !== query.billercode) return refused(NO_BILLER);
    const vendorId = holder.kind === 'vendor' ? holder.vendorId : undefined;
    const read = () => readTargetStats(pool, vendorId, query.billercode, query.currency);
    let stats = await read();
    for (let looks = 0; stats === 'counting' && looks < MOST_LOOKS; looks += 1) {
      await delay(LOOK_EVERY_MS);
      stats = await read();
    }
    return stats === 'counting' ? refused(STILL_COUNTING) : (stats ?? reply.send());
  });
}

/** For operators, who have no token of a vendor. */
export function targetAdminRoutes(app: FastifyInstance, { pool, guard }: Administration): void {
  route(app, guard, contract.getBillerTarget, async ({ params, query }) => {
    const stats = await readTargetStats(pool, undefined, params.billerCode, query.Currency);
    return stats instanceof Refused ? stats : { Target: stats === 'counting' ? null : (stats ?? null) };
  });
}

/**
 * As the vendor sees it; without one, as the biller itself or an operator who may see every biller. Undefined: the biller has no target.
 */
async function readTargetStats(
  db: Queryable,
  vendorId: string | undefined,
  billerCode: string,
  currency: string | undefined,
): Promise<TargetStats | Refused | 'counting' | undefined> {
  const found = await findAchieved(db, vendorId, billerCode, currency && canonicalCurrency(currency));
  if (found === undefined) return refused(NO_BILLER);
  const { TargetAmount, TargetUnits } = parseBiller(found.biller);
  if (TargetAmount === null || TargetUnits === null) return undefined;
  if (found.achieved === undefined) return 'counting';
  const { since, amount, units, payerCount } = found.achieved;
  return {
    TargetAmount,
    TargetUnits,
    TargetAchievedSinceDate: since?.toISOString() ?? null,
    TargetAchievedAmount: amount,
    TargetAchievedUnits: units,
    PayerCount: payerCount,
  };
}
