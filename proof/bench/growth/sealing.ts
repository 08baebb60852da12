import { driveWarm, sealing } from '../shared/drive-warm.ts';
import { CONNECTIONS, drive, percentiles } from '../shared/old-load.ts';
import type { ServiceProcess } from '../shared/processes.ts';
import type { Sender } from '../shared/receipt.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';

export interface ReceiptInstallation {
  readonly service: ServiceProcess;
  readonly senders: readonly Sender[];
  /** How many were loaded; sealing adds to them. */
  readonly receipts: number;
}

/** Sealing with a number of receipts stored, beside an installation with almost none, measured in turns. */
export interface SealingResult {
  readonly receipts: number;
  readonly requests: number;
  readonly receiptsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly receiptsOfOther: number;
  readonly receiptsPerSecondOfOther: number;
  readonly p50MsOfOther: number;
  readonly p99MsOfOther: number;
  readonly ratio: number;
}

const ROUNDS = 4;

export async function measureSealing(
  large: ReceiptInstallation,
  zero: ReceiptInstallation,
  seconds: number,
  signal: AbortSignal,
): Promise<SealingResult> {
  const name = `sealing at ${whole(large.receipts)} receipts`;
  const pair = [large, zero].map((one) => ({ ...one, rates: [] as number[], latenciesMs: [] as number[] }));
  for (const { service, senders } of pair) {
    const warm = await driveWarm({ signal, progress }, `${name}, before`, sealing(service, senders), 1);
    if (warm.errors > 0) throw new Error(`${name}: ${warm.errors} wrong answers`);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`${name}: measuring, ${round + 1} of ${ROUNDS} rounds`);
    for (const one of round % 2 === 0 ? pair : pair.toReversed()) {
      const requests = Math.round(3000 * seconds);
      const target = sealing(one.service, one.senders);
      const load = await drive({ ...target, requests, connections: CONNECTIONS, signal, onProgress: () => {} });
      if (load.errors > 0) throw new Error(`${name}: ${load.errors} wrong answers`);
      one.rates.push(load.perSecond);
      one.latenciesMs.push(...load.latenciesMs);
    }
  }
  const [ofLarge, ofZero] = pair.map(({ rates, latenciesMs }) => ({
    perSecond: rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
    ...percentiles(latenciesMs),
    requests: latenciesMs.length,
  }));
  if (ofLarge === undefined || ofZero === undefined) throw new Error('two are compared');
  return {
    receipts: large.receipts,
    requests: ofLarge.requests,
    receiptsPerSecond: ofLarge.perSecond,
    p50Ms: ofLarge.p50Ms,
    p99Ms: ofLarge.p99Ms,
    receiptsOfOther: zero.receipts,
    receiptsPerSecondOfOther: ofZero.perSecond,
    p50MsOfOther: ofZero.p50Ms,
    p99MsOfOther: ofZero.p99Ms,
    ratio: ofLarge.perSecond / ofZero.perSecond,
  };
}
