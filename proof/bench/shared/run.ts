import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { letHelpersStepBack } from '../../../src/platform/work/helper-threads.ts';

/** Inside the project and not in the temporary folder, which may be in memory, where a commit costs nothing. */
export const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache');

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

/** Runs a benchmark in a temporary folder and cleans up, also when it is stopped; resolves with the exit code. */
export async function runBench(
  name: string,
  bench: (folder: string, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const stopping = new AbortController();
  let stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stopSignal ??= signal;
      stopping.abort();
    });
  }
  // Even after a bug here the service and its database must not be left running.
  process.on('uncaughtException', (error) => stopping.abort(error));
  process.stdout.on('error', () => {});
  // The generator shares the machine with what it measures.
  letHelpersStepBack();
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, `${name}-`));
  try {
    return await bench(folder, stopping.signal);
  } catch (error) {
    if (stopSignal === undefined) {
      // If it were thrown, the listener above would swallow it.
      process.stderr.write(`\n${error instanceof Error ? error.stack : String(error)}\n`);
      return 1;
    }
    process.stderr.write('\nstopped early: there are no results\n');
    return 128 + constants.signals[stopSignal];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** A number as people read it. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
