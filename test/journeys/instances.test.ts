import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addShop } from '../support/local-shop.ts';
import { Machine } from '../support/process.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { nowInvoice, post, type Seal } from '../support/receipts/load.ts';

const INSTANCES = 3;
const PARALLEL = 50;
const ROUNDS = 4;
const DEVICES = [7001, 7002, 7003];

const machine = new Machine();
const masterKey = randomBytes(32);
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

const isNew = (answer: Response) => !answer.headers.has('idempotent-replay');

test('three processes, fifty requests at a time each, three devices: whole chains and every 200 in the table', async () => {
  const { token } = await addShop(database.pool, masterKey, DEVICES);
  const seals: Seal[] = [];
  let sealed = 0;
  const statuses = new Map<number, number>();
  let undecided = 0;
  const send = async (url: string, deviceId: number, reference: string): Promise<unknown> => {
    const answer = await post({ url, token }, { ...nowInvoice(deviceId, reference), Date: DATE });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const body = await answer.text();
    if (answer.status === 503) {
      // A slow machine: perhaps it is sealed. The same again tells.
      undecided += 1;
      return send(url, deviceId, reference);
    }
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
  expect(sealed).toBeLessThanOrEqual(distinct);
  expect(sealed).toBeGreaterThanOrEqual(distinct - undecided);
  expect(await lostSeals(database.pool, seals)).toEqual([]);
});
