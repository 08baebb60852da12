import { parseArgs } from 'node:util';
import { numberOption, refuseOptions } from '../../src/platform/script-options.ts';

/** One thing that is proved: what it can be told, why it cannot be done here, and how it is done. */
export interface Run<Rows extends OptionRows = OptionRows> {
  readonly options: Rows;
  readonly whyNot?: () => string | undefined;
  readonly run: (stage: Stage, values: Values<Rows>) => Promise<Outcome>;
  /** The same with something taken out that keeps it safe. Each must find something, or the run proves nothing. */
  readonly controls?: readonly Control[];
}

export interface Stage {
  /** On the machine's own disk; it goes with the run. */
  readonly folder: string;
  readonly seed: number;
  readonly isKept: boolean;
  readonly tell: (line: string) => void;
}

export interface Outcome {
  readonly isWell: boolean;
  /** In two or three words, of a run that went well. */
  readonly result: string;
  /** Between the facts of the machine and what is not proved. */
  readonly lines: readonly string[];
}

/** There is nothing to prove it with; the message is one line for the person at the terminal. */
export class CannotRun extends Error {}

export interface Control {
  readonly name: string;
  /** What this machine lacks for it, and not for the run. */
  readonly whyNot?: string | undefined;
  /** What was found. */
  readonly run: (stage: Stage) => Promise<readonly string[]>;
}

/** An option takes a number, one of some words, several of them or any text; or it is a flag; or it is all words that belong to no option. */
export type OptionRows = Readonly<Record<string, OptionRow>>;
type OptionRow = { readonly help: string } & (
  | { readonly number: number | undefined; readonly least?: number }
  | { readonly oneOf: readonly string[] }
  | { readonly someOf: readonly string[] }
  | { readonly text: true }
  | { readonly flag: true }
  | { readonly files: true }
);
export type Values<Rows extends OptionRows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends { number: number }
    ? number
    : Rows[Name] extends { number: undefined }
      ? number | undefined
      : Rows[Name] extends { oneOf: readonly (infer Word)[] }
        ? Word
        : Rows[Name] extends { someOf: readonly (infer Word)[] }
          ? readonly Word[]
          : Rows[Name] extends { text: true }
            ? string | undefined
            : Rows[Name] extends { files: true }
              ? readonly string[]
              : boolean;
};

/** For the compiler: the values that `run` is given are those of its own rows. */
export function aRun<const Rows extends OptionRows>(run: Run<Rows>): Run {
  return run as Run;
}

/** Of a run that follows a plan. */
export const SEED = { number: Date.now() % 1_000_000, help: 'repeats the plan of an earlier run' };

export function usageOf(rows: OptionRows): string {
  const words = Object.entries(rows).map(([name, row]) => {
    if ('files' in row) return ['FILE …', row.help] as const;
    const value = 'flag' in row ? '' : 'number' in row ? ' N' : ' WORD';
    const choice = 'oneOf' in row ? ` (${row.oneOf.join(', ')})` : 'someOf' in row ? ` (${row.someOf.join(', ')})` : '';
    const usual = 'number' in row && row.number !== undefined ? ` (${row.number})` : '';
    return [`--${name}${value}`, `${row.help}${choice}${usual}`] as const;
  });
  const width = Math.max(...words.map(([first]) => first.length));
  return words.map(([first, help]) => `  ${first.padEnd(width)}   ${help}\n`).join('');
}

/** What the words say; what they do not say has its usual value, and what cannot be meant ends the program with the usage. */
export function readOptions<const Rows extends OptionRows>(rows: Rows, words: readonly string[], usage: string) {
  const named = Object.entries(rows).filter(([, row]) => !('files' in row));
  const allowPositionals = named.length < Object.keys(rows).length;
  const types = named.map(([name, row]) => {
    const type: 'boolean' | 'string' = 'flag' in row ? 'boolean' : 'string';
    return [name, { type, multiple: 'someOf' in row }] as const;
  });
  let given: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  let files: readonly string[];
  try {
    const parsed = parseArgs({ args: [...words], options: Object.fromEntries(types), allowPositionals });
    given = parsed.values;
    files = parsed.positionals;
  } catch (error) {
    return refuseOptions(usage, error instanceof Error ? error.message : String(error));
  }
  const oneOf = (name: string, choice: readonly string[], word: unknown) =>
    choice.find((one) => one === word) ??
    refuseOptions(usage, `--${name} must be one of ${choice.join(', ')}, got "${String(word)}"`);
  const meant = (name: string, row: OptionRow): unknown => {
    const value = given[name];
    if ('files' in row) return files;
    if ('flag' in row) return value === true;
    if ('number' in row)
      return value === undefined ? row.number : numberOption(usage, name, value as string, row.least);
    if ('oneOf' in row) return oneOf(name, row.oneOf, value ?? row.oneOf[0]);
    if ('someOf' in row)
      return ((value as string[] | undefined) ?? row.someOf).map((word) => oneOf(name, row.someOf, word));
    return value;
  };
  const values = Object.entries(rows).map(([name, row]) => [name, meant(name, row)]);
  return Object.fromEntries(values) as Values<Rows>;
}
