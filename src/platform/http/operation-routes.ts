import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/platform/health.ts';
import type { DatabaseState } from '../database/primary-watch.ts';
import type { Metrics } from '../metrics.ts';
import { thisBuild } from '../version.ts';
import { route } from './route.ts';

/** For those who run it. `live`: the process answers. `ready`: it can do its work, and is not on its way out. */
export function operationRoutes(app: FastifyInstance, metrics: Metrics, database: DatabaseState): void {
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
  route(app, guard, contract.getVersion, () => thisBuild());
  // The heartbeat's word: the pool may be busy with what waits for a standby, on all instances alike.
  route(app, guard, contract.getReady, ({ reply }): contract.Readiness => {
    const { isThere } = database;
    const isReady = !isClosing && isThere;
    if (!isReady) reply.code(503);
    return {
      Status: isReady ? 'ready' : isClosing ? 'stopping' : 'not ready',
      Database: !isThere ? 'unreachable' : database.isWaiting ? 'waiting for its standby' : 'ok',
    };
  });
}
