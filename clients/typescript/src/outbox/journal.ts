/**
 * The journal on the till's disk (docs/outbox.md, "The journal"): what was sold and what became of it. Every process keeps its place in
 * the file and reads what others have appended. Reading and writing are synchronous: a few milliseconds, during which nothing else of this
 * process can come between the steps of the protocol.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { JournalError } from '../errors.ts';
import { explained } from './explained.ts';
import { FileLock } from './lock.ts';
import { type JournalRecord, lineOf, readLine } from './record.ts';
import { Sales } from './sales.ts';

const LINE_FEED = 0x0a;
/** The first line is shorter than this, whatever a later version adds to it. */
const HEADER_BYTES = 512;
/** Longer than a lock can be held by a process that is gone. */
const LOCK_PATIENCE_MS = 70_000;

export class Journal {
  readonly file: string;
  readonly #lock: FileLock;
  #sales = new Sales();
  #id = '';
  /** Where the last good line ends. */
  #end = 0;
  #lines = 0;
  /** All that was read is on the disk. */
  #isFlushed = true;
  /** One at a time within this process, too. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.file = resolve(file);
    this.#lock = new FileLock(this.file, 'append');
  }

  /** What is sold, as far as it has been read. */
  get sales(): Sales {
    return this.#sales;
  }

