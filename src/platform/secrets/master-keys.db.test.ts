import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { StartRefusal } from '../start-refusal.ts';
import { openMasterKeys } from './master-keys.ts';

let database: TestDatabase;
let dataDir: string;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

beforeEach(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'master-keys-'));
});
afterEach(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const open = async (given: { masterKey?: string; masterKeyFile?: string } = {}) => {
  const settings = { masterKey: given.masterKey, masterKeyFile: given.masterKeyFile, dataDir };
  return (await openMasterKeys(database.pool, settings, quiet)).current();
};

async function expectRefused(opening: Promise<unknown>, line: RegExp): Promise<void> {
  const error = await opening.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartRefusal);
  expect(String(error)).toMatch(line);
  expect(String(error)).not.toContain('\n');
}

const key = () => randomBytes(32);

test('a new installation gets a key that only its owner can read, and finds it again', async () => {
  const made = await open();
  const file = join(dataDir, 'master.key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(Buffer.from(await readFile(file, 'utf8'), 'base64')).toEqual(made);
  expect(await open()).toEqual(made);
});

test('the key may be given in base64 or hex, in the environment or in a file', async () => {
  const given = key();
  const file = join(dataDir, 'given');
  await writeFile(file, `${given.toString('hex')}\n`);
  expect(await open({ masterKey: given.toString('base64') })).toEqual(given);
  expect(await open({ masterKey: given.toString('hex') })).toEqual(given);
  expect(await open({ masterKeyFile: file })).toEqual(given);
});

test('another key than the one of the database is refused', async () => {
  await open({ masterKey: key().toString('base64') });
  await expectRefused(open({ masterKey: key().toString('base64') }), /not the one this database was set up with/);
});

test('a lost key is never replaced by a new one', async () => {
  await open();
  await rm(join(dataDir, 'master.key'));
  await expectRefused(open(), /There is no master key in .*: put back the key/);
  await expect(stat(join(dataDir, 'master.key'))).rejects.toThrow('ENOENT');
});

test('a file that was named and is not there is refused, also on a new installation', async () => {
  await expectRefused(open({ masterKeyFile: join(dataDir, 'missing') }), /There is no master key in .*missing/);
});

test.each([
  ['31 bytes', randomBytes(31).toString('base64')],
  ['33 bytes', randomBytes(33).toString('base64')],
  ['63 hex digits', 'a'.repeat(63)],
  ['a password', 'correct horse battery staple'],
])('what is not 32 bytes is refused: %s', async (_name, masterKey) => {
  await expectRefused(open({ masterKey }), /not 32 bytes in base64 or hex/);
});

test('instances that start at once with one key agree on it', async () => {
  const masterKey = key().toString('base64');
  expect(new Set((await Promise.all(Array.from({ length: 8 }, () => open({ masterKey })))).map(String)).size).toBe(1);
});

test('of instances that start at once with different keys one names the key and the others are refused', async () => {
  const opened = await Promise.allSettled(
    Array.from({ length: 8 }, () => open({ masterKey: key().toString('base64') })),
  );
  expect(opened.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
});
