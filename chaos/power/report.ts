import { cpus } from 'node:os';
import type { Cut } from './disk.ts';
import type { PowerResult } from './run.ts';

const MAX_PROBLEMS = 20;

/** The report, for the terminal and for docs/proof. */
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
    '## How',
    '',
    'A disk keeps in memory what was written since the last flush (nbdkit with [disk.py](../../chaos/power/disk.py), nbdfuse, a loop device, ext4). It is told',
    'the moment to lose its power: when the n-th write from now on has arrived, or when the n-th flush arrives and before it is done. Then every request fails, all',
    'processes with a file on it are killed, and of what was not flushed nothing survives (drop), some blocks of 4,096 bytes (part), or some sectors of',
    '512 bytes, so that pages of 8,192 bytes are torn (tear). The file system and PostgreSQL recover, the service is started again, and what was not',
    'answered before the cut is sent again, unchanged. What the seed decides: moment, n, what survives. Load and machine decide which write is the n-th.',
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
    'After each recovery: every answer is there, unchanged; no gap, fork or duplicate; hashes and signatures hold (the checker of `npm run chaos`, and the',
    "verifier); the operator's token and the master key are there; a backup that was reported is there, and one under its name is whole. At the end of each installation everything",
    'is submitted, the days are closed, everything is sent again, and the whole checker runs:',
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
    'After each cut every acknowledged sale is in the file, which is whole. At the end every file is drained, and each acknowledged sale is in the chain once, in order, with the',
    'number that its till was told.',
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
    '',
    '## What this does not prove',
    '',
    '- That a real disk keeps what it says it has flushed. Some do not; no program can help.',
    '- Anything about other file systems than ext4, other kernels, Windows or macOS, or about a DATA_DIR on a network.',
    '- Errors of the disk itself: bits that change, sectors that cannot be read, writes that go elsewhere.',
    '- What the kernel had not sent to the disk is lost whole: what it might have sent earlier, with less memory for example, was not tried.',
    '- Sectors of 512 bytes survive whole. The order of what survives is random: what a particular disk does is one of these orders, not all of them were tried.',
    '- Credit notes, payments and endpoints are not sold here; `npm run chaos` has them, without power cuts.',
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
