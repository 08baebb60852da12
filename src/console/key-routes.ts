import type { FastifyInstance } from 'fastify';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { rotateMasterKeyDocumentation } from './key-documentation.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

export function keyRoutes(app: FastifyInstance, { pool, masterKeys, allow }: ConsoleContext): void {
  app.post('/api/admin/keys/rotate-master', {
    onRequest: allow('admin'),
    schema: { documentation: rotateMasterKeyDocumentation },
    handler: async (request, reply) => {
      const outcome = await rotateMasterKey(pool, masterKeys, actorOf(request).actor);
      if (outcome.kind === 'moved') return { Rewrapped: outcome.rewrapped, Remaining: outcome.remaining };
      return sendProblem(reply, {
        code: 'InvalidRequest',
        detail:
          'There is no new master key to rotate to: put it in front of the old one (MASTER_KEY="new,old", or as the first line of MASTER_KEY_FILE) on every instance, restart them one by one, and call this again.',
      });
    },
  });
}
