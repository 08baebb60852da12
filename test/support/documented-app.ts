import type { FastifyInstance } from 'fastify';
import { createBillpayService } from '../../src/billpay/index.ts';
import { registerConsole } from '../../src/console/index.ts';
import { registerDocs } from '../../src/docs/index.ts';
import { createAuthenticate, createFiscalService } from '../../src/fiscal/index.ts';
import { eventRoutes } from '../../src/platform/events/event-routes.ts';
import { createHttpApp } from '../../src/platform/http/app.ts';
import { operationRoutes } from '../../src/platform/http/operation-routes.ts';
import { createLogger } from '../../src/platform/logging/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { unreachableGateway } from './authority/unreachable-gateway.ts';
import type { TestService } from './service.ts';

export interface DocumentedApp {
  readonly app: FastifyInstance;
  /** `METHOD /path/{parameter}` of every route there is. */
  readonly routes: readonly string[];
  close(): Promise<void>;
}

/** Everything the process serves, put together as main.ts does, on the database of a test service. */
export async function createDocumentedApp(service: TestService): Promise<DocumentedApp> {
  const { pool, masterKeys } = service;
  const clock = () => service.now;
  const log = createLogger('silent');
  const app = createHttpApp({ log, publicUrl: 'http://tillseal.test' });
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat())
      if (name !== 'HEAD') routes.push(`${name} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
  });
  registerDocs(app);
  operationRoutes(app, pool, createMetrics());
  const authenticate = createAuthenticate(pool, clock);
  const fiscal = createFiscalService({ pool, masterKeys, clock, log, authenticate });
  fiscal.registerRoutes(app);
  const billpay = createBillpayService({
    pool,
    masterKeys,
    clock,
    log,
    fiscalUrl: 'http://fiscal.invalid',
    webhookIntervalMs: 30_000,
    webhookTimeoutMs: 10_000,
    webhookAllowsPrivate: false,
  });
  billpay.registerRoutes(app);
  eventRoutes(app, [fiscal.events, billpay.events]);
  registerConsole(app, { pool, masterKeys, clock, authenticate, gateway: unreachableGateway(), poke: fiscal.poke });
  await app.ready();
  return {
    app,
    routes,
    close: async () => {
      await app.close();
      await billpay.drain();
      await fiscal.drain();
    },
  };
}
