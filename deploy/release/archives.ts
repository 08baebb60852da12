import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** Names and contents, in the order in which they are written. */
export type Files = readonly (readonly [name: string, content: Buffer])[];

/** 1 January 1980, the first day a zip knows: whatever tells one packing from another is the same in all of them. */
const SECONDS = 315_532_800;
const DOS_DATE = 0x21;
const MODE = 0o100644;

/** A POSIX tar of plain files. */
export function tarGz(files: Files): Buffer {
  const blocks = files.flatMap(([name, content]) => [
    tarHeader(name, content.length),
    content,
    Buffer.alloc(-content.length & 511),
  ]);
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]), { level: 9 });
  packed[9] = 255; // the operating system: not said
  return packed;
}

function tarHeader(name: string, size: number): Buffer {
  if (!/^[ -~]{1,100}$/.test(name)) throw new Error(`this name does not fit into a tar: ${name}`);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const [path, mode] = [name.padEnd(100, '\0'), octal(MODE & 0o777, 8)];
  const before = `${path}${mode}${octal(0, 8)}${octal(0, 8)}${octal(size, 12)}${octal(SECONDS, 12)}`;
  const after = `0${'\0'.repeat(100)}ustar\x0000`;
  const sum = Buffer.from(`${before}${' '.repeat(8)}${after}`).reduce((total, byte) => total + byte, 0);
  return Buffer.from(`${before}${octal(sum, 7)} ${after}`.padEnd(512, '\0'));
}

export function zip(files: Files): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let place = 0;
  for (const [name, content] of files) {
    const packed = deflateRawSync(content, { level: 9 });
    const path = Buffer.from(name);
    const about = [
      numbers(2, 20, 0x0800, 8, 0, DOS_DATE), // names are UTF-8, contents deflated
      numbers(4, crc32(content), packed.length, content.length),
      numbers(2, path.length, 0),
    ];
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), ...about, path, packed]);
    entries.push(entry);
    // Made on Unix, so that the mode counts.
    const rest = [numbers(2, 0, 0, 0), numbers(4, MODE * 0x10000, place), path];
    directory.push(Buffer.from('PK\x01\x02'), numbers(2, 0x0314), ...about, ...rest);
    place += entry.length;
  }
  const listed = Buffer.concat(directory);
  const end = [numbers(2, 0, 0, files.length, files.length), numbers(4, listed.length, place), numbers(2, 0)];
  return Buffer.concat([...entries, listed, Buffer.from('PK\x05\x06'), ...end]);
}

function numbers(size: 2 | 4, ...values: readonly number[]): Buffer {
  const made = Buffer.alloc(size * values.length);
  for (const [index, value] of values.entries()) made.writeUIntLE(value, index * size, size);
  return made;
}
