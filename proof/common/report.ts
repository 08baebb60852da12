import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../src/platform/version.ts';
import type { Verdict } from '../checker/verdict.ts';
import type { Load } from '../driver/ledger.ts';
import type { StepRecord } from '../nemesis/step.ts';
import type { Outcome } from './run.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MAX_PROBLEMS = 20;
const PROOFS_PER_KIND = 2;

/** What is run: the commit, and whether something but the documentation was changed since. */
export function commitOf(): string {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--', '.', ':!docs') !== '';
    return `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}

export const MACHINE = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;

/** The report of any run, for the terminal and for a file. */
export function reportOf(command: string, page: string, startedAt: number, { isWell, result, lines }: Outcome): string {
  const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
  const when = `${new Date(startedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC, ${minutes} minutes`;
  const all = [
    `# ${command}: ${isWell ? result : 'FAILED'}`,
    '',
    `${when}; Tillseal ${VERSION}, commit ${commitOf()};`,
    `${MACHINE}, Node ${process.versions.node}, load and database on the same machine.`,
    '',
    ...lines,
    '',
    '## What this does not prove',
    '',
    `${page} says it.`,
  ];
  return `${all
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line), ''];
}

export function sentLines(load: Load): string[] {
  return [
    '## What was sent',
    '',
    `${load.requests} requests (receipts, notes, twins, payments, reversals, changes) in ${load.attempts} attempts:`,
    `${load.answered} answered 200, ${load.refused} refused or asked to try later, ${load.unknown} without an answer.`,
    '',
    ...table(
      ['answered', 'attempts'],
      Object.entries(load.byStatus).map(([status, count]) => [status === '0' ? 'no answer' : status, count]),
    ),
  ];
}

export interface Settled {
  readonly seconds: number;
  /** What an operator had to do by hand. */
  readonly byHand: readonly string[];
  /** What was still open after the longest wait; empty when all is well. */
  readonly open: readonly string[];
}

export function settledLines({ seconds, byHand, open }: Settled, more = ''): string[] {
  return [
    `After the last of it everything was settled in ${seconds.toFixed(1)} s. By hand: ${byHand.join(', ') || 'nothing'}. ${more}`,
    ...(open.length > 0 ? [`STILL OPEN: ${open.join(', ')}.`] : []),
    '',
  ];
}

export function verdictLines(verdicts: readonly Verdict[]): string[] {
  const rows = verdicts.map(({ name, figures, problems }) => [
    name,
    figures,
    problems.length === 0 ? 'holds' : `**${problems.length} problems**`,
  ]);
  return [
    '## What the checker found',
    '',
    ...table(['question', 'looked at', 'found'], rows),
    ...verdicts.flatMap(({ problems }) => problems.slice(0, MAX_PROBLEMS).map((problem) => `- ${problem}`)),
  ];
}

/** What happened, by kind: how often it was shown, and how. `figuresOf` has further columns. */
export function stepLines<Step extends StepRecord>(
  steps: readonly Step[],
  columns: readonly string[] = [],
  figuresOf: (shown: readonly Step[]) => readonly string[] = () => [],
): string[] {
  const kinds = [...Map.groupBy(steps, ({ name }) => name)].toSorted(([one], [other]) => one.localeCompare(other));
  const rows = kinds.map(([name, all]) => {
    const shown = all.filter(({ outcome }) => outcome === 'proved');
    const more = shown.length - PROOFS_PER_KIND;
    const others = all.filter(({ outcome }) => outcome !== 'proved');
    const words = [
      ...shown.slice(0, PROOFS_PER_KIND).map(({ proof }) => proof),
      ...(more > 0 ? [`and ${more} more, each shown the same way`] : []),
      ...others.map(
        ({ outcome, proof }) => `${outcome === 'impossible' ? 'not possible here' : 'NOT SHOWN'}: ${proof}`,
      ),
    ];
    return [name, shown.length, ...figuresOf(shown), words.join('; ')];
  });
  return table(['event', 'times', ...columns, 'shown by'], rows);
}
