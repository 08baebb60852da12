/** All languages against the real service behind a bad network, killed at random moments; then a proof that nothing was lost. */
import { join } from 'node:path';
import { type Language, missing } from '../../clients/languages.ts';
import { type Random, seededRandom } from '../world/random.ts';
import { BadNetwork } from './bad-network.ts';
import { type CommandLine, endTills, runKilled, runTill } from './tills/till-process.ts';
import { findFaults, readSales, type Status, type Till } from './tills/verdict.ts';
import { openWorld, type World } from './tills/world.ts';

export interface Plan {
  readonly folder: string;
  readonly languages: readonly Language[];
  readonly seed: number;
  /** Of each language. */
  readonly tills: number;
  readonly salesPerTill: number;
  /** During selling, and half as many while its outbox is drained through the bad network. */
  readonly killsPerTill: number;
  /** The longest time for that; the rest is drained when the network is good again. */
  readonly drainMs: number;
  /** By one till of each language, all on one file, without a service. */
  readonly offline: { readonly sales: number; readonly kills: number };
  readonly tillsAtOnce: number;
  readonly tell: (line: string) => void;
}

export interface Report {
  readonly skipped: readonly string[];
  /** By language, and `together` for the files that languages share. */
  readonly faults: ReadonlyMap<string, readonly string[]>;
  readonly kills: ReadonlyMap<string, number>;
  readonly sales: ReadonlyMap<string, number>;
  /** How many passed, and how many met each kind of failure. */
  readonly requests: ReadonlyMap<string, number>;
}

const TOGETHER = 'together';
/** To drain all files at once, which takes seconds on a quiet machine. */
const PATIENCE_MS = 600_000;

export async function runConformance(plan: Plan): Promise<Report> {
  const { folder, tell } = plan;
  const there = plan.languages.filter((language) => missing(language).length === 0);
  const skipped = plan.languages.flatMap((one) =>
    there.includes(one) ? [] : `${one.name} (no ${missing(one).join(', ')})`,
  );
  if (skipped.length > 0) tell(`skipped: ${skipped.join('; ')}`);
  const lines = new Map(there.map((language) => [language.name, language.till(folder)]));
  const random = seededRandom(plan.seed);
  const builds = Promise.allSettled(there.map(async (language) => language.build?.(folder)));
  const world = await openWorld(join(folder, 'data'), plan.tills * there.length + 1);
  const network = await BadNetwork.start(world.url, random.fork('network'));
  try {
    for (const build of await builds) if (build.status === 'rejected') throw build.reason;
    tell(`the service is ready: ${world.deviceIds.length} devices`);
    const tills = planTills(plan, world, [...lines.keys()]);
    const kills = new Map<string, number>();
    const [offlineFaults] = await Promise.all([
      sellOffline(plan, lines, random.fork('offline')),
      sellAll(plan, { tills, lines, network, world, kills, random }),
    ]);
    network.isBad = false;
    tell('all sold; draining');
    const statuses = await drainAll(tills, lines, network.url, world.token);
    const faults = new Map<string, readonly string[]>();
    for (const name of [...lines.keys(), TOGETHER]) {
      const own = tills.filter((till) => nameOf(till) === name);
      const outboxes = new Set(own.map(({ outbox }) => outbox));
      const known = new Map([...statuses].filter(([outbox]) => outboxes.has(outbox)));
      faults.set(name, await findFaults(world, own, known));
    }
    faults.set(TOGETHER, [...(faults.get(TOGETHER) ?? []), ...offlineFaults]);
    const sales = Map.groupBy(tills, ({ language }) => language);
    return {
      skipped,
      faults,
      kills,
      sales: new Map([...sales].map(([name, own]) => [name, own.reduce((sum, till) => sum + till.sales, 0)])),
      requests: network.counts,
    };
  } finally {
    endTills();
    await network.close();
    await world.close();
  }
}

const nameOf = (till: Till) => (till.prefix.startsWith(TOGETHER) ? TOGETHER : till.language);

/**
 * For each language, pairs of tills that share an outbox and a device, and single ones, some with wrong sales. Then one till of each
 * language on one shared outbox: every second of them on one device, the others on their own devices.
 */
function planTills({ folder, tills, salesPerTill }: Plan, { deviceIds }: World, languages: readonly string[]): Till[] {
  const free = [...deviceIds];
  const take = () => free.shift() ?? 0;
  const till = (language: string, prefix: string, outbox: string, deviceId: number, refuseEvery = 0): Till => ({
    language,
    prefix,
    outbox: join(folder, `${outbox}.outbox`),
    deviceId,
    sales: salesPerTill,
    refuseEvery,
    signed: new Map(),
  });
  const alone = languages.flatMap((language) => {
    const [first, ...others] = Array.from({ length: tills - 1 }, take);
    return [
      till(language, `${language}-a`, `${language}-pair`, first ?? 0),
      till(language, `${language}-b`, `${language}-pair`, first ?? 0),
      ...others.map((deviceId, i) =>
        till(language, `${language}-${i}`, `${language}-${i}`, deviceId, i % 2 === 0 ? 5 : 0),
      ),
    ];
  });
  const shared = take();
  const together = languages.map((language, i) =>
    till(language, `${TOGETHER}-${language}`, TOGETHER, i % 2 === 0 ? shared : take()),
  );
  return [...alone, ...together];
}

