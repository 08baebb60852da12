import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ENTRY_BYTES, type Item, partName } from './manifest.ts';
import { type Entry, TAR_END, tarEntry } from './tar.ts';

/** Under its name only once it is complete and on disk. Returns its size. */
export async function writeArchive(file: string, entries: AsyncIterable<Entry>, at: Date): Promise<number> {
  const part = `${file}.part`;
  const seconds = Math.floor(at.getTime() / 1000);
  async function* blocks() {
    for await (const entry of entries) yield* tarEntry(entry, seconds);
    yield TAR_END;
  }
  try {
    // Few at a time: a block may have some megabytes.
    const source = Readable.from(blocks(), { highWaterMark: 2 });
    await pipeline(source, createGzip({ level: 4 }), createWriteStream(part, { mode: 0o600 }));
    const size = await flush(part);
    await rename(part, file);
    await flush(dirname(file));
    return size;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function flush(path: string): Promise<number> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** Cuts a stream into entries of a bounded size; afterwards it knows what the manifest says of it. */
export class ItemParts {
  readonly #name: string;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;

  constructor(name: string) {
    this.#name = name;
  }

  async *of(chunks: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
    let part = 1;
    let gathered: Buffer[] = [];
    let size = 0;
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      gathered.push(chunk);
      size += chunk.length;
      if (size < ENTRY_BYTES) continue;
      yield { name: partName(this.#name, part), bytes: Buffer.concat(gathered) };
      part += 1;
      gathered = [];
      size = 0;
    }
    if (size > 0) yield { name: partName(this.#name, part), bytes: Buffer.concat(gathered) };
  }

  /** Once. */
  item(): Item {
    return { Name: this.#name, Bytes: this.#bytes, Sha256: this.#hash.digest('hex') };
  }
}
