import type { Question } from '../shared/connection.ts';
import { drive, inTurns, type LoadResult, together } from '../shared/load.ts';
import { atMost, figure, type Goal, ms, table, whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import type { Stage } from '../shared/stage.ts';

const ROUNDS = 10;
const ALLOWED = 1.5;

/** What is asked of one installation, by name. */
export type Reads = Readonly<Record<string, (turn: number) => Question>>;

export interface ReadResult {
  readonly name: string;
  readonly small: Pick<LoadResult, 'p50Ms' | 'p99Ms'>;
  readonly large: Pick<LoadResult, 'p50Ms' | 'p99Ms'>;
}

type Sides = Readonly<Record<'small' | 'large', { readonly stage: Stage; readonly reads: Reads }>>;

/** Few connections, so that the time of an answer is compared and not the length of a queue. */
export async function measureReads(
  sides: Sides,
  { requests, connections }: { readonly requests: number; readonly connections: number },
): Promise<ReadResult[]> {
  const results: ReadResult[] = [];
  for (const [name, ofLarge] of Object.entries(sides.large.reads)) {
    const each = Math.ceil(requests / ROUNDS);
    const loads = await inTurns(['large', 'small'], ROUNDS + 1, async (way, round) => {
      progress(`${name}: measuring, ${round} of ${ROUNDS} rounds`);
      const { stage, reads } = sides[way];
      const ask = reads[name] ?? ofLarge;
      const questionOf = (turn: number) => ask(round * each + turn);
      const { url, signal } = stage;
      return stage.count(await drive({ url, signal, connections, questionOf, requests: each }), 0);
    });
    // The first round warms up.
    results.push({ name, large: together(loads.large.slice(1)), small: together(loads.small.slice(1)) });
  }
  return results;
}

export function readLines(rows: string, small: number, results: readonly ReadResult[]): string[] {
  return table(
    ['read', `p50, p99 at ${whole(small)}`, `p50, p99 at ${rows}`, 'ratio of p99'],
    results.map((one) => [
      one.name,
      ms(one.small.p50Ms, one.small.p99Ms),
      ms(one.large.p50Ms, one.large.p99Ms),
      figure(one.large.p99Ms / one.small.p99Ms),
    ]),
  );
}

export function readGoals(rows: string, results: readonly ReadResult[]): Goal[] {
  return results.map(({ name, small, large }) =>
    atMost(`${name} at ${rows}: p99, by that with few`, large.p99Ms / small.p99Ms, ALLOWED),
  );
}
