import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Authority } from '../authority/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { MasterKeys } from '../platform/master-keys.ts';
import type { Metrics } from '../platform/metrics.ts';
import { DeviceRegistry } from './devices/device-registry.ts';
import { deviceRoutes } from './devices/routes.ts';
import { receiptRoutes } from './receipts/routes.ts';
import { Sealer } from './sealing/sealer.ts';
import { createSubmit } from './submission/submit-receipt.ts';
import { type Authenticate, createAuthenticate } from './taxpayers/authenticate.ts';

export interface FiscalOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly authority: Authority;
  readonly clock: Clock;
  readonly log: Log;
  /** Shared with the console; one of its own by default. */
  readonly authenticate?: Authenticate;
  readonly metrics?: Pick<Metrics, 'observeBatch' | 'watchQueue'>;
}

export interface FiscalService {
  readonly registerRoutes: (app: FastifyInstance) => void;
  /** Resolves when every receipt that was asked for is sealed or refused. */
  readonly drain: () => Promise<void>;
}

/** Puts the signing service together. */
export function createFiscalService(options: FiscalOptions): FiscalService {
  const { pool, masterKeys, authority, clock, log, metrics } = options;
  const authenticate = options.authenticate ?? createAuthenticate(pool, clock);
  const devices = new DeviceRegistry(pool, masterKeys);
  const sealer = new Sealer({ pool, devices, clock }, log, metrics?.observeBatch);
  metrics?.watchQueue(() => sealer.queueLength);
  const submit = createSubmit(authority, clock);
  return {
    registerRoutes: (app) => {
      receiptRoutes(app, { pool, devices, sealer, clock, authenticate, submit });
      deviceRoutes(app, { pool, authenticate, clock });
    },
    drain: () => sealer.drain(),
  };
}
