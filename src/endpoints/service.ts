import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Clock } from '../platform/clock.ts';
import type { Feed } from '../platform/events/feed.ts';
import type { EventSource } from '../platform/events/tenant-guard.ts';
import type { Administration } from '../platform/http/administration.ts';
import type { Log } from '../platform/logging/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import { attemptMetrics } from '../platform/work/delivery-metrics.ts';
import type { RegularWork } from '../platform/work/regular-work.ts';
import { announceAll } from './announce-alerts.ts';
import { tidyAttempts } from './attempt-store.ts';
import { watchEndpoints } from './endpoint-metrics.ts';
import { createEndpointWork } from './endpoint-work.ts';
import { operatorRoutes, tenantRoutes } from './routes.ts';
import { tellApart } from './tell-apart.ts';
import type { Transport } from './transport.ts';
import { createWebTransport } from './web-transport.ts';
import { countEndpointsByState } from './work-store.ts';

export interface EndpointServiceOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly feed: Feed;
  readonly allowsPrivate: boolean;
  /** What this installation calls from, where its operator has said so. */
  readonly senderAddresses?: readonly string[];
  /** Undefined: it sends none. */
  readonly mail?: Transport | undefined;
  /** Only tests are in a greater hurry. */
  readonly timeoutMs?: number | undefined;
}

export interface EndpointService {
  /** For tenants of the services that this process has. */
  readonly registerRoutes: (app: FastifyInstance, sources: readonly [EventSource, ...EventSource[]]) => void;
  /** For operators. */
  readonly registerAdministration: (
    app: FastifyInstance,
    administration: Pick<Administration, 'guard' | 'audited' | 'isOperator'>,
  ) => void;
  readonly startWork: () => void;
  /** What is to be done regularly by some instance. */
  readonly regularWork: readonly RegularWork[];
  /** Tells the installation's endpoints, if it is time, that commits wait or wait no more. */
  readonly tell: () => Promise<void>;
  /** Something may be due sooner than it is looked for. */
  readonly poke: () => void;
  /** Resolves when nothing is running any more. */
  readonly drain: () => Promise<void>;
}

/** Puts together what tells endpoints of events. */
export function createEndpointService(options: EndpointServiceOptions): EndpointService {
  const { pool, metrics } = options;
  const observe = metrics && attemptMetrics(metrics.registry, 'events');
  const transports = { web: createWebTransport({ ...options, observe }), mail: options.mail };
  const work = createEndpointWork({ ...options, transports });
  if (metrics) watchEndpoints(metrics.registry, () => countEndpointsByState(pool));
  const context = {
    ...options,
    transports,
    poke: work.poke,
    stopping: work.stopping,
    hasMail: options.mail !== undefined,
    senderAddresses: options.senderAddresses ?? [],
  };
  return {
    registerRoutes: (app, sources) => tenantRoutes(app, context, sources),
    registerAdministration: (app, administration) => operatorRoutes(app, context, administration),
    startWork: work.start,
    regularWork: [
      { name: 'announce alerts', everyMs: 2000, run: () => announceAll(pool) },
      { name: 'old attempts', everyMs: 3_600_000, run: () => tidyAttempts(pool, options.clock()) },
    ],
    tell: () => tellApart(context),
    poke: work.poke,
    drain: async () => {
      await work.stop();
      transports.web.close();
      transports.mail?.close();
    },
  };
}
