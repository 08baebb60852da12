import { randomBytes } from 'node:crypto';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addShop } from '../support/local-shop.ts';
import { Machine } from '../support/process.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { Load } from '../support/receipts/load.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const machine = new Machine();
const masterKey = randomBytes(32);
const deviceId = 7001;
let database: TestDatabase;
let environment: Record<string, string>;
let url: string;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = {
    DATA_DIR: await machine.folder(),
    DATABASE_URL: database.url,
    AUTHORITY_URL: 'simulator',
    MASTER_KEY: masterKey.toString('base64'),
  };
  url = await machine.start(environment).ready;
});
afterAll(async () => {
  await machine.end();
  await database.drop();
});

test('the next version migrates and runs beside this one, which can be restarted: nothing is lost', async () => {
  const { token } = await addShop(database.pool, masterKey, [deviceId]);
  const root = join(ROOT, '.cache', `next-version-${process.pid}`);
  const loads: Load[] = [];
  const sell = async (at: string, name: string) => {
    loads.push(new Load({ url: at, token }, deviceId, 4, name));
    await delay(1000);
  };
  try {
    await addNextVersion(root);
    await sell(url, 'this');
    await sell(await machine.start(environment, { root }).ready, 'next');
    await sell(await machine.start(environment).ready, 'restarted');
    await Promise.all(loads.map((load) => load.stop()));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  const { rows } = await database.pool.query(
    "select is_new, indisvalid from receipts, pg_index where indexrelid = 'receipts_new'::regclass limit 1",
  );
  expect(rows).toEqual([{ is_new: true, indisvalid: true }]);
  expect(loads.map(({ unanswered }) => unanswered)).toEqual([0, 0, 0]);
  expect(loads.map(({ statuses }) => [...statuses.keys()])).toEqual([[200], [200], [200]]);
  expect(
    await lostSeals(
      database.pool,
      loads.flatMap(({ seals }) => [...seals.values()]),
    ),
  ).toEqual([]);
  expect(await proveChain(database.pool, deviceId)).toMatchObject({ holds: true });
});

/** A copy of this version with two more migrations: a column, and an index of the largest table. */
async function addNextVersion(root: string): Promise<void> {
  const last = (await readdir(join(ROOT, 'migrations'))).toSorted().at(-1)?.slice(0, 4);
  const beside = `-- Works beside versions that have migration ${last}.`;
  for (const name of ['src', 'migrations', 'package.json'])
    await cp(join(ROOT, name), join(root, name), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  await writeFile(
    join(root, 'migrations', '9001_column.sql'),
    `${beside}\nalter table receipts add column is_new boolean not null default true;\n`,
  );
  await writeFile(
    join(root, 'migrations', '9002_index.sql'),
    `${beside}\n-- Outside a transaction.\ncreate index concurrently if not exists receipts_new on receipts (sealed_at);\n`,
  );
}
