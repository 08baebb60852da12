import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { type BillpayOptions, createBillpayService } from '../../../src/billpay/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { createHttpApp } from '../../../src/platform/http/app.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import type { TestBillpay } from './billpay.ts';

export interface BillpayInstance {
  readonly app: FastifyInstance;
  readonly pool: Pool;
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** One more instance of bill payments on the database of a test, with connections and caches of its own. */
export async function createBillpayInstance(
  billpay: TestBillpay,
  options: Partial<BillpayOptions> = {},
): Promise<BillpayInstance> {
  const log = createLogger('silent');
  const pool = await openDatabase({ connection: billpay.url, maxConnections: 10, log });
  const app = createHttpApp({ log, publicUrl: 'http://tillseal.test' });
  const service = createBillpayService({
    pool,
    masterKeys: billpay.masterKeys,
    clock: systemClock,
    log,
    fiscalUrl: 'http://fiscal.invalid',
    webhookIntervalMs: 30_000,
    webhookTimeoutMs: 10_000,
    webhookAllowsPrivate: true,
    ...options,
  });
  service.registerRoutes(app);
  await app.ready();
  return {
    app,
    pool,
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    close: async () => {
      await app.close();
      await service.drain();
      await pool.end();
    },
  };
}
