/** A lock that processes of every language share: a file that only one can create (docs/outbox.md, "The locks"). */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { explained } from './explained.ts';

/** A holder that has shown no sign of life for so long has lost it. */
const STALE_MS = 60_000;
/** One that was killed before it could write who it is. */
const NAMELESS_MS = 5_000;

interface Holder {
  readonly Pid: number;
  readonly Start: string;
  readonly Init: string;
}

export class FileLock {
  readonly #file: string;
  readonly #folder: string;
  readonly #prefix: string;
  readonly #content: string;
  /** Of this process; 0 while it does not hold the lock. */
  #generation = 0;

  constructor(file: string, kind: 'append' | 'drain') {
    this.#file = file;
    this.#folder = dirname(file);
    this.#prefix = `${basename(file)}.${kind}.`;
    const [Start, Init] = [processOf(process.pid)?.start ?? '', initStart()];
    this.#content = `${JSON.stringify({ Pid: process.pid, Start, Init, Token: randomBytes(8).toString('hex') })}\n`;
  }

  /** One attempt, without waiting. */
  tryTake(): boolean {
    return this.#explained(() => this.#tryTake());
  }

  #tryTake(): boolean {
    const before = this.#generations().at(-1) ?? 0;
    if (before > 0 && this.#isHeld(before)) return false;
    const mine = before + 1;
    if (!this.#create(mine)) return false;
    const all = this.#generations();
    if (all.at(-1) !== mine || (before > 0 && (!all.includes(before) || this.#isHeld(before)))) {
      rmSync(this.#path(mine), { force: true });
      return false;
    }
    // The lowest first: a number that could be created again by somebody who is late has nothing to count from.
    for (const lower of all.slice(0, -1)) rmSync(this.#path(lower), { force: true });
    this.#generation = mine;
    return true;
  }

  /** A process that was stopped for more than a minute may have lost it. */
  isMine(): boolean {
    return this.#generation > 0 && this.#explained(() => this.#generations().at(-1)) === this.#generation;
  }

  /** Shows that its holder lives. */
  refresh(): void {
    if (this.isMine()) this.#explained(() => this.#overwrite(this.#content));
  }

  release(): void {
    if (this.isMine()) this.#explained(() => this.#overwrite('{}'.padEnd(this.#content.length - 1)));
    this.#generation = 0;
  }

  /** Who has it, for a message. */
  holder(): string {
    const highest = this.#generations().at(-1);
    if (highest === undefined) return 'nobody';
    return `process ${readHolder(this.#read(highest)?.text ?? '')?.Pid ?? 'unknown'} (${this.#path(highest)})`;
  }

  #explained<Result>(step: () => Result): Result {
    return explained(this.#file, 'locked', step);
  }

  #path(generation: number): string {
    return join(this.#folder, `${this.#prefix}${generation}`);
  }

  #generations(): number[] {
    return readdirSync(this.#folder)
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => name.slice(this.#prefix.length))
      .filter((number) => /^[1-9]\d{0,14}$/.test(number))
      .map(Number)
      .toSorted((a, b) => a - b);
  }

  #create(generation: number): boolean {
    let descriptor: number;
    try {
      descriptor = openSync(this.#path(generation), 'wx', 0o644);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
    try {
      // Whatever the process's umask is: somebody may drain as root, and the till must see who has the lock.
      fchmodSync(descriptor, 0o644);
      writeSync(descriptor, this.#content);
      return true;
    } catch (error) {
      rmSync(this.#path(generation), { force: true });
      throw error;
    } finally {
      closeSync(descriptor);
    }
  }

  /** In place: a process killed in between must not leave an empty file. */
  #overwrite(text: string): void {
    const descriptor = openSync(this.#path(this.#generation), 'r+');
    try {
      writeSync(descriptor, text, 0);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Undefined if it is gone; without a text if it cannot be read. */
  #read(generation: number): { readonly text: string; readonly ageMs: number } | undefined {
    const path = this.#path(generation);
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return undefined;
    const ageMs = Math.abs(Date.now() - status.mtimeMs);
    try {
      return { text: readFileSync(path, 'utf8').trim(), ageMs };
    } catch {
      return { text: '', ageMs };
    }
  }

  #isHeld(generation: number): boolean {
    const lock = this.#read(generation);
    // Gone: somebody has a higher one by now.
    if (lock === undefined) return true;
    if (lock.text === '{}') return false;
    const holder = readHolder(lock.text);
    if (holder === undefined) return lock.ageMs < NAMELESS_MS;
    return lock.ageMs < STALE_MS && !isDead(holder);
  }
}

function readHolder(text: string): Holder | undefined {
  try {
    const { Pid, Start, Init }: Partial<Record<keyof Holder, unknown>> = JSON.parse(text);
    return typeof Pid === 'number' && typeof Start === 'string' && typeof Init === 'string'
      ? { Pid, Start, Init }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Only for processes that this one can see: another first process is another container. */
function isDead({ Pid, Start, Init }: Holder): boolean {
  if (Start === '' && !existsSync('/proc/self/stat')) return !canSignal(Pid);
  if (Start === '' || Init === '' || Init !== initStart()) return false;
  const running = processOf(Pid);
  return running === undefined || running.start !== Start || /[ZX]/.test(running.state);
}

function canSignal(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function initStart(): string {
  return processOf(1)?.start ?? '';
}

/** Behind the last parenthesis, because a program's name may contain spaces: state is field 3, start is field 22. */
function processOf(id: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
