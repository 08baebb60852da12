import { numberOption, scriptOptions } from '../../src/platform/script-options.ts';
import { describeFailure, describeReport } from './report.ts';
import { runFuzz } from './run.ts';

/** `npm run fuzz -- --requests 200000 --seed 7`: attacks a separate service and ends with 1 when anything is wrong. */
const USAGE = 'Usage: npm run fuzz -- [--requests 20000] [--seed 1] [--minutes 10]\n';
const values = scriptOptions(USAGE, {
  requests: { type: 'string', default: '20000' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  minutes: { type: 'string' },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);
const requests = numberOption(USAGE, 'requests', values.requests, 1);
const seed = numberOption(USAGE, 'seed', values.seed);
const { minutes } = values;
const mostMinutes = minutes === undefined ? Number.POSITIVE_INFINITY : numberOption(USAGE, 'minutes', minutes);

say(
  `Attacking every address with ${requests} requests. To repeat it: npm run fuzz -- --requests ${requests} --seed ${seed}`,
);
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
