import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/platform/health.ts';
import type { DatabaseState } from '../database/primary-watch.ts';
import type { Metrics } from '../metrics.ts';
import { VERSION } from '../version.ts';
import { route } from './route.ts';

/** For those who run it. `live`: the process answers. `ready`: it can do its work, and is not on its way out. */
export function operationRoutes(app: FastifyInstance, pool: Pool, metrics: Metrics, database: DatabaseState): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  // Operators are shown what there is, confirmed by a standby or not. They are told which it is.
  app.addHook('onRequest', (request, reply, done) => {
    if (database.isWaiting && request.url.startsWith('/api/admin')) reply.header('database-state', 'waiting');
    done();
  });
  const guard = () => undefined;
  route(app, guard, contract.getMetrics, async ({ reply }) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  route(app, guard, contract.getLive, (): contract.Live => ({ Status: 'live' }));
  route(app, guard, contract.getVersion, (): contract.Version => ({ Version: VERSION }));
  route(app, guard, contract.getReady, async ({ reply }): Promise<contract.Readiness> => {
    const isThere = database.isThere && (await answers(pool));
    const isReady = !isClosing && isThere;
    if (!isReady) reply.code(503);
    return {
      Status: isReady ? 'ready' : isClosing ? 'stopping' : 'not ready',
      Database: !isThere ? 'unreachable' : database.isWaiting ? 'waiting for its standby' : 'ok',
    };
  });
}

const PATIENCE_MS = 2000;

async function answers(pool: Pool): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, PATIENCE_MS, false).unref());
  const asked = pool.query('select 1').then(
    () => true,
    () => false,
  );
  return Promise.race([asked, late]);
}
