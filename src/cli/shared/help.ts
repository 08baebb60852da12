import { groupNames, usageLine } from './arguments.ts';
import { type CompleteCommand, EVERYWHERE, type Options } from './command.ts';
import { EXIT_MEANINGS } from './failure.ts';

/** The text of `--help`: of everything (''), of a group (`receipt`) or of one command (`receipt list`). */
export function helpText(topic: string, commands: readonly CompleteCommand[]): string {
  if (topic === '') return overview(commands);
  const group = commands.filter((command) => command.name.startsWith(`${topic} `));
  const command = commands.find((candidate) => candidate.name === topic);
  if (command === undefined) return groupHelp(topic, group);
  const others = group.length === 0 ? '' : `\n\nMore of ${topic}:\n${commandLines(group)}`;
  return commandHelp(command) + others;
}

function overview(commands: readonly CompleteCommand[]): string {
  return `Tillseal signs fiscal receipts. This is its command line.

Usage: tillseal COMMAND [arguments] [options]

Commands:
${groupLines(commands)}

  start          runs the service, with a demo unless DATABASE_URL is set
  simulator      starts a tax authority to try things with: tillseal simulator --help

  tillseal GROUP --help tells what each of a group does and who may: the role in brackets is the least that an operator
  needs. tillseal COMMAND --help has its options, with examples.

Everywhere:
  --help       what a command does, its options and examples
  --version    the version of this command line
  --json       the answer as JSON, on every command that prints one
  --dry-run    print the request instead of sending it, on every command that is a single call

Which service:
  With nothing said it is the local demo, as a first start left it in DATA_DIR/demo.json (./data by default).
  For a real installation make a profile, or give --url and --token, or set the variables TILLSEAL_URL, TILLSEAL_TOKEN
  (and TILLSEAL_OPERATOR_TOKEN for administration) or TILLSEAL_PROFILE.

Exit codes:
${Object.entries(EXIT_MEANINGS)
  .map(([code, meaning]) => `  ${code}  ${meaning}`)
  .join('\n')}

Begin here:
  tillseal start                              in another terminal: the service with a demo
  tillseal device                             the demo's device: is its day open?
  tillseal receipt example > receipt.json     a receipt to begin with
  tillseal sign receipt.json                  seal it
  tillseal receipt list                       what was sealed`;
}

/** A line for each group: what it does alone, and its verbs. */
function groupLines(commands: readonly CompleteCommand[]): string {
  return groupNames(commands)
    .map((group) => {
      const alone = commands.find(({ name }) => name === group);
      const verbs = commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name.split(' ')[1]);
      const lines = [alone?.summary, verbs.length > 0 ? `${alone ? 'also ' : ''}${verbs.join(', ')}` : undefined];
      return `  ${group.padEnd(13)}  ${lines.filter(Boolean).join(`\n${' '.repeat(17)}`)}`;
    })
    .join('\n');
}

function groupHelp(topic: string, group: readonly CompleteCommand[]): string {
  return `Usage: tillseal ${topic} COMMAND [arguments] [options]

${commandLines(group)}

\`tillseal ${topic} COMMAND --help\` tells more, with examples.`;
}

function commandHelp(command: CompleteCommand): string {
  const parts = [`${command.summary}\n\nUsage: ${usageLine(command)}`];
  if (command.details !== undefined) parts.push(command.details);
  parts.push(`Options:\n${optionLines({ ...command.options, ...EVERYWHERE })}`);
  parts.push(`Examples:\n${command.examples.map((example) => `  ${example}`).join('\n')}`);
  return parts.join('\n\n');
}

function commandLines(commands: readonly CompleteCommand[]): string {
  return aligned(commands.map((command) => [[command.name, ...command.arguments].join(' '), command.summary]));
}

function optionLines(options: Options): string {
  return aligned(
    Object.entries(options).map(([name, { value, help }]) => [`--${name} ${value ?? ''}`.trimEnd(), help]),
  );
}

function aligned(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}
