import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure, usage } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Under its name only once it is whole; `-` is standard output. Gives the number of bytes. */
export async function saveDownload(
  terminal: Terminal,
  chunks: AsyncIterable<Uint8Array>,
  file: string,
): Promise<number> {
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
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usage(`${file} cannot be written: ${code}.`);
  }
  return count;
}

export function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
