import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { registerConsole } from '../../../src/console/index.ts';
import { createGateway } from '../../../src/fdms/gateway/gateway.ts';
import type { Gateway } from '../../../src/fdms/index.ts';
import { createAuthenticate, createFiscalService, type FiscalService } from '../../../src/fiscal/index.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { eventRoutes } from '../../../src/platform/events/event-routes.ts';
import { createHttpApp } from '../../../src/platform/http/app.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import type { MasterKeys } from '../../../src/platform/secrets/master-keys.ts';
import type { SimulatorProcess } from './simulator.ts';

const log = createLogger('silent');

/** One instance of the service in this process: pool, gateway, keeper and routes of its own, requests injected. */
export interface Instance {
  readonly app: FastifyInstance;
  readonly fiscal: FiscalService;
  readonly gateway: Gateway;
  readonly pool: Pool;
  close(): Promise<void>;
}

export async function startInstance(options: {
  readonly databaseUrl: string;
  readonly simulator: SimulatorProcess;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly submissionWaitMs: number;
}): Promise<Instance> {
  const { simulator, masterKeys, clock, submissionWaitMs } = options;
  const pool = await openDatabase({ connection: options.databaseUrl, maxConnections: 10, log });
  const gateway = createGateway({
    url: simulator.url,
    caPem: await readFile(simulator.caFile, 'utf8'),
    modelName: 'Server',
    modelVersion: 'v1',
    log,
    clock,
    timeoutMs: 20_000,
  });
  const app = createHttpApp({ log, publicUrl: 'http://tillseal.test' });
  const authenticate = createAuthenticate(pool, clock);
  const fiscal = createFiscalService({ pool, masterKeys, gateway, clock, log, authenticate, submissionWaitMs });
  fiscal.registerRoutes(app);
  eventRoutes(app, [fiscal.events]);
  registerConsole(app, { pool, masterKeys, clock, authenticate, gateway, poke: fiscal.poke });
  await app.ready();
  fiscal.startKeeper();
  return {
    app,
    fiscal,
    gateway,
    pool,
    close: async () => {
      await app.close();
      await fiscal.drain();
      await gateway.close();
      await pool.end();
    },
  };
}
