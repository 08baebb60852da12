import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const THREADS = '/proc/self/task';
const HELPER = 'V8Worker';
/** About a tenth of what a thread beside them gets when both want the same core. */
const STEPS_BACK = 10;
const LAST = 19;

/**
 * Lets the threads in which V8 marks garbage and compiles run behind those that answer. Where there are as many helpers as cores,
 * a full collection takes all of them for 80 ms, and whoever sends a receipt in that moment waits for it. On Linux
 * alone, where a thread has a priority of its own; gives how many there are.
 */
export function letHelpersStepBack(): number {
  if (process.platform !== 'linux') return 0;
  const behind = Math.min(LAST, getPriority() + STEPS_BACK);
  const helpers = readdirSync(THREADS).filter((thread) => nameOf(thread) === HELPER);
  for (const thread of helpers) setPriority(Number(thread), behind);
  return helpers.length;
}

/** A thread may have ended since it was listed. */
function nameOf(thread: string): string | undefined {
  try {
    return readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}
