import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import type { Failure } from '../world/vendor-receiver.ts';
import type { Stage, Step } from './step.ts';

const PATIENCE_MS = 40_000;
/** With hundreds of requests waiting a seal takes seconds. */
const MAX_SLACK_MS = 10_000;

export const vendorSteps: readonly Step[] = (['error', 'silence', 'cut'] as const).map((kind: Failure) => ({
  name: `the vendor's webhook: ${kind}`,
  isForLongRuns: kind !== 'error',
  run: async ({ world: { vendor } }) => {
    const before = vendor.failed;
    vendor.fail(kind, 2);
    try {
      await until(() => vendor.failed > before, 'a webhook arrives', PATIENCE_MS);
      await delay(500);
      return `${vendor.failed - before} webhooks met ${kind === 'error' ? 'a 500' : kind === 'cut' ? 'a cut' : 'silence'}`;
    } finally {
      vendor.heal();
    }
  },
}));

/**
 * The clock of one instance jumps while it works, and back again. The proof is what the instance itself wrote: the time at which
 * it sealed a receipt. Forwards it jumps only by a minute at most, because the others wait that long for anything this instance
 * puts off.
 */
function clockStep(name: string, shortSeconds: number, [least, most]: readonly [number, number]): Step {
  return {
    name,
    run: (stage) =>
      stage.withPost(async ({ instance }) => {
        const offsetMs = 1000 * (stage.isShort ? shortSeconds : stage.random.between(least, most));
        const jumpedAt = Date.now();
        instance.shiftClock(offsetMs);
        try {
          const seenMs = await shownBy(stage, instance.name, jumpedAt, offsetMs);
          await delay(stage.isShort ? 300 : 3000);
          const text = (ms: number) => `${ms > 0 ? '+' : ''}${(ms / 1000).toFixed(1)} s`;
          return `the clock of instance ${instance.name} was set to ${text(offsetMs)}; it dated a receipt ${text(seenMs)} off`;
        } finally {
          instance.shiftClock(0);
        }
      }),
  };
}

/** By how much this instance's time of a receipt that it sealed after the jump differs from the driver's. */
async function shownBy(stage: Stage, instance: string, since: number, offsetMs: number): Promise<number> {
  const slackMs = Math.min(MAX_SLACK_MS, Math.abs(offsetMs) / 2);
  let seenMs: number | undefined;
  const look = async () => {
    const fresh = stage.ledger.attempts
      .slice(-400)
      .filter((one) => one.act === 'sign' && one.instance === instance && one.status === 200 && !one.isReplay)
      .filter((one) => one.sentAt > since + 50);
    for (const { key, sentAt } of fresh) {
      const { rows } = await stage.world.database.pool
        .query<{ sealed_at: Date }>('select sealed_at from receipts where reference = $1', [key])
        .catch(() => ({ rows: [] }));
      const shown = rows[0] && rows[0].sealed_at.getTime() - sentAt;
      if (shown !== undefined && Math.abs(shown - offsetMs) < slackMs) seenMs = shown;
    }
    return seenMs !== undefined;
  };
  await until(look, `instance ${instance} seals by its new clock`, PATIENCE_MS);
  return seenMs ?? Number.NaN;
}

export const authorityClock: Step = {
  name: "the authority's clock jumps",
  isForLongRuns: true,
  run: async ({ world: { books }, random, isShort }) => {
    const offsetSeconds = random.between(60, 900);
    await books.control('POST', '/clock', { offsetSeconds });
    try {
      await delay(isShort ? 300 : 3000);
      const shown = await books.control<{ offsetSeconds: number }>('GET', '/clock');
      if (shown.offsetSeconds !== offsetSeconds) throw new Error(`it shows ${shown.offsetSeconds} s`);
      return `the authority's clock went ${shown.offsetSeconds} s ahead, read back, and back again`;
    } finally {
      await books.control('POST', '/clock', { offsetSeconds: 0 });
    }
  },
};

export const clockSteps: readonly Step[] = [
  clockStep('the clock of an instance jumps forwards', 5, [20, 60]),
  clockStep('the clock of an instance jumps backwards', -600, [-3600, -60]),
];
