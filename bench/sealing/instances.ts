import { type Measuring, sealing } from '../shared/drive-warm.ts';
import { CONNECTIONS, drive, type LoadResult } from '../shared/load.ts';
import { type ServiceProcess, startBeside } from '../shared/processes.ts';
import type { Sender } from '../shared/receipt.ts';

/** Receipts a second of two instances on one database, beside one instance with the same number of connections. */
export interface TwoInstances {
  readonly devices: number;
  readonly requests: number;
  readonly errors: number;
  readonly oneReceiptsPerSecond: number;
  /** Either instance receives any device's receipts. */
  readonly sharedReceiptsPerSecond: number;
  /** Each device has its instance, as behind a proxy with sticky sessions. */
  readonly splitReceiptsPerSecond: number;
  readonly sharedRatio: number;
  readonly splitRatio: number;
}

const WAYS = ['one', 'split', 'shared'] as const;
type Way = (typeof WAYS)[number];
const ROUNDS = 3;
/**
 * An instance that met another one on its devices locks heads before it seals, until it has met none for a second. The warm-up is
 * long enough to meet the devices that the way before has moved, and then to be over it.
 */
const WARM_UP_SECONDS: Readonly<Record<Way, number>> = { one: 1.8, split: 1.8, shared: 0.7 };
/** The second instance must be compiled as well as the first, which has sealed for minutes. */
const REQUESTS_TO_COMPILE = 20_000;

/** One instance, two with all devices on both, two with half of the devices each: in turns, because the machine's speed changes. */
export async function measureTwoInstances(
  measuring: Measuring,
  senders: readonly Sender[],
  perSecond: number,
): Promise<TwoInstances> {
  const { service, signal, progress } = measuring;
  progress('two instances: starting the second');
  const second = await startBeside(service, signal);
  try {
    const rates: Record<Way, number[]> = { one: [], shared: [], split: [] };
    const run = async (way: Way, seconds: number) => {
      const loads = loadsOf(way, service, second, senders);
      return driveTogether(measuring, loads, Math.round(perSecond * seconds));
    };
    await driveTogether(measuring, [{ instance: second, senders }], REQUESTS_TO_COMPILE);
    let requests = 0;
    let errors = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const way of WAYS) {
        progress(
          `two instances: measuring ${way}, ${round * WAYS.length + WAYS.indexOf(way) + 1} of ${ROUNDS * WAYS.length}`,
        );
        await run(way, WARM_UP_SECONDS[way]);
        const result = await run(way, measuring.seconds / 7);
        rates[way].push(result.perSecond);
        requests += result.answered;
        errors += result.errors;
      }
    }
    const [one, split, shared] = WAYS.map((way) => mean(rates[way])) as [number, number, number];
    return {
      devices: senders.length,
      requests,
      errors,
      oneReceiptsPerSecond: one,
      sharedReceiptsPerSecond: shared,
      splitReceiptsPerSecond: split,
      sharedRatio: shared / one,
      splitRatio: split / one,
    };
  } finally {
    await second.stop();
  }
}

interface Part {
  readonly instance: Pick<ServiceProcess, 'url'>;
  readonly senders: readonly Sender[];
}

function loadsOf(way: Way, first: Part['instance'], second: Part['instance'], senders: readonly Sender[]): Part[] {
  if (way === 'one') return [{ instance: first, senders }];
  if (way === 'shared') return [first, second].map((instance) => ({ instance, senders: shuffled(senders) }));
  return [first, second].map((instance, place) => ({
    instance,
    senders: senders.filter((_, index) => index % 2 === place),
  }));
}

async function driveTogether(
  { signal, ledger }: Measuring,
  parts: readonly Part[],
  requests: number,
): Promise<Pick<LoadResult, 'answered' | 'errors' | 'perSecond'>> {
  const results = await Promise.all(
    parts.map(({ instance, senders }) =>
      drive({
        ...sealing(instance, senders),
        requests: Math.round(requests / parts.length),
        connections: CONNECTIONS / parts.length,
        signal,
        onProgress: () => {},
      }),
    ),
  );
  const answered = results.reduce((sum, one) => sum + one.answered, 0);
  const errors = results.reduce((sum, one) => sum + one.errors, 0);
  ledger.receipts += answered;
  const startedAtMs = Math.min(...results.map((one) => one.startedAtMs));
  const endedAtMs = Math.max(...results.map((one) => one.endedAtMs));
  return { answered, errors, perSecond: (answered / (endedAtMs - startedAtMs)) * 1000 };
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
