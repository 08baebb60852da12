import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Clock } from '../platform/clock.ts';
import type { RateLimiter } from '../platform/http/rate-limit.ts';
import type { Log } from '../platform/log.ts';
import type { MasterKeys } from '../platform/master-keys.ts';
import type { Metrics } from '../platform/metrics.ts';
import { billerRoutes } from './billers/routes.ts';
import { createVendorAuthentication } from './vendors/authenticate.ts';

export interface BillpayOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly limiter?: RateLimiter;
  /** Where the signing API is. */
  readonly fiscalUrl: string;
  readonly webhookIntervalMs: number;
  readonly webhookTimeoutMs: number;
  readonly webhookAllowsPrivate: boolean;
}

export interface BillpayService {
  readonly registerRoutes: (app: FastifyInstance) => void;
  /** Starts what goes on in the background. */
  readonly startWorkers: () => void;
  /** Resolves when nothing is under way any more. */
  readonly drain: () => Promise<void>;
}

/** Puts bill payments together. */
export function createBillpayService(options: BillpayOptions): BillpayService {
  const { pool, clock, limiter } = options;
  const authenticate = createVendorAuthentication(pool, clock, limiter);
  return {
    registerRoutes: (app) => {
      billerRoutes(app, { pool, authenticate });
    },
    startWorkers: () => {},
    drain: async () => {},
  };
}
