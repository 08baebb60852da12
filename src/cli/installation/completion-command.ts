import type { Command, CompleteCommand } from '../shared/command.ts';

const SCRIPT = `_tillseal() {
  mapfile -t COMPREPLY < <(tillseal completion "\${COMP_LINE:0:COMP_POINT}" 2> /dev/null)
}
complete -o default -F _tillseal tillseal`;

/** What may follow a line that is being typed: words of commands, then options, or the words that an option takes. */
function completionsOf(line: string, commands: readonly CompleteCommand[]): string[] {
  const words = line.split(/\s+/).slice(1);
  const [begun = '', before = ''] = [words.at(-1), words.at(-2)];
  const typed = words.slice(0, -1).filter((word) => !word.startsWith('-'));
  const fits = (word: string | undefined) => word?.startsWith(begun) === true;
  const command = commands
    .filter(({ name }) => `${typed.join(' ')} `.startsWith(`${name} `))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
  const ofOption = command?.options[before.slice(2)]?.words;
  if (before.startsWith('--') && ofOption !== undefined) return ofOption.filter(fits);
  if (begun.startsWith('-'))
    return Object.keys({ ...command?.options, help: {} })
      .map((name) => `--${name}`)
      .filter(fits);
  const next = commands.filter(({ name }) => name.split(' ').slice(0, typed.length).join(' ') === typed.join(' '));
  return [...new Set(next.map(({ name }) => name.split(' ')[typed.length]))].filter(fits).map(String);
}

export const completionCommand = (commands: () => readonly CompleteCommand[]): Command => ({
  name: 'completion',
  summary: 'Print what makes bash complete commands, options and their words.',
  arguments: ['[LINE]'],
  options: {},
  details: 'Add this to ~/.bashrc: eval "$(tillseal completion)". With LINE it prints what may follow it.',
  examples: ['tillseal completion', 'tillseal completion "tillseal day re"'],
  run: async ({ terminal, words: [line] }) => {
    terminal.print(line === undefined ? SCRIPT : completionsOf(line, commands()).join('\n'));
  },
});
