import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Invocation, printsJson } from './command.ts';
import { CommandFailure, codeOf, usage } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Under its name only once it is whole; `-` is standard output. `words` follow its name and size, for people. */
export async function saveDownload(
  invocation: Invocation,
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  words = '',
): Promise<void> {
  const bytes = await writeFile(invocation.terminal, chunks, file);
  if (file === '-' || printsJson(invocation, JSON.stringify({ File: file, Bytes: bytes }))) return;
  invocation.terminal.print(`${file}: ${sizeText(bytes)}${words}`);
}

/** Gives the number of bytes. */
export async function writeFile(terminal: Terminal, chunks: AsyncIterable<Uint8Array>, file: string): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const chunk of chunks) {
      count += chunk.length;
      terminal.progress(`${sizeText(count)} …`);
      yield chunk;
    }
    terminal.endProgress();
  }
  if (file === '-') {
    await pipeline(Readable.from(counted()), terminal.output, { end: false });
    return count;
  }
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(counted()), createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof CommandFailure) throw error;
    throw usage(`${file} cannot be written: ${codeOf(error)}.`);
  }
  return count;
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
