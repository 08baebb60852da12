import { table, verdictLines } from '../common/report.ts';
import { aRun, SEED } from '../common/run.ts';
import { controls } from '../power/controls.ts';
import { type Cut, whyNoPowerDisk } from '../power/disk.ts';
import { type PowerResult, runPowerCut } from '../power/run.ts';

const MAX_PROBLEMS = 20;

export default aRun({
  options: {
    seed: SEED,
    cuts: {
      number: 500,
      least: 2,
      help: "how often the power is cut, half of them the service's, half of them outboxes'",
    },
    minutes: { number: undefined, help: 'begins no further cut after these; without it all of them are made' },
  },
  whyNot: whyNoPowerDisk,
  run: async (stage, { cuts, minutes = Number.POSITIVE_INFINITY }) => {
    const result = await runPowerCut({ ...stage, cuts, minutes });
    return { isWell: result.problems.length === 0, result: 'nothing lost', lines: linesOf(result, cuts) };
  },
  controls,
});

function linesOf({ service, outboxes, problems }: PowerResult, asked: number): string[] {
  const cuts = [...service.cuts, ...outboxes.cuts];
  const count = (test: (cut: (typeof cuts)[number]) => boolean) => cuts.filter(test).length;
  const header = ['cuts', 'with something not flushed', 'writes not flushed, median and most'];
  return [
    `${cuts.length} cuts${cuts.length < asked ? ` of ${asked} that were asked for, in the time given` : ''}: ` +
      `${count(({ how }) => how === 'flush')} at a flush, ${count(({ how }) => how === 'write')} at a write, ${count(({ how }) => how === 'now')} when the chosen moment had not come; ` +
      `${count(({ writes }) => writes > 0)} had something that was not flushed (writes, median: ${median(cuts)}). ` +
      `${(['drop', 'part', 'tear'] as const).map((keep) => `${keep} ${count((cut) => cut.keep === keep)}`).join(', ')}. ` +
      `Times that the super block of the file system was torn, so that fsck had to take its copy: ${service.repairs + outboxes.repairs}.`,
    '',
    '## The service',
    '',
    `PostgreSQL, key, token and backups on the disk; ${service.worlds} installations, each from its first start on. ${service.answered} receipts were answered; ${service.completeBackups} backups were reported as complete before the cut.`,
    '',
    ...table(
      ['power was cut during', ...header],
      rows(service.cuts, ({ during }) => during),
    ),
    'At the end of each installation everything was submitted, closed and sent again.',
    '',
    ...verdictLines(service.verdicts.filter((one) => one.problems.length > 0 || !one.figures.startsWith('0 '))),
    '',
    '## The outboxes',
    '',
    `One file of each language on the disk, a new one after six cuts, the service elsewhere (in three of ten cuts away, so that sales are queued). The moment is counted from the start of the till or from one of its first three sales. ${outboxes.acknowledged} sales were acknowledged to a till before a cut.`,
    ...outboxes.skipped.map((one) => `Skipped: ${one}.`),
    '',
    ...table(
      ['language', ...header],
      rows(outboxes.cuts, ({ language }) => language),
    ),
    ...(problems.length > 0
      ? ['## What was lost', '', ...problems.slice(0, MAX_PROBLEMS).map((one) => `- ${one}`)]
      : []),
  ];
}

function rows<One extends Cut>(cuts: readonly One[], nameOf: (cut: One) => string): (string | number)[][] {
  return [...new Set(cuts.map(nameOf))].toSorted().map((name) => {
    const same = cuts.filter((cut) => nameOf(cut) === name);
    const unflushed = same.filter(({ writes }) => writes > 0).length;
    return [name, same.length, unflushed, `${median(same)}, ${Math.max(...same.map(({ writes }) => writes))}`];
  });
}

function median(cuts: readonly Cut[]): number {
  return cuts.map(({ writes }) => writes).toSorted((a, b) => a - b)[Math.floor(cuts.length / 2)] ?? 0;
}
