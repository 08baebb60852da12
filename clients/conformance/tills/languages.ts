/** How each language's till is built and started (clients/README.md). */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A program that has --version, or a command that succeeds when it is installed. */
type Need = string | readonly [name: string, program: string, ...words: string[]];

export interface Language {
  readonly name: string;
  /** Without it the language is skipped. */
  readonly needs: readonly Need[];
  readonly build?: (folder: string) => Promise<unknown>;
  /** The command line of its till. */
  readonly till: (folder: string) => readonly [program: string, ...words: string[]];
}

const CLIENTS = join(import.meta.dirname, '..', '..');

export const LANGUAGES: readonly Language[] = [
  { name: 'typescript', needs: [], till: () => [process.execPath, join(CLIENTS, 'typescript', 'till.ts')] },
  { name: 'php', needs: ['php'], till: () => ['php', join(CLIENTS, 'php', 'till.php')] },
  { name: 'python', needs: ['python3'], till: () => ['python3', join(CLIENTS, 'python', 'till.py')] },
  {
    name: 'csharp',
    needs: ['mono', 'mcs', ['Mono.Data.Sqlite', 'sh', '-c', 'gacutil -l Mono.Data.Sqlite | grep -q Version=']],
    // Not where its own tests build it, because both may run at the same time.
    build: (folder) =>
      promisify(execFile)(join(CLIENTS, 'csharp', 'build'), [], {
        env: { ...process.env, BIN: join(folder, 'csharp') },
      }),
    till: (folder) => ['mono', join(folder, 'csharp', 'till.exe')],
  },
];

/** What this machine lacks for the language. */
export function missing({ needs }: Language): string[] {
  return needs
    .map((need) => (typeof need === 'string' ? ([need, need, '--version'] as const) : need))
    .filter(([, program, ...words]) => spawnSync(program, words).status !== 0)
    .map(([name]) => name);
}
