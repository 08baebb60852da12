import { setTimeout as delay } from 'node:timers/promises';
import { askerOf, type Question } from './ask.ts';
import { CONNECTIONS, type LoadResult, monotonicMs, percentiles } from './old-load.ts';

export interface OpenLoad {
  readonly origin: string;
  readonly perSecond: number;
  readonly requests: number;
  readonly requestOf: (turn: number) => Question;
  readonly isRight: (answer: string) => boolean;
  readonly signal: AbortSignal;
}

export interface OpenLoadResult extends LoadResult {
  /** The first wrong answer, to show. */
  readonly wrong: string;
}

/**
 * Sends at a fixed rate, however slow the answers are, as independent tills do: the gaps between requests are random, so several
 * may come at once. (The other generator waits for an answer before it sends the next request, and limited to a rate it sends a
 * burst every second.) Time spent waiting for a connection counts as waiting for the service.
 */
export async function driveOpen(load: OpenLoad): Promise<OpenLoadResult> {
  if (!(load.perSecond > 0 && load.requests > 0))
    throw new Error('a load needs a rate: nothing was answered before it');
  const asker = askerOf(load.origin, CONNECTIONS);
  const latenciesMs: number[] = [];
  const { promise: allAnswered, resolve, reject } = Promise.withResolvers<void>();
  allAnswered.catch(() => {}); // awaited when all are sent
  const stop = () => reject(load.signal.reason);
  load.signal.addEventListener('abort', stop, { once: true });
  // Only the latency is kept: garbage collection here would slow the service down.
  const send = async (turn: number) => {
    latenciesMs.push(await asker.ask(load.requestOf(turn), load.isRight));
    if (latenciesMs.length === load.requests) resolve();
  };
  const startedAtMs = monotonicMs();
  let dueMs = startedAtMs;
  try {
    for (let turn = 0; turn < load.requests; turn += 1) {
      const waitMs = dueMs - monotonicMs();
      if (waitMs > 0) await delay(waitMs, undefined, { signal: load.signal });
      send(turn).catch(reject);
      dueMs -= (Math.log(1 - Math.random()) * 1000) / load.perSecond;
    }
    await allAnswered;
  } finally {
    load.signal.removeEventListener('abort', stop);
    await asker.close();
  }
  const endedAtMs = monotonicMs();
  const answered = latenciesMs.length - asker.errors();
  return {
    latenciesMs,
    answered,
    errors: asker.errors(),
    wrong: asker.wrong(),
    startedAtMs,
    endedAtMs,
    perSecond: (answered / (endedAtMs - startedAtMs)) * 1000,
    ...percentiles(latenciesMs),
  };
}
