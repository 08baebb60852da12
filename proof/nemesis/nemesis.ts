import { setTimeout as delay } from 'node:timers/promises';
import type { Post } from '../world/world.ts';
import { faultSteps, outage, refuse } from './authority-steps.ts';
import { closeFailed } from './day-steps.ts';
import { cutAuthority, cutDatabase, freezeAuthority, freezeDatabase } from './network-steps.ts';
import { authorityClock, clockSteps, vendorSteps } from './other-steps.ts';
import { fillDisk, killDatabase, killInstance, pauseInstance } from './process-steps.ts';
import { Impossible, type Stage, type Step, type StepRecord } from './step.ts';

interface Track {
  readonly steps: readonly Step[];
  /** The longest wait between two steps. */
  readonly pauseMs: number;
}

/** The steps of a track come one after the other; the tracks run side by side. */
const TRACKS: Readonly<Record<string, Track>> = {
  // A lane whose instance was killed is taken over after ten seconds: with more frequent kills no day would ever close.
  instances: { steps: [killInstance], pauseMs: 15_000 },
  machines: { steps: [killInstance, killDatabase, cutDatabase, freezeDatabase, fillDisk], pauseMs: 2000 },
  sleepers: { steps: [pauseInstance, cutAuthority, freezeAuthority], pauseMs: 1500 },
  days: { steps: [closeFailed, outage, authorityClock], pauseMs: 2500 },
  authority: { steps: [...faultSteps, refuse], pauseMs: 1000 },
  outside: { steps: [...clockSteps, ...vendorSteps], pauseMs: 1000 },
};

export interface NemesisOptions {
  readonly stage: Omit<Stage, 'withPost'>;
  readonly until: number;
  readonly tell: (record: StepRecord) => void;
}

/**
 * Runs the plan that follows from the seed: on each track every step once, in random order, then random ones until the time is
 * over. A short run ends with the first round.
 */
export async function runNemesis({ stage, until, tell }: NemesisOptions): Promise<StepRecord[]> {
  const records: StepRecord[] = [];
  const withPost = postLender(stage.world.posts);
  const track = async ([name, { steps, pauseMs }]: [string, Track]) => {
    const random = stage.random.fork(name);
    const plan = random.shuffled(steps.filter(({ isForLongRuns }) => !stage.isShort || isForLongRuns !== true));
    for (let count = 0; count < plan.length || (Date.now() < until && !stage.isShort); count += 1) {
      const step = plan[count] ?? random.pick(steps);
      const record = await perform(step, { ...stage, random, withPost });
      records.push(record);
      tell(record);
      await delay(stage.isShort ? random.between(20, 100) : random.between(300, pauseMs));
    }
  };
  await Promise.all(Object.entries(TRACKS).map(track));
  return records;
}

export async function perform<On>(step: Step<On>, stage: On): Promise<StepRecord> {
  const startedAt = Date.now();
  const ended = (outcome: StepRecord['outcome'], proof: string): StepRecord => ({
    name: step.name,
    startedAt,
    endedAt: Date.now(),
    outcome,
    proof,
  });
  try {
    return ended('proved', await step.run(stage));
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return ended(error instanceof Impossible ? 'impossible' : 'unproved', words);
  }
}

/** Lends each instance to one step at a time: one that is paused is not killed as well. */
function postLender(posts: readonly Post[]): Stage['withPost'] {
  const lent = new Set<Post>();
  let turn = 0;
  return async (work) => {
    let post: Post | undefined;
    while (post === undefined) {
      turn += 1;
      const free = posts.filter((one) => !lent.has(one));
      post = free[turn % Math.max(1, free.length)];
      if (post === undefined) await delay(50);
    }
    lent.add(post);
    try {
      return await work(post);
    } finally {
      lent.delete(post);
    }
  };
}
