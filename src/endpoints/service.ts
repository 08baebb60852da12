import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { newId } from '../kernel/ids.ts';
import { type Feed, INSTALLATION_ID } from '../platform/events/feed.ts';
import type { EventSource } from '../platform/events/tenant-guard.ts';
import type { Administration } from '../platform/http/administration.ts';
import type { Log } from '../platform/logging/log.ts';
import { figures, type Metrics } from '../platform/metrics.ts';
import { attemptMetrics } from '../platform/work/delivery-metrics.ts';
import type { RegularWork } from '../platform/work/regular-work.ts';
import { claimTelling, noteTold } from './alert-store.ts';
import { announceAll, eventsOf } from './announce-alerts.ts';
import { tidyAttempts } from './attempt-store.ts';
import { isWanted } from './core/batch.ts';
import { MOST_PER_TENANT } from './create-endpoint.ts';
import { listEndpoints } from './endpoint-store.ts';
import { createEndpointWork } from './endpoint-work.ts';
import { operatorRoutes, tenantRoutes } from './routes.ts';
import type { SendingContext } from './send-by-hand.ts';
import { type Transport, transportOf } from './transport.ts';
import { createWebTransport, type WebTransportOptions } from './web-transport.ts';
import { countEndpointsByState, type EndpointCounts } from './work-store.ts';

export interface EndpointServiceOptions extends Omit<WebTransportOptions, 'observe' | 'resolve'> {
  readonly metrics?: Metrics;
  readonly feed: Feed;
  /** What this installation calls from, where its operator has said so. */
  readonly senderAddresses?: readonly string[];
  /** Undefined: it sends none. */
  readonly mail?: Transport | undefined;
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

export function watchEndpoints(registry: Registry, count: () => Promise<EndpointCounts>): void {
  figures(registry, count, [
    ['tillseal_endpoints_active', 'Endpoints that are sent events.', ({ active }) => active],
    ['tillseal_endpoints_paused', 'Endpoints that are not, until somebody resumes them.', ({ paused }) => paused],
    ['tillseal_endpoint_events_waiting', 'Events that active endpoints have yet to pass.', ({ waiting }) => waiting],
  ]);
}

type TellingContext = Pick<SendingContext, 'pool' | 'clock' | 'transports' | 'stopping'> & { readonly log: Log };

/** Sends the installation's endpoints what cannot be in their feed while it is true. It has no number, goes beside what is sent in order, and is not written down. */
async function tellApart({ pool, clock, log, transports, stopping }: TellingContext): Promise<void> {
  const now = clock();
  const alert = await claimTelling(pool, now);
  if (alert === undefined) return;
  const events = eventsOf(alert, now).map((event) => ({ ...event, number: null, data: JSON.stringify(event.data) }));
  const active = await listEndpoints(pool, { tenantId: INSTALLATION_ID, state: 'Active' }, MOST_PER_TENANT);
  const wanting = active.filter((endpoint) => events.every((event) => isWanted(endpoint, event)));
  const told = wanting.map(async (endpoint) => {
    const delivery = { endpoint, messageId: `msg_${newId()}`, events, isInLine: false, signal: stopping };
    const { outcome, error } = await transportOf(transports, endpoint).send(delivery);
    const { endpointId } = endpoint;
    if (outcome !== 'Taken') log.warn({ endpointId, error }, 'an endpoint could not be told of commits that wait');
    return outcome === 'Taken';
  });
  if (told.length === 0 || (await Promise.all(told)).includes(true)) await noteTold(pool, alert, now);
}
