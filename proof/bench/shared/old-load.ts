import autocannon from 'autocannon';
import { newReference, referenceIn } from './receipt.ts';

export const CONNECTIONS = 64;

export interface Load<Sender extends { readonly token: string }> {
  readonly url: string;
  readonly senders: readonly Sender[];
  readonly bodyOf: (sender: Sender, reference: string) => string;
  /** A number and not a time: at the end no request is open, so the table can be compared with the answers. */
  readonly requests: number;
  readonly connections: number;
  /** What every correct answer contains. */
  readonly marker: string;
  readonly signal: AbortSignal;
  readonly onProgress: (answered: number) => void;
}

export interface LoadResult {
  readonly answered: number;
  readonly errors: number;
  /** On the monotonic clock, which all processes of the machine share. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Sends unique receipts or payments, from the senders in turn, over all connections. */
export async function drive<Sender extends { readonly token: string }>(load: Load<Sender>): Promise<LoadResult> {
  const pending = new Set<string>();
  const latenciesMs: number[] = [];
  const failures = { refused: 0, wrong: 0, broken: 0 };
  let turn = 0;
  const startedAtMs = monotonicMs();
  let endedAtMs = startedAtMs;
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const run = autocannon(
    {
      url: load.url,
      connections: load.connections,
      amount: load.requests,
      method: 'POST',
      sampleInt: 100,
      requests: [
        {
          setupRequest: (request) => {
            const sender = load.senders[turn % load.senders.length];
            if (sender === undefined) throw new Error('a load needs a sender');
            turn += 1;
            const reference = newReference();
            pending.add(reference);
            request.headers = { authorization: `Bearer ${sender.token}`, 'content-type': 'application/json' };
            request.body = load.bodyOf(sender, reference);
            return request;
          },
        },
      ],
      verifyBody: (body) => {
        const answer = String(body);
        if (!pending.delete(referenceIn(answer)) || !answer.includes(load.marker)) failures.wrong += 1;
        return true;
      },
    },
    (error: Error | null) => (error ? reject(error) : resolve()),
  );
  run.on('response', (_client, status, _bytes, latencyMs) => {
    if (status === 200) latenciesMs.push(latencyMs);
    else failures.refused += 1;
    endedAtMs = monotonicMs();
  });
  run.on('reqError', () => {
    failures.broken += 1;
  });
  run.on('tick', () => load.onProgress(latenciesMs.length));
  const stop = () => run.stop();
  load.signal.addEventListener('abort', stop, { once: true });
  await ended;
  load.signal.removeEventListener('abort', stop);
  load.signal.throwIfAborted();
  return {
    answered: latenciesMs.length,
    errors: failures.refused + failures.broken + failures.wrong,
    startedAtMs,
    endedAtMs,
    perSecond: (latenciesMs.length / (endedAtMs - startedAtMs)) * 1000,
    latenciesMs,
    ...percentiles(latenciesMs),
  };
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function percentiles(values: readonly number[]): Pick<LoadResult, 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}
