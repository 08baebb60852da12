/** `npm run bench`: how fast the service is, beside what this machine can do or does without something. `--help` says all. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { numberOption, refuseOptions, scriptOptions } from '../../src/platform/script-options.ts';
import { letHelpersStepBack } from '../../src/platform/work/helper-threads.ts';
import { endpoints } from './beside/endpoints.ts';
import { neighbours } from './beside/neighbours.ts';
import { fleet } from './fleet/bench.ts';
import { growth } from './growth/bench.ts';
import { sealing } from './sealing/bench.ts';
import { reportOf } from './shared/report.ts';
import { type Bench, progress } from './shared/run.ts';

const BENCHES: Readonly<Record<string, Bench>> = { sealing, fleet, growth, neighbours, endpoints };
const NAMES = Object.keys(BENCHES);
const FULL = { seconds: '12', devices: '1,1000,10000', backlog: '20000', large: '3000000', requests: '1000' };
const SHORT = { seconds: '1', devices: '10', backlog: '500', large: '30000', requests: '100' };

const USAGE = `Usage: npm run bench -- [${[...NAMES, 'all'].join('|')}] [options]

${Object.entries(BENCHES)
  .map(([name, { about }]) => `  ${name.padEnd(10)}  ${about}\n`)
  .join('')}
  --only PART      of its parts those with this in their name; may be given several times:
${Object.entries(BENCHES)
  .map(([name, { parts }]) => `                   ${name}: ${parts.join('; ')}\n`)
  .join('')}  --seconds 12     how long each case is measured (sealing, fleet, growth)
  --devices 1,1000,10000   of sealing
  --backlog 20000  receipts that fleet seals while the authority is away
  --large 3000000  receipts and payments that are many (growth)
  --requests 1000  for each read of growth
  --short          with small numbers for all of them, to see that it runs
  --profile        the service writes a CPU profile to .cache/bench-profile, for a browser's developer tools

Exit code 0 unless an answer was wrong or something was lost; a missed goal is a figure.
`;

const words = process.argv.slice(2);
const name = words[0]?.startsWith('-') === false ? (words.shift() ?? '') : 'sealing';
const chosen = name === 'all' ? NAMES : NAMES.filter((one) => one === name);
if (chosen.length === 0) refuseOptions(USAGE, `there is no ${name}`);
const text = { type: 'string' } as const;
const options = scriptOptions(
  USAGE,
  {
    only: { type: 'string', multiple: true, default: [''] },
    seconds: text,
    devices: text,
    backlog: text,
    large: text,
    requests: text,
    short: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
  words,
);
const given = { ...(options.short ? SHORT : FULL), ...options };
const numbers = {
  seconds: numberOption(USAGE, 'seconds', given.seconds),
  devices: given.devices.split(',').map((one) => numberOption(USAGE, 'devices', one, 1)),
  backlog: numberOption(USAGE, 'backlog', given.backlog, 1),
  large: numberOption(USAGE, 'large', given.large, 3),
  requests: numberOption(USAGE, 'requests', given.requests, 1),
};
const partsOf = ({ parts }: Bench) => parts.filter((part) => options.only.some((word) => part.includes(word)));
const benches = chosen
  .map((one) => [one, BENCHES[one] as Bench] as const)
  .filter(([, bench]) => partsOf(bench).length > 0);
if (benches.length === 0) refuseOptions(USAGE, `--only: no part has ${options.only.join(' or ')} in its name`);

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
      ...numbers,
      folder,
      signal: stopping.signal,
      parts: partsOf(bench),
      isShort: options.short,
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
