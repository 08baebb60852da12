import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { countMinutes } from '../../fiscal/index.ts';
import type { Clock } from '../../platform/clock.ts';

const EVERY_MS = 30_000;

/** Counted as time goes by, so that whoever opens the console after a busy day does not wait for all of it. */
export function countMinutesRegularly(app: FastifyInstance, { pool, clock }: { pool: Pool; clock: Clock }): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', (done) => {
    timer = setInterval(() => {
      countMinutes(pool, clock()).catch((error: unknown) => {
        app.log.warn({ err: error }, 'what was sealed could not be counted');
      });
    }, EVERY_MS).unref();
    done();
  });
  app.addHook('preClose', (done) => {
    clearInterval(timer);
    done();
  });
}
