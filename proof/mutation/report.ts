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
}

/** In percent, by file: what `npm run proof -- mutation` found once, rounded down. A run raises it; somebody may lower it, with a reason. */
export type Floors = Readonly<Record<string, number>>;

export interface FileScore {
  readonly path: string;
  readonly detected: number;
  readonly total: number;
  readonly left: number;
  readonly survivors: readonly Survivor[];
}

/** What a file must have that has no floor in scores.json yet. */
const NEW_SCORE = 90;
const DETECTED = new Set(['Killed', 'Timeout']);
const UNDETECTED = new Set(['Survived', 'NoCoverage']);

export function scoresOf({ files }: StrykerReport): FileScore[] {
  return Object.entries(files)
    .map(([path, { source, mutants }]) => {
      const lines = source.split('\n');
      const survivors = mutants
        .filter(({ status }) => UNDETECTED.has(status))
        .map(({ location: { start, end }, replacement = '', status }) => {
          const from = shortened(textBetween(lines, start, end));
          const to = shortened(replacement);
          return { line: start.line, from, to, isCovered: status === 'Survived' };
        })
        .toSorted((a, b) => a.line - b.line);
      const detected = mutants.filter(({ status }) => DETECTED.has(status)).length;
      const total = detected + survivors.length;
      return { path, detected, total, left: mutants.length - total, survivors };
    })
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => a.path.localeCompare(b.path));
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

export function floorOf(path: string, floors: Floors): number {
  return floors[path] ?? NEW_SCORE;
}

/** The floors with those that rose, and without the files that `isThere` no more. */
export function raised(floors: Floors, scores: readonly FileScore[], isThere: (path: string) => boolean): Floors {
  const risen = scores.filter((file) => scoreOf(file) >= floorOf(file.path, floors));
  const all = { ...floors, ...Object.fromEntries(risen.map((file) => [file.path, Math.floor(scoreOf(file))])) };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([path]) => isThere(path))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** Scores and survivors, for a file that is kept with a release. */
export function tablesOf(scores: readonly FileScore[], floors: Floors): string {
  const survivors = scores.filter((file) => file.survivors.length > 0);
  return [
    '## Scores',
    '',
    '| file | mutants | found | score | floor |',
    '|---|---:|---:|---:|---:|',
    ...scores.map(
      (file) =>
        `| ${file.path} | ${file.total} | ${file.detected} | ${scoreOf(file).toFixed(1)} % | ${floorOf(file.path, floors)} % |`,
    ),
    `| all | ${sum(scores, 'total')} | ${sum(scores, 'detected')} | ${overall(scores).toFixed(1)} % | |`,
    '',
    '## Survivors',
    '',
    ...survivors.flatMap((file) => [
      `**${file.path}**`,
      '',
      '| line | was | became | |',
      '|---:|---|---|---|',
      ...file.survivors.map(
        ({ line, from, to, isCovered }) =>
          `| ${line} | ${code(from)} | ${code(to)} | ${isCovered ? '' : 'no test reaches it'} |`,
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

const code = (text: string) => (text === '' ? '(nothing)' : `\`\` ${text.replaceAll('|', '\\|')} \`\``);
