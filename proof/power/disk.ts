import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../../test/support/process.ts';

/** What survives of the writes that were not flushed: nothing, some blocks of 4,096 bytes, or some sectors of 512. */
export const KEPT = ['drop', 'part', 'tear'] as const;

/** When the power is cut: at the n-th write or flush from now on. */
export interface Moment {
  readonly at: 'write' | 'flush';
  readonly after: number;
}

export interface Cut {
  /** In milliseconds, by the clock of the machine. */
  readonly cutAt: number;
  /** `now`: the moment did not come, and there was no more waiting for it. */
  readonly how: Moment['at'] | 'now';
  /** What was not flushed. */
  readonly writes: number;
}

const PROGRAMS = ['nbdkit', 'nbdfuse', 'mkfs.ext4', 'fsck.ext4', 'mount', 'umount', 'unshare', 'setpriv'];
const PATIENCE_MS = 120_000;

/** What this machine lacks for such a disk; undefined when it has everything. */
export function whyNoPowerDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root on Linux can mount the disk that is cut off';
  const missing = PROGRAMS.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0) return `there is no ${missing.join(', ')} (Debian: nbdkit, libnbd-bin, fuse3, e2fsprogs)`;
  if (spawnSync('nbdkit', ['python', '--dump-plugin']).status !== 0)
    return 'nbdkit has no Python (Debian: nbdkit-plugin-python)';
  return ['/dev/fuse', '/dev/loop-control'].find((path) => !existsSync(path))?.concat(' is not there');
}

/**
 * A file system on a disk that loses what was not flushed: nbdkit (disk.py) → nbdfuse → a loop device → ext4. The kernel frees the
 * loop device with its mount, also where everything here is killed.
 */
export class PowerDisk {
  /** Where its files are while there is power. */
  readonly folder: string;
  /** How often the file system could not be mounted before fsck had repaired it. */
  repairs = 0;
  readonly #parts: string;
  readonly #control: string;
  readonly #log: number;
  readonly #server: ChildProcess;
  #fuse: ChildProcess | undefined;
  #period = 0;

  private constructor(parts: string, megabytes: number) {
    this.folder = join(parts, 'disk');
    this.#parts = parts;
    this.#control = join(parts, 'control');
    for (const folder of [parts, this.folder, join(parts, 'fuse')]) mkdirSync(folder, { recursive: true });
    this.#log = openSync(join(parts, 'disk.log'), 'a');
    const words = ['-f', '-U', join(parts, 'nbd'), 'python', join(import.meta.dirname, 'disk.py')];
    const settings = [`size=${megabytes * 2 ** 20}`, `control=${this.#control}`];
    this.#server = this.#spawn('nbdkit', [...words, ...settings]);
  }

  static async make(parts: string, megabytes: number): Promise<PowerDisk> {
    const disk = new PowerDisk(parts, megabytes);
    try {
      await until(() => existsSync(join(parts, 'nbd')) && existsSync(disk.#control), 'nbdkit listens', PATIENCE_MS);
      await disk.#attach();
      run('mkfs.ext4', ['-q', '-m', '0', '-b', '4096', '-E', 'lazy_itable_init=0,nodiscard', disk.#image]);
      disk.#mount();
      return disk;
    } catch (error) {
      await disk.end();
      throw error;
    }
  }

  async arm({ at, after }: Moment): Promise<void> {
    await this.#ask({ do: 'arm', at, after });
  }

  /** Resolves when the power is cut. If the moment does not come in time, it is cut then. */
  waitForCut(seconds: number): Promise<Cut> {
    return this.#ask({ do: 'wait', seconds, period: this.#period });
  }

  /** After the cut and the end of everything that ran: the disk has what survived, and its file system repairs itself. */
  async restore(keep: (typeof KEPT)[number], seed: number): Promise<void> {
    await this.#killUntilNone();
    await this.#detachAll();
    await this.#ask({ do: 'power', keep, seed });
    this.#period += 1;
    await this.#attach();
    this.#mount();
  }

  /** Every process with a file here, without a chance to write anything; returns how many there were. */
  killAll(): number {
    return killOn(this.folder);
  }

  async end(): Promise<void> {
    await this.#killUntilNone();
    await this.#detachAll();
    this.#server.kill('SIGKILL');
    if (this.#server.exitCode === null && this.#server.signalCode === null) await once(this.#server, 'exit');
  }

  async #killUntilNone(): Promise<void> {
    await until(() => this.killAll() === 0, 'nothing runs on the disk', PATIENCE_MS);
  }

  async #attach(): Promise<void> {
    const ready = join(this.#parts, 'fuse.pid');
    const address = `nbd+unix:///?socket=${join(this.#parts, 'nbd')}`;
    rmSync(ready, { force: true });
    this.#fuse = this.#spawn('nbdfuse', ['-P', ready, this.#image, address]);
    await until(() => existsSync(ready), 'nbdfuse is ready', PATIENCE_MS);
  }

  /** As at the start of a machine: where the super block itself is torn, fsck takes a copy of it. */
  #mount(): void {
    const words = ['-t', 'ext4', '-o', 'loop', this.#image, this.folder];
    try {
      run('mount', words);
    } catch {
      const { status, stdout } = spawnSync('fsck.ext4', ['-y', this.#image], { encoding: 'utf8' });
      if (status !== 0 && status !== 1) throw new Error(`the file system cannot be repaired: ${stdout}`);
      this.repairs += status ?? 0;
      run('mount', words);
    }
  }

  async #detachAll(): Promise<void> {
    // What a killed process had open is closed a moment later.
    await until(() => this.#isDetached(), 'the disk can be unmounted', PATIENCE_MS);
    const fuse = this.#fuse;
    this.#fuse = undefined;
    if (fuse !== undefined && fuse.exitCode === null && fuse.signalCode === null) await once(fuse, 'exit');
  }

  #isDetached(): boolean {
    return [this.folder, join(this.#parts, 'fuse')].every(
      (folder) => !isMountPoint(folder) || spawnSync('umount', [folder]).status === 0,
    );
  }

  get #image(): string {
    return join(this.#parts, 'fuse', 'image');
  }

  #spawn(program: string, words: readonly string[]): ChildProcess {
    return spawn(program, words, { stdio: ['ignore', this.#log, this.#log] });
  }

  async #ask<Answer>(question: object): Promise<Answer> {
    const socket = connect(this.#control);
    await once(socket, 'connect');
    socket.write(`${JSON.stringify(question)}\n`);
    return JSON.parse(await text(socket)) as Answer;
  }
}

function run(program: string, words: readonly string[]): void {
  execFileSync(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Without asking the disk, which may be unable to answer. */
function isMountPoint(folder: string): boolean {
  return readFileSync('/proc/self/mounts', 'utf8').includes(` ${folder} `);
}

/** Ends every process with a file in this folder: a server whose parent died has no other trace. Returns how many. */
function killOn(folder: string): number {
  const isThere = (path: string) => {
    try {
      return `${readlinkSync(path)}/`.startsWith(`${folder}/`);
    } catch {
      return false;
    }
  };
  const isUsing = (id: string) => {
    try {
      return isThere(`/proc/${id}/cwd`) || readdirSync(`/proc/${id}/fd`).some((fd) => isThere(`/proc/${id}/fd/${fd}`));
    } catch {
      return false;
    }
  };
  const found = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid && isUsing(name),
  );
  for (const id of found) {
    try {
      process.kill(Number(id), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  return found.length;
}
