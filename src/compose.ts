import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type BillpayOptions, createBillpayService } from './billpay/index.ts';
import { type ConsoleOptions, countsOfMinutes, registerConsole, webRoutes } from './console/index.ts';
import { type DemoHints, registerDocs } from './docs/index.ts';
import { createEndpointService, createMailTransport } from './endpoints/index.ts';
import type { Gateway } from './fdms/index.ts';
import { createAuthenticate, createFiscalService, watchDatabase } from './fiscal/index.ts';
import type { Clock } from './platform/clock.ts';
import { primaryOf } from './platform/database/database.ts';
import type { PrimaryWatch } from './platform/database/primary-watch.ts';
import { eventRoutes } from './platform/events/event-routes.ts';
import { createHttpApp, type HttpAppOptions } from './platform/http/app.ts';
import { operationRoutes } from './platform/http/operation-routes.ts';
import { RateLimiter } from './platform/http/rate-limit.ts';
import type { Metrics } from './platform/metrics.ts';
import type { MasterKeys } from './platform/secrets/master-keys.ts';
import type { Settings } from './platform/settings.ts';
import { TokenUses } from './platform/tokens/token-uses.ts';
import { attemptMetrics } from './platform/work/delivery-metrics.ts';
import { createRegularWork } from './platform/work/regular-work.ts';

const WEB = join(import.meta.dirname, '..', 'web', 'dist');
/** SIGTERM must end in 10 s; requests in flight get this much of it. */
const PATIENCE_MS = 6000;

/** What only tests choose: they are in a greater hurry than people and billers are. */
type Hurry = Pick<HttpAppOptions, 'patience'> &
  Pick<BillpayOptions, 'billerDeadlineMs' | 'connectors'> &
  Pick<ConsoleOptions, 'wrongPasswordsPerSecond'>;

export interface ServiceParts extends Hurry, Pick<HttpAppOptions, 'admits'> {
  readonly settings: Settings;
  /** That of the settings, or where it listens. */
  readonly publicUrl: string;
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly primary: PrimaryWatch;
  /** Asked when the first reader comes. */
  readonly demo?: () => DemoHints | undefined;
}

export type Service = ReturnType<typeof composeService>;

/**
 * Puts the service together, with the roles of the settings: routes, and work that is not started. It neither listens nor opens or
 * migrates its database.
 */
export function composeService(parts: ServiceParts) {
  const { settings, publicUrl, pool, clock, log, metrics, primary } = parts;
  const { roles } = settings;
  // Each takes what it knows by name.
  const given = { ...settings, ...parts };
  metrics.watchPool(pool, () => primary.commitWaitSeconds);
  const app = createHttpApp(given);
  if ([...roles].some((role) => role !== 'worker')) registerDocs(app, parts.demo);
  operationRoutes(app, metrics, primary);
  app.addHook('onReady', async () => {
    primaryOf(pool).isStarting = false;
  });
  const limiter = new RateLimiter(settings.rateLimitPerSecond);
  const uses = new TokenUses(pool);
  uses.watch(app);
  const authenticate = createAuthenticate(pool, clock, limiter, uses);
  const fiscal = createFiscalService({ ...given, authenticate, devicesAtOnce: settings.authorityConnections });
  const billpay = createBillpayService({ ...given, limiter, uses, fiscalUrl: settings.fiscalUrl ?? publicUrl });
  const endpoints = createEndpointService({
    ...given,
    feed: fiscal.feed,
    allowsPrivate: settings.webhookAllowsPrivate,
    mail:
      settings.mail &&
      createMailTransport({ ...given, settings: settings.mail, observe: attemptMetrics(metrics.registry, 'mail') }),
  });
  const regular = createRegularWork(
    [...fiscal.regularWork, ...endpoints.regularWork, ...countsOfMinutes(pool, clock)],
    log,
  );
  const tell = roles.has('worker') ? endpoints.tell : undefined;
  watchDatabase({ ...given, ...fiscal, tell }, primary);
  const served = [...(roles.has('fiscal') ? [fiscal] : []), ...(roles.has('billpay') ? [billpay] : [])];
  for (const { registerRoutes } of served) registerRoutes(app);
  const [source, ...others] = served.map(({ events }) => events);
  if (source !== undefined) {
    eventRoutes(app, fiscal.feed, [source, ...others]);
    endpoints.registerRoutes(app, [source, ...others]);
  }
  if (roles.has('console')) {
    webRoutes(app, WEB);
    registerConsole(app, {
      ...given,
      authenticate,
      publicUrl: settings.publicUrl,
      poke: fiscal.poke,
      sending: fiscal.sending,
      sign: fiscal.sign,
      authorityState: fiscal.breaker,
      databaseState: primary,
      pokeCallbacks: billpay.pokeCallbacks,
      reversePayment: billpay.reversePayment,
      endpoints,
    });
  }
  return {
    app,
    fiscal,
    billpay,
    endpoints,
    uses,
    /** Everything in the background but the keeper. */
    startWork: () => {
      billpay.startWorkers();
      regular.start();
      endpoints.startWork();
    },
    /** Answers what is in flight, and ends the work. */
    stop: async () => {
      const patience = setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS);
      // Together: each has a patience of its own.
      await Promise.all([app.close(), regular.stop(), endpoints.drain()]);
      await billpay.drain();
      await fiscal.drain();
      clearTimeout(patience);
    },
  };
}
