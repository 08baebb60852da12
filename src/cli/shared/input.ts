import { readFile } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
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

/** A secret may come from standard input, so that it need not stand in the history of a shell. */
export async function typedOrRead({ input }: Terminal, typed: string): Promise<string> {
  return typed === '-' ? (await text(input)).trim() : typed;
}

/** From a file, where other users of the machine must not see it in the list of processes. */
export async function secretText(invocation: Invocation, option: string): Promise<string | undefined> {
  const typed = invocation.text(option);
  if (!typed?.startsWith('@')) return typed;
  return (await readInput(invocation.terminal, typed.slice(1), 'a token')).toString('utf8').trim();
}
