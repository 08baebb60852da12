import { refuseOptions, scriptOptions } from '../src/platform/script-options.ts';
import { describeFailure, describeReport } from './report.ts';
import { runFuzz } from './run.ts';

/** `npm run fuzz -- --requests 200000 --seed 7`: attacks a separate service and ends with 1 when anything is wrong. */
const USAGE = 'Usage: npm run fuzz -- [--requests 20000] [--seed 1] [--minutes 10]\n';
const values = scriptOptions(USAGE, {
  requests: { type: 'string', default: '20000' },
  seed: { type: 'string' },
  minutes: { type: 'string' },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);
const requests = Number(values.requests);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(requests) || requests < 1 || !Number.isSafeInteger(seed))
  refuseOptions(USAGE, '--requests and --seed must be whole numbers');

say(
  `Attacking every address with ${requests} requests. To repeat it: npm run fuzz -- --requests ${requests} --seed ${seed}`,
);
const mostMinutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
const report = await runFuzz({
  signal: stopping.signal,
  requests,
  seed,
  mostMinutes,
  say,
  onFailure: (failure) => say(describeFailure(failure)),
});
say(describeReport(report));
process.exitCode = report.failures.length + report.faults.length > 0 ? 1 : 0;
