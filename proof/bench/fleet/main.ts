/**
 * `npm run bench:fleet`: how many receipts a second go through to the authority, beside how many are only sealed, and what each of
 * them costs. The authority is a lean process on the same machine. A short run: `npm run bench:fleet -- --seconds 4 --backlog 2000
 * --only 1000x50` (devices x milliseconds until the authority answers), with `--profile` for the most expensive functions and
 * `--statements` for the statements; only a whole run writes docs/performance.md. Exit code 0 unless an answer was wrong or a
 * receipt out of order.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { numberOption, refuseOptions, scriptOptions } from '../../../src/platform/script-options.ts';
import { machineFacts, rounded } from '../shared/machine.ts';
import { topFunctions } from '../shared/profile.ts';
import { CACHE, progress, runBench } from '../shared/run.ts';
import { CASES, measureCases } from './plan.ts';
import { publish, table } from './report.ts';
import type { FleetResults } from './results.ts';
import { startStage } from './stage.ts';

const ALL_SECONDS = '12';
const BACKLOG = '20000';

const USAGE =
  'Usage: npm run bench:fleet -- [--seconds 12] [--backlog 20000] [--only 1000x50] [--profile] [--statements]\n';
const options = scriptOptions(USAGE, {
  seconds: { type: 'string', default: ALL_SECONDS },
  backlog: { type: 'string', default: BACKLOG },
  only: { type: 'string', multiple: true, default: [] },
  profile: { type: 'boolean', default: false },
  statements: { type: 'boolean', default: false },
});
const each = {
  seconds: numberOption(USAGE, 'seconds', options.seconds),
  backlog: numberOption(USAGE, 'backlog', options.backlog),
};
const cases = options.only.length === 0 ? CASES : options.only.map(caseOf);
const isWhole =
  options.only.length === 0 &&
  options.seconds === ALL_SECONDS &&
  options.backlog === BACKLOG &&
  !options.profile &&
  !options.statements;

async function bench(folder: string, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const profileFolder = join(CACHE, 'bench-profile');
  if (options.profile) await rm(profileFolder, { recursive: true, force: true });
  const nodeOptions = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : [];
  const stage = await startStage({ folder, signal, nodeOptions, showsStatements: options.statements });
  const { notes, service } = stage;
  let results: FleetResults;
  try {
    const { rows } = await service.pool.query<{ server_version: string }>('show server_version');
    const machine = machineFacts(rows[0]?.server_version ?? 'unknown');
    const measured = await measureCases(stage, cases, each);
    const seconds = (performance.now() - startedAt) / 1000;
    results = rounded({ date: new Date().toISOString(), machine, ...measured, seconds });
  } finally {
    await stage.stop();
  }
  progress('');
  process.stdout.write(table(results));
  if (notes.statements !== undefined) process.stdout.write(`${notes.statements.join('\n')}\n`);
  if (options.profile) process.stdout.write(`${(await topFunctions(profileFolder, notes.spans)).join('\n')}\n`);
  const { errors, astray } = results.checks;
  if (errors + astray > 0) process.stdout.write(`${notes.wrong}\n${service.log()}`);
  if (isWhole) await publish(results);
  return errors + astray === 0 ? 0 : 1;
}

function caseOf(name: string): (typeof CASES)[number] {
  const found = CASES.find(({ devices, answerMs }) => name === `${devices}x${answerMs}`);
  if (found !== undefined) return found;
  const names = CASES.map(({ devices, answerMs }) => `${devices}x${answerMs}`);
  return refuseOptions(USAGE, `--only must be one of ${names.join(', ')}`);
}

process.exitCode = await runBench('fleet', bench);
