import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { refuseOptions, scriptOptions } from '../../src/platform/script-options.ts';
import { commitOf } from '../commit.ts';
import {
  type Floors,
  floorOf,
  overall,
  raised,
  type StrykerReport,
  scoreOf,
  scoresOf,
  sum,
  tablesOf,
} from './report.ts';

/** `npm run mutation`: changes the pure code in every small way there is, one at a time, and counts what the tests do not notice. */
const USAGE = `Usage: npm run mutation -- [--only PATH] [--anew] [--report FILE]

  --only PATH    only this file, or the files of this folder
  --anew         forgets what earlier runs found about code and tests that have not changed since
  --report FILE  writes scores and survivors there

The first run installs Stryker into proof/mutation/node_modules (150 packages). It ends with 1 when the score of a file is below its
floor in proof/mutation/scores.json, and raises the floors that were exceeded.
`;
const values = scriptOptions(USAGE, {
  only: { type: 'string' },
  anew: { type: 'boolean' },
  report: { type: 'string' },
});

const MUTATED = [
  'src/{kernel,verifier}/**/*.ts',
  'src/{fdms,fiscal,billpay,endpoints}/core/**/*.ts',
  'clients/typescript/src/{outbox/*,tax-sums,wire/decimal,wire/exact-json}.ts',
];
const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'proof', 'mutation');
const floorsFile = join(folder, 'scores.json');
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Ends with this process: a signal to the terminal's group reaches both, and what is passed on here reaches it alone. */
async function run(program: string, words: readonly string[], options: SpawnOptions): Promise<number> {
  const child = spawn(program, words, { stdio: 'inherit', ...options });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function isInstalled(): boolean {
  // npm writes it last.
  const done = join(folder, 'node_modules', '.package-lock.json');
  return existsSync(done) && statSync(done).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs;
}

const isThere = (path: string) => existsSync(join(root, path));

function mutated(only: string): string {
  const path = relative(root, resolve(only));
  const all = globSync(MUTATED, { cwd: root, exclude: ['**/*.test.ts'] });
  const some = all.filter((file) => path === '' || file === path || file.startsWith(`${path}${sep}`));
  return some.length > 0 ? some.join(',') : refuseOptions(USAGE, `nothing in ${only} is mutated`);
}

async function main(): Promise<number> {
  const words = ['--mutate', mutated(values.only ?? root)];
  if (!isInstalled()) {
    say('Installing Stryker (about a minute, once) …');
    const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
    if (code !== 0) return code;
  }
  const stryker = join(folder, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const force = values.anew ? ['--force'] : [];
  const code = await run(process.execPath, [stryker, 'run', 'proof/mutation/stryker.config.mjs', ...words, ...force], {
    cwd: root,
  });
  if (code !== 0) return code;
  const found = JSON.parse(readFileSync(join(root, 'reports/mutation/mutation.json'), 'utf8')) as StrykerReport;
  const scores = scoresOf(found);
  const floors = JSON.parse(readFileSync(floorsFile, 'utf8')) as Floors;
  if (values.report !== undefined) {
    const facts = `${values.only ?? 'Everything'}, on ${new Date().toISOString().slice(0, 10)}, commit ${commitOf()}.`;
    writeFileSync(values.report, `# The tests bite\n\n${facts}\n\n${tablesOf(scores, floors)}`);
  }
  for (const { path, survivors } of scores) {
    for (const { line, from, to } of survivors) say(`survived: ${path}:${line} ${from} → ${to}`);
  }
  const bad = scores.filter((file) => scoreOf(file) < floorOf(file.path, floors));
  for (const file of bad) {
    say(`too low: ${file.path} ${scoreOf(file).toFixed(1)} %, and its floor is ${floorOf(file.path, floors)} %`);
  }
  writeFileSync(floorsFile, `${JSON.stringify(raised(floors, scores, isThere), null, 2)}\n`);
  say(`${sum(scores, 'total')} mutants of ${scores.length} files, ${overall(scores).toFixed(1)} % found`);
  return bad.length > 0 ? 1 : 0;
}

process.exitCode = await main();
