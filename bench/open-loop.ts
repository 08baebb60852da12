import { setTimeout as delay } from 'node:timers/promises';
import { Pool, request } from 'undici';
import { CONNECTIONS, type LoadResult, monotonicMs, percentiles } from './load.ts';

export interface OpenLoad {
  readonly origin: string;
  readonly perSecond: number;
  readonly requests: number;
  readonly requestOf: (turn: number) => {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly token: string;
    readonly body?: string;
  };
  readonly isRight: (answer: string) => boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (answered: number) => void;
  readonly onWrong?: (answer: string) => void;
}

/**
 * Sends at a rate, whatever the answers do, as tills do that know nothing of each other: the gaps between requests are random,
 * so several may come at once. The other generator waits for an answer before it sends the next request, and held back to a
 * rate it sends in bursts, one a second. A request that waits for a connection has waited for the service.
 */
export async function driveOpen(load: OpenLoad): Promise<LoadResult> {
  const dispatcher = new Pool(load.origin, { connections: CONNECTIONS });
  const latenciesMs: number[] = [];
  let errors = 0;
  const send = async (turn: number) => {
    const sentAtMs = monotonicMs();
    const { method, path, token, body = null } = load.requestOf(turn);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    };
    const answer = await request(load.origin + path, { dispatcher, method, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode === 200) latenciesMs.push(monotonicMs() - sentAtMs);
    if (answer.statusCode !== 200 || !load.isRight(text)) {
      errors += 1;
      load.onWrong?.(`${answer.statusCode} ${text.slice(0, 300)}`);
    }
  };
  const startedAtMs = monotonicMs();
  const sent: Promise<void>[] = [];
  let dueMs = startedAtMs;
  try {
    for (let turn = 0; turn < load.requests; turn += 1) {
      const waitMs = dueMs - monotonicMs();
      if (waitMs > 0) await delay(waitMs, undefined, { signal: load.signal });
      sent.push(
        send(turn).catch((error: unknown) => {
          errors += 1;
          load.onWrong?.(String(error));
        }),
      );
      if (turn % 100 === 0) load.onProgress?.(latenciesMs.length);
      dueMs -= (Math.log(1 - Math.random()) * 1000) / load.perSecond;
    }
    await Promise.all(sent);
  } finally {
    await dispatcher.close();
  }
  const endedAtMs = monotonicMs();
  const perSecond = (latenciesMs.length / (endedAtMs - startedAtMs)) * 1000;
  return {
    latenciesMs,
    answered: latenciesMs.length,
    errors,
    startedAtMs,
    endedAtMs,
    perSecond,
    ...percentiles(latenciesMs),
  };
}
