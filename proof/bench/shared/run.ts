import type { Outcome } from './report.ts';

export interface Bench {
  /** What it measures and how long that takes, for the list. */
  readonly about: string;
  readonly parts: readonly string[];
  measure(run: Run): Promise<Outcome>;
}

/** What was chosen on the command line. */
export interface Run {
  /** Inside the project and not in the temporary folder, which may be in memory, where a commit costs nothing. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly parts: readonly string[];
  readonly seconds: number;
  readonly devices: readonly number[];
  readonly backlog: number;
  readonly large: number;
  readonly requests: number;
  readonly isShort: boolean;
  readonly nodeOptions: readonly string[];
}

let lastPhase = '';

/** On a terminal one line that changes; in a log a line per phase, with the seconds since the start. */
export function progress(line: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\x1b[K${line}`);
    return;
  }
  const phase = line.replace(/, [\d,]+ of .*$/, '');
  if (phase !== lastPhase && phase !== '')
    process.stderr.write(`${String(Math.round(performance.now() / 1000)).padStart(4)} s  ${phase} …\n`);
  lastPhase = phase;
}
