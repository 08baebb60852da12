import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const THREADS = '/proc/self/task';
const HELPER = 'V8Worker';
/** About a tenth of what a thread beside them gets when both want the same core. */
const STEPS_BACK = 10;
const LAST = 19;

/**
 * Lets the threads in which V8 marks garbage and compiles run behind those that answer: a full collection keeps several of them
 * busy for 80 ms, and on a machine with few cores a receipt sent at that moment waits for it. Only Linux has a priority
 * for each thread, and a container may forbid changing it; the service runs anyway. Returns how many were lowered.
 */
export function letHelpersStepBack(setPriorityOf = setPriority): number {
  if (process.platform !== 'linux') return 0;
  const behind = Math.min(LAST, getPriority() + STEPS_BACK);
  const stepBack = (thread: string) => {
    if (readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim() !== HELPER) return false;
    setPriorityOf(Number(thread), behind);
    return true;
  };
  return threads().filter((thread) => attempt(() => stepBack(thread))).length;
}

function threads(): string[] {
  return attempt(() => readdirSync(THREADS)) ?? [];
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
