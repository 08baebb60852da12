import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { COMPILE_CACHE } from './process.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

/** `tillseal` as a child process that sees nothing of this machine's environment but PATH. */
export async function tillseal(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: options.cwd ?? '/',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...options.environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // a command that ends without reading is no failure of the test
  child.stdin.end(options.input ?? '');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, stdout, stderr };
}
