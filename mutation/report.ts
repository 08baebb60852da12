import { EXPLAINED } from './explained.ts';

/** As Stryker writes it: https://github.com/stryker-mutator/mutation-testing-elements, the parts that are used here. */
interface Place {
  readonly line: number;
  readonly column: number;
}

export interface StrykerReport {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: string;
        readonly mutants: readonly {
          readonly mutatorName: string;
          readonly replacement?: string;
          readonly status: string;
          readonly location: { readonly start: Place; readonly end: Place };
        }[];
      }
    >
  >;
}

export interface Survivor {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly isCovered: boolean;
  readonly reason: string | undefined;
}

export interface FileScore {
  readonly path: string;
  readonly isCore: boolean;
  readonly detected: number;
  readonly total: number;
  readonly left: number;
  readonly survivors: readonly Survivor[];
}

const CORE_SCORE = 90;
const OTHER_SCORE = 80;
const DETECTED = new Set(['Killed', 'Timeout']);
const UNDETECTED = new Set(['Survived', 'NoCoverage']);

/** What decides over the chain, the day and money, and what proves it. */
const CORE = [
  'src/fdms/core/signing-string.ts',
  'src/fdms/core/day-string.ts',
  'src/fdms/core/day-counters.ts',
  'src/fdms/core/verification.ts',
  'src/fdms/core/tax-sums.ts',
  'src/fdms/core/rules/original-rules.ts',
  'src/fdms/core/rules/counter-rules.ts',
  'src/fiscal/core/seal.ts',
  'src/fiscal/core/signing-date.ts',
  'src/fiscal/core/fiscal-day.ts',
  'src/fiscal/core/next-step.ts',
  'src/fiscal/core/held-lane.ts',
  'src/billpay/core/price-payment.ts',
  'src/billpay/core/payment-state.ts',
  'src/push/core/policy.ts',
  'src/push/core/batch.ts',
  'src/kernel/decimal.ts',
  'src/kernel/tax.ts',
  'src/verifier/checker.ts',
  'src/verifier/day-tally.ts',
  'src/verifier/receipt-line.ts',
  'src/verifier/signed-strings.ts',
  'clients/typescript/src/outbox/verdict.ts',
  'clients/typescript/src/outbox/sales.ts',
];

export function scoresOf({ files }: StrykerReport): FileScore[] {
  return Object.entries(files)
    .map(([path, { source, mutants }]) => {
      const lines = source.split('\n');
      const survivors = mutants
        .filter(({ status }) => UNDETECTED.has(status))
        .map(({ location: { start, end }, replacement = '', status }) => {
          const from = shortened(textBetween(lines, start, end));
          const to = shortened(replacement);
          const reason = EXPLAINED[path]?.find(([before, after]) => before === from && after === to)?.[2];
          return { line: start.line, from, to, isCovered: status === 'Survived', reason };
        })
        .toSorted((a, b) => a.line - b.line);
      const detected = mutants.filter(({ status }) => DETECTED.has(status)).length;
      const total = detected + survivors.length;
      return { path, isCore: CORE.includes(path), detected, total, left: mutants.length - total, survivors };
    })
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => Number(b.isCore) - Number(a.isCore) || a.path.localeCompare(b.path));
}

function textBetween(lines: readonly string[], start: Place, end: Place): string {
  return lines
    .slice(start.line - 1, end.line)
    .map((line, index, all) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === all.length - 1 ? end.column - 1 : undefined),
    )
    .join(' ');
}

function shortened(code: string): string {
  const text = code.replaceAll(/\s+/g, ' ').trim();
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

export const scoreOf = ({ detected, total }: Pick<FileScore, 'detected' | 'total'>) => (100 * detected) / total;

/** A survivor that was explained is no change that a test could notice. */
export function isGoodEnough({ detected, total, isCore, survivors }: FileScore): boolean {
  const explained = survivors.filter(({ reason }) => reason !== undefined).length;
  return detected >= ((isCore ? CORE_SCORE : OTHER_SCORE) / 100) * (total - explained);
}

/** The tables of docs/proof/mutation.md. */
export function tablesOf(scores: readonly FileScore[]): string {
  const survivors = scores.filter((file) => file.survivors.length > 0);
  return [
    '## Scores',
    '',
    '| file | mutants | found | score |',
    '|---|---:|---:|---:|',
    ...scores.map((file) => `| ${nameOf(file)} | ${file.total} | ${file.detected} | ${scoreOf(file).toFixed(1)} % |`),
    `| all | ${sum(scores, 'total')} | ${sum(scores, 'detected')} | ${overall(scores).toFixed(1)} % |`,
    '',
    '## Survivors',
    '',
    ...survivors.flatMap((file) => [
      `**${file.path}**`,
      '',
      '| line | was | became | why nothing noticed |',
      '|---:|---|---|---|',
      ...file.survivors.map(
        ({ line, from, to, reason, isCovered }) =>
          `| ${line} | ${code(from)} | ${code(to)} | ${reason ?? (isCovered ? 'not looked into' : 'no test reaches it')} |`,
      ),
      '',
    ]),
  ].join('\n');
}

export function overall(scores: readonly FileScore[]): number {
  return scoreOf({ detected: sum(scores, 'detected'), total: sum(scores, 'total') });
}

export function sum(scores: readonly FileScore[], field: 'detected' | 'total' | 'left'): number {
  return scores.reduce((all, file) => all + file[field], 0);
}

const nameOf = ({ path, isCore }: FileScore) => (isCore ? `**${path}**` : path);
const code = (text: string) => (text === '' ? '(nothing)' : `\`\` ${text.replaceAll('|', '\\|')} \`\``);
