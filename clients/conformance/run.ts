/** All languages against the real service behind a bad network, killed at random moments; then a proof that nothing was lost. */
import { join } from 'node:path';
import { type Random, seededRandom } from '../../chaos/random.ts';
import { BadNetwork } from './bad-network.ts';
import { type Language, missing } from './languages.ts';
import { type CommandLine, endTills, runKilled, runTill } from './till-process.ts';
import { findFaults, readSales, type Status, type Till } from './verdict.ts';
import { openWorld, type World } from './world.ts';

export interface Plan {
  readonly folder: string;
  readonly languages: readonly Language[];
  readonly seed: number;
  /** Of each language. */
  readonly tills: number;
  readonly salesPerTill: number;
  /** While it sells, and half as many while its journal is drained through the bad network. */
  readonly killsPerTill: number;
  /** How long that takes at most; the rest is drained when the network is good again. */
  readonly drainMs: number;
  /** Of one process of each language that append to one journal. */
  readonly stress: { readonly count: number; readonly kills: number };
  readonly tillsAtOnce: number;
  readonly tell: (line: string) => void;
}

export interface Report {
  readonly skipped: readonly string[];
  /** By language, and `together` for the journals that languages share. */
  readonly faults: ReadonlyMap<string, readonly string[]>;
  readonly kills: ReadonlyMap<string, number>;
  readonly sales: ReadonlyMap<string, number>;
  readonly troubles: ReadonlyMap<string, number>;
}

const TOGETHER = 'together';

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
  const world = await openWorld(folder, plan.tills * there.length + 1);
  const network = await BadNetwork.start(world.url, random.fork('network'));
  try {
    for (const build of await builds) if (build.status === 'rejected') throw build.reason;
    tell(`the service is ready: ${world.deviceIds.length} devices`);
    const tills = planTills(plan, world, [...lines.keys()]);
    const kills = new Map<string, number>();
    const [stressFaults] = await Promise.all([
      stressTogether(plan, lines, random.fork('stress')),
      sellAll(plan, { tills, lines, network, world, kills, random }),
    ]);
    network.isBad = false;
    tell('all sold; draining');
    const statuses = await drainAll(tills, lines, network.url, world.token);
    const faults = new Map<string, readonly string[]>();
    for (const name of [...lines.keys(), TOGETHER]) {
      const own = tills.filter((till) => nameOf(till) === name);
      const journals = new Set(own.map(({ journal }) => journal));
      const known = new Map([...statuses].filter(([journal]) => journals.has(journal)));
      faults.set(name, await findFaults(world, own, known));
    }
    faults.set(TOGETHER, [...(faults.get(TOGETHER) ?? []), ...stressFaults]);
    const sales = Map.groupBy(tills, ({ language }) => language);
    return {
      skipped,
      faults,
      kills,
      sales: new Map([...sales].map(([name, own]) => [name, own.reduce((sum, till) => sum + till.sales, 0)])),
      troubles: network.counts,
    };
  } finally {
    endTills();
    await network.close();
    await world.close();
  }
}

const nameOf = (till: Till) => (till.prefix.startsWith(TOGETHER) ? TOGETHER : till.language);

/**
 * Of each language: pairs that share journal and device, and others alone, some with wrong sales. Then one of each language that
 * share one journal, on devices of their own, and another one that share journal and device.
 */
function planTills({ folder, tills, salesPerTill }: Plan, { deviceIds }: World, languages: readonly string[]): Till[] {
  const free = [...deviceIds];
  const take = () => free.shift() ?? 0;
  const till = (language: string, prefix: string, journal: string, deviceId: number, refuseEvery = 0): Till => ({
    language,
    prefix,
    journal: join(folder, `${journal}.journal`),
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
  const words = ['sell', '--url', network.url, '--token', world.token, '--journal', till.journal].concat(
    ['--device', String(till.deviceId), '--prefix', till.prefix, '--sales', String(till.sales)],
    ['--deadline-ms', '1500', '--refuse-every', String(till.refuseEvery), '--every-ms', '20'],
  );
  const onLine = (text: string) => {
    const { Reference, Outcome, GlobalCounter }: { Reference: string; Outcome: string; GlobalCounter?: number } =
      JSON.parse(text);
    if (Outcome === 'Signed') till.signed.set(Reference, GlobalCounter ?? 0);
  };
  return runKilled(lineOf(lines, till.language), () => words, { kills, random: random.fork(till.prefix), onLine });
}

/** A till whose device waits for its next attempt queues what it sells: most of the sending is done here. */
function drainBadly(
  { journal, prefix, language }: Till,
  kills: number,
  drainMs: number,
  scene: Scene,
): Promise<number> {
  const { lines, network, world, random } = scene;
  const words = ['drain', '--url', network.url, '--token', world.token, '--journal', journal];
  // 4: not everything in that time.
  const isDone = (code: number) => code === 0 || code === 4;
  return runKilled(lineOf(lines, language), () => [...words, '--within-ms', String(drainMs)], {
    kills,
    random: random.fork(`drain ${prefix}`),
    isDone,
  });
}

/** Each journal by one of the languages that wrote it. */
async function drainAll(
  tills: readonly Till[],
  lines: Scene['lines'],
  url: string,
  token: string,
): Promise<Map<string, Status>> {
  const byJournal = Map.groupBy(tills, ({ journal }) => journal);
  const drained = [...byJournal].map(async ([journal, [first]]): Promise<[string, Status]> => {
    let status = '';
    const words = ['drain', '--url', url, '--token', token, '--journal', journal, '--within-ms', '120000'];
    const { code, errors } = await runTill(lineOf(lines, first?.language ?? ''), words, (text) => {
      status = text;
    });
    if (code !== 0) throw new Error(`draining ${journal} ended with ${code}: ${errors} ${status}`);
    return [journal, JSON.parse(status)];
  });
  return new Map(await Promise.all(drained));
}

/** One process of each language, killed and started again with another prefix, append to one journal and compact it. */
async function stressTogether({ folder, stress }: Plan, lines: Scene['lines'], random: Random): Promise<string[]> {
  const journal = join(folder, 'stress.journal');
  const printed = new Map<string, string[]>();
  await Promise.all(
    [...lines].map(([name, line]) => {
      let runs = 0;
      let prefix = '';
      const words = () => {
        runs += 1;
        prefix = `${name}${runs}`;
        printed.set(prefix, []);
        return ['stress', '--journal', journal, '--device', '1', '--prefix', prefix, '--count', String(stress.count)];
      };
      const onLine = (text: string) => printed.get(prefix)?.push((JSON.parse(text) as { Reference: string }).Reference);
      return runKilled(line, words, { kills: stress.kills, random: random.fork(name), onLine });
    }),
  );
  const sales = readSales(journal);
  return [...printed].flatMap(([prefix, references]) => {
    const own = sales.filter((reference) => reference.startsWith(`${prefix}-`) && !reference.includes('-old-'));
    // A last one may be there whose line was not printed any more.
    const isWhole =
      references.every((reference, index) => own[index] === reference) && own.length <= references.length + 1;
    return isWhole ? [] : [`${prefix} printed ${references.join(' ')}; the journal has ${own.join(' ')}`];
  });
}

function lineOf(lines: Scene['lines'], language: string): CommandLine {
  const line = lines.get(language);
  if (line === undefined) throw new Error(`there is no till of ${language}`);
  return line;
}
