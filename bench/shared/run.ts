import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { letHelpersStepBack } from '../../src/platform/work/helper-threads.ts';

/** Inside the project and not in the temporary folder, which may be memory: a commit there would cost nothing. */
export const CACHE = join(import.meta.dirname, '..', '..', '.cache');

let lastPhase = '';

/** One line that is written over on a terminal; a line per phase in a log, with the seconds since the start. */
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

/** Runs a benchmark in a folder of its own and cleans up after it, also when it is stopped; resolves with the exit code. */
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
  // Whatever happens here, the service and its database must not be left running.
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
      // Thrown on it would reach the listener above, which says nothing.
      process.stderr.write(`\n${error instanceof Error ? error.stack : String(error)}\n`);
      return 1;
    }
    process.stderr.write('\nstopped before its end: nothing was written\n');
    return 128 + constants.signals[stopSignal];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** A number as people read it. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
