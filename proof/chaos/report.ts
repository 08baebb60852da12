import { cpus } from 'node:os';
import type { Verdict } from '../checker/verdict.ts';
import { commitOf } from '../commit.ts';
import type { StepRecord } from '../nemesis/step.ts';
import type { Load, RunResult } from './run.ts';

const MAX_PROBLEMS = 20;
const PROOFS_PER_KIND = 2;

/** The report, for the terminal and for a file: what was sent, what happened meanwhile, and what the checker found. */
export function reportOf(result: RunResult): string {
  const { load, settled, verdicts, options } = result;
  const seconds = Math.round(
    (Math.max(...result.steps.map(({ endedAt }) => endedAt)) -
      Math.min(...result.steps.map(({ startedAt }) => startedAt))) /
      1000,
  );
  const proved = result.steps.filter(({ outcome }) => outcome === 'proved');
  const lines = [
    `# Chaos run of ${result.startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC: ${result.isWell ? 'nothing lost' : 'FAILED'}`,
    '',
    `${seconds} s of faults (asked for: ${options.minutes} minutes), seed ${options.seed}, ${result.instances} instances on one PostgreSQL, ${result.devices} devices;`,
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.versions.node}, load generator and database on the same machine.`,
    '',
    `Commit ${commitOf()}.`,
    '',
    ...sentLines(load),
    '## What happened meanwhile',
    '',
    `${proved.length} faults, ${proved.filter(({ name }) => name.startsWith('kill -9')).length} of them kills.`,
    '',
    '| fault | times | shown by |',
    '|---|---|---|',
    ...stepLines(result.steps),
    '',
    `After the last fault everything was settled in ${settled.seconds.toFixed(1)} s. By hand: ${settled.byHand.join(', ') || 'nothing'}.`,
    ...(settled.open.length > 0 ? [`STILL OPEN: ${settled.open.join(', ')}.`] : []),
    '',
    ...verdictLines(verdicts),
    '',
    '## What this does not prove',
    '',
    'A power cut, a fail-over, a red remark of the authority, or a clock that is hours ahead: docs/proof/README.md says more.',
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

export function sentLines(load: Load): string[] {
  return [
    '## What was sent',
    '',
    `${load.requests} requests (receipts, notes, twins, payments, reversals, changes) in ${load.attempts} attempts:`,
    `${load.answered} answered 200, ${load.refused} refused or asked to try later, ${load.unknown} without an answer.`,
    '',
    '| answered | attempts |',
    '|---|---|',
    ...Object.entries(load.byStatus).map(
      ([status, count]) => `| ${status === '0' ? 'no answer' : status} | ${count} |`,
    ),
    '',
  ];
}

export function verdictLines(verdicts: readonly Verdict[]): string[] {
  return [
    '## What the checker found',
    '',
    '| question | looked at | found |',
    '|---|---|---|',
    ...verdicts.map(
      ({ name, figures, problems }) =>
        `| ${name} | ${figures} | ${problems.length === 0 ? 'holds' : `**${problems.length} problems**`} |`,
    ),
    '',
    ...verdicts.flatMap(({ problems }) => problems.slice(0, MAX_PROBLEMS).map((problem) => `- ${problem}`)),
  ];
}

function stepLines(steps: readonly StepRecord[]): string[] {
  const names = [...new Set(steps.map(({ name }) => name))].toSorted();
  return names.map((name) => {
    const ofKind = steps.filter((step) => step.name === name);
    const proofs = ofKind.filter(({ outcome }) => outcome === 'proved');
    const others = ofKind.filter(({ outcome }) => outcome !== 'proved');
    const texts = [
      ...proofs.slice(0, PROOFS_PER_KIND).map(({ proof }) => proof),
      ...(proofs.length > PROOFS_PER_KIND
        ? [`and ${proofs.length - PROOFS_PER_KIND} more, each shown the same way`]
        : []),
      ...others.map(
        ({ outcome, proof }) => `${outcome === 'impossible' ? 'not possible here' : 'NOT SHOWN'}: ${proof}`,
      ),
    ];
    return `| ${name} | ${proofs.length} | ${texts.join('; ')} |`;
  });
}
