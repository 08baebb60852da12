/** A scripted till of one language, started again after every kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../world/random.ts';

export type CommandLine = readonly [program: string, ...words: string[]];

export interface Ended {
  /** Null: it was killed. */
  readonly code: number | null;
  readonly errors: string;
}

const running = new Set<ChildProcess>();

/** Ends all that still run, so that nothing is written any more. */
export function endTills(): void {
  for (const child of running) child.kill('SIGKILL');
}
process.once('exit', endTills);

/** Runs a command to its end. */
export async function runTill(
  [program, ...first]: CommandLine,
  words: readonly string[],
  onLine: (line: string) => void = () => {},
  onStart: (child: ChildProcess) => void = () => {},
): Promise<Ended> {
  const child = spawn(program, [...first, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  onStart(child);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  createInterface(child.stdout).on('line', onLine);
  const [code] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  return { code, errors };
}

export interface Killing {
  readonly kills: number;
  readonly random: Random;
  /** Without it the command prints nothing before its end, and is killed at a random time after its start. */
  readonly onLine?: (line: string) => void;
  readonly isDone?: (code: number) => boolean;
}

/**
 * Runs a command until it ends without being killed. Before that it is killed a number of times with SIGKILL, sometimes when it has
 * just started, mostly shortly after it printed something. Returns how many kills came in time.
 */
export async function runKilled(
  line: CommandLine,
  words: () => readonly string[],
  { kills, random, onLine, isDone = (code) => code === 0 }: Killing,
): Promise<number> {
  for (let killed = 0, failures = 0; ; ) {
    const isDoomed = killed < kills;
    const waitsForLine = onLine !== undefined && random.next() < 0.8;
    const [early, late] = [random.between(50, onLine === undefined ? 3_000 : 1_200), random.between(0, 700)];
    let timer: NodeJS.Timeout | undefined;
    let hasPrinted = false;
    let started: ChildProcess | undefined;
    const doom = (afterMs: number) => {
      timer ??= setTimeout(() => started?.kill('SIGKILL'), afterMs);
    };
    const { code, errors } = await runTill(
      line,
      words(),
      (text) => {
        onLine?.(text);
        if (isDoomed && !hasPrinted) doom(late);
        hasPrinted = true;
      },
      (child) => {
        started = child;
        if (isDoomed && !waitsForLine) doom(early);
      },
    );
    clearTimeout(timer);
    if (code === null) killed += 1;
    else if (isDone(code)) return killed;
    else {
      failures += 1;
      if (failures > 3) throw new Error(`${line.join(' ')} ${words().join(' ')} ended with ${code}: ${errors}`);
      await delay(200);
    }
  }
}
