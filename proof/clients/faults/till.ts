/** One till with its own file, for the proofs of faults. */
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type CommandLine, runTill } from '../tills/till-process.ts';
import { readSales, type Status } from '../tills/verdict.ts';
import type { World } from '../tills/world.ts';

/** A language with its own device. */
export interface Scene {
  readonly language: string;
  readonly line: CommandLine;
  readonly world: World;
  readonly deviceId: number;
  readonly folder: string;
}

/** What a proof did, for people, and what was wrong, one line each. */
export interface Proof {
  readonly name: string;
  readonly what: string;
  readonly faults: readonly string[];
}

export interface Line {
  readonly Reference: string;
  readonly Outcome: 'Signed' | 'Queued' | 'SetAside' | 'Failed';
  readonly Number?: number;
  readonly ClockAheadSeconds?: number | null;
}

interface Way {
  /** What comes before the till's command line: `strace …`. */
  readonly wrap?: readonly string[];
  readonly url?: string;
  readonly token?: string;
  readonly deadlineMs?: number;
  readonly more?: readonly string[];
}

/** Long enough for a slow machine, and shorter than the wait for a device on hold. */
const PATIENT_MS = 50_000;

export class FaultyTill {
  readonly prefix: string;
  readonly outbox: string;
  readonly #scene: Scene;

  constructor(scene: Scene, name: string, folder = scene.folder) {
    this.prefix = `${scene.language}-${name}`;
    this.outbox = `${folder}/${this.prefix}.outbox`;
    this.#scene = scene;
  }

  async run(command: string, words: readonly string[], wrap: readonly string[] = []) {
    const [program, ...rest]: string[] = [...wrap, ...this.#scene.line, command, '--outbox', this.outbox];
    const lines: string[] = [];
    const ended = await runTill([program ?? '', ...rest], words, (line) => lines.push(line));
    return { ...ended, lines };
  }

  /** Up to this number. */
  async sell(sales: number, { wrap = [], url, token, deadlineMs = PATIENT_MS, more = [] }: Way = {}) {
    const { world, deviceId } = this.#scene;
    const words = ['--url', url ?? world.url, '--token', token ?? world.token, '--device', String(deviceId)].concat(
      ['--prefix', this.prefix, '--sales', String(sales), '--deadline-ms', String(deadlineMs)],
      more,
    );
    const ended = await this.run('sell', words, wrap);
    return { ...ended, lines: ended.lines.map((line): Line => JSON.parse(line)) };
  }

  async drain({ url, token, more = [] }: Omit<Way, 'wrap' | 'deadlineMs'> = {}) {
    const { world } = this.#scene;
    const words = ['--url', url ?? world.url, '--token', token ?? world.token, ...more];
    const { code, errors, lines } = await this.run('drain', words);
    const [line = ''] = lines;
    if (line === '') throw new Error(`draining ${this.outbox} ended with ${code}: ${errors}`);
    return {
      code,
      ...(JSON.parse(line) as { readonly Signed: number; readonly SetAside: number; readonly Status: Status }),
    };
  }

  references(from: number, to: number): string[] {
    return Array.from({ length: to - from + 1 }, (_, index) => `${this.prefix}-${from + index}`);
  }

  /** What is in the file, if it is whole. Reads a copy, because opening the file would repair what a failed commit left behind. */
  inFile(): string[] {
    const copy = `${this.outbox}.copy`;
    for (const end of ['', '-journal']) copyFileSync(`${this.outbox}${end}`, `${copy}${end}`);
    return readSales(copy);
  }

  sql(statement: string): void {
    const db = new DatabaseSync(this.outbox);
    db.exec(statement);
    db.close();
  }

  /** Drains with a healthy disk, network and token: nothing may be left. */
  async settle(): Promise<string[]> {
    const { code, Status } = await this.drain();
    const isDone = code === 0 && Status.Queued === 0 && Status.SetAside.length === 0 && Status.Halted === null;
    this.inFile();
    return isDone ? [] : [`${this.prefix}: after draining ${code} ${JSON.stringify(Status)}`];
  }
}

/** Compares what the till printed with what it should have printed. */
export function outcomeFaults(prefix: string, lines: readonly Line[], ...expected: Line['Outcome'][]): string[] {
  const said = lines.map(({ Outcome }) => Outcome);
  return said.join(' ') === expected.join(' ') ? [] : [`${prefix} said ${said.join(' ')}, not ${expected.join(' ')}`];
}
