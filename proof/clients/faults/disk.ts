/** Every write, flush and truncation of a sale fails once, as on a worn or full disk. */
import { readFileSync } from 'node:fs';
import { FaultyTill, type Proof, type Scene } from './till.ts';

const CALLS = ['pwrite64', 'write', 'fsync', 'fdatasync', 'ftruncate'] as const;
const ERRORS = ['EIO', 'ENOSPC'] as const;

interface Fault {
  readonly call: string;
  readonly nth: number;
  readonly error: string;
}

/** All of them, or a number of them spread over the sale. Each ends with three sales that must be in the chain. */
export async function failDisk(scene: Scene, most: number): Promise<Proof & { readonly sealed: readonly string[] }> {
  const whole = new FaultyTill(scene, 'disk');
  const counts = await countCalls(whole);
  const all = counts.flatMap(({ call, count }) =>
    Array.from({ length: count }, (_, index) => ERRORS.map((error) => ({ call, nth: index + 1, error }))).flat(),
  );
  const faults = await whole.settle();
  const sealed = whole.references(1, 1);
  const step = Math.max(1, all.length / most);
  const chosen = all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  const ends = new Map<string, number>();
  for (const fault of chosen) {
    const till = new FaultyTill(scene, `${fault.call}-${fault.nth}-${fault.error}`);
    const { end, found } = await failOnce(scene, till, fault);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    faults.push(...found, ...(await till.settle()));
    sealed.push(...till.references(1, 3));
  }
  const told = [...ends].map(([end, count]) => `${count} ${end}`).join(', ');
  return { name: 'a failing disk', what: `${chosen.length} of ${all.length} calls failed: ${told}`, faults, sealed };
}

async function countCalls(till: FaultyTill): Promise<{ readonly call: string; readonly count: number }[]> {
  const log = `${till.outbox}.strace`;
  const { lines, errors } = await till.sell(1, { wrap: tracing(till, log, CALLS.join(',')) });
  if (lines[0]?.Outcome !== 'Signed') throw new Error(`a traced till does not sell: ${errors}`);
  const text = readFileSync(log, 'utf8');
  return CALLS.map((call) => ({ call, count: text.match(new RegExp(`^\\d+ +${call}\\(`, 'gm'))?.length ?? 0 }));
}

/** A sale under the fault; then, on a healthy disk, the same again and two more. */
async function failOnce({ world }: Scene, till: FaultyTill, { call, nth, error }: Fault) {
  const log = `${till.outbox}.strace`;
  const wrap = [...tracing(till, log, call), '-e', `inject=${call}:error=${error}:when=${nth}`];
  const { code, lines } = await till.sell(1, { wrap });
  const [first] = till.references(1, 1);
  const found: string[] = [];
  const complain = (what: string) => found.push(`${till.prefix}: ${what}`);
  // A sale that was said to have failed must not be sealed, and one that was said to be sold must not be lost.
  const end = lines[0]?.Outcome ?? 'Failed';
  if (end === 'Failed' && code !== 1) complain(`failed, and ended with ${code}`);
  if (end === 'Failed' && (await world.isSealed(first ?? ''))) complain('failed, and was sealed anyway');
  if (end !== 'Failed' && !till.inFile().includes(first ?? '')) complain(`said ${end}, and is not in the file`);
  if (end === 'SetAside') complain('was set aside');
  const hasStruck = readFileSync(log, 'utf8').includes('(INJECTED)');
  const again = await till.sell(3);
  if (again.code !== 0) complain(`on a healthy disk it ended with ${again.code}: ${again.errors}`);
  return { end: hasStruck ? end : 'not met', found };
}

/** `when` counts the calls of one thread and one name. */
function tracing({ outbox }: FaultyTill, log: string, calls: string): string[] {
  return ['strace', '-f', '-qq', '-o', log, '-P', outbox, '-P', `${outbox}-journal`, '-e', `trace=${calls}`];
}
