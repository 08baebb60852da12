import { buildWords } from '../kernel/build-words.ts';
import { thisBuild } from '../platform/version.ts';
import { commands } from './commands.ts';
import { readArguments } from './shared/arguments.ts';
import { type Environment, readEnvironment, type Variables } from './shared/environment.ts';
import { CommandFailure, EXIT, type ExitCode } from './shared/failure.ts';
import { helpText } from './shared/help.ts';
import { harmless, openTerminal, type Streams, type Terminal } from './shared/terminal.ts';

/** One command from its words to its exit code. */
export async function runCommandLine(
  words: readonly string[],
  variables: Variables,
  streams: Streams,
): Promise<ExitCode> {
  const environment = readEnvironment(variables);
  const terminal = openTerminal(streams, environment.isColourAllowed);
  try {
    return await run(words, environment, terminal);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    report(error, words.includes('--json'), terminal);
    return error.exitCode;
  }
}

async function run(words: readonly string[], environment: Environment, terminal: Terminal): Promise<ExitCode> {
  const request = readArguments(words, commands);
  if (request.kind === 'help') {
    terminal.print(helpText(request.topic, commands));
    return EXIT.done;
  }
  if (request.kind === 'version') {
    terminal.print(`tillseal ${buildWords(thisBuild())}`);
    return EXIT.done;
  }
  const { command, values } = request;
  const valueAt = (option: string) => (Object.hasOwn(values, option) ? values[option] : undefined);
  let ended: ExitCode = EXIT.done;
  await command.run({
    words: request.words,
    text: (option) => {
      const value = valueAt(option);
      return typeof value === 'string' ? value : undefined;
    },
    isSet: (option) => valueAt(option) === true,
    environment,
    terminal,
    end: (code) => {
      ended = code;
    },
  });
  return ended;
}

/** For people a sentence and its details; with --json one document, the service's own where there is one. */
function report(failure: CommandFailure, isJson: boolean, terminal: Terminal): void {
  if (isJson) {
    const { message: detail, details } = failure;
    terminal.note(failure.problem ?? JSON.stringify({ detail, details }));
    return;
  }
  terminal.note(`tillseal: ${harmless(failure.message)}`);
  for (const line of failure.details) terminal.note(harmless(line));
}
