import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import type { Post } from '../world/world.ts';
import { isReady } from './process-steps.ts';
import type { Stage, Step } from './step.ts';

const PATIENCE_MS = 120_000;
/** An instance that holds no lane may not talk to the authority for a long time: the next step takes another one. */
const NO_CONNECTION_MS = 30_000;

export const cutDatabase = step('cut the connections to the database', 'toDatabase', 'cut', [500, 3000]);
export const freezeDatabase = step('freeze the connections to the database', 'toDatabase', 'freeze', [2000, 13_000]);
export const cutAuthority = long(step('cut the connections to the authority', 'toAuthority', 'cut', [500, 3000]));
export const freezeAuthority = long(
  step('freeze the connections to the authority', 'toAuthority', 'freeze', [1000, 6000]),
);

function step(
  name: string,
  way: 'toDatabase' | 'toAuthority',
  how: 'cut' | 'freeze',
  [least, most]: readonly [number, number],
): Step {
  const run = (stage: Stage) =>
    stage.withPost(async (post: Post) => {
      const tunnel = post[way];
      await until(() => tunnel.connections > 0, 'there is a connection', NO_CONNECTION_MS);
      const ms = stage.isShort ? least : stage.random.between(least, most);
      const count = how === 'cut' ? tunnel.cut() : tunnel.freeze();
      if (count === 0) throw new Error('there was no connection');
      await delay(ms);
      tunnel.pass();
      await until(() => isReady(post.instance.url), 'the instance is ready again', PATIENCE_MS);
      const what = how === 'cut' ? 'cut, new ones refused' : 'frozen, nothing got through';
      return `${count} connections of instance ${post.instance.name} ${what} for ${(ms / 1000).toFixed(1)} s`;
    });
  return { name, run };
}

function long(one: Step): Step {
  return { ...one, isForLongRuns: true };
}
