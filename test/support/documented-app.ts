import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createBillpayService } from '../../src/billpay/index.ts';
import { registerConsole, webRoutes } from '../../src/console/index.ts';
import { registerDocs } from '../../src/docs/index.ts';
import { createAuthenticate, createFiscalService } from '../../src/fiscal/index.ts';
import { eventRoutes } from '../../src/platform/events/event-routes.ts';
import { createHttpApp, type HttpAppOptions } from '../../src/platform/http/app.ts';
import { operationRoutes } from '../../src/platform/http/operation-routes.ts';
import type { RateLimiter } from '../../src/platform/http/rate-limit.ts';
import { createLogger } from '../../src/platform/logging/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createPushService, installationFeed } from '../../src/push/index.ts';
import type { TestService } from './service.ts';
import { unreachableGateway } from './unreachable-gateway.ts';

export interface DocumentedApp {
  readonly app: FastifyInstance;
  /** `METHOD /path/{parameter}` of every route there is. */
  readonly routes: readonly string[];
  close(): Promise<void>;
}

export interface DocumentedAppOptions extends Pick<HttpAppOptions, 'admits' | 'patience'> {
  readonly limiter?: RateLimiter;
  /** The console's pages, too. */
  readonly hasPages?: boolean;
}

/** Everything the process serves, put together as main.ts does, on the database of a test service. */
export async function createDocumentedApp(
  service: TestService,
  { limiter, hasPages = false, ...options }: DocumentedAppOptions = {},
): Promise<DocumentedApp> {
  const { pool, masterKeys } = service;
  const clock = () => service.now;
  const log = createLogger('silent');
  const metrics = createMetrics();
  metrics.watchPool(pool);
  const app = createHttpApp({ log, publicUrl: 'http://tillseal.test', metrics, ...options });
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat())
      if (name !== 'HEAD') routes.push(`${name} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
  });
  registerDocs(app);
  operationRoutes(app, pool, metrics);
  const authenticate = createAuthenticate(pool, clock, limiter);
  const fiscal = createFiscalService({ pool, masterKeys, clock, log, authenticate, metrics });
  fiscal.registerRoutes(app);
  const billpay = createBillpayService({
    pool,
    masterKeys,
    clock,
    log,
    ...(limiter && { limiter }),
    fiscalUrl: 'http://fiscal.invalid',
    webhookIntervalMs: 30_000,
    webhookTimeoutMs: 10_000,
    webhookAllowsPrivate: false,
  });
  billpay.registerRoutes(app);
  eventRoutes(app, [fiscal.events, billpay.events]);
  const push = createPushService({
    pool,
    masterKeys,
    clock,
    log,
    feeds: { taxpayer: fiscal.events, vendor: billpay.events, installation: installationFeed(pool, log) },
    allowsPrivate: false,
  });
  push.registerRoutes(app, [fiscal.events, billpay.events]);
  if (hasPages) webRoutes(app, join(import.meta.dirname, '../../web/dist'));
  registerConsole(app, {
    pool,
    masterKeys,
    clock,
    authenticate,
    gateway: unreachableGateway(),
    poke: fiscal.poke,
    push,
  });
  await app.ready();
  return {
    app,
    routes,
    close: async () => {
      await app.close();
      await push.drain();
      await billpay.drain();
      await fiscal.drain();
    },
  };
}