  /** Reads what is new. */
  async refresh(): Promise<Sales> {
    try {
      explained(this.file, 'read', () => this.#look());
    } catch (error) {
      if (!(error instanceof DamagedLineError)) throw error;
      // Or another process was cutting off a torn line while this one read.
      await this.#underLock('read', () => {
        this.#look();
        return true;
      });
    }
    return this.#sales;
  }

  /** What another process wrote may not be on the disk yet: it may have been killed before it flushed it. */
  flush(): void {
    if (this.#isFlushed) return;
    explained(this.file, 'flushed', () => withFile(this.file, 'r+', fsyncSync));
    this.#isFlushed = true;
  }

  /**
   * Appends what `decide` returns, having read everything before it, and returns when it is on the disk. `decide` may be asked again:
   * a process that was stopped for more than a minute has lost its lock, and what it wrote may be in the file or not.
   */
  append(decide: (sales: Sales) => JournalRecord | undefined): Promise<void> {
    return this.#underLock('written', () => {
      if (isMissingOrEmpty(this.file) && !this.#replace([], () => this.#lock.isMine())) return false;
      return withFile(this.file, 'a+', (descriptor) => {
        this.#read(descriptor);
        const record = decide(this.#sales);
        if (record === undefined) return true;
        return this.#lock.isMine() && this.#write(descriptor, record) && this.#lock.isMine();
      });
    });
  }

  /** Leaves out what is finished since `before`; only the holder of the drain lock may. */
  compact(before: string, isDrainer: () => boolean): Promise<void> {
    return this.#underLock('compacted', () => {
      this.#look();
      if (!this.#sales.hasFinished(before)) return true;
      const keep = readLines(readFileSync(this.file)).filter((line) => this.#sales.isNeeded(readLine(line), before));
      // Not ours any more: the next drainer does it.
      this.#replace(keep, () => isDrainer() && this.#lock.isMine());
      return true;
    });
  }

  /** Runs `step` with the append lock until it returns true: false means that the lock was lost. */
  #underLock(what: string, step: () => boolean): Promise<void> {
    const run = async () => {
      for (;;) {
        await this.#takeLock(what);
        try {
          if (explained(this.file, what, step)) return;
          this.#forget();
        } finally {
          this.#lock.release();
        }
      }
    };
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #takeLock(what: string): Promise<void> {
    const deadline = Date.now() + LOCK_PATIENCE_MS;
    while (!this.#lock.tryTake()) {
      if (Date.now() > deadline)
        throw new JournalError(`${this.file} cannot be ${what}: it is locked by ${this.#lock.holder()}.`);
      await delay(10 + Math.random() * 40);
    }
  }

  #look(): void {
    if (isMissingOrEmpty(this.file)) this.#forget();
    else withFile(this.file, 'r', (descriptor) => this.#read(descriptor));
  }

  #read(descriptor: number): void {
    const { size } = fstatSync(descriptor);
    if (size === 0) {
      this.#forget();
      return;
    }
    const header = headerOf(readAt(descriptor, 0, Math.min(size, HEADER_BYTES)));
    if (header === undefined)
      throw new JournalError(`${this.file} is not an outbox: its first line is not that of a journal.`);
    if (header.version !== 1)
      throw new JournalError(`${this.file} is of version ${header.version}: a newer client is needed to read it.`);
    if (header.id !== this.#id || size < this.#end) {
      this.#forget();
      this.#id = header.id;
      this.#end = header.length;
      this.#lines = 1;
    }
    this.#readLines(readAt(descriptor, this.#end, size - this.#end));
  }

  #readLines(bytes: Buffer): void {
    for (
      let start = 0, end = bytes.indexOf(LINE_FEED);
      end >= 0;
      start = end + 1, end = bytes.indexOf(LINE_FEED, start)
    ) {
      const record = readLine(bytes.subarray(start, end));
      if (record === 'Damaged') {
        // The last one was never acknowledged: whoever appends next cuts it off.
        if (end + 1 === bytes.length) return;
        throw new DamagedLineError(
          `Line ${this.#lines + 1} of ${this.file} is damaged. Nothing was changed: the lines are readable as text, and those behind it may be sales that have not been sent.`,
        );
      }
      this.#sales.apply(record);
      this.#isFlushed = false;
      this.#end += end + 1 - start;
      this.#lines += 1;
    }
  }

  /** Behind the last good line, flushed. What cannot be written whole is taken back. */
  #write(descriptor: number, record: JournalRecord): true {
    const line = lineOf(record);
    const cut = () => ftruncateSync(descriptor, this.#end);
    try {
      if (fstatSync(descriptor).size > this.#end) cut();
      writeWhole(descriptor, line);
      fsyncSync(descriptor);
    } catch (error) {
      if (this.#lock.isMine()) cut();
      throw error;
    }
    this.#sales.apply(record);
    this.#isFlushed = true;
    this.#end += line.length;
    this.#lines += 1;
    return true;
  }

  /** A new file with these lines in the place of the old one, if it is still ours to do so. */
  #replace(lines: readonly Buffer[], isAllowed: () => boolean): boolean {
    const file = `${this.file}.new`;
    const header = lineOf({ Kind: 'Outbox', Version: 1, Id: randomBytes(8).toString('hex') });
    const text = Buffer.concat([header, ...lines.flatMap((line) => [line, Buffer.from('\n')])]);
    try {
      rmSync(file, { force: true });
      withFile(file, 'wx', (descriptor) => {
        const owner = statSync(this.file, { throwIfNoEntry: false });
        // Somebody may drain as root; the till must still be able to write to its journal.
        if (owner !== undefined && process.getuid?.() === 0) fchownSync(descriptor, owner.uid, owner.gid);
        writeWhole(descriptor, text);
        fsyncSync(descriptor);
      });
      const isOurs = isAllowed();
      if (isOurs) renameSync(file, this.file);
      else rmSync(file, { force: true });
      // So that the new name is on the disk as well. Windows does not know this.
      if (process.platform !== 'win32') withFile(dirname(this.file), 'r', fsyncSync);
      return isOurs;
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
  }

  #forget(): void {
    this.#sales = new Sales();
    this.#id = '';
    this.#end = 0;
    this.#lines = 0;
  }
}

/** Perhaps only for the moment. */
class DamagedLineError extends JournalError {}

function withFile<Result>(file: string, flags: string, task: (descriptor: number) => Result): Result {
  const descriptor = openSync(file, flags, 0o600);
  try {
    return task(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isMissingOrEmpty(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function headerOf(
  bytes: Buffer,
): { readonly id: string; readonly version: number; readonly length: number } | undefined {
  const end = bytes.indexOf(LINE_FEED);
  const record = end < 0 ? 'Damaged' : readLine(bytes.subarray(0, end));
  if (typeof record === 'string' || record.Kind !== 'Outbox') return undefined;
  return { id: record.Id, version: record.Version, length: end + 1 };
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** All lines behind the first one, up to the last line feed, without a damaged last one. */
function readLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end = bytes.indexOf(LINE_FEED); end >= 0; start = end + 1, end = bytes.indexOf(LINE_FEED, start))
    lines.push(bytes.subarray(start, end));
  return lines.slice(1).filter((line) => readLine(line) !== 'Damaged');
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
