import { CONNECTIONS, inTurns, mean, median, sum } from '../shared/load.ts';
import type { Sender } from '../shared/receipt.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import type { Stage } from '../shared/stage.ts';

/** One instance; two where each device has its instance, as behind a proxy with sticky sessions; two where either gets any device's receipts. */
const WAYS = ['one', 'split', 'shared'] as const;
type Way = (typeof WAYS)[number];
/** To get over ten thousand devices that another instance has moved takes a minute. */
const roundsOf = (devices: number) => (devices > 1000 ? 1 : 3);
/** An instance that met another one on a device locks its head until eight looks in a row found it unmoved. */
const WARM_UP_ROUNDS = 9;
const SLOW_PER_SECOND = 100;
/** The second instance must be compiled as well as the first, which has sealed for minutes. */
const REQUESTS_TO_COMPILE = 20_000;

/** One instance, and two on the same database with as many connections, for each fleet. */
export async function measureInstances(
  stage: Stage,
  fleets: readonly (readonly Sender[])[],
  perSecond: number,
  seconds: number,
) {
  progress('two instances: starting the second');
  await using second = await stage.startBeside();
  const urls = [stage.url, second.url];
  const results = [];
  for (const senders of fleets) {
    await stage.seal(senders, REQUESTS_TO_COMPILE, { url: second.url });
    const rounds = roundsOf(senders.length);
    const found = await inTurns(WAYS, rounds, async (way, round) => {
      progress(`two instances, ${whole(senders.length)} devices: measuring ${way}, ${round + 1} of ${rounds}`);
      const parts = partsOf(way, urls, senders);
      await sealTogether(stage, parts, Math.max(perSecond, senders.length * WARM_UP_ROUNDS));
      const before = await countBatches(urls);
      const rate = await sealTogether(stage, parts, (perSecond * seconds) / 7);
      const medianMs = way === 'split' ? Number.NaN : await sealSlowly(stage, parts, seconds / 4);
      const after = await countBatches(urls);
      return { rate, medianMs, batches: after.all - before.all, wrong: after.guessedWrong - before.guessedWrong };
    });
    const rateOf = (way: Way) => mean(found[way].map(({ rate }) => rate));
    const medianOf = (way: Way) => mean(found[way].map(({ medianMs }) => medianMs));
    results.push({
      devices: senders.length,
      one: rateOf('one'),
      split: rateOf('split'),
      shared: rateOf('shared'),
      /** At a low rate: the median with all devices on both, by that of one instance. */
      slowRatio: medianOf('shared') / medianOf('one'),
      /** Of the batches while all devices were on both: how many were sealed on a head that had moved. */
      guessedWrong: sum(found.shared.map(({ wrong }) => wrong)) / sum(found.shared.map(({ batches }) => batches)),
    });
  }
  return results;
}

interface Part {
  readonly url: string;
  readonly senders: readonly Sender[];
}

function partsOf(way: Way, urls: readonly string[], senders: readonly Sender[]): Part[] {
  if (way === 'shared') return urls.map((url) => ({ url, senders: shuffled(senders) }));
  if (way === 'one') return urls.slice(0, 1).map((url) => ({ url, senders }));
  return urls.map((url, place) => ({ url, senders: senders.filter((_, index) => index % 2 === place) }));
}

function shuffled<T>(values: readonly T[]): T[] {
  const drawn = values.map((value) => ({ value, place: Math.random() }));
  return drawn.toSorted((a, b) => a.place - b.place).map(({ value }) => value);
}

/** Resolves with the receipts a second of all together. */
async function sealTogether(stage: Stage, parts: readonly Part[], requests: number): Promise<number> {
  const loads = await Promise.all(
    parts.map(({ url, senders }) =>
      stage.seal(senders, requests / parts.length, { url, connections: CONNECTIONS / parts.length }),
    ),
  );
  return (sum(loads.map(({ answered }) => answered)) / Math.max(...loads.map(({ durationMs }) => durationMs))) * 1000;
}

/** As independent tills send, at the same rate together however many instances there are. Resolves with the median. */
async function sealSlowly(stage: Stage, parts: readonly Part[], seconds: number): Promise<number> {
  const loads = await Promise.all(
    parts.map(({ url, senders }) => stage.sealAtRate(senders, SLOW_PER_SECOND / parts.length, seconds, { url })),
  );
  return median(loads.flatMap(({ latenciesMs }) => latenciesMs));
}

async function countBatches(urls: readonly string[]): Promise<{ readonly all: number; readonly guessedWrong: number }> {
  const counts = { all: 0, guessedWrong: 0 };
  for (const url of urls) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, way, count] of text.matchAll(/^tillseal_seal_batches_total\{way="([^"]+)"\} (\d+)$/gm)) {
      counts.all += Number(count);
      if (way === 'guessed wrong') counts.guessedWrong += Number(count);
    }
  }
  return counts;
}
