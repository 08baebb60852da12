import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Metrics } from '../metrics.ts';
import { liveDocumentation, metricsDocumentation, readyDocumentation } from './operation-documentation.ts';

/** For whoever runs it. `live`: the process answers. `ready`: it can do its work, and is not on its way out. */
export function operationRoutes(app: FastifyInstance, pool: Pool, metrics: Metrics): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  app.get('/metrics', { schema: { documentation: metricsDocumentation } }, async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
  app.get('/health/live', { schema: { documentation: liveDocumentation } }, () => ({ Status: 'live' }));
  app.get('/health/ready', { schema: { documentation: readyDocumentation } }, async (_request, reply) => {
    const database = (await answers(pool)) ? 'ok' : 'unreachable';
    const isReady = !isClosing && database === 'ok';
    reply.code(isReady ? 200 : 503);
    return { Status: isReady ? 'ready' : isClosing ? 'stopping' : 'not ready', Database: database };
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
