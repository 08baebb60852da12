import { describe, expect, test } from 'vitest';
import { tillseal } from '../../../test/support/command-line.ts';
import { commands } from '../commands.ts';
import { readArguments } from './arguments.ts';
import { CommandFailure } from './failure.ts';
import { helpText } from './help.ts';

function refusalOf(...words: string[]): string {
  try {
    readArguments(words, commands);
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === 2) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

function commandOf(...words: string[]) {
  const request = readArguments(words, commands);
  return request.kind === 'command' ? [request.command.name, request.words] : [request.kind];
}

describe('which command', () => {
  test('the longest name wins, and options may stand anywhere', () => {
    expect(commandOf('receipt', 'INV-1')).toEqual(['receipt', ['INV-1']]);
    expect(commandOf('receipt', 'list')).toEqual(['receipt list', []]);
    expect(commandOf('--json', 'receipt', '--limit', '3', 'list')).toEqual(['receipt list', []]);
    expect(commandOf('--profile', 'receipt', 'sign', 'list')).toEqual(['sign', ['list']]);
  });

  test('a reference that is a word of the command line can still be shown', () => {
    expect(commandOf('receipt', 'show', 'list')).toEqual(['receipt show', ['list']]);
    expect(commandOf('receipt', '--', '-7')).toEqual(['receipt', ['-7']]);
  });

  test('a mistyped command is answered with the one that was meant', () => {
    expect(refusalOf('recipt')).toBe('There is no command recipt. Did you mean receipt?');
    expect(refusalOf('taxpayer', 'lst')).toBe('There is no command taxpayer lst. Did you mean taxpayer list?');
    expect(refusalOf('xyzzy')).toBe('There is no command xyzzy.');
    expect(refusalOf('token')).toBe('token needs one of list, issue, revoke.');
    expect(refusalOf('--json')).toBe('A command is missing.');
  });

  test('a mistyped option is answered with the one that was meant', () => {
    expect(refusalOf('sign', 'a.json', '--jsn')).toBe('sign has no option --jsn. Did you mean --json?');
    expect(refusalOf('device', 'set', '1', '--maintenance', '02:00')).toContain('Did you mean --maintenance-start?');
    expect(refusalOf('--profil', 'shop', 'sign', 'a.json')).toContain('Did you mean --profile?');
    expect(refusalOf('sign', 'a.json', '--zone', 'UTC')).toBe('sign has no option --zone.');
  });

  test('missing and superfluous arguments, and options without their value, are refused', () => {
    expect(refusalOf('sign')).toBe('sign needs FILE|-.');
    expect(refusalOf('health', 'now')).toBe('health does not take "now".');
    expect(refusalOf('receipt', 'list', '--limit')).toContain('--limit');
    expect(refusalOf('health', '--json=yes')).toContain('--json');
  });
});

describe('help', () => {
  test.each([[[]], [['--help']], [['-h']], [['help']]])('%j shows the overview', (words) => {
    expect(readArguments(words, commands)).toEqual({ kind: 'help', topic: '' });
  });

  test('help for a group, a command and by the word help', () => {
    expect(readArguments(['token', '--help'], commands)).toEqual({ kind: 'help', topic: 'token' });
    expect(readArguments(['token', 'issue', '-h'], commands)).toEqual({ kind: 'help', topic: 'token issue' });
    expect(readArguments(['help', 'token', 'issue'], commands)).toEqual({ kind: 'help', topic: 'token issue' });
    expect(refusalOf('help', 'tokn')).toContain('Did you mean token?');
  });

  test.each(commands)('$name tells its usage, every option and an example of itself', (command) => {
    const text = helpText(command.name, commands);
    expect(text).toContain(`Usage: tillseal ${command.name}`);
    for (const option of Object.keys(command.options)) expect(text).toContain(`--${option}`);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) expect(example).toContain(`tillseal ${command.name.split(' ')[0]}`);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  test('an option of one name is the same kind of option in every command', () => {
    const kinds = new Map<string, boolean>();
    for (const { options } of commands) {
      for (const [name, option] of Object.entries(options)) {
        const isSwitch = option.value === undefined;
        expect(kinds.get(name) ?? isSwitch, `--${name}`).toBe(isSwitch);
        kinds.set(name, isSwitch);
      }
    }
  });

  test('the examples are commands that exist', () => {
    for (const { examples } of commands) {
      for (const example of examples) {
        const words = example.replace(/^.*?\|\s*(?=tillseal)/, '').replace(/\s*(\||>|\|\|).*$/, '');
        const parts = [...words.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '').slice(1);
        expect(readArguments(parts, commands).kind, example).toBe('command');
      }
    }
  });
});

test('what may follow is completed: commands, verbs, options and the words that an option takes', async () => {
  const after = async (line: string) => (await tillseal(['completion', line])).stdout.trim().split('\n');
  expect(await after('tillseal re')).toEqual(['receipt', 'restore']);
  expect(await after('tillseal day --json re')).toEqual(['report']);
  expect(await after('tillseal receipt list --st')).toEqual(['--starts', '--state']);
  expect(await after('tillseal operator add x@example.com --role o')).toEqual(['operator', 'owner']);
  expect((await tillseal(['completion'])).stdout).toContain('complete -o default -F _tillseal tillseal');
});
