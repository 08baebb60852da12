/** `npm run bench`: how fast the service is, beside what this machine can do or does without something. `--help` says all. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { numberOption, refuseOptions } from '../../src/platform/script-options.ts';
import { letHelpersStepBack } from '../../src/platform/work/helper-threads.ts';
import { readOptions, usageOf } from '../common/run.ts';
import { endpoints } from './beside/endpoints.ts';
import { neighbours } from './beside/neighbours.ts';
import { fleet } from './fleet/bench.ts';
import { growth } from './growth/bench.ts';
import { sealing } from './sealing/bench.ts';
import { reportOf } from './shared/report.ts';
import { type Bench, progress } from './shared/run.ts';

const BENCHES: Readonly<Record<string, Bench>> = { sealing, fleet, growth, neighbours, endpoints };
const words = process.argv.slice(2);
const name = words[0]?.startsWith('-') === false ? words.shift() : 'sealing';
/** With small numbers a run shows that it works, and its figures say nothing. */
const isShort = words.includes('--short');
const OPTIONS = {
  only: { text: true, help: 'of the parts those with this in their name' },
  seconds: { number: isShort ? 1 : 12, help: 'how long each case is measured: sealing, fleet, growth' },
  devices: { text: true, help: 'sizes of the fleets of sealing (1,1000,10000)' },
  backlog: { number: isShort ? 500 : 20_000, least: 1, help: 'receipts that fleet seals while the authority is away' },
  large: { number: isShort ? 30_000 : 3_000_000, least: 3, help: 'receipts and payments that are many, of growth' },
  requests: { number: isShort ? 20 : 1000, least: 1, help: 'for each read of growth' },
  short: { flag: true, help: 'small numbers for all of them, to see that it runs' },
  profile: {
    flag: true,
    help: "a CPU profile of the service in .cache/bench-profile, for a browser's developer tools",
  },
} as const;

const USAGE = `npm run bench -- [NAME] [options]

${Object.entries(BENCHES)
  .map(([one, { about, parts }]) => `  ${one.padEnd(10)}   ${about}\n               (parts: ${parts.join('; ')})\n`)
  .join('')}  all          each of them

${usageOf(OPTIONS)}
Exit code 0 unless an answer was wrong or something was lost; a goal that is missed is a figure.
`;

if (words.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const options = readOptions(OPTIONS, words, USAGE);
const sizes = options.devices ?? (isShort ? '10' : '1,1000,10000');
const devices = sizes.split(',').map((one) => numberOption(USAGE, 'devices', one, 1));
if (name !== 'all' && !(name !== undefined && name in BENCHES)) refuseOptions(USAGE, `there is no ${name}`);
const partsOf = ({ parts }: Bench) => parts.filter((part) => part.includes(options.only ?? ''));
const benches = Object.entries(BENCHES)
  .filter(([one]) => name === 'all' || one === name)
  .filter(([, bench]) => partsOf(bench).length > 0);
if (benches.length === 0) refuseOptions(USAGE, `--only: no part has "${options.only}" in its name`);

const CACHE = join(import.meta.dirname, '..', '..', '.cache');
const PROFILES = join(CACHE, 'bench-profile');

const stopping = new AbortController();
let stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopSignal ??= signal;
    stopping.abort();
  });
}
// Even after a bug here the service and its database must not be left running.
process.on('uncaughtException', (error) => stopping.abort(error));
process.stdout.on('error', () => {});
// The generator shares the machine with what it measures.
letHelpersStepBack();

/** In a folder that goes with it, also when it is stopped. Resolves with the errors. */
async function measure(title: string, bench: Bench): Promise<number> {
  const startedAt = performance.now();
  const folder = await mkdtemp(join(CACHE, `bench-${title}-`));
  try {
    const outcome = await bench.measure({
      ...options,
      devices,
      folder,
      signal: stopping.signal,
      parts: partsOf(bench),
      isShort,
      nodeOptions: options.profile ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : [],
    });
    progress('');
    process.stdout.write(reportOf(title, outcome, (performance.now() - startedAt) / 1000));
    return outcome.errors;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

try {
  await mkdir(CACHE, { recursive: true });
  if (options.profile) await rm(PROFILES, { recursive: true, force: true });
  let errors = 0;
  for (const [title, bench] of benches) errors += await measure(title, bench);
  process.exitCode = errors === 0 ? 0 : 1;
} catch (error) {
  // If it were thrown, the listener above would swallow it.
  const isStopped = stopSignal !== undefined;
  const why = error instanceof Error ? error.stack : String(error);
  process.stderr.write(isStopped ? '\nstopped early: there are no results\n' : `\n${why}\n`);
  process.exitCode = stopSignal === undefined ? 1 : 128 + constants.signals[stopSignal];
}
