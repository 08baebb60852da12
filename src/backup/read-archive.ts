import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { EntriesDigest } from './archive-seal.ts';
import { DamagedArchive } from './damaged-archive.ts';
import {
  HEADER,
  type Header,
  itemOfPart,
  MANIFEST,
  type Manifest,
  parseHeader,
  parseManifest,
  SEAL,
  SECRETS,
} from './manifest.ts';
import { type Entry, tarEntries } from './tar.ts';

/** The entries of an archive, in order. */
export async function* readEntries(file: string): AsyncGenerator<Entry> {
  const source = createReadStream(file, { highWaterMark: 1 << 20 });
  const plain = createGunzip({ chunkSize: 1 << 18 });
  source.on('error', (error) => plain.destroy(error));
  source.pipe(plain);
  try {
    yield* tarEntries(plain);
  } catch (error) {
    throw isBroken(error) ? new DamagedArchive(`its bytes are damaged (${error.message})`) : error;
  } finally {
    source.destroy();
  }
}

function isBroken(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_STREAM_PREMATURE)/.test(String(error.code));
}

export interface Inspection {
  readonly header: Header;
  readonly manifest: Manifest;
  readonly secretsBox: Buffer | undefined;
  /** Not proven yet. */
  readonly seal: Buffer;
  /** Of all entries before the seal. */
  readonly digest: Buffer;
}

/** Reads an archive from end to end and holds every byte against its manifest, before anything is done with it. */
export async function inspectArchive(file: string, progress: (bytes: number) => void): Promise<Inspection> {
  const found = new Map<string, { bytes: number; hash: Hash }>();
  let header: Buffer | undefined;
  let manifest: Manifest | undefined;
  let secretsBox: Buffer | undefined;
  let seal: Buffer | undefined;
  const digest = new EntriesDigest();
  let total = 0;
  for await (const { name, bytes } of readEntries(file)) {
    if (seal !== undefined) throw new DamagedArchive('something follows its seal');
    if (name === SEAL) {
      seal = bytes;
      continue;
    }
    digest.add({ name, bytes });
    if (name === HEADER) {
      header = bytes;
      parseHeader(header);
    } else if (header === undefined) throw new DamagedArchive('it is not a backup of Tillseal');
    else if (name === MANIFEST) manifest = parseManifest(bytes);
    else if (name === SECRETS) secretsBox = bytes;
    else {
      const item = found.get(itemOfPart(name)) ?? { bytes: 0, hash: createHash('sha256') };
      item.bytes += bytes.length;
      item.hash.update(bytes);
      found.set(itemOfPart(name), item);
    }
    total += bytes.length;
    progress(total);
  }
  if (header === undefined) throw new DamagedArchive('it is empty');
  if (manifest === undefined) throw new DamagedArchive('it ends before its manifest');
  if (createHash('sha256').update(header).digest('hex') !== manifest.HeaderSha256) {
    throw new DamagedArchive('its header is not the one it was written with');
  }
  holdAgainst(manifest, found);
  if (seal === undefined) throw new DamagedArchive('it ends before its seal');
  return { header: parseHeader(header), manifest, secretsBox, seal, digest: digest.value() };
}

/** The same entries once more, when they are loaded. They were read from a file that others may write to. */
export async function* readAgain(file: string, { digest: expected }: Inspection): AsyncGenerator<Entry> {
  const digest = new EntriesDigest();
  for await (const entry of readEntries(file)) {
    if (entry.name !== SEAL) digest.add(entry);
    yield entry;
  }
  if (!digest.value().equals(expected)) throw new DamagedArchive('it was changed while it was restored');
}

function holdAgainst(manifest: Manifest, found: Map<string, { bytes: number; hash: Hash }>): void {
  const empty = createHash('sha256').digest('hex');
  for (const item of [...manifest.Tables, ...manifest.Files]) {
    const have = found.get(item.Name);
    found.delete(item.Name);
    if ((have?.bytes ?? 0) !== item.Bytes || (have?.hash.digest('hex') ?? empty) !== item.Sha256) {
      throw new DamagedArchive(`${item.Name} is not what was backed up: its checksum differs`);
    }
  }
  const [stranger] = found.keys();
  if (stranger !== undefined) throw new DamagedArchive(`${stranger} is in it and not in its manifest`);
}
