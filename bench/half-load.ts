import { type Measuring, receiptOf, SEALED } from './drive-warm.ts';
import { driveOpen } from './open-loop.ts';
import { newReference, type Sender } from './receipt.ts';
import { whole } from './results.ts';

/** What tills see while the service does half of what it can. */
export interface HalfLoad {
  readonly devices: number;
  readonly requests: number;
  readonly errors: number;
  readonly receiptsPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly p99ByMedian: number;
}

const WARM_UP_SECONDS = 3;

export async function measureHalfLoad(
  measuring: Measuring,
  senders: readonly Sender[],
  maximumPerSecond: number,
): Promise<HalfLoad> {
  const { service, ledger, signal, progress } = measuring;
  const perSecond = maximumPerSecond / 2;
  const run = async (seconds: number) => {
    const requests = Math.round(perSecond * seconds);
    const result = await driveOpen({
      origin: service.url,
      perSecond,
      requests,
      requestOf: (turn) => {
        const sender = senders[turn % senders.length];
        if (sender === undefined) throw new Error('a load needs a sender');
        const body = receiptOf(sender, newReference());
        return { method: 'POST', path: '/api/receipt/sign', token: sender.token, body };
      },
      isRight: (answer) => answer.includes(SEALED),
      signal,
      onProgress: (answered) => progress(`half of the load: measuring, ${whole(answered)} of ${whole(requests)}`),
    });
    ledger.receipts += result.answered;
    return result;
  };
  await run(WARM_UP_SECONDS);
  const { answered, errors, perSecond: receiptsPerSecond, p50Ms, p95Ms, p99Ms } = await run(measuring.seconds);
  return {
    devices: senders.length,
    requests: answered,
    errors,
    receiptsPerSecond,
    p50Ms,
    p95Ms,
    p99Ms,
    p99ByMedian: p99Ms / p50Ms,
  };
}
