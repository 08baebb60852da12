import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inTurns, type LoadResult } from '../shared/load.ts';
import type { Sender } from '../shared/receipt.ts';
import { atMost, type Goal, type Outcome, table } from '../shared/report.ts';
import { type Bench, progress, type Run } from '../shared/run.ts';
import { startSide } from '../shared/side-process.ts';
import { Stage } from '../shared/stage.ts';
import { type Neighbour, type NeighbourLoad, printing, waitingPolls } from './neighbour.ts';
import { figuresOf, HEADER, measureRound, type Pace, ratioRow, row } from './round.ts';

const NEIGHBOURS: readonly Neighbour[] = [waitingPolls, printing];
const TILLS = 200;
const WARM_UP_REQUESTS = 12_000;
/** Opening or cutting thousands of connections at once is not what is measured. */
const SETTLE_MS = 2000;
const ALLOWED = 1.2;

export const neighbours: Bench = {
  about: 'a till beside ten thousand waiting polls, and beside long invoices being printed: 3 minutes',
  parts: NEIGHBOURS.map(({ name }) => name),
  measure,
};

async function measure(run: Run): Promise<Outcome> {
  // As operators run it, with refusals logged.
  await using stage = await Stage.start(run, { LOG_LEVEL: 'info' });
  const tills = await stage.addDevices(TILLS);
  const { perSecond } = await stage.warmUp(tills, WARM_UP_REQUESTS);
  const pace = { perSecond, rounds: run.isShort ? 1 : 3, secondsAtRate: 2.5, secondsAtMaximum: 1.5 };
  const lines: string[] = [];
  const goals: Goal[] = [];
  for (const neighbour of NEIGHBOURS.filter(({ name }) => run.parts.includes(name))) {
    progress(`${neighbour.name}: preparing`);
    const found = await measureBeside(stage, tills, pace, neighbour.name, await neighbour.prepare(stage, run.isShort));
    lines.push(...found.lines);
    goals.push(found.goal);
  }
  return { lines, goals, errors: stage.errors };
}

async function measureBeside(
  stage: Stage,
  tills: readonly Sender[],
  pace: Pace,
  name: string,
  load: NeighbourLoad,
): Promise<{ readonly lines: readonly string[]; readonly goal: Goal }> {
  await using side = startSide(join(import.meta.dirname, 'neighbour-process.ts'));
  const answers: Record<string, number> = {};
  const rounds = await inTurns(['without', 'with'], pace.rounds, async (way, round) => {
    progress(`${name}: measuring ${way}, ${round + 1} of ${pace.rounds}`);
    if (way === 'with') await side.ask({ ...load, url: stage.url });
    await delay(SETTLE_MS, undefined, { signal: stage.signal });
    const measured = await measureRound(stage, tills, pace, async () => {});
    if (way === 'without') return measured;
    for (const [status, count] of Object.entries(await side.ask<LoadResult['byStatus']>('end')))
      answers[status] = (answers[status] ?? 0) + count;
    return measured;
  });
  const [without, beside] = [figuresOf(rounds.without), figuresOf(rounds.with)];
  const counts = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  return {
    lines: [
      ...table(HEADER, [row('without', without), row(`with ${name}`, beside), ratioRow('ratio', beside, without)]),
      `Its own answers: ${counts.join(', ') || 'none'}.`,
      '',
    ],
    goal: atMost(`p50 with ${name}, by that without`, beside.p50Ms / without.p50Ms, ALLOWED),
  };
}
