import autocannon from 'autocannon';
import { billerCodes } from './payments-data.ts';

/** So few that no request waits for another one. */
export const CONNECTIONS = 4;

export const READS = ['TargetStats', 'feed, first page', 'feed, deep page'] as const;
export type Read = (typeof READS)[number];

export interface Asked {
  readonly url: string;
  readonly token: string;
  readonly depths: readonly { readonly code: string; readonly before: number }[];
}

/** Every biller in turn, also in one currency only. */
function pathsOf(read: Read, { depths }: Asked): string[] {
  if (read === 'TargetStats') {
    return billerCodes.flatMap((code) => ['', '&currency=USD'].map((more) => `TargetStats?billercode=${code}${more}`));
  }
  if (read === 'feed, first page') return billerCodes.map((code) => `feed?billercode=${code}`);
  return depths.map(({ code, before }) => `feed?billercode=${code}&before=${before}`);
}

/** Latencies in milliseconds; throws when an answer is not complete. */
export async function ask(read: Read, asked: Asked, amount: number, signal: AbortSignal): Promise<number[]> {
  const paths = pathsOf(read, asked);
  const latenciesMs: number[] = [];
  let turn = 0;
  let wrong = 0;
  const isWhole =
    read === 'TargetStats'
      ? (answer: string) => answer.includes('"PayerCount":') && !answer.includes('"PayerCount":0')
      : (answer: string) => answer.split('"Date":').length === 21;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const run = autocannon(
    {
      url: asked.url,
      connections: CONNECTIONS,
      amount,
      requests: [
        {
          setupRequest: (request) => {
            turn += 1;
            request.path = `/api/payment/${paths[turn % paths.length]}`;
            request.headers = { authorization: `Bearer ${asked.token}` };
            return request;
          },
        },
      ],
      verifyBody: (body) => {
        if (!isWhole(String(body))) wrong += 1;
        return true;
      },
    },
    (error: Error | null) => (error ? reject(error) : resolve()),
  );
  run.on('response', (_client, _status, _bytes, latencyMs) => latenciesMs.push(latencyMs));
  const stop = () => run.stop();
  signal.addEventListener('abort', stop, { once: true });
  await promise;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (wrong > 0 || latenciesMs.length !== amount) {
    throw new Error(`${read}: ${wrong} wrong answers, ${latenciesMs.length} of ${amount} answered`);
  }
  return latenciesMs;
}
