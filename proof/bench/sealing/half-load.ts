import { collectGarbage, type Measuring, nextReceipt, SEALED, sealing } from '../shared/drive-warm.ts';
import { CONNECTIONS, drive, type LoadResult, percentiles } from '../shared/old-load.ts';
import { driveOpen } from '../shared/open-loop.ts';
import type { Sender } from '../shared/receipt.ts';

/** What tills see while the service works at half of its maximum. */
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

const ROUNDS = 5;
/**
 * As a case takes. About every half minute the kernel writes back dirty pages of the database, and flushes wait 100 ms for it: in
 * a short measurement one such moment affects more than a hundredth of all receipts, in a longer one less.
 */
const TIMES_AS_LONG = 2;
const MAX_SECONDS = 1.2;
/** Until the after-effects of the maximum are over. */
const SETTLE_SECONDS = 0.6;

/**
 * At half of the service's current maximum, which is measured before each piece: on a machine that is a third slower for a while,
 * half of its earlier maximum would be most of what it can do.
 */
export async function measureHalfLoad(
  measuring: Measuring,
  senders: readonly Sender[],
  ratePerSecond: number,
): Promise<HalfLoad> {
  const { service, ledger, signal, progress } = measuring;
  const results: LoadResult[] = [];
  let errors = 0;
  const counted = (result: LoadResult) => {
    ledger.receipts += result.answered;
    errors += result.errors;
    return result;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`half of the load: measuring, ${round + 1} of ${ROUNDS}`);
    const requests = Math.round(ratePerSecond * MAX_SECONDS);
    const target = sealing(service, senders);
    const most = await drive({ ...target, requests, connections: CONNECTIONS, signal, onProgress: () => {} });
    const perSecond = counted(most).perSecond / 2;
    collectGarbage();
    counted(await driveAtRate(measuring, senders, perSecond, SETTLE_SECONDS));
    const seconds = (measuring.seconds * TIMES_AS_LONG) / ROUNDS;
    results.push(counted(await driveAtRate(measuring, senders, perSecond, seconds)));
  }
  const requests = results.reduce((sum, one) => sum + one.answered, 0);
  const durationMs = results.reduce((sum, one) => sum + one.endedAtMs - one.startedAtMs, 0);
  const { p50Ms, p95Ms, p99Ms } = percentiles(results.flatMap(({ latenciesMs }) => latenciesMs));
  const receiptsPerSecond = (requests / durationMs) * 1000;
  return {
    devices: senders.length,
    requests,
    errors,
    receiptsPerSecond,
    p50Ms,
    p95Ms,
    p99Ms,
    p99ByMedian: p99Ms / p50Ms,
  };
}

function driveAtRate(
  { service, signal }: Measuring,
  senders: readonly Sender[],
  perSecond: number,
  seconds: number,
): Promise<LoadResult> {
  return driveOpen({
    origin: service.url,
    perSecond,
    requests: Math.round(perSecond * seconds),
    requestOf: (turn) => nextReceipt(senders, turn),
    isRight: (answer) => answer.includes(SEALED),
    signal,
  });
}
