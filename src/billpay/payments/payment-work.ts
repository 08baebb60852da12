import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Refused } from '../../kernel/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Guard } from '../../platform/http/route.ts';
import type { Log } from '../../platform/logging/log.ts';
import { readBillers } from '../billers/read-billers.ts';
import { type Connectors, createConnectors } from '../connectors/registry.ts';
import type { PaymentRequest } from '../core/payment.ts';
import { createInquiry } from './inquire-payments.ts';
import { PaymentDesk } from './payment-desk.ts';
import type { PaymentMetrics } from './payment-metrics.ts';
import { reversePayment, type WriteChange } from './reverse-payment.ts';
import { paymentRoutes } from './routes.ts';
import { type PaymentName, readBacklog } from './store.ts';
import { type PaymentOutcome, takePayment } from './take-payment.ts';

export interface PaymentWorkOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: PaymentMetrics | undefined;
  /** How long a vendor waits for an online biller. */
  readonly billerDeadlineMs?: number | undefined;
  /** Only tests have others. */
  readonly connectors?: Connectors | undefined;
}

export interface PaymentWork {
  readonly registerRoutes: (app: FastifyInstance, guard: Guard) => void;
  /** As a vendor's request does it; vendors have a route. */
  readonly pay: (vendorId: string, request: PaymentRequest) => Promise<PaymentOutcome | Refused>;
  /** For operators; vendors have a route. */
  readonly reverse: (
    name: PaymentName,
    reason: string | undefined,
    write?: WriteChange,
  ) => Promise<PaymentOutcome | Refused>;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

const BILLER_DEADLINE_MS = 10_000;
/** How long an undecided payment rests before its biller is asked again, the first time. */
const INQUIRY_PAUSE_MS = 5000;
/** An answer that comes just after the deadline is spared an inquiry. */
const INQUIRY_SLACK_MS = 2000;

/** Puts payments together: the desk where they are written, those who ask billers, and the routes. */
export function createPaymentWork(options: PaymentWorkOptions): PaymentWork {
  const { pool, clock, log, metrics, billerDeadlineMs: deadlineMs = BILLER_DEADLINE_MS } = options;
  const connectors =
    options.connectors ?? createConnectors({ clock, lateMs: deadlineMs * 1.2, pendingMs: INQUIRY_PAUSE_MS });
  const ending = new AbortController();
  const desk = new PaymentDesk({
    pool,
    clock,
    connectors,
    inquireAfterMs: deadlineMs + INQUIRY_SLACK_MS,
    onState: metrics?.observeState,
  });
  metrics?.watch({ queueLength: () => desk.queueLength, backlog: () => readBacklog(pool, clock()) });
  const context = {
    pool,
    desk,
    clock,
    log,
    connectors,
    deadlineMs,
    signal: ending.signal,
    connectorOf: async (billerCode: string) => {
      const name = (await readBillers(pool, [billerCode])).get(billerCode)?.Connector;
      const connector = name && connectors[name];
      return connector?.settlesHere === false ? connector : undefined;
    },
  };
  const inquiry = createInquiry({ ...context, firstPauseMs: INQUIRY_PAUSE_MS, random: Math.random });
  return {
    registerRoutes: (app, guard) => paymentRoutes(app, guard, context),
    pay: (vendorId, request) => takePayment(context, vendorId, 'payment', request),
    reverse: (name, reason, write) => reversePayment(context, name, reason, write),
    start: () => inquiry.start(),
    stop: async () => {
      // Billers that are still being asked are not waited for: the inquiry finds out what became of it.
      ending.abort();
      await inquiry.stop();
      await desk.drain();
    },
  };
}
