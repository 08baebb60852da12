import { join } from 'node:path';
import { LANGUAGES, missing } from '../../clients/languages.ts';
import { bundlePrograms } from '../../test/support/programs.ts';
import type { Verdict } from '../checker/verdict.ts';
import { type Random, seededRandom } from '../world/random.ts';
import { type OutboxCut, OutboxWorld } from './outbox-world.ts';
import { isStart, MOMENTS, type PlannedCut, planCut } from './service-plan.ts';
import { type CutRecord, ServiceWorld } from './service-world.ts';

export interface PowerOptions {
  /** On the machine's own disk. */
  readonly folder: string;
  readonly cuts: number;
  /** After these no further cut is begun. */
  readonly minutes: number;
  readonly seed: number;
  readonly tell: (line: string) => void;
}

export interface PowerResult {
  readonly service: ServiceResult;
  readonly outboxes: OutboxResult;
  /** Everything that was found. */
  readonly problems: readonly string[];
}

export interface ServiceResult {
  readonly worlds: number;
  readonly cuts: readonly CutRecord[];
  readonly answered: number;
  readonly completeBackups: number;
  readonly repairs: number;
  readonly verdicts: readonly Verdict[];
  /** What was found after a cut. */
  readonly problems: readonly string[];
}

export interface OutboxResult {
  readonly cuts: readonly OutboxCut[];
  readonly acknowledged: number;
  readonly repairs: number;
  readonly skipped: readonly string[];
  readonly problems: readonly string[];
}

/** A world grows with every cut, and checking it takes longer: after this many a new one. */
const CUTS_PER_WORLD = 25;
const FIRST_STARTS = 3;
const WORLDS_AT_ONCE = 2;

/** Half of the cuts hit the service, the other half outboxes. */
export async function runPowerCut(options: PowerOptions): Promise<PowerResult> {
  const { folder, cuts, minutes, seed, tell } = options;
  const random = seededRandom(seed);
  await bundlePrograms();
  const atService = Math.ceil(cuts / 2);
  const until = Date.now() + minutes * 60_000;
  // Where one part finds something, or cannot go on, the others end after their cut.
  const ending = new AbortController();
  const isOver = () => ending.signal.aborted || Date.now() > until;
  const [service, outboxes] = await allOf({ tell, ending }, [
    cutServices(atService, join(folder, 's'), random.fork('service'), { tell, ending, isOver }),
    cutOutboxes(cuts - atService, join(folder, 'o'), random.fork('outbox'), { tell, ending, isOver }),
  ]);
  const problems = [
    ...service.problems,
    ...service.verdicts.flatMap((verdict) => verdict.problems),
    ...outboxes.problems,
  ];
  return { service, outboxes, problems };
}

async function allOf<Parts extends readonly unknown[]>(
  { tell, ending }: Pick<Run, 'tell' | 'ending'>,
  parts: { readonly [Part in keyof Parts]: Promise<Parts[Part]> },
): Promise<Parts> {
  for (const part of parts) {
    part.catch((error: unknown) => {
      tell(`cannot go on: ${error instanceof Error ? error.stack : String(error)}`);
      ending.abort();
    });
  }
  await Promise.allSettled(parts);
  return Promise.all(parts) as Promise<unknown> as Promise<Parts>;
}

interface Run {
  readonly tell: PowerOptions['tell'];
  readonly ending: AbortController;
  readonly isOver: () => boolean;
}

/** Moments in turn, in an order that the seed decides, so that each comes as often as any other. */
function planWorld(cuts: number, random: Random): PlannedCut[] {
  const first = Array.from({ length: Math.min(cuts, FIRST_STARTS) }, () => planCut('the first start', random));
  const turns = Array.from({ length: cuts - first.length }, (_, index) => MOMENTS[index % MOMENTS.length] ?? 'a sale');
  return [...first, ...random.shuffled(turns).map((during) => planCut(during, random))];
}

