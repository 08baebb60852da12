import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { countMinutes, PAYMENTS, RECEIPTS } from './minute-store.ts';

const EVERY_MS = 30_000;

/** Counted continuously, so that opening the console after a busy day does not mean waiting for all of it. */
export function countMinutesRegularly(app: FastifyInstance, { pool, clock }: { pool: Pool; clock: Clock }): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', (done) => {
    timer = setInterval(() => {
      for (const source of [RECEIPTS, PAYMENTS]) {
        countMinutes(pool, source, clock()).catch((error: unknown) => {
          app.log.warn({ err: error }, `what is new of the ${source.noun}s could not be counted`);
        });
      }
    }, EVERY_MS).unref();
    done();
  });
  app.addHook('preClose', (done) => {
    clearInterval(timer);
    done();
  });
}
