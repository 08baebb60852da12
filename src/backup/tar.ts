import { DamagedArchive } from './damaged-archive.ts';

/** The little of the tar format (POSIX ustar) that an archive needs: plain files, one after the other, for any tar to read. */
const BLOCK = 512;
/** Entries are read whole. What is larger was not written here. */
const MAX_ENTRY = 64 * 1024 * 1024;

export interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Two empty blocks end a tar. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);

/** Header, content and padding of one file. */
export function tarEntry({ name, bytes }: Entry, modifiedSeconds: number): Buffer[] {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long a name for an archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${octal(bytes.length, 11)}\0`, 124);
  header.write(`${octal(modifiedSeconds, 11)}\0`, 136);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  header.write(`${octal(checksum(header), 6)}\0 `, 148);
  return [header, bytes, Buffer.alloc(padding(bytes.length))];
}

/** The files of a tar, in order; throws when it is cut off or is none. */
export async function* tarEntries(chunks: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const source = new ByteSource(chunks);
  for (;;) {
    const header = await source.take(BLOCK);
    if (header.every((byte) => byte === 0)) return source.drain();
    const size = Number.parseInt(text(header, 124, 12), 8);
    const isPlain = text(header, 257, 5) === 'ustar' && text(header, 156, 1) === '0';
    if (!isPlain || Number.parseInt(text(header, 148, 8), 8) !== checksum(header)) {
      throw new DamagedArchive('it is not an archive written by `tillseal backup`');
    }
    if (!(size >= 0 && size <= MAX_ENTRY)) throw new DamagedArchive('an entry has an impossible size');
    const bytes = await source.take(size);
    await source.take(padding(size));
    yield { name: text(header, 0, 100), bytes };
  }
}

/** Hands out a stream in pieces of the wanted size. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** To the very end: only there a compressed stream compares its checksum. */
  async drain(): Promise<void> {
    while (!(await this.#chunks.next()).done) this.#rest = Buffer.alloc(0);
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = count;
    while (missing > this.#rest.length) {
      parts.push(this.#rest);
      missing -= this.#rest.length;
      const next = await this.#chunks.next();
      if (next.done) throw new DamagedArchive('it is cut off');
      this.#rest = next.value;
    }
    parts.push(this.#rest.subarray(0, missing));
    this.#rest = this.#rest.subarray(missing);
    return parts.length === 1 ? (parts[0] ?? this.#rest) : Buffer.concat(parts);
  }
}

/** The sum of the header's bytes, its own place counted as spaces. */
function checksum(header: Buffer): number {
  let sum = 8 * 32;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  return sum;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function text(header: Buffer, start: number, length: number): string {
  const [value = ''] = header.toString('utf8', start, start + length).split('\0');
  return value;
}
