import type { Measuring } from '../shared/drive-warm.ts';
import { newReference, type Sender } from '../shared/receipt.ts';
import { measureHalfLoad } from './half-load.ts';
import { measureIdle } from './idle.ts';
import { measureTwoInstances } from './instances.ts';
import { countLost, type Measurement, measureFleet, measurePayments } from './measure.ts';
import { countLostPayments, paymentBody } from './payments.ts';
import type { CaseResult, Results } from './results.ts';

/** The fleet that everything else is measured with. */
const MAIN_FLEET = 1000;

export interface CasesRun {
  readonly results: Pick<Results, 'steadiness' | 'cases'>;
  readonly mainFleet: readonly Sender[];
  readonly fleets: readonly (readonly Sender[])[];
  readonly mainRate: number;
}

/** One fleet after the other, each beside the limits of its time. */
export async function measureCases(measuring: Measuring, fleets: readonly (readonly Sender[])[]): Promise<CasesRun> {
  const mainFleet = fleets.find(({ length }) => length === MAIN_FLEET) ?? fleets.at(-1) ?? [];
  const measurements: Measurement[] = [];
  for (const fleet of fleets) measurements.push(await measureFleet(measuring, fleet));
  const probes = measurements.flatMap((one) => one.signatureRates);
  return {
    results: { steadiness: Math.min(...probes) / Math.max(...probes), cases: measurements.map(caseOf) },
    mainFleet,
    fleets,
    mainRate: measurements.find(({ devices }) => devices === mainFleet.length)?.perSecond ?? Number.NaN,
  };
}

/** What a short run leaves out, and whether everything that was answered is stored. */
export async function measureExtras(
  measuring: Measuring,
  { mainFleet, fleets, mainRate }: CasesRun,
): Promise<Pick<Results, 'idle' | 'halfLoad' | 'twoInstances' | 'payments' | 'lost'>> {
  const halfLoad = await measureHalfLoad(measuring, mainFleet, mainRate);
  const idle = await measureIdle(measuring, mainFleet);
  const twoInstances = await measureTwoInstances(
    measuring,
    fleets.filter(({ length }) => length >= MAIN_FLEET),
    mainRate,
  );
  const { load, errors, rssMb, answered } = await measurePayments(measuring);
  measuring.progress('looking for lost receipts and payments');
  const lost = (await countLost(measuring)) + (await countLostPayments(measuring.service.pool, answered));
  const { answered: requests, perSecond: paymentsPerSecond, p50Ms, p95Ms, p99Ms } = load;
  const bodyBytes = Buffer.byteLength(paymentBody(newReference()));
  const payments = { bodyBytes, requests, errors, paymentsPerSecond, p50Ms, p95Ms, p99Ms, rssMb };
  return { idle, halfLoad, twoInstances, payments, lost };
}

function caseOf({ devices, answered, errors, perSecond, p50Ms, p95Ms, p99Ms, rssMb, limits }: Measurement): CaseResult {
  return {
    devices,
    requests: answered,
    errors,
    receiptsPerSecond: perSecond,
    p50Ms,
    p95Ms,
    p99Ms,
    ratioToComposite: perSecond / limits.compositePerSecond,
    rssMb,
    limits,
  };
}