async function cutServices(
  cuts: number,
  folder: string,
  random: Random,
  { tell, ending, isOver }: Run,
): Promise<ServiceResult> {
  const records: CutRecord[] = [];
  const verdicts: Verdict[] = [];
  const problems: string[] = [];
  let [worlds, planned, answered, completeBackups, repairs] = [0, 0, 0, 0, 0];
  const cutWorlds = async () => {
    while (planned < cuts && !isOver()) {
      worlds += 1;
      const own = random.fork(`world ${worlds}`);
      const plans = planWorld(Math.min(CUTS_PER_WORLD, cuts - planned), own);
      planned += plans.length;
      const world = await ServiceWorld.make({ folder: `${folder}${worlds}`, random: own });
      try {
        for (const [index, plan] of plans.entries()) {
          const record = await world.cut(plan);
          const number = records.push(record);
          // A start that is cut as well comes directly after this cut.
          const next = isOver() ? undefined : plans[index + 1];
          const found = next !== undefined && isStart(next) ? [] : await world.recover();
          tell(`${number}: ${record.during}, ${wordsOf(record)}${found.map((one) => `\n    ${one}`).join('')}`);
          problems.push(...found.map((one) => `${record.during}, ${wordsOf(record)}: ${one}`));
          if (problems.length > 0) ending.abort();
          if (next === undefined || problems.length > 0) break;
        }
        if (problems.length === 0) verdicts.push(...(await world.judge()));
        answered += world.answered;
        completeBackups += world.completeBackups;
        repairs += world.repairs;
      } finally {
        await world.end();
      }
    }
  };
  await Promise.all(Array.from({ length: WORLDS_AT_ONCE }, cutWorlds));
  return { worlds, cuts: records, answered, completeBackups, repairs, verdicts: summed(verdicts), problems };
}

async function cutOutboxes(
  cuts: number,
  folder: string,
  random: Random,
  { tell, ending, isOver }: Run,
): Promise<OutboxResult> {
  const lacking = LANGUAGES.map((language) => ({ language, lacks: missing(language) }));
  const languages = lacking.filter(({ lacks }) => lacks.length === 0).map(({ language }) => language);
  const skipped = lacking
    .filter(({ lacks }) => lacks.length > 0)
    .map(({ language, lacks }) => `${language.name} (no ${lacks.join(', ')})`);
  const world = await OutboxWorld.make({ folder, languages, random });
  const records: OutboxCut[] = [];
  const problems: string[] = [];
  try {
    for (let index = 0; index < cuts && !isOver(); index += 1) {
      const record = await world.cut(languages[index % languages.length]?.name ?? '');
      records.push(record);
      tell(`outbox ${index + 1}: ${record.language}, ${wordsOf(record)}, ${record.acknowledged} sales acknowledged`);
      problems.push(...record.problems);
      if (problems.length > 0) ending.abort();
    }
    problems.push(...(await world.judge()));
    return { cuts: records, acknowledged: world.acknowledged, repairs: world.repairs, skipped, problems };
  } finally {
    await world.end();
  }
}

function wordsOf({ how, writes, keep }: Pick<CutRecord, 'how' | 'writes' | 'keep'>): string {
  return `cut at ${how === 'now' ? 'no chosen moment' : `a ${how}`}, ${writes} writes not flushed, ${keep}`;
}

/** The same question was asked of every world. */
function summed(verdicts: readonly Verdict[]): Verdict[] {
  const names = [...new Set(verdicts.map(({ name }) => name))];
  return names.map((name) => {
    const same = verdicts.filter((verdict) => verdict.name === name);
    return {
      name,
      figures: sum(same.map(({ figures }) => figures)),
      problems: same.flatMap(({ problems }) => problems),
    };
  });
}

/** Every number in a text that is otherwise the same. */
function sum([first = '', ...others]: readonly string[]): string {
  const numbers = others.map((one) => one.match(/\d+/g)?.map(Number) ?? []);
  let place = 0;
  return first.replace(/\d+/g, (text) => {
    const total = numbers.reduce((all, one) => all + (one[place] ?? 0), Number(text));
    place += 1;
    return String(total);
  });
}
