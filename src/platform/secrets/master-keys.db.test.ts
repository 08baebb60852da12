import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { newId } from '../../kernel/ids.ts';
import { inTransaction } from '../database/database.ts';
import { StartRefusal } from '../start-refusal.ts';
import { createDataKey, loadDataKey, rewrapDataKeys } from './data-keys.ts';
import { openMasterKeys, registerKey, retireOtherKeys, singleMasterKey } from './master-keys.ts';

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

describe('a key whose registration failed', () => {
  const lost = new Error('the answer was lost');
  const settings = () => ({ masterKey: undefined, masterKeyFile: undefined, dataDir });
  const openRing = () => openMasterKeys(database.pool, settings(), quiet);
  const linesOf = async () => (await readFile(join(dataDir, 'master.key'), 'utf8')).trim().split('\n');

  test.each([
    ['was committed all the same', true],
    ['was not committed', false],
  ])(
    'and %s: the key in use stays, the next start opens everything, and a rotation ends',
    async (_name, isCommitted) => {
      const ring = await openRing();
      const first = ring.current();
      const tenants = [newId(), newId()];
      const add = (tenantId: string) => inTransaction(database.pool, (tx) => createDataKey(tx, ring, tenantId));
      await add(tenants[0] ?? '');
      const next = key();
      const adding = ring.add(next, async () => {
        if (isCommitted) await registerKey(database.pool, next);
        throw lost;
      });
      await expect(adding).rejects.toBe(lost);
      // Undecided, so it is there for whoever may need it, and nothing is wrapped with it.
      expect(await linesOf()).toEqual([first.toString('base64'), next.toString('base64')]);
      expect(ring.current()).toEqual(first);
      await add(tenants[1] ?? '');

      const restarted = await openRing();
      expect(restarted.current()).toEqual(first);
      for (const tenantId of tenants) await loadDataKey(database.pool, restarted, tenantId);
      const newest = key();
      await restarted.add(newest, () => registerKey(database.pool, newest));
      await inTransaction(database.pool, async (tx) => {
        expect(await rewrapDataKeys(tx, restarted, 10)).toBe(2);
        await retireOtherKeys(tx, restarted);
      });
      await restarted.retireOthers();
      expect(await linesOf()).toHaveLength(1);
      const rotated = await openRing();
      for (const tenantId of tenants) await loadDataKey(database.pool, rotated, tenantId);
    },
  );

  test('does not keep a service from starting that lost it, unless something is wrapped with it', async () => {
    const ring = await openRing();
    const forgotten = key();
    await registerKey(database.pool, forgotten);
    expect((await openRing()).current()).toEqual(ring.current());
    const needed = singleMasterKey(key());
    await registerKey(database.pool, needed.current());
    await inTransaction(database.pool, (tx) => createDataKey(tx, needed, newId()));
    await expectRefused(openRing(), /not the one this database was set up with/);
  });
});
