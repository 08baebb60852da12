import type { FastifyInstance } from 'fastify';
import * as contract from '../contract/console/key.ts';
import { type Refusal, refused } from '../kernel/refusal.ts';
import { route } from '../platform/http/route.ts';
import type { ConsoleContext } from './context.ts';
import { principalOf } from './people/principal.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

const NO_NEW_KEY: Refusal = {
  code: 'InvalidRequest',
  detail:
    'There is no new master key to rotate to: put it in front of the old one (MASTER_KEY="new,old", or as the first line of MASTER_KEY_FILE) on every instance, restart them one by one, and call this again.',
};

export function keyRoutes(app: FastifyInstance, { pool, masterKeys, guard }: ConsoleContext): void {
  route(app, guard, contract.rotateMasterKey, async ({ request }) => {
    const outcome = await rotateMasterKey(pool, masterKeys, principalOf(request).actor);
    if (outcome.kind === 'needs-new-key') return refused(NO_NEW_KEY);
    return { Rewrapped: outcome.rewrapped, Remaining: outcome.remaining };
  });
}
