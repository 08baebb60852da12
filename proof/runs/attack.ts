import type { Failure } from '../attack/answer/failures.ts';
import { controls } from '../attack/controls.ts';
import { runFuzz } from '../attack/run.ts';
import { aRun, SEED } from '../common/run.ts';

export default aRun({
  controls,
  options: {
    seed: SEED,
    requests: { number: 20_000, least: 1, help: 'to all operations together' },
    minutes: { number: undefined, help: 'ends it earlier' },
  },
  run: async ({ seed, tell }, { requests, minutes = Number.POSITIVE_INFINITY }) => {
    const report = await runFuzz({
      seed,
      requests,
      mostMinutes: minutes,
      say: tell,
      onFailure: (failure) => tell(`FAILED ${described(failure)}`),
    });
    const { growth, failures, faults, statuses } = report;
    const answers = [...statuses].toSorted(([one], [other]) => String(one).localeCompare(String(other)));
    return {
      isWell: failures.length + faults.length === 0,
      result: 'nothing failed',
      lines: [
        `${report.requests} requests and ${report.onTheWire} bare connections to ${report.operations} operations, seed ${seed}.`,
        '',
        `- Answers: ${answers.map(([status, count]) => `${status} × ${count}`).join(', ')}.`,
        `- Memory: ${growth.meanRssMb.toFixed(0)} MB on average over the second half (at most ${growth.mostRssMb.toFixed(0)} MB), which grew it by ${growth.rssMb.toFixed(1)} MB and the open files by ${growth.openFiles.toFixed(1)}; ${growth.samples} samples.`,
        `- Log: ${report.logLines} lines at debug level, searched for ${report.secrets} secrets.`,
        `- Never answered 2xx: ${report.neverGood.join(', ') || 'none'}.`,
        ...faults.map((fault) => `- FAILED: ${fault}`),
        ...failures.map((failure) => `- FAILED, ${failure.count} times: ${described(failure)}`),
      ],
    };
  },
});

/** With the command that sends it again. */
function described({ operationId, kind, fault, curl }: Failure): string {
  return `${operationId} (${kind}): ${fault.slice(0, 300)}\n  ${curl}`;
}
