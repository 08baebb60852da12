import { loadavg, totalmem } from 'node:os';
import { commitOf, MACHINE, table as markdown } from '../../common/report.ts';

/** One that is missed is a figure and not an error. */
export interface Goal {
  readonly name: string;
  readonly value: string;
  readonly expected: string;
  readonly isMet: boolean;
}

/** What a benchmark found. */
export interface Outcome {
  readonly lines: readonly string[];
  readonly goals: readonly Goal[];
  /** Wrong answers, and what was answered and is not there: with any of them the figures say nothing. */
  readonly errors: number;
}

const QUIET_LOAD = 0.5;
/** Of the minute before the start. */
const LOAD_BEFORE = loadavg()[0] ?? 0;

export function atLeast(name: string, value: number, least: number, unit = ''): Goal {
  return { name, value: figure(value) + unit, expected: `${whole(least)}${unit} or more`, isMet: value >= least };
}

export function atMost(name: string, value: number, maximum: number, unit = ''): Goal {
  return { name, value: figure(value) + unit, expected: `${whole(maximum)}${unit} or less`, isMet: value <= maximum };
}

/** The report of any benchmark, as it can be put into a page. */
export function reportOf(name: string, { lines, goals, errors }: Outcome, seconds: number): string {
  const memoryMb = whole(totalmem() / 1024 ** 2);
  const marks = [...goals, atMost('wrong answers, or answered and lost', errors, 0)];
  const all = [
    `## ${name}`,
    '',
    `${new Date().toISOString().slice(0, 10)}, commit ${commitOf()}; ${MACHINE}, ${memoryMb} MB, Node ${process.versions.node}, load and database on the same machine; ${whole(seconds)} s.`,
    ...(LOAD_BEFORE > QUIET_LOAD
      ? [`NOT A QUIET MACHINE: load ${LOAD_BEFORE} before the start. Look at the ratios, not at the times.`]
      : []),
    '',
    ...lines,
    '',
    ...table(
      ['goal', 'measured', 'expected', ''],
      marks.map((goal) => [goal.name, goal.value, goal.expected, goal.isMet ? 'met' : '**missed**']),
    ),
  ];
  return `${all.join('\n').replaceAll(/\n{3,}/g, '\n\n')}\n`;
}

/** The columns stand below each other in a terminal too. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((_, at) => Math.max(...[header, ...rows].map((row) => row[at]?.length ?? 0)));
  const padded = (cells: readonly string[]) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0));
  return markdown(padded(header), rows.map(padded));
}

/** A number as people read it. */
export function whole(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

/** As exact as it was measured. */
export function figure(value: number): string {
  if (Number.isInteger(value) || value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value < 10 ? 2 : 1);
}

export function ms(...values: readonly number[]): string {
  return `${values.map(figure).join(', ')} ms`;
}
