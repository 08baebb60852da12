import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { addTaxpayer } from '../fiscal/index.ts';
import { newId } from '../kernel/ids.ts';
import { inTransaction } from '../platform/database/database.ts';
import { loadDataKey, rewrapDataKeys } from '../platform/secrets/data-keys.ts';
import { type MasterKeys, openMasterKeys } from '../platform/secrets/master-keys.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
let database: TestDatabase;
let pool: Pool;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = database.pool;
});
afterAll(() => database.drop());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tillseal-keys-'));
});
afterEach(async () => {
  await pool.query('delete from event_counters; delete from data_keys; delete from taxpayers; delete from master_keys');
  await rm(dataDir, { recursive: true, force: true });
});

const open = (settings: { masterKey?: string } = {}) =>
  openMasterKeys(pool, { masterKey: settings.masterKey, masterKeyFile: undefined, dataDir }, quiet);

async function addTaxpayers(keys: MasterKeys, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  for (const taxpayerId of ids) {
    await inTransaction(pool, (tx) =>
      addTaxpayer(tx, keys, { taxpayerId, name: 'A', tin: '2000000001', vatNumber: undefined }),
    );
  }
  return ids;
}

const linesOf = async () => (await readFile(join(dataDir, 'master.key'), 'utf8')).trim().split('\n');
const dataKeysOf = (keys: MasterKeys, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await loadDataKey(pool, keys, id)).toString('hex')));

test('after a rotation every data key opens with the new key alone, and is the same as before', async () => {
  const keys = await open();
  const ids = await addTaxpayers(keys, 3);
  const before = await dataKeysOf(keys, ids);
  const [oldKey] = await linesOf();
  expect(await rotateMasterKey(pool, keys, 'test')).toEqual({ kind: 'moved', rewrapped: 3, remaining: 0 });
  const lines = await linesOf();
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toBe(oldKey);
  expect(await dataKeysOf(await open(), ids)).toEqual(before);
  await expect(open({ masterKey: oldKey ?? '' })).rejects.toThrow('not the one this database was set up with');
});

test('killed after some keys were re-wrapped, a restart opens all of them and the next call finishes', async () => {
  const keys = await open();
  const ids = await addTaxpayers(keys, 5);
  const before = await dataKeysOf(keys, ids);
  // As far as a rotation gets before a kill: new key on disk and registered, two of five re-wrapped.
  await keys.add(randomBytes(32));
  const restarted = await open();
  await inTransaction(pool, (tx) => rewrapDataKeys(tx, restarted, 2));

  const again = await open();
  expect(await linesOf()).toHaveLength(2);
  expect(await dataKeysOf(again, ids)).toEqual(before);
  expect(await rotateMasterKey(pool, again, 'test')).toEqual({ kind: 'moved', rewrapped: 3, remaining: 0 });
  expect(await linesOf()).toHaveLength(1);
  expect(await dataKeysOf(await open(), ids)).toEqual(before);
});

test('another instance on the same key file opens what was re-wrapped while it ran', async () => {
  const keys = await open();
  const other = await open();
  const ids = await addTaxpayers(keys, 2);
  await rotateMasterKey(pool, keys, 'test');
  expect(await dataKeysOf(other, ids)).toEqual(await dataKeysOf(keys, ids));
});

test('a key given from outside is rotated to once the new one stands in front, and not made up here', async () => {
  const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const keys = await open({ masterKey: oldKey });
  const ids = await addTaxpayers(keys, 2);
  expect(await rotateMasterKey(pool, keys, 'test')).toEqual({ kind: 'needs-new-key' });
  const both = await open({ masterKey: `${newKey},${oldKey}` });
  expect(await rotateMasterKey(pool, both, 'test')).toMatchObject({ rewrapped: 2, remaining: 0 });
  expect(await dataKeysOf(await open({ masterKey: newKey }), ids)).toHaveLength(2);
});

test('rotations at the same moment lose no key', async () => {
  const keys = await open();
  const ids = await addTaxpayers(keys, 5);
  const before = await dataKeysOf(keys, ids);
  await Promise.all(Array.from({ length: 6 }, () => rotateMasterKey(pool, keys, 'test')));
  expect(await linesOf()).toHaveLength(1);
  expect(await dataKeysOf(await open(), ids)).toEqual(before);
});

test('who is added while the key is rotated can be opened afterwards', async () => {
  const keys = await open();
  await addTaxpayers(keys, 1);
  const taxpayerId = newId();
  const isAdded = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const adding = inTransaction(pool, async (tx) => {
    await addTaxpayer(tx, keys, { taxpayerId, name: 'B', tin: '2000000002', vatNumber: undefined });
    isAdded.resolve();
    await mayCommit.promise;
  });
  await isAdded.promise;
  const rotation = rotateMasterKey(pool, keys, 'test');
  const blocked = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  // It waits for the one who is being added, or is done without.
  await Promise.race([rotation, expect.poll(async () => (await pool.query(blocked)).rowCount).toBe(1)]);
  mayCommit.resolve();
  await adding;
  for (let left = (await rotation) as { remaining?: number }; left.remaining !== 0; ) {
    left = (await rotateMasterKey(pool, keys, 'test')) as { remaining?: number };
  }
  expect(await dataKeysOf(await open(), [taxpayerId])).toHaveLength(1);
});

test('whoever is added at any moment of many rotations is added', async () => {
  const keys = await open();
  const ids = await addTaxpayers(keys, 1);
  const rotated = new AbortController();
  const rotating = (async () => {
    for (let turn = 0; turn < 8; turn += 1) await rotateMasterKey(pool, keys, 'test');
    rotated.abort();
  })();
  const adding = async () => {
    while (!rotated.signal.aborted) ids.push(...(await addTaxpayers(keys, 1)));
  };
  await Promise.all([rotating, adding(), adding(), adding()]);
  expect(ids.length).toBeGreaterThan(8);
  expect(await dataKeysOf(await open(), ids)).toHaveLength(ids.length);
});

test('a process whose key was retired wraps nothing with it', async () => {
  const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const behind = await open({ masterKey: oldKey });
  await addTaxpayers(behind, 1);
  const ahead = await open({ masterKey: `${newKey},${oldKey}` });
  await rotateMasterKey(pool, ahead, 'test');
  await expect(addTaxpayers(behind, 1)).rejects.toThrow('was retired');
});

test('a lost key is not replaced by a new one that opens nothing', async () => {
  await open();
  await rm(join(dataDir, 'master.key'));
  await expect(open()).rejects.toThrow('There is no master key');
});
