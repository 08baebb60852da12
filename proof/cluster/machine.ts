import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isAlive, until } from '../../test/support/process.ts';

/** Patroni would start PostgreSQL again: to end a member, both are ended. */
export const MEMBER = /^(patroni|postgres)$/;
export const PATRONI = /^patroni$/;
export const POSTGRES = /^postgres$/;
export const STORE = /^etcd$/;

/** In the machine's own /var/lib and /run the programs find their folders where their packages put them. */
const ON_MACHINE = 'mount --bind "$1/lib" /var/lib && mount --bind "$1/run" /run && shift && exec "$@"';
const OWNER = 'postgres';
const FOLDERS = ['lib/postgresql', 'lib/etcd', 'run/postgresql'];

/** A machine of the cluster: a network namespace with an address. Its processes are those in the namespace. */
export class Machine {
  readonly name: string;
  readonly address: string;
  readonly folder: string;

  constructor(folder: string, number: number) {
    this.name = `db${number}`;
    this.address = `10.77.0.${number}`;
    this.folder = join(folder, this.name);
    for (const name of FOLDERS) mkdirSync(join(this.folder, name), { recursive: true });
    this.own(this.folder);
    ip('netns', 'add', this.name);
    ip('link', 'add', 'eth0', 'netns', this.name, 'type', 'veth', 'peer', 'name', this.name);
    ip('link', 'set', this.name, 'master', 'br0', 'up');
    ip('-n', this.name, 'addr', 'add', `${this.address}/24`, 'dev', 'eth0');
    ip('-n', this.name, 'link', 'set', 'eth0', 'up');
    ip('-n', this.name, 'link', 'set', 'lo', 'up');
  }

  /** Makes files those of the user that everything runs as. */
  own(path: string): void {
    execFileSync('chown', ['-R', `${OWNER}:`, path]);
  }

  /** Where PostgreSQL's socket is, also while nobody can reach the machine. */
  get socketFolder(): string {
    return join(this.folder, 'run', 'postgresql');
  }

  start(words: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
    const log = openSync(join(this.folder, `${basename(words[0] ?? '')}.log`), 'a');
    const drop = ['setpriv', `--reuid=${OWNER}`, `--regid=${OWNER}`, '--clear-groups'];
    const child = spawn(
      'ip',
      ['netns', 'exec', this.name, 'sh', '-c', ON_MACHINE, 'sh', this.folder, ...drop, ...words],
      {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/var/lib/postgresql', LANG: 'C.UTF-8', ...environment },
        stdio: ['ignore', log, log],
        cwd: '/',
      },
    );
    closeSync(log);
    return child;
  }

  count(which: RegExp): number {
    return this.#processes(which).length;
  }

  /** `kill -9` of everything, or of what is named; resolves with how many there were. */
  async kill(which = /./): Promise<number> {
    const killed = new Set<number>();
    // A server that is being killed may still have started another process.
    const again = () => {
      const found = this.#processes(which);
      for (const id of found) {
        killed.add(id);
        signal(id, 'SIGKILL');
      }
      return found.length === 0;
    };
    await until(again, `the processes of ${this.name} are gone`);
    return killed.size;
  }

  /** Stops processes as they are; resolves with how many, all of them in the kernel's state T. */
  async freeze(which = /./): Promise<number> {
    const areStopped = () => {
      const found = this.#processes(which);
      for (const id of found) signal(id, 'SIGSTOP');
      return found.length > 0 && found.every((id) => /^State:\s+T/m.test(read(`/proc/${id}/status`)));
    };
    await until(areStopped, `the processes of ${this.name} are stopped`);
    return this.#processes(which).length;
  }

  thaw(): void {
    for (const id of this.#processes(/./)) signal(id, 'SIGCONT');
  }

  /** Nothing gets through in either direction, and nobody is told. */
  cut(): void {
    ip('link', 'set', this.name, 'down');
  }

  heal(): void {
    ip('link', 'set', this.name, 'up');
  }

  #processes(which: RegExp): number[] {
    return ip('netns', 'pids', this.name)
      .split('\n')
      .filter((line) => line !== '')
      .map(Number)
      .filter((id) => which.test(read(`/proc/${id}/comm`).trim()) && isAlive(id));
  }
}

/** The machine where Tillseal, its proxy and the driver are: this one, as it looks from inside. */
export function connectMachines(): void {
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'br0', 'type', 'bridge');
  ip('addr', 'add', '10.77.0.100/24', 'dev', 'br0');
  ip('link', 'set', 'br0', 'up');
}

function ip(...words: string[]): string {
  return execFileSync('ip', words, { encoding: 'utf8' });
}

function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch {
    // It has ended meanwhile.
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
