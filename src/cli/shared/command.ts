import { ID_PATTERN } from '../../contract/shared/values.ts';
import type { Environment } from './environment.ts';
import { type ExitCode, usage } from './failure.ts';
import type { Terminal } from './terminal.ts';

export interface Option {
  /** What stands for the value in the help (`ID`); none for a switch. */
  readonly value?: string;
  readonly help: string;
  /** What it may be, where that is a few words. */
  readonly words?: readonly string[];
}
export type Options = Readonly<Record<string, Option>>;

/** One command: what the help says of it, and what it does. */
export interface Command {
  /** As it is typed: `receipt list`. A name that begins another (`receipt`) is what the group does without a verb. */
  readonly name: string;
  readonly summary: string;
  /** What it takes besides options, as the usage line shows it; nothing unless it says so. Those in brackets may be left out. */
  readonly arguments?: readonly string[];
  /** Those of every command that talks to a service, unless it says otherwise. */
  readonly options?: Options;
  readonly details?: string;
  readonly examples: readonly string[];
  readonly run: (invocation: Invocation) => Promise<void>;
}

export type CompleteCommand = Command & Required<Pick<Command, 'arguments' | 'options'>>;

/** A command as it was typed, with everything it may touch. */
export interface Invocation {
  readonly words: readonly string[];
  readonly text: (option: string) => string | undefined;
  readonly isSet: (option: string) => boolean;
  readonly environment: Environment;
  readonly terminal: Terminal;
  /** With which code it ends where nothing is thrown; done unless it says otherwise. */
  readonly end: (code: ExitCode) => void;
}

export const EVERYWHERE: Options = {
  help: { help: 'show this help' },
};
export const JSON_OPTION: Options = {
  json: { help: "print the service's answer as JSON, for scripts" },
};
/** For every command that talks to a service. */
export const CONNECTION: Options = {
  ...JSON_OPTION,
  profile: { value: 'NAME', help: 'use this profile (see `tillseal profile --help`); demo is the local demo' },
  url: { value: 'URL', help: 'use the service at this address' },
  token: { value: 'TOKEN', help: 'use this token, whatever the profile has' },
};

export function requiredText(invocation: Invocation, option: string, example: string): string {
  const text = invocation.text(option);
  if (text === undefined) throw usage(`--${option} is missing.`, `For example: --${option} ${example}`);
  return text;
}

export function wholeNumber(invocation: Invocation, option: string, minimum = 0): number | undefined {
  const text = invocation.text(option);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d{1,10}$/.test(text) && number >= minimum) return number;
  throw usage(`--${option} must be a whole number${minimum > 0 ? ` from ${minimum}` : ''}, got "${text}".`);
}

/** Prints an answer as it came where --json asks for that, and tells whether it did. */
export function printsJson({ isSet, terminal }: Invocation, text: string): boolean {
  if (isSet('json')) terminal.print(text);
  return isSet('json');
}

/** Two options that say opposite things. */
export function refuseBoth(invocation: Invocation, one: string, other: string): void {
  const isGiven = (option: string) => invocation.isSet(option) || invocation.text(option) !== undefined;
  if (isGiven(one) && isGiven(other)) throw usage(`--${one} and --${other} contradict each other: give one of them.`);
}

/** The id given with --taxpayer. Checked here because a slip of the mouse is the usual mistake, and the list is near. */
export function taxpayerOption({ text }: Invocation): string | undefined {
  const word = text('taxpayer');
  if (word === undefined || new RegExp(ID_PATTERN).test(word)) return word;
  throw usage(`"${word}" is not the id of a taxpayer.`, 'See the ids: tillseal taxpayer list');
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The fields that were given: what is undefined is left out. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
