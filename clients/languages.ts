/** How each language's till is built and started (proof/clients/README.md). */
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A program that has --version, or a command that succeeds when it is installed. */
type Need = string | readonly [name: string, program: string, ...words: string[]];

export interface Language {
  readonly name: 'typescript' | 'php' | 'python' | 'csharp';
  /** Without it the language is skipped. */
  readonly needs: readonly Need[];
  readonly build?: (folder: string) => Promise<unknown>;
  /** The command line of its till. */
  readonly till: (folder: string) => readonly [program: string, ...words: string[]];
}

const CLIENTS = import.meta.dirname;

export const LANGUAGES: readonly Language[] = [
  { name: 'typescript', needs: [], till: () => [process.execPath, join(CLIENTS, 'typescript', 'till.ts')] },
  {
    name: 'php',
    needs: [
      [
        'php 8.1 or newer with curl and pdo_sqlite',
        'php',
        '-r',
        "exit(PHP_VERSION_ID >= 80100 && extension_loaded('curl') && extension_loaded('pdo_sqlite') ? 0 : 1);",
      ],
    ],
    till: () => ['php', join(CLIENTS, 'php', 'till.php')],
  },
  {
    name: 'python',
    needs: [
      ['python3 3.9 or newer with sqlite3', 'python3', '-c', 'import sqlite3, sys; exit(sys.version_info < (3, 9))'],
    ],
    till: () => ['python3', join(CLIENTS, 'python', 'till.py')],
  },
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

export function languageNamed(name: Language['name']): Language {
  const found = LANGUAGES.find((language) => language.name === name);
  if (found === undefined) throw new Error(`no client is written in ${name}`);
  return found;
}

/** What this machine lacks for the language. */
export function missing({ needs }: Language): string[] {
  return needs
    .map((need) => (typeof need === 'string' ? ([need, need, '--version'] as const) : need))
    .filter(([, program, ...words]) => spawnSync(program, words).status !== 0)
    .map(([name]) => name);
}

/** The same of the language with this name; undefined when everything is here. */
export function lackingFor(name: Language['name']): string | undefined {
  return missing(languageNamed(name)).join(', ') || undefined;
}

/** The same till from a copy of the project. */
export function languageAt(language: Language, root: string): Language {
  const at = (word: string) => word.replace(CLIENTS, join(root, 'clients'));
  return { ...language, till: (folder) => language.till(folder).map(at) as [string] };
}
