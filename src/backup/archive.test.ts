import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { provenKey, sealedEntries } from './archive-seal.ts';
import { ItemParts, writeArchive } from './archive-writer.ts';
import { FORMAT, HEADER, MANIFEST, SEAL, SECRETS, tableItem } from './manifest.ts';
import { inspectArchive, readAgain, readEntries } from './read-archive.ts';
import { openSecrets, sealSecrets } from './secrets-box.ts';
import type { Entry } from './tar.ts';

let folder: string;
let file: string;
const masterKey = Buffer.alloc(32, 1);
const rows = Buffer.from(Array.from({ length: 400 }, (_, index) => `${index}\treceipt ${index * 7919}\n`).join(''));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-archive-'));
  file = join(folder, 'good.tar.gz');
  await writeArchive(file, sealedEntries(entries(), masterKey), new Date());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

async function* entries(): AsyncGenerator<Entry> {
  const header = Buffer.from(
    JSON.stringify({
      Format: FORMAT,
      Version: '1',
      TakenAt: '2026-11-15T08:00:00.000Z',
      Migrations: [],
      Tables: [
        { Name: 'receipts', Columns: ['a', 'b'] },
        { Name: 'empty', Columns: ['a'] },
      ],
      MasterKeyFingerprints: [],
    }),
  );
  yield { name: HEADER, bytes: header };
  const parts = new ItemParts(tableItem('receipts'));
  yield* parts.of(chunksOf(rows));
  const none = new ItemParts(tableItem('empty'));
  yield* none.of(chunksOf(Buffer.alloc(0)));
  const manifest = {
    HeaderSha256: createHash('sha256').update(header).digest('hex'),
    Tables: [
      { ...parts.item(), Rows: 400 },
      { ...none.item(), Rows: 0 },
    ],
    Files: [],
    Sequences: [],
  };
  yield { name: MANIFEST, bytes: Buffer.from(JSON.stringify(manifest)) };
}

async function inspect(bytes: Buffer): Promise<unknown> {
  const copy = join(folder, 'copy.tar.gz');
  await writeFile(copy, bytes);
  return inspectArchive(copy, () => {});
}

test('what was written is read again, and any tar can list it', async () => {
  const { manifest } = await inspectArchive(file, () => {});
  expect(manifest.Tables.map((table) => table.Rows)).toEqual([400, 0]);
  const read: Buffer[] = [];
  for await (const entry of readEntries(file)) if (entry.name.startsWith('tables/')) read.push(entry.bytes);
  expect(Buffer.concat(read)).toEqual(rows);
  expect(execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).split('\n')).toEqual([
    HEADER,
    'tables/receipts/000001',
    MANIFEST,
    SEAL,
    '',
  ]);
});

function unpacked(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

test('a byte flipped anywhere in the file is found', async () => {
  const bytes = await readFile(file);
  const plain = gunzipSync(bytes);
  // The modification time and the system's name in the head of gzip mean nothing: 4 to 9.
  for (let at = 0; at < bytes.length; at += at < 40 ? 1 : 37) {
    if (at >= 4 && at <= 9) continue;
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 0x04, at);
    // A bit that only fills up the last byte of a block means nothing either.
    if (unpacked(flipped)?.equals(plain)) continue;
    await expect(inspect(flipped), `byte ${at}`).rejects.toThrow();
  }
});

test('a file cut off anywhere is found', async () => {
  const bytes = await readFile(file);
  for (let length = 0; length < bytes.length; length += 97) {
    await expect(inspect(bytes.subarray(0, length)), `${length} bytes`).rejects.toThrow();
  }
});

test('a change that was compressed again is found by its checksum', async () => {
  const plain = gunzipSync(await readFile(file));
  const at = plain.indexOf('receipt 7919');
  plain.write('receipt 7918', at);
  await expect(inspect(gzipSync(plain))).rejects.toThrow('tables/receipts is not what was backed up');
});

async function* changed(change: (entry: Entry, all: readonly Entry[]) => Entry): AsyncGenerator<Entry> {
  const all: Entry[] = [];
  for await (const entry of readEntries(file)) all.push(entry);
  for (const entry of all) yield change(entry, all);
}

async function prove(source: AsyncIterable<Entry>, key = masterKey) {
  const copy = join(folder, 'copy.tar.gz');
  await writeArchive(copy, source, new Date());
  return provenKey(await inspectArchive(copy, () => {}), [key]);
}

const same = (entry: Entry) => entry;

test('an archive is restored only if the master key sealed it, every entry in its place', async () => {
  expect(await prove(changed(same))).toEqual(masterKey);
  const broken = 'its seal does not hold';
  await expect(prove(changed(same), Buffer.alloc(32, 2))).rejects.toThrow(broken);
  // What says the same and is another archive: the attacker computes every checksum anew.
  const respaced = ({ name, bytes }: Entry) =>
    ({
      name,
      bytes: name === MANIFEST ? Buffer.from(JSON.stringify(JSON.parse(bytes.toString()), null, 2)) : bytes,
    }) as const;
  await expect(prove(changed(respaced))).rejects.toThrow(broken);
  const foreign = sealedEntries(entries(), Buffer.alloc(32, 2));
  await expect(prove(foreign)).rejects.toThrow(broken);
  const swapped = ({ name, bytes }: Entry, [first, , last]: readonly Entry[]) =>
    name === 'tables/receipts/000001' && last
      ? last
      : name === MANIFEST && first
        ? { name: 'tables/receipts/000001', bytes: rows }
        : { name, bytes };
  await expect(prove(changed(swapped))).rejects.toThrow(broken);
});

test('an archive that lost its seal is not restored', async () => {
  await expect(prove(entries())).rejects.toThrow('it ends before its seal');
});

test('an archive that changes between being checked and being loaded is not restored', async () => {
  const inspection = await inspectArchive(file, () => {});
  const other = join(folder, 'other.tar.gz');
  await writeArchive(
    other,
    changed(({ name, bytes }) => ({ name, bytes: name.startsWith('tables/') ? Buffer.concat([bytes, rows]) : bytes })),
    new Date(),
  );
  const readAll = async () => {
    for await (const _ of readAgain(other, inspection));
  };
  await expect(readAll()).rejects.toThrow('it was changed while it was restored');
});

test('secrets open with their passphrase only', async () => {
  const secrets = { masterKeys: ['a2V5'], operatorToken: 'tsk_1' };
  const box = await sealSecrets(secrets, 'open sesame');
  expect(box.toString()).not.toContain('a2V5');
  expect(await openSecrets(box, 'open sesame')).toEqual(secrets);
  expect(await openSecrets(box, 'open sesam')).toBeUndefined();
  expect(SECRETS).toBe('secrets.json');
});
