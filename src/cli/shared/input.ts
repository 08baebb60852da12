import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Invocation } from './command.ts';
import { usage } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** What a file holds, as it is; `-` is standard input. `what` names it for the person at the keyboard. */
export async function readInput({ input, errors }: Terminal, file: string, what: string): Promise<Buffer> {
  if (file === '-') {
    if (input.isTTY === true) errors.write(`Reading ${what} from the keyboard: end it with Ctrl-D.\n`);
    return buffer(input);
  }
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : code;
    throw usage(`${file} cannot be read: ${reason}.`);
  }
}

/** From a file, where other users of the machine must not see it in the list of processes. */
export async function secretText(invocation: Invocation, option: string): Promise<string | undefined> {
  const text = invocation.text(option);
  return text?.startsWith('@')
    ? (await readInput(invocation.terminal, text.slice(1), 'a token')).toString('utf8').trim()
    : text;
}
