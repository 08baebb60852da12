import { type ChildProcess, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../../clients/languages.ts';
import { saleProblems } from '../checker/check-sales.ts';
import { type CommandLine, runTill } from '../clients/tills/till-process.ts';
import { readSales, type Status } from '../clients/tills/verdict.ts';
import { openWorld } from '../clients/tills/world.ts';
import { type Ends, endAll, startAll } from '../world/ends.ts';
import type { Random } from '../world/random.ts';
import { type Cut, KEPT, type Moment, PowerDisk } from './disk.ts';

export interface OutboxOptions {
  /** On the machine's own disk. */
  readonly folder: string;
  readonly languages: readonly Language[];
  readonly random: Random;
}

export interface OutboxCut extends Cut {
  readonly language: string;
  readonly keep: (typeof KEPT)[number];
  /** Sales that its till was told of before the cut. */
  readonly acknowledged: number;
  /** What the file of the outbox lacks, or what is wrong with it. */
  readonly problems: readonly string[];
}

interface Told {
  readonly Reference: string;
  readonly Outcome: 'Signed' | 'Queued' | 'SetAside' | 'Failed';
  readonly Number?: number;
}

interface Line extends Told {
  readonly at: number;
}

interface Selling {
  /** The service cannot be reached, so everything is queued. */
  readonly isAway?: boolean;
  readonly onSale?: (count: number) => void;
  readonly onStart?: (child: ChildProcess) => void;
}

/** One language's till with its device and the file it sells into now. */
interface Desk {
  readonly language: string;
  readonly line: CommandLine;
  readonly deviceId: number;
  outbox: string;
  /** How often it has sold so far, and how often it was cut in the file of now. */
  rounds: number;
  cutsInFile: number;
  /** In the file of now. */
  inFile: string[];
  /** In all files; with the number where the till was told one. */
  readonly acknowledged: Map<string, number | undefined>;
}

/** Large enough for ext4 to keep a copy of its super block. */
const DISK_MEGABYTES = 192;
/** After this many cuts a new file, because creating one can be cut as well. */
const CUTS_PER_FILE = 6;
/** Which write or flush at the latest, counted from the start of the till or from one of its first sales. */
const LATEST = { write: 60, flush: 40 } as const;
const MOST_SALES_BEFORE = 3;
const SAFE_SALES = 5;
const MOMENT_SECONDS = 20;
const NOBODY = 'http://127.0.0.1:9';

/** Outboxes on a disk whose power is cut while their tills sell. The service is on another one. */
export class OutboxWorld {
  readonly #parts: Parts;
  readonly #ends: Ends;

  private constructor(parts: Parts, ends: Ends) {
    this.#parts = parts;
    this.#ends = ends;
  }

  static make(options: OutboxOptions): Promise<OutboxWorld> {
    return startAll(async (ends) => new OutboxWorld(await makeParts(options, ends), ends));
  }

  async cut(language: string, keep?: OutboxCut['keep']): Promise<OutboxCut> {
    const { disk, random, folder } = this.#parts;
    const desk = this.#deskOf(language);
    const at = random.pick(['write', 'flush'] as const);
    const moment: Moment = { at, after: random.between(1, LATEST[at]) };
    const plan = { keep: keep ?? random.pick(KEPT), seed: random.between(1, 1_000_000) };
    const problems: string[] = [];
    if (desk.outbox === '' || desk.cutsInFile === CUTS_PER_FILE) {
      if (desk.outbox !== '') problems.push(...(await this.#drain(desk)));
      this.#beginFile(desk);
    }
    desk.cutsInFile += 1;
    const { cut, acknowledged, ended } = await this.#sellUntilCut(desk, moment);
    await disk.restore(plan.keep, plan.seed);
    if (ended.at <= cut.cutAt)
      problems.push(`${language}: it ended with ${ended.code} before the cut: ${ended.errors}`);
    problems.push(...fileProblems(desk, folder));
    return { ...cut, language, keep: plan.keep, acknowledged, problems };
  }

  /** A new file with some sales, all of it safe, whether or not that was asked for. */
  async flush(language: string): Promise<void> {
    const desk = this.#deskOf(language);
    this.#beginFile(desk);
    const { lines, ended } = await this.#sell(desk, SAFE_SALES);
    if (ended.code !== 0) throw new Error(`${language}: it cannot sell: ${ended.errors}`);
    acknowledge(desk, lines);
    execFileSync('sync', ['--file-system', this.#parts.disk.folder]);
  }

  /** Sends what is queued; then everything that a till was told of is in its chain, once, in order and with its number. */
  async judge(): Promise<string[]> {
    const problems: string[] = [];
    for (const desk of this.#parts.desks) {
      if (desk.rounds > 0) problems.push(...(await this.#drain(desk)), ...(await this.#chainProblems(desk)));
    }
    return problems;
  }

  get repairs(): number {
    return this.#parts.disk.repairs;
  }

  get acknowledged(): number {
    return this.#parts.desks.reduce((sum, desk) => sum + desk.acknowledged.size, 0);
  }

  end(): Promise<void> {
    return endAll(this.#ends, false);
  }

  #deskOf(language: string): Desk {
    const desk = this.#parts.desks.find((one) => one.language === language);
    if (desk === undefined) throw new Error(`nobody sells in ${language}`);
    return desk;
  }

  #beginFile(desk: Desk): void {
    desk.outbox = join(this.#parts.disk.folder, `${desk.language}-${desk.rounds}.outbox`);
    desk.inFile = [];
    desk.cutsInFile = 0;
  }

  async #sellUntilCut(desk: Desk, moment: Moment) {
    const { disk, random } = this.#parts;
    const isAway = random.next() < 0.3;
    const salesBefore = random.between(0, MOST_SALES_BEFORE);
    if (salesBefore === 0) await disk.arm(moment);
    let till: ChildProcess | undefined;
    const selling = this.#sell(desk, 100_000, {
      isAway,
      onSale: (count) => {
        if (count === salesBefore) void disk.arm(moment);
      },
      onStart: (child) => {
        till = child;
      },
    });
    // One that cannot sell at all is not waited for.
    const cut = await Promise.race([disk.waitForCut(MOMENT_SECONDS), selling.then(() => disk.waitForCut(0))]);
    till?.kill('SIGKILL');
    const { lines, ended } = await selling;
    const told = lines.filter(({ at }) => at <= cut.cutAt);
    acknowledge(desk, told);
    return { cut, acknowledged: told.length, ended };
  }

  /** Until it ends or is killed; returns the sales that it was told of. */
  async #sell(desk: Desk, sales: number, { isAway = false, onSale, onStart }: Selling = {}) {
    const { world } = this.#parts;
    const lines: Line[] = [];
    desk.rounds += 1;
    const ended = await runTill(
      desk.line,
      ['sell', '--url', isAway ? NOBODY : world.url, '--token', world.token, '--outbox', desk.outbox].concat(
        ['--device', String(desk.deviceId), '--prefix', `${desk.language}-${desk.rounds}`, '--sales', String(sales)],
        ['--deadline-ms', isAway ? '50' : '5000'],
      ),
      (text) => {
        const line = { at: Date.now(), ...(JSON.parse(text) as Told) };
        if (line.Outcome === 'Failed') return;
        lines.push(line);
        onSale?.(lines.length);
      },
      onStart,
    );
    return { lines, ended: { ...ended, at: Date.now() } };
  }

  async #drain({ language, line, outbox }: Desk): Promise<string[]> {
    const { world } = this.#parts;
    const lines: string[] = [];
    const words = ['drain', '--url', world.url, '--token', world.token, '--outbox', outbox];
    const { code, errors } = await runTill(line, words, (text) => lines.push(text));
    const { Status } = JSON.parse(lines[0] ?? '{"Status":null}') as { Status: Status | null };
    const isDone = code === 0 && Status?.Queued === 0 && Status.SetAside.length === 0 && Status.Halted === null;
    return isDone ? [] : [`${language}: ${outbox} cannot be drained: ${code} ${JSON.stringify(Status)} ${errors}`];
  }

  /** A sale may be sealed that its till was not told of any more: of each round, as many as are sealed must be the first ones. */
  async #chainProblems({ language, deviceId, rounds, acknowledged }: Desk): Promise<string[]> {
    const chain = await this.#parts.world.chain(deviceId);
    const sold = Array.from({ length: rounds }, (_, index) => {
      const isOwn = (reference: string) => reference.startsWith(`${language}-${index + 1}-`);
      const [told, sealed] = [[...acknowledged.keys()], chain.receipts.map(({ Reference }) => Reference)];
      const length = Math.max(told.filter(isOwn).length, sealed.filter(isOwn).length);
      return Array.from({ length }, (_one, place) => `${language}-${index + 1}-${place + 1}`);
    });
    return saleProblems(chain, sold, acknowledged);
  }
}

function acknowledge(desk: Desk, lines: readonly Line[]): void {
  for (const { Reference, Number: number } of lines) {
    desk.inFile.push(Reference);
    desk.acknowledged.set(Reference, number);
  }
}

/** Reads a copy, because opening the file would repair it. One that was being created may have no tables yet; the next sale finds out. */
function fileProblems({ language, outbox, inFile }: Desk, folder: string): string[] {
  if (inFile.length === 0) return [];
  const copy = join(folder, `${language}.copy`);
  try {
    for (const end of ['', '-journal']) {
      rmSync(`${copy}${end}`, { force: true });
      if (existsSync(`${outbox}${end}`)) copyFileSync(`${outbox}${end}`, `${copy}${end}`);
    }
    const there = new Set(readSales(copy));
    const lost = inFile.filter((reference) => !there.has(reference));
    const which = `${lost.length} sales, from ${lost[0]} to ${lost.at(-1)}`;
    return lost.length === 0
      ? []
      : [`lost: ${which}, acknowledged to the till and not in the file, which has ${there.size}`];
  } catch (error) {
    return [`${language}: the file cannot be read: ${String(error)}`];
  }
}

type Parts = Awaited<ReturnType<typeof makeParts>>;

async function makeParts({ folder, languages, random }: OutboxOptions, ends: Ends) {
  mkdirSync(folder, { recursive: true });
  await Promise.all(languages.map(async (language) => language.build?.(folder)));
  const disk = await PowerDisk.make(join(folder, 'power'), DISK_MEGABYTES);
  ends.push(() => disk.end());
  const world = await openWorld(join(folder, 'data'), languages.length);
  ends.push(() => world.close());
  const desks = languages.map(
    (language, index): Desk => ({
      language: language.name,
      line: language.till(folder),
      deviceId: world.deviceIds[index] ?? 0,
      outbox: '',
      rounds: 0,
      cutsInFile: 0,
      inFile: [],
      acknowledged: new Map(),
    }),
  );
  return { folder, random, disk, world, desks };
}
