import { type Measuring, nextReceipt, SEALED, sealing } from '../shared/drive-warm.ts';
import { CONNECTIONS, drive, type LoadResult, percentiles } from '../shared/old-load.ts';
import { driveOpen } from '../shared/open-loop.ts';
import { type Instance, type ServiceProcess, startBeside } from '../shared/processes.ts';
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
  /** At a low rate: the median with all devices on both, by that of one instance. */
  readonly slowRatio: number;
  /** Of the batches of both while all devices were on both: how many were sealed on a head that had moved. */
  readonly guessedWrong: number;
}

const WAYS = ['one', 'split', 'shared'] as const;
type Way = (typeof WAYS)[number];
/** In turns, because the machine's speed changes. To get over ten thousand devices that another instance has moved takes a minute. */
const roundsOf = (devices: number) => (devices > 1000 ? 1 : 3);
/** An instance that met another one on a device locks its head until eight looks in a row found it unmoved. */
const WARM_UP_ROUNDS = 9;
const SLOW_PER_SECOND = 100;
/** The second instance must be compiled as well as the first, which has sealed for minutes. */
const REQUESTS_TO_COMPILE = 20_000;

/** For each fleet. */
export async function measureTwoInstances(
  measuring: Measuring,
  fleets: readonly (readonly Sender[])[],
  perSecond: number,
): Promise<TwoInstances[]> {
  const { service, signal, progress } = measuring;
  progress('two instances: starting the second');
  const second = await startBeside(service, signal);
  try {
    const results: TwoInstances[] = [];
    for (const senders of fleets) {
      await driveTogether(measuring, [{ instance: second, senders }], REQUESTS_TO_COMPILE);
      results.push(await measureFleet(measuring, second, senders, perSecond));
    }
    return results;
  } finally {
    await second.stop();
  }
}

/** One instance, two with all devices on both, two with half of the devices each. */
async function measureFleet(
  measuring: Measuring,
  second: Instance,
  senders: readonly Sender[],
  perSecond: number,
): Promise<TwoInstances> {
  const { service } = measuring;
  const rounds = roundsOf(senders.length);
  const rates: Record<Way, number[]> = { one: [], shared: [], split: [] };
  const medians: Record<Way, number[]> = { one: [], shared: [], split: [] };
  const wrong = { guesses: 0, batches: 0 };
  let requests = 0;
  let errors = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const way of WAYS) {
      measuring.progress(`two instances, ${senders.length} devices: measuring ${way}, ${round + 1} of ${rounds}`);
      const loads = loadsOf(way, service, second, senders);
      await driveTogether(measuring, loads, Math.max(perSecond, senders.length * WARM_UP_ROUNDS));
      const before = await countBatches([service, second]);
      const result = await driveTogether(measuring, loads, Math.round((perSecond * measuring.seconds) / 7));
      const slow = way === 'split' ? [] : await driveSlowly(measuring, loads);
      const after = await countBatches([service, second]);
      if (way === 'shared') {
        wrong.guesses += after.guessedWrong - before.guessedWrong;
        wrong.batches += after.all - before.all;
      }
      rates[way].push(result.perSecond);
      medians[way].push(percentiles(slow.flatMap(({ latenciesMs }) => latenciesMs)).p50Ms);
      requests += [result, ...slow].reduce((sum, { answered }) => sum + answered, 0);
      errors += [result, ...slow].reduce((sum, one) => sum + one.errors, 0);
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
    slowRatio: mean(medians.shared) / mean(medians.one),
    guessedWrong: wrong.guesses / wrong.batches,
  };
}

/** As independent tills send, at the same rate together however many instances there are. */
async function driveSlowly({ seconds, signal, ledger }: Measuring, parts: readonly Part[]): Promise<LoadResult[]> {
  const perSecond = SLOW_PER_SECOND / parts.length;
  const results = await Promise.all(
    parts.map(({ instance, senders }) =>
      driveOpen({
        origin: instance.url,
        perSecond,
        requests: Math.ceil((perSecond * seconds) / 4),
        requestOf: (turn) => nextReceipt(senders, turn),
        isRight: (answer) => answer.includes(SEALED),
        signal,
      }),
    ),
  );
  ledger.receipts += results.reduce((sum, { answered }) => sum + answered, 0);
  return results;
}

async function countBatches(instances: readonly Part['instance'][]): Promise<{ all: number; guessedWrong: number }> {
  const counts = { all: 0, guessedWrong: 0 };
  for (const { url } of instances) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, way, count] of text.matchAll(/^tillseal_seal_batches_total\{way="([^"]+)"\} (\d+)$/gm)) {
      counts.all += Number(count);
      if (way === 'guessed wrong') counts.guessedWrong += Number(count);
    }
  }
  return counts;
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
