import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Invocation } from './command.ts';
import { unreadable } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** What a file holds, as it is; `-` is standard input. `what` names it for the person at the keyboard. */
export async function readInput({ input, errors }: Terminal, file: string, what: string): Promise<Buffer> {
  if (file === '-') {
    if (input.isTTY === true) errors.write(`Reading ${what} from the keyboard: end it with Ctrl-D.\n`);
    return buffer(input);
  }
  return readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

/** From a file, where other users of the machine must not see it in the list of processes. */
export async function secretText(invocation: Invocation, option: string): Promise<string | undefined> {
  const text = invocation.text(option);
  return text?.startsWith('@')
    ? (await readInput(invocation.terminal, text.slice(1), 'a token')).toString('utf8').trim()
    : text;
}
