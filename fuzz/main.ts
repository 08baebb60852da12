import { parseArgs } from 'node:util';
import type { Failure } from './failures.ts';
import { type FuzzReport, runFuzz } from './run.ts';

/** `npm run fuzz -- --requests 200000 --seed 7`: attacks a service of its own and ends with 1 when anything is wrong. */
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string' }, minutes: { type: 'string' } },
});

const say = (line: string) => void process.stdout.write(`${line}\n`);
const requests = Number(values.requests);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(requests) || requests < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('Usage: npm run fuzz -- [--requests 20000] [--seed 1] [--minutes 10]\n');
  process.exit(2);
}

say(
  `Attacking every address with ${requests} requests; the same again: npm run fuzz -- --requests ${requests} --seed ${seed}`,
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

function describeFailure({ operationId, kind, fault, curl }: Failure): string {
  return `\nFAILED ${operationId} (${kind})\n  ${fault}\n  ${curl}\n`;
}

function describeReport(report: FuzzReport): string {
  const statuses = [...report.statuses].toSorted(([a], [b]) => String(a).localeCompare(String(b)));
  const { growth } = report;
  return [
    '',
    `${report.requests} requests and ${report.onTheWire} bare connections to ${report.operations} operations in ${Math.round(report.durationMs / 1000)} s, seed ${report.seed}`,
    `answers: ${statuses.map(([status, count]) => `${status} × ${count}`).join(', ')}`,
    `memory: ${growth.meanRssMb.toFixed(0)} MB on average over the second half (most ${growth.mostRssMb.toFixed(0)} MB), which grew it by ${growth.rssMb.toFixed(1)} MB and the open files by ${growth.openFiles.toFixed(1)}; ${growth.samples} samples`,
    `log: ${report.logLines} lines at debug level, searched for ${report.secrets} secrets`,
    `never answered well: ${report.neverGood.join(', ') || 'none'}`,
    ...report.faults.map((fault) => `FAILED: ${fault}`),
    ...report.failures.map(
      ({ operationId, fault, count }) => `FAILED ${operationId} × ${count}: ${fault.slice(0, 160)}`,
    ),
    report.failures.length + report.faults.length === 0 ? 'nothing failed' : '',
  ].join('\n');
}
