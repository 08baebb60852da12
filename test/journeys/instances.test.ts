import { randomBytes } from 'node:crypto';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addTaxpayer, issueToken, registerDevice } from '../../src/fiscal/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { inTransaction } from '../../src/platform/database/database.ts';
import { singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import { lostSeals } from '../support/answered.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { Load, nowInvoice, post, type Seal } from '../support/load.ts';
import { openLocalDay } from '../support/open-day.ts';
import { Machine } from '../support/process.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { DEVICE } from '../support/service.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const INSTANCES = 3;
const PARALLEL = 50;
const ROUNDS = 4;
const DEVICES = [7001, 7002, 7003];

const machine = new Machine();
const masterKey = randomBytes(32);
const taxpayerId = newId();
let database: TestDatabase;
let environment: Record<string, string>;
let urls: string[];

/** All at once, on a database in which nothing is yet. */
beforeAll(async () => {
  database = await createTestDatabase({ isMigrated: false });
  environment = {
    DATA_DIR: await machine.folder(),
    DATABASE_URL: database.url,
    AUTHORITY_URL: 'simulator',
    MASTER_KEY: masterKey.toString('base64'),
    LOG_LEVEL: 'info',
  };
  const started = Array.from({ length: INSTANCES }, () => machine.start(environment));
  urls = await Promise.all(started.map((service) => service.ready));
});

afterAll(async () => {
  await machine.end();
  await database.drop();
});

test('instances that start at once on one empty database all become ready, with one master key and no demo', async () => {
  for (const url of urls) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  expect((await database.pool.query('select 1 from taxpayers')).rowCount).toBe(0);
  expect((await database.pool.query('select 1 from master_keys')).rowCount).toBe(1);
  const other = machine.start({ ...environment, MASTER_KEY: randomBytes(32).toString('hex') });
  expect(await other.ended).toBe(1);
  expect(other.stderr()).toMatch(/^tillseal: .*not the one this database was set up with[^\n]+\n$/);
});

/** A shop with devices whose day is open; its token. */
async function addShop(): Promise<string> {
  const token = await inTransaction(database.pool, async (tx) => {
    await addTaxpayer(tx, singleMasterKey(masterKey), {
      taxpayerId,
      name: 'Shop',
      tin: '2000000001',
      vatNumber: '220000001',
    });
    for (const deviceId of DEVICES) {
      const maintenanceStartMinute = (new Date().getUTCHours() * 60 + 14 * 60) % 1440; // 12 hours away in Harare
      await registerDevice(tx, singleMasterKey(masterKey), {
        ...DEVICE,
        taxpayerId,
        deviceId,
        maintenanceStartMinute,
        advanceLimitSeconds: 1_000_000,
      });
    }
    return (await issueToken(tx, { taxpayerId, name: 'till', scopes: ['sign', 'read'] })).token;
  });
  for (const deviceId of DEVICES) {
    await openLocalDay(database.pool, taxpayerId, deviceId, new Date());
  }
  return token;
}
let shop: Promise<string> | undefined;
const tokenOfShop = () => {
  shop ??= addShop();
  return shop;
};

const isNew = (answer: Response) => !answer.headers.has('idempotent-replay');

test('three processes, fifty requests at a time each, three devices: whole chains and every 200 in the table', async () => {
  const token = await tokenOfShop();
  const seals: Seal[] = [];
  let sealed = 0;
  const statuses = new Map<number, number>();
  const send = async (url: string, deviceId: number, reference: string) => {
    const answer = await post({ url, token }, { ...nowInvoice(deviceId, reference), Date: DATE });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const body = await answer.text();
    if (answer.status !== 200) return expect(answer.status, body).toBe(409);
    if (isNew(answer)) sealed += 1;
    return seals.push(JSON.parse(body) as Seal);
  };
  const DATE = new Date().toISOString();
  const startedAt = performance.now();
  await Promise.all(
    urls.flatMap((url, instance) =>
      Array.from({ length: PARALLEL }, async (_, slot) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const number = round * PARALLEL + slot;
          const deviceId = DEVICES[(number + (slot % 10 === 1 ? instance : 0)) % DEVICES.length] ?? 0;
          // A tenth are twins that every instance gets for the same device, a tenth twins on different devices.
          await send(url, deviceId, slot % 10 < 2 ? `twin-${number}` : `own-${instance}-${number}`);
        }
      }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const total = INSTANCES * PARALLEL * ROUNDS;
  const distinct = ((PARALLEL * ROUNDS) / 5) * (1 + 4 * INSTANCES);
  process.stdout.write(
    `${total} requests to ${INSTANCES} processes in ${seconds.toFixed(1)} s: ${JSON.stringify([...statuses])}\n`,
  );
  const verdicts = await Promise.all(DEVICES.map((deviceId) => proveChain(database.pool, deviceId)));
  expect(verdicts.map((verdict) => verdict.holds)).toEqual([true, true, true]);
  const stored = verdicts.reduce((sum, verdict) => sum + (verdict.holds ? verdict.count : 0), 0);
  expect(stored).toBe(distinct);
  expect(sealed).toBe(distinct);
  expect(await lostSeals(database.pool, seals)).toEqual([]);
});

test('the next version migrates and runs beside this one, which can be restarted: nothing is lost', async () => {
  const token = await tokenOfShop();
  const root = join(ROOT, '.cache', `next-version-${process.pid}`);
  const deviceId = DEVICES[0] ?? 0;
  const loads: Load[] = [];
  const sell = async (url: string, name: string) => {
    loads.push(new Load({ url, token }, deviceId, 4, name));
    await delay(1000);
  };
  try {
    await addNextVersion(root);
    await sell(urls[0] ?? '', 'this');
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
