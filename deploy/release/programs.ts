import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';

/** By its script where npm started us, which also works on Windows; elsewhere by its name. */
export function npm(words: readonly string[], cwd: string): string {
  const script = process.env['npm_execpath'];
  const [program, first] =
    script !== undefined && basename(script) === 'npm-cli.js' ? [process.execPath, [script]] : ['npm', []];
  return run(program, [...first, ...words], cwd);
}

export function typescript(words: readonly string[], root: string): string {
  return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...words], root);
}

export function buildConsole(root: string): void {
  run(process.execPath, [join(root, 'web/build.mjs')], root);
}

export function writeClientTypes(root: string): void {
  run(process.execPath, [join(root, 'clients/typescript/generate.ts')], root);
}

/** What it complains about goes to the terminal. */
function run(program: string, words: readonly string[], cwd: string): string {
  return execFileSync(program, words, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
