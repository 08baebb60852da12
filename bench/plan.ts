import { type Measuring, sealWarm } from './drive-warm.ts';
import { measureHalfLoad } from './half-load.ts';
import { measureIdle } from './idle.ts';
import { measureTwoInstances } from './instances.ts';
import { composite, type Limits } from './limits.ts';
import { countLost, type Measurement, measureFleet, measureLimits, measurePayments } from './measure.ts';
import { countLostPayments, paymentBody } from './payments.ts';
import type { Span } from './profile.ts';
import { newReference, type Sender } from './receipt.ts';
import type { CaseResult, Results } from './results.ts';

/** The fleet that everything is compared by. */
const MAIN_FLEET = 1000;

export interface CasesRun {
  readonly results: Pick<Results, 'steadiness' | 'limits' | 'limitsBefore' | 'limitsAfter' | 'cases'>;
  readonly spans: readonly Span[];
  readonly mainFleet: readonly Sender[];
  readonly mainRate: number;
}

/**
 * One fleet after the other. The limits are taken right before and right after the main one, with its rows: the machine is not
 * the same from one minute to the next.
 */
export async function measureCases(measuring: Measuring, fleets: readonly (readonly Sender[])[]): Promise<CasesRun> {
  const mainFleet = fleets.find(({ length }) => length === MAIN_FLEET) ?? fleets.at(-1) ?? [];
  const measurements: Measurement[] = [];
  const around: Limits[] = [];
  for (const fleet of fleets) {
    if (fleet === mainFleet) {
      await sealWarm(measuring, 'before the limits', fleet, 0);
      around.push(await measureLimits(measuring, fleet));
    }
    measurements.push(await measureFleet(measuring, fleet));
    if (fleet === mainFleet) around.push(await measureLimits(measuring, fleet));
  }
  const [limitsBefore, limitsAfter] = around;
  if (limitsBefore === undefined || limitsAfter === undefined) throw new Error('there must be a fleet');
  const limits = meanOf(limitsBefore, limitsAfter);
  const probes = [...around, ...measurements].map((one) => one.signaturesPerSecond);
  const steadiness = Math.min(...probes) / Math.max(...probes);
  const cases = measurements.map((one) => caseOf(one, limits));
  return {
    results: { steadiness, limits, limitsBefore, limitsAfter, cases },
    spans: measurements.map(({ load }) => load),
    mainFleet,
    mainRate: measurements.find(({ devices }) => devices === mainFleet.length)?.load.perSecond ?? Number.NaN,
  };
}

/** What a short look leaves out, and whether everything that was answered is there. */
export async function measureExtras(
  measuring: Measuring,
  { mainFleet, mainRate }: CasesRun,
): Promise<Pick<Results, 'idle' | 'halfLoad' | 'twoInstances' | 'payments' | 'lost'>> {
  const halfLoad = await measureHalfLoad(measuring, mainFleet, mainRate);
  const idle = await measureIdle(measuring, mainFleet);
  const twoInstances = await measureTwoInstances(measuring, mainFleet, mainRate);
  const { load, errors, rssMb, answered } = await measurePayments(measuring);
  measuring.progress('looking for lost receipts and payments');
  const lost = (await countLost(measuring)) + (await countLostPayments(measuring.service.pool, answered));
  const { answered: requests, perSecond: paymentsPerSecond, p50Ms, p95Ms, p99Ms } = load;
  const bodyBytes = Buffer.byteLength(paymentBody(newReference()));
  const payments = { bodyBytes, requests, errors, paymentsPerSecond, p50Ms, p95Ms, p99Ms, rssMb };
  return { idle, halfLoad, twoInstances, payments, lost };
}

function caseOf({ devices, load, errors, rssMb }: Measurement, limits: Limits): CaseResult {
  return {
    devices,
    requests: load.answered,
    errors,
    receiptsPerSecond: load.perSecond,
    p50Ms: load.p50Ms,
    p95Ms: load.p95Ms,
    p99Ms: load.p99Ms,
    ratioToComposite: load.perSecond / limits.compositePerSecond,
    rssMb,
  };
}

function meanOf(a: Limits, b: Limits): Limits {
  return composite({
    bareRequestsPerSecond: (a.bareRequestsPerSecond + b.bareRequestsPerSecond) / 2,
    signaturesPerSecond: (a.signaturesPerSecond + b.signaturesPerSecond) / 2,
    durableRowsPerSecond: (a.durableRowsPerSecond + b.durableRowsPerSecond) / 2,
  });
}
