import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type CompleteCommand, EVERYWHERE, type Options } from './command.ts';
import { usage } from './failure.ts';
import { didYouMean } from './suggestion.ts';

export type Request =
  | { readonly kind: 'help'; readonly topic: string }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly command: CompleteCommand;
      readonly words: readonly string[];
      readonly values: Readonly<Record<string, string | boolean | undefined>>;
    };

/**
 * Reads the words after `tillseal`. Options may stand anywhere, also before the command, so the first look takes the
 * options of all commands together; the second one holds the command to its own.
 */
export function readArguments(words: readonly string[], commands: readonly CompleteCommand[]): Request {
  const everyOption: Options = Object.assign({}, EVERYWHERE, ...commands.map((command) => command.options));
  const { tokens } = parseArgs({
    args: [...words],
    options: { ...parseOptions(everyOption), version: { type: 'boolean' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = tokens.filter((token) => token.kind === 'option').map((token) => token.name);
  const positionals = tokens.filter((token) => token.kind === 'positional');
  const typed = positionals.map((token) => token.value);
  const command = findCommand(typed, commands);
  if (given.includes('help') || typed[0] === 'help' || words.length === 0) {
    const topic = typed[0] === 'help' ? typed.slice(1) : typed;
    return { kind: 'help', topic: findTopic(topic, commands) };
  }
  if (given.includes('version') && typed.length === 0) return { kind: 'version' };
  const known = command === undefined ? everyOption : { ...EVERYWHERE, ...command.options };
  const stranger = given.find((name) => !Object.hasOwn(known, name));
  if (stranger !== undefined && (command !== undefined || !Object.hasOwn(everyOption, stranger))) {
    const names = Object.keys(known).map((name) => `--${name}`);
    const where = command === undefined ? 'There is no option' : `${command.name} has no option`;
    throw usage(`${where} ${dashed(stranger)}.${didYouMean(dashed(stranger), names)}`, seeHelp(command?.name ?? ''));
  }
  if (command === undefined) throw noCommand(typed, commands);
  const commandWords = command.name.split(' ').length;
  const at = new Set(positionals.slice(0, commandWords).map((token) => token.index));
  return parseCommand(
    command,
    words.filter((_, index) => !at.has(index)),
  );
}

function parseCommand(command: CompleteCommand, words: readonly string[]): Request {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: parseOptions({ ...EVERYWHERE, ...command.options }),
      allowPositionals: true,
    });
    checkCount(command, positionals);
    return { kind: 'command', command, words: positionals, values: values as Record<string, string | boolean> };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usage(error.message.split('\n')[0] ?? '', seeHelp(command.name));
  }
}

function checkCount(command: CompleteCommand, words: readonly string[]): void {
  const missing = command.arguments[words.length];
  if (missing !== undefined && !missing.startsWith('[')) {
    throw usage(`${command.name} needs ${missing}.`, `Usage: ${usageLine(command)}`, seeHelp(command.name));
  }
  const extra = words[command.arguments.length];
  if (extra !== undefined) {
    throw usage(`${command.name} does not take "${extra}".`, `Usage: ${usageLine(command)}`, seeHelp(command.name));
  }
}

export function usageLine(command: CompleteCommand): string {
  return ['tillseal', command.name, ...command.arguments, '[options]'].join(' ');
}

function parseOptions(options: Options): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      {
        type: option.value === undefined ? 'boolean' : 'string',
        ...(name === 'help' ? { short: 'h' } : {}),
      } as const,
    ]),
  );
}

/** The longest name that the words begin with. */
function findCommand(words: readonly string[], commands: readonly CompleteCommand[]): CompleteCommand | undefined {
  const two = `${words[0]} ${words[1]}`;
  return commands.find((command) => command.name === two) ?? commands.find((command) => command.name === words[0]);
}

function findTopic(words: readonly string[], commands: readonly CompleteCommand[]): string {
  const [group = ''] = words;
  if (group === '' || !groupNames(commands).includes(group)) {
    if (group === '') return '';
    throw noCommand(words, commands);
  }
  return findCommand(words, commands)?.name ?? group;
}

export function groupNames(commands: readonly CompleteCommand[]): string[] {
  return [...new Set(commands.map((command) => command.name.split(' ')[0] ?? ''))];
}

function noCommand([group = '', verb]: readonly string[], commands: readonly CompleteCommand[]): Error {
  const groups = groupNames(commands);
  if (group === '') return usage('A command is missing.', seeHelp(''));
  if (!groups.includes(group)) return usage(`There is no command ${group}.${didYouMean(group, groups)}`, seeHelp(''));
  const verbs = commands
    .filter((one) => one.name.startsWith(`${group} `))
    .map((one) => one.name.slice(group.length + 1));
  if (verb === undefined) return usage(`${group} needs one of ${verbs.join(', ')}.`, seeHelp(group));
  const suggestion = didYouMean(verb, verbs).replace('mean ', `mean ${group} `);
  return usage(`There is no command ${group} ${verb}.${suggestion}`, seeHelp(group));
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function seeHelp(name: string): string {
  return `See: ${['tillseal', name, '--help'].filter(Boolean).join(' ')}`;
}
