import { type LoadResult, together } from '../shared/load.ts';
import type { Sender } from '../shared/receipt.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import type { Stage } from '../shared/stage.ts';
import { prepareLimits } from './limits.ts';

const ROUNDS = 5;
/**
 * As a rate takes. About every half minute the kernel writes back dirty pages of the database, and flushes wait 100 ms for it: in
 * a short measurement one such moment affects more than a hundredth of all receipts, in a longer one less.
 */
const HALF_LOAD_TIMES_AS_LONG = 2;
const MAXIMUM_SECONDS = 1.2;
/** Until the after-effects of the maximum are over. */
const SETTLE_SECONDS = 0.6;

/** How fast a fleet seals. Sealing and the machine's limits take turns, so that a change in the machine's speed affects both. */
export async function measureRate(stage: Stage, bareUrl: string, senders: readonly Sender[], seconds: number) {
  const name = `${whole(senders.length)} devices`;
  let { perSecond } = await stage.warmUp(senders);
  progress(`${name}: preparing`);
  const limits = await prepareLimits(stage, bareUrl, senders, ROUNDS);
  const { result: loads, rssMb } = await watchingMemory(stage, async () => {
    const pieces: LoadResult[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      progress(`${name}: measuring, ${round + 1} of ${ROUNDS}`);
      await limits.take();
      const load = await stage.seal(senders, (perSecond * seconds) / ROUNDS);
      pieces.push(load);
      // The warm-up also loaded every device, so it was slower than what follows.
      ({ perSecond } = load);
    }
    return pieces;
  });
  return { senders, ...together(loads), rssMb, limits: limits.perSecond(), signatures: limits.signatures };
}
export type Rate = Awaited<ReturnType<typeof measureRate>>;

/** The service's largest memory while it ran. */
export async function watchingMemory<Result>({ service }: Stage, run: () => Promise<Result>) {
  let rssMb = 0;
  const look = async () => {
    rssMb = Math.max(rssMb, await service.rssMb());
  };
  const timer = setInterval(() => void look(), 250);
  try {
    const result = await run();
    await look();
    return { result, rssMb };
  } finally {
    clearInterval(timer);
  }
}

/**
 * What tills see at half of the service's maximum, which is measured before each piece: on a machine that is a third slower for a
 * while, half of its earlier maximum would be most of what it can do.
 */
export async function measureHalfLoad(stage: Stage, senders: readonly Sender[], perSecond: number, seconds: number) {
  const loads: LoadResult[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`half of the load: measuring, ${round + 1} of ${ROUNDS}`);
    const half = (await stage.seal(senders, perSecond * MAXIMUM_SECONDS)).perSecond / 2;
    await stage.sealAtRate(senders, half, SETTLE_SECONDS);
    loads.push(await stage.sealAtRate(senders, half, (seconds * HALF_LOAD_TIMES_AS_LONG) / ROUNDS));
  }
  return together(loads);
}
