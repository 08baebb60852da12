import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Asker } from '../support/ask.ts';
import { createTestDatabase } from '../support/database.ts';
import { addShop } from '../support/local-shop.ts';
import { embeddedUrl, Machine } from '../support/process.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { Load } from '../support/receipts/load.ts';
import { KEPT_VERSIONS, KeptInstallation, STOPPED, WHOLE } from './kept-installation.ts';
import { addNextVersion, nextVersionRoot } from './next-version.ts';

const root = nextVersionRoot();
let machine: Machine;

beforeAll(() => addNextVersion(root));
afterEach(() => machine.end());
afterAll(() => rm(root, { recursive: true, force: true }));

/** This version sells, the next one starts beside it and migrates, this one is started once more; all three sell, and nothing is lost. */
async function replace(
  { url, token }: Asker,
  pool: Pool,
  environment: Record<string, string>,
  { devices, everyMs }: { readonly devices: readonly number[]; readonly everyMs: number },
): Promise<void> {
  const loads: Load[] = [];
  const sell = async (at: string, name: string) => {
    for (const deviceId of devices)
      loads.push(new Load({ url: at, token }, deviceId, 4, `${name}-${deviceId}`, everyMs));
    await delay(1000);
  };
  await sell(url, 'this');
  await sell(await machine.start(environment, { root }).ready, 'next');
  await sell(await machine.start(environment).ready, 'restarted');
  await Promise.all(loads.map((load) => load.stop()));
  const { rows } = await pool.query(
    "select is_new, indisvalid from receipts, pg_index where indexrelid = 'receipts_new'::regclass limit 1",
  );
  expect(rows).toEqual([{ is_new: true, indisvalid: true }]);
  for (const { unanswered, statuses } of loads) expect([unanswered, ...statuses.keys()]).toEqual([0, 200]);
  const seals = loads.flatMap((load) => [...load.seals.values()]);
  expect(await lostSeals(pool, seals)).toEqual([]);
}

test('the next version migrates and runs beside this one, which can be restarted: nothing is lost', async () => {
  machine = new Machine();
  const database = await createTestDatabase();
  try {
    const masterKey = randomBytes(32);
    const environment = {
      DATA_DIR: await machine.folder(),
      DATABASE_URL: database.url,
      AUTHORITY_URL: 'simulator',
      MASTER_KEY: masterKey.toString('base64'),
    };
    const url = await machine.start(environment).ready;
    const { token } = await addShop(database.pool, masterKey, [7001]);
    await replace({ url, token }, database.pool, environment, { devices: [7001], everyMs: 0 });
    expect(await proveChain(database.pool, 7001)).toMatchObject({ holds: true });
  } finally {
    await machine.end();
    await database.drop();
  }
});

test.each(KEPT_VERSIONS)(
  'an installation that version %s has left is restored by this one, and the next one takes it over: nothing is lost, the authority has all',
  async (version) => {
    machine = new Machine();
    const kept = await KeptInstallation.start(version, machine);
    await kept.openDays();
    const environment = {
      DATA_DIR: kept.dataDir,
      DATABASE_URL: await embeddedUrl(kept.dataDir),
      AUTHORITY_URL: 'simulator',
      MASTER_KEY_FILE: join(kept.dataDir, 'master.key'),
    };
    await replace(kept.till, kept.pool, environment, { devices: [WHOLE, STOPPED], everyMs: 500 });
    expect(await kept.lessThanKept()).toEqual([]);
    await kept.isWhole();
  },
);
