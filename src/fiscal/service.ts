import type { FastifyInstance } from 'fastify';
import { ServerCertificates } from '../fdms/index.ts';
import { OrderedConnection } from '../platform/database/ordered-connection.ts';
import type { Feed } from '../platform/events/feed.ts';
import type { EventSource } from '../platform/events/tenant-guard.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import type { RegularWork } from '../platform/work/regular-work.ts';
import { Sequence } from '../platform/work/sequence.ts';
import { lookForOutages } from './alerts/look-for-outages.ts';
import { countOpenAlerts } from './alerts/store.ts';
import { dayRoutes } from './days/routes.ts';
import { ShutDays } from './days/shut-days.ts';
import { DeviceRegistry } from './devices/device-registry.ts';
import { deviceRoutes } from './devices/routes.ts';
import { createFeed, taxpayerEvents } from './events/event-source.ts';
import { Evidence } from './evidence/evidence.ts';
import { createFiscalMetrics } from './fiscal-metrics.ts';
import type { KeeperOptions } from './keeper/context.ts';
import { Keeper } from './keeper/keeper.ts';
import { readBacklog, wantComparisons } from './lanes/store.ts';
import { printRoutes } from './printing/routes.ts';
import { receiptRoutes } from './receipts/routes.ts';
import { createSign, type Sign } from './receipts/sign-receipt.ts';
import { Acknowledged } from './sealing/acknowledged.ts';
import { KnownHeads } from './sealing/known-heads.ts';
import { findLostRows } from './sealing/lost-rows.ts';
import { Sealer } from './sealing/sealer.ts';
import { Signer } from './signing/signer.ts';
import { Breaker } from './submission/breaker.ts';
import { Sending } from './submission/sending.ts';
import { createSubmit } from './submission/submit-receipt.ts';
import { SubmissionWaiters } from './submission/waiters.ts';
import type { Authenticate } from './taxpayers/authenticate.ts';
import { warnOfTills } from './tills/store.ts';
import { TillsBehind } from './tills/tills-behind.ts';

type SharedOptions = 'pool' | 'gateway' | 'clock' | 'log' | 'devicesAtOnce' | 'timeZone' | 'taxRounding';

export interface FiscalOptions extends Pick<KeeperOptions, SharedOptions> {
  readonly masterKeys: MasterKeys;
  /** Shared with the console. */
  readonly authenticate: Authenticate;
  readonly metrics: Metrics;
  /** How long a request waits for its own submission. */
  readonly submissionWaitMs: number;
  readonly sendsPartialBuyers: boolean;
  readonly sendsCashier: boolean;
}

export interface FiscalService {
  readonly registerRoutes: (app: FastifyInstance) => void;
  /** For `GET /api/events`. */
  readonly events: EventSource;
  /** Of taxpayers, vendors and the installation. */
  readonly feed: Feed;
  /** What is to be done regularly by some instance. */
  readonly regularWork: readonly RegularWork[];
  /** Starts talking to the authority for all devices. */
  readonly startKeeper: () => void;
  /** Something new is due for this device. */
  readonly poke: (taxpayerId: string, deviceId: number) => void;
  /** Every device has done what the present time asks for. */
  readonly isAtRest: () => boolean;
  readonly breaker: Breaker;
  readonly tills: TillsBehind;
  readonly sending: Sending;
  /** Shared with the console. */
  readonly sign: Sign;
  /**
   * Puts on hold whatever lacks receipts that this process answered. To be called when the database may be another one than before; what
   * is sold on is looked at anyhow. Returns the number of devices.
   */
  readonly findLostRows: () => Promise<number>;
  /** Has every device compared with the authority, a bounded number at a time; they go on selling meanwhile. */
  readonly compareAll: () => Promise<void>;
  /** Resolves when every receipt that was asked for is sealed or refused, and no step is under way. */
  readonly drain: () => Promise<void>;
}

/** Puts the signing service together. */
export function createFiscalService(options: FiscalOptions): FiscalService {
  const { pool, masterKeys, gateway, clock, log, authenticate, submissionWaitMs: waitMs, timeZone } = options;
  const metrics = createFiscalMetrics(options.metrics.registry);
  const devices = new DeviceRegistry(pool, masterKeys);
  const signer = new Signer(log);
  const acknowledged = new Acknowledged();
  const sealer = new Sealer(
    {
      pool,
      devices,
      heads: new KnownHeads(),
      countBatch: metrics.countBatch,
      sequence: new Sequence(),
      appendConnection: new OrderedConnection(pool),
      signer,
      acknowledged,
      clock,
      log,
    },
    metrics.observeBatch,
  );
  const sending = new Sending(pool, { partialBuyers: options.sendsPartialBuyers, cashier: options.sendsCashier });
  const breaker = new Breaker();
  const waiters = new SubmissionWaiters();
  const keeper = new Keeper({
    ...options,
    evidence: new Evidence(pool, new ServerCertificates(gateway), log),
    breaker,
    devices,
    waiters,
    acknowledged,
    sending,
    slowMs: waitMs,
  });
  const tills = new TillsBehind(pool);
  const submit = createSubmit({ pool, devices, breaker, waiters, clock, waitMs, lanes: keeper });
  const shutDays = new ShutDays(pool, devices);
  const sign = createSign({ ...options, devices, sealer, shutDays, submit });
  metrics.watch({
    queueLength: () => sealer.queueLength,
    breakerState: () => breaker.state,
    activeDevices: () => keeper.activeCount,
    backlog: () => readBacklog(pool, clock()),
    openAlerts: () => countOpenAlerts(pool),
  });
  return {
    registerRoutes: (app) => {
      receiptRoutes(app, { ...options, devices, shutDays, sign, tills, sending });
      tills.watch(app);
      printRoutes(app, { pool, authenticate });
      deviceRoutes(app, { pool, authenticate, clock });
      dayRoutes(app, { pool, authenticate });
    },
    events: taxpayerEvents(authenticate),
    feed: createFeed(pool, log),
    regularWork: [
      { name: 'outages', everyMs: 30_000, run: () => lookForOutages({ pool, clock, timeZone }) },
      { name: 'tills that are behind', everyMs: 60_000, run: () => warnOfTills(pool) },
    ],
    startKeeper: () => {
      keeper.start();
      sending.begin().catch((error: unknown) => log.warn({ err: error }, 'an alert about buyers could not be ended'));
    },
    poke: (taxpayerId, deviceId) => keeper.poke({ taxpayerId, deviceId }),
    isAtRest: () => keeper.isAtRest,
    breaker,
    tills,
    sending,
    sign,
    findLostRows: () => findLostRows({ pool, acknowledged, clock, log }),
    compareAll: () => wantComparisons(pool, clock()),
    drain: async () => {
      waiters.releaseAll();
      await sealer.drain();
      await signer.close();
      await keeper.stop();
    },
  };
}
