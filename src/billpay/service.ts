import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { TaxRounding } from '../kernel/tax.ts';
import type { Clock } from '../platform/clock.ts';
import type { EventSource } from '../platform/events/tenant-guard.ts';
import type { RateLimiter } from '../platform/http/rate-limit.ts';
import type { Log } from '../platform/logging/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import type { TokenUses } from '../platform/tokens/token-uses.ts';
import { billerRoutes } from './billers/routes.ts';
import { targetRoutes } from './billers/target-routes.ts';
import { createCallbackMetrics } from './callback/callback-metrics.ts';
import { createCallbackWork } from './callback/callback-work.ts';
import type { Connectors } from './connectors/registry.ts';
import { feedRoutes } from './feed/routes.ts';
import { watchInvoices } from './invoices/invoice-metrics.ts';
import { readInvoiceBacklog } from './invoices/store.ts';
import { InvoiceWorker } from './invoicing/invoice-worker.ts';
import { createPaymentMetrics } from './payments/payment-metrics.ts';
import { createPaymentWork, type PaymentWork } from './payments/payment-work.ts';
import { TargetBuilder } from './targets/target-builder.ts';
import { createHolderAuthentication } from './vendors/authenticate.ts';
import { vendorEvents } from './vendors/event-source.ts';
import { holderGuard } from './vendors/require-vendor.ts';

export interface BillpayOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly taxRounding: TaxRounding;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly limiter: RateLimiter;
  readonly uses: TokenUses;
  /** Where the signing API is. */
  readonly fiscalUrl: string;
  readonly webhookIntervalMs: number;
  readonly webhookTimeoutMs: number;
  readonly webhookAllowsPrivate: boolean;
  /** How long a vendor waits for an online biller; 10 s by default. */
  readonly billerDeadlineMs?: number;
  /** Only tests have others. */
  readonly connectors?: Connectors;
}

export interface BillpayService {
  readonly registerRoutes: (app: FastifyInstance) => void;
  /** For `GET /api/events`. */
  readonly events: EventSource;
  /** Starts the background work. */
  readonly startWorkers: () => void;
  /** A biller has changed, or a callback is to be sent again: look before the next scheduled time. */
  readonly pokeCallbacks: () => void;
  /** Takes a paid payment back, for operators. */
  readonly reversePayment: PaymentWork['reverse'];
  /** Resolves when nothing is running any more. */
  readonly drain: () => Promise<void>;
}

/** Puts bill payments together. */
export function createBillpayService(options: BillpayOptions): BillpayService {
  const { pool, clock, limiter, uses, metrics } = options;
  const authenticate = createHolderAuthentication(pool, clock, limiter, uses);
  const callbacks = createCallbackWork({
    ...options,
    intervalMs: options.webhookIntervalMs,
    timeoutMs: options.webhookTimeoutMs,
    allowsPrivate: options.webhookAllowsPrivate,
    metrics: createCallbackMetrics(metrics.registry),
  });
  const invoices = new InvoiceWorker(options);
  watchInvoices(metrics.registry, () => readInvoiceBacklog(pool, clock()));
  const targets = new TargetBuilder(pool, options.log);
  const payments = createPaymentWork({ ...options, metrics: createPaymentMetrics(metrics.registry) });
  return {
    registerRoutes: (app) => {
      const guard = holderGuard(authenticate);
      billerRoutes(app, pool, guard);
      payments.registerRoutes(app, guard);
      targetRoutes(app, pool, guard);
      feedRoutes(app, pool, guard);
    },
    events: vendorEvents(authenticate),
    startWorkers: () => {
      payments.start();
      callbacks.start();
      targets.start();
      invoices.start();
    },
    pokeCallbacks: callbacks.poke,
    reversePayment: payments.reverse,
    drain: async () => {
      await payments.stop();
      await callbacks.stop();
      await targets.stop();
      await invoices.stop();
    },
  };
}