interface Scene {
  readonly tills: readonly Till[];
  readonly lines: ReadonlyMap<string, CommandLine>;
  readonly network: BadNetwork;
  readonly world: World;
  readonly kills: Map<string, number>;
  readonly random: Random;
}

async function sellAll({ tillsAtOnce, killsPerTill, drainMs, tell }: Plan, scene: Scene): Promise<void> {
  const waiting = [...scene.tills];
  const work = async () => {
    for (let till = waiting.shift(); till !== undefined; till = waiting.shift()) {
      const sold = await sell(till, killsPerTill, scene);
      const kills = sold + (await drainBadly(till, Math.floor(killsPerTill / 2), drainMs, scene));
      scene.kills.set(till.language, (scene.kills.get(till.language) ?? 0) + kills);
      tell(`${till.prefix}: ${till.sales} sold, killed ${kills} times`);
    }
  };
  await Promise.all(Array.from({ length: tillsAtOnce }, work));
}

function sell(till: Till, kills: number, { lines, network, world, random }: Scene): Promise<number> {
  const words = ['sell', '--url', network.url, '--token', world.token, '--outbox', till.outbox].concat(
    ['--device', String(till.deviceId), '--prefix', till.prefix, '--sales', String(till.sales)],
    ['--deadline-ms', '1500', '--refuse-every', String(till.refuseEvery), '--every-ms', '20'],
  );
  const onLine = (text: string) => {
    const {
      Reference,
      Outcome,
      Number: number,
    }: { Reference: string; Outcome: string; Number?: number } = JSON.parse(text);
    if (Outcome === 'Signed') till.signed.set(Reference, number ?? 0);
  };
  return runKilled(lineOf(lines, till.language), () => words, { kills, random: random.fork(till.prefix), onLine });
}

/** While a device waits for its next attempt its till only queues, so most sales are sent here. */
function drainBadly({ outbox, prefix, language }: Till, kills: number, drainMs: number, scene: Scene): Promise<number> {
  const { lines, network, world, random } = scene;
  const words = ['drain', '--url', network.url, '--token', world.token, '--outbox', outbox];
  // 4: the time was not enough.
  const isDone = (code: number) => code === 0 || code === 4;
  return runKilled(lineOf(lines, language), () => [...words, '--within-ms', String(drainMs)], {
    kills,
    random: random.fork(`drain ${prefix}`),
    isDone,
  });
}

/** Drains each file with one of the languages that wrote it. */
async function drainAll(
  tills: readonly Till[],
  lines: Scene['lines'],
  url: string,
  token: string,
): Promise<Map<string, Status>> {
  const byOutbox = Map.groupBy(tills, ({ outbox }) => outbox);
  const drained = [...byOutbox].map(async ([outbox, [first]]): Promise<[string, Status]> => {
    let status = '';
    const words = ['drain', '--url', url, '--token', token, '--outbox', outbox, '--within-ms', String(PATIENCE_MS)];
    const { code, errors } = await runTill(lineOf(lines, first?.language ?? ''), words, (text) => {
      status = JSON.stringify(JSON.parse(text).Status);
    });
    if (code !== 0) throw new Error(`draining ${outbox} ended with ${code}: ${errors} ${status}`);
    return [outbox, JSON.parse(status)];
  });
  return new Map(await Promise.all(drained));
}

/**
 * One till of each language on one file and one device, killed repeatedly, without a service: every sale that was printed is in the
 * file once, each till's in order.
 */
async function sellOffline({ folder, offline }: Plan, lines: Scene['lines'], random: Random): Promise<string[]> {
  const outbox = join(folder, 'offline.outbox');
  const words = ['sell', '--url', 'http://127.0.0.1:1', '--token', 'none', '--outbox', outbox, '--device', '1'].concat([
    '--sales',
    String(offline.sales),
    '--deadline-ms',
    '0',
  ]);
  await Promise.all(
    [...lines].map(([name, line]) =>
      runKilled(line, () => [...words, '--prefix', name], {
        kills: offline.kills,
        random: random.fork(name),
        onLine: () => {},
      }),
    ),
  );
  const sales = readSales(outbox);
  return [...lines.keys()].flatMap((name) => {
    const own = sales.filter((reference) => reference.startsWith(`${name}-`)).map((one) => one.slice(name.length + 1));
    const isWhole = own.length === offline.sales && own.every((n, index) => Number(n) === index + 1);
    return isWhole ? [] : [`${outbox}: ${name} sold ${offline.sales}, and has ${own.join(' ')}`];
  });
}

function lineOf(lines: Scene['lines'], language: string): CommandLine {
  const line = lines.get(language);
  if (line === undefined) throw new Error(`there is no till of ${language}`);
  return line;
}
