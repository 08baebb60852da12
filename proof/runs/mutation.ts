import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { aRun, CannotRun, type Stage } from '../common/run.ts';
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
} from '../mutation/report.ts';

const MUTATED = [
  'src/{kernel,verifier}/**/*.ts',
  'src/{fdms,fiscal,billpay,endpoints}/core/**/*.ts',
  'clients/typescript/src/{outbox/*,tax-sums,wire/decimal,wire/exact-json}.ts',
];
const HOLD = 'src/fiscal/core/hold.ts';
/** For proof/mutation/vitest.config.ts: a file of tests that is left out. */
const WITHOUT = 'TILLSEAL_MUTATION_WITHOUT';
const ROOT = join(import.meta.dirname, '..', '..');
/** A package of its own: its first run installs Stryker there (150 packages). */
const PACKAGE = join(ROOT, 'proof', 'mutation');
const FLOORS = join(PACKAGE, 'scores.json');

export default aRun({
  options: {
    only: { text: true, help: 'only this file, or the files of this folder' },
    anew: { flag: true, help: 'forgets what earlier runs found about code and tests that have not changed since' },
  },
  run: async ({ tell }, { only, anew }) => {
    const files = mutated(only ?? ROOT);
    await install(tell);
    const { scores, floors, bad } = await mutate(files, anew ? ['--force'] : []);
    writeFileSync(FLOORS, `${JSON.stringify(raised(floors, scores, isThere), null, 2)}\n`);
    const facts = `${sum(scores, 'total')} mutants of ${scores.length} files (${only ?? 'everything'}), ${overall(scores).toFixed(1)} % found.`;
    const low = bad.map(({ path }) => `- Too low: ${path}, whose floor is ${floorOf(path, floors)} %.`);
    return {
      isWell: bad.length === 0,
      result: 'no score is below its floor',
      lines: [facts, ...low, '', tablesOf(scores, floors)],
    };
  },
  controls: [
    {
      name: 'without-its-test',
      run: async ({ folder, tell }) => {
        await install(tell);
        const words = ['--force', '--incrementalFile', join(folder, 'known.json')];
        const { bad } = await mutate([HOLD], words, { [WITHOUT]: HOLD.replace('.ts', '.test.ts') });
        return bad.map((file) => `${file.path}: ${scoreOf(file).toFixed(0)} % found`);
      },
    },
  ],
});

async function install(tell: Stage['tell']): Promise<void> {
  if (isInstalled()) return;
  tell('installing Stryker (about a minute, once)');
  await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: PACKAGE });
}

/** The scores of these files, and which of them are too low. */
async function mutate(files: readonly string[], words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const stryker = join(PACKAGE, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const command = [stryker, 'run', 'proof/mutation/stryker.config.mjs', '--mutate', files.join(','), ...words];
  await run(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...environment } });
  const report = join(ROOT, 'reports', 'mutation', 'mutation.json');
  // With what earlier runs found about others.
  const all = scoresOf(JSON.parse(readFileSync(report, 'utf8')) as StrykerReport);
  const scores = all.filter(({ path }) => files.includes(path));
  const floors = JSON.parse(readFileSync(FLOORS, 'utf8')) as Floors;
  return { scores, floors, bad: scores.filter((file) => scoreOf(file) < floorOf(file.path, floors)) };
}

/** Ends with this process: a signal to the terminal's group reaches both, and what is passed on here reaches it alone. */
async function run(program: string, words: readonly string[], options: SpawnOptions): Promise<void> {
  const child = spawn(program, words, { stdio: 'inherit', ...options });
  process.once('exit', () => void child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${[program, ...words.slice(0, 2)].join(' ')} ended with ${code}`);
}

function isInstalled(): boolean {
  // npm writes it last.
  const done = join(PACKAGE, 'node_modules', '.package-lock.json');
  return existsSync(done) && statSync(done).mtimeMs >= statSync(join(PACKAGE, 'package-lock.json')).mtimeMs;
}

const isThere = (path: string) => existsSync(join(ROOT, path));

function mutated(only: string): string[] {
  const path = relative(ROOT, resolve(only));
  const all = globSync(MUTATED, { cwd: ROOT, exclude: ['**/*.test.ts'] });
  const some = all.filter((file) => path === '' || file === path || file.startsWith(`${path}${sep}`));
  if (some.length === 0) throw new CannotRun(`nothing in ${only} is mutated`);
  return some;
}
