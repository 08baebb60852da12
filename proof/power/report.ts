import { cpus } from 'node:os';
import type { Cut } from './disk.ts';
import type { PowerResult } from './run.ts';

const MAX_PROBLEMS = 20;

/** The report, for the terminal and for a file. */
export function reportOf(result: PowerResult, commit: string): string {
  const { service, outboxes, controls, problems, options } = result;
  const cuts = [...service.cuts, ...outboxes.cuts];
  const count = (test: (cut: (typeof cuts)[number]) => boolean) => cuts.filter(test).length;
  const lines = [
    `# Power cuts of ${result.startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC: ${result.isWell ? 'nothing lost' : 'FAILED'}`,
    '',
    '```sh',
    'npm run power-cut                            # as root: 500 cuts and the controls; exit code 1 when a check fails',
    `npm run power-cut -- --cuts ${options.cuts} --seed ${options.seed}${Number.isFinite(options.minutes) ? ` --minutes ${options.minutes}` : ''}   # this run`,
    '```',
    '',
    `Commit ${commit}, ${cuts.length} cuts${cuts.length < options.cuts ? ` of ${options.cuts} that were asked for, in the time given,` : ''} in ${(result.seconds / 60).toFixed(1)} minutes with the controls, seed ${options.seed}; ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.versions.node}.`,
    '',
    'docs/proof/power-cut.md says how it is done, and what it does not prove.',
    '',
    `${count(({ how }) => how === 'flush')} cuts came at a flush, ${count(({ how }) => how === 'write')} at a write, ${count(({ how }) => how === 'now')} when the chosen moment had not come; ` +
      `${count(({ writes }) => writes > 0)} had something that was not flushed (writes, median: ${median(cuts)}). ` +
      `${(['drop', 'part', 'tear'] as const).map((keep) => `${keep} ${count((cut) => cut.keep === keep)}`).join(', ')}. ` +
      `Times that the super block of the file system was torn, so that fsck had to take its copy: ${service.repairs + outboxes.repairs}.`,
    '',
    '## The service',
    '',
    `PostgreSQL, key, token and backups on the disk; ${service.worlds} installations, each from its first start on. ${service.answered} receipts were answered; ${service.completeBackups} backups were reported as complete before the cut.`,
    '',
    '| power was cut during | cuts | with something not flushed | writes not flushed, median and most |',
    '|---|---|---|---|',
    ...rows(service.cuts, ({ during }) => during),
    '',
    'What the checker found at the end of each installation, when everything was submitted, closed and sent again:',
    '',
    '| question | looked at | found |',
    '|---|---|---|',
    ...service.verdicts
      .filter(({ figures, problems: found }) => found.length > 0 || !figures.startsWith('0 '))
      .map(
        (verdict) =>
          `| ${verdict.name} | ${verdict.figures} | ${verdict.problems.length === 0 ? 'holds' : `**${verdict.problems.length} problems**`} |`,
      ),
    '',
    '## The outboxes',
    '',
    `One file of each language on the disk, a new one after six cuts, the service elsewhere (in three of ten cuts away, so that sales are queued). The moment is counted from the start of the till or from one of its first three sales. ${outboxes.acknowledged} sales were acknowledged to a till before a cut.`,
    ...(outboxes.skipped.length > 0 ? [`Skipped: ${outboxes.skipped.join('; ')}.`] : []),
    '',
    '| language | cuts | with something not flushed | writes not flushed, median and most |',
    '|---|---|---|---|',
    ...rows(outboxes.cuts, ({ language }) => language),
    '',
    ...(problems.length > 0
      ? ['## What was lost', '', ...problems.slice(0, MAX_PROBLEMS).map((one) => `- ${one}`), '']
      : []),
    '## Would it notice?',
    '',
    'The same with one thing changed in a copy of the source, after everything was flushed once. Each must be noticed:',
    '',
    '| control | cuts until it was noticed | what was found |',
    '|---|---|---|',
    ...controls.map(
      ({ name, cuts: made, found }) =>
        `| ${name} | ${made} | ${found.length === 0 ? '**nothing: this run proves nothing**' : found.join('; ').replaceAll('|', '\\|')} |`,
    ),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function rows<One extends Cut>(cuts: readonly One[], nameOf: (cut: One) => string): string[] {
  return [...new Set(cuts.map(nameOf))].toSorted().map((name) => {
    const same = cuts.filter((cut) => nameOf(cut) === name);
    const unflushed = same.filter(({ writes }) => writes > 0).length;
    return `| ${name} | ${same.length} | ${unflushed} | ${median(same)}, ${Math.max(...same.map(({ writes }) => writes))} |`;
  });
}

function median(cuts: readonly Cut[]): number {
  return cuts.map(({ writes }) => writes).toSorted((a, b) => a - b)[Math.floor(cuts.length / 2)] ?? 0;
}
