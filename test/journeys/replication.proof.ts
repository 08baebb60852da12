import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import { fingerprint } from '../../src/platform/secrets/secrets.ts';
import { lostSeals } from '../support/answered.ts';
import { AuthorityBooks } from '../support/authority/books.ts';
import { addOperator, addShop, type BenchShop } from '../support/authority/shop.ts';
import { type SimulatorProcess, startSimulatorProcess } from '../support/authority/simulator.ts';
import { Load, nowInvoice, post } from '../support/load.ts';
import { Machine, until } from '../support/process.ts';
import { proveChain } from '../support/receipts/chain.ts';
import {
  findPostgresPrograms,
  isSynchronous,
  type ReplicatedPostgres,
  startReplicated,
} from '../support/replicated-postgres.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const DEVICE = 8201;
const programs = findPostgresPrograms();
if (programs === undefined) {
  process.stdout.write('replication is not tested here: initdb, pg_basebackup and postgres are not installed\n');
}

describe.skipIf(programs === undefined)('a primary with a synchronous standby', () => {
  const machine = new Machine();
  let replicated: ReplicatedPostgres;
  let simulator: SimulatorProcess;
  let books: AuthorityBooks;
  let shop: BenchShop;
  let url: string;

  beforeAll(async () => {
    const folder = await machine.folder();
    [simulator, replicated] = await Promise.all([startSimulatorProcess(), startReplicated(programs ?? '', folder)]);
    books = new AuthorityBooks(simulator.controlUrl);
    await replicated.primary.query('create database tillseal');
    const masterKey = randomBytes(32);
    const pool = await openPool();
    await migrate(pool, new URL('../../migrations', import.meta.url).pathname, quiet);
    await pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKey)]);
    shop = await addShop(pool, singleMasterKey(masterKey), '2000000001');
    const operator = await addOperator(pool);
    url = await machine.start({
      DATA_DIR: folder,
      DATABASE_URL: address(),
      AUTHORITY_URL: simulator.url,
      AUTHORITY_CA_FILE: simulator.caFile,
      MASTER_KEY: masterKey.toString('base64'),
    }).ready;
    await register(operator);
    await until(async () => (await dayState(pool)) === 'Opened', 'the day is open');
    await pool.end();
  });
  afterAll(async () => {
    await machine.end();
    await replicated?.end();
    await simulator?.end();
  });

  /** Both servers, the standby first: whoever takes writes is to be found. */
  function address(): string {
    const { primary, standby } = replicated;
    return `postgresql://tillseal@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/tillseal`;
  }

  function openPool(): Promise<Pool> {
    return openDatabase({ connection: address(), maxConnections: 2, log: quiet });
  }

  async function register(operator: string): Promise<void> {
    const { serialNo, activationKey } = await books.addDevice(DEVICE, shop.tin);
    const awayHour = String((new Date().getUTCHours() + 14) % 24).padStart(2, '0');
    const answer = await fetch(`${url}/api/admin/devices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        TaxpayerId: shop.taxpayerId,
        AuthorityDeviceId: DEVICE,
        SerialNumber: serialNo,
        ActivationKey: activationKey,
        MaintenanceStart: `${awayHour}:00`,
        AdvanceLimitSeconds: 86_400,
      }),
    });
    expect(answer.status, await answer.text()).toBe(201);
  }

  async function dayState(pool: Pool): Promise<string | undefined> {
    const { rows } = await pool.query<{ day_state: string }>('select day_state from device_heads');
    return rows[0]?.day_state;
  }

  const till = () => ({ url, token: shop.token });

  test('a seal is not answered before the standby has it, and is answered when it is back', async () => {
    await replicated.standby.kill();
    const references = ['alone-1', 'alone-2'];
    const receipts = references.map((reference) => nowInvoice(DEVICE, reference));
    const answers = receipts.map((receipt) => post(till(), receipt));
    const first = await Promise.race([...answers, delay(2_000, 'none')]);
    expect(first).toBe('none');
    await replicated.standby.startAgain();
    await until(() => isSynchronous(replicated.primary), 'the standby is synchronous again');
    for (const answer of await Promise.all(answers)) {
      // On a slow machine it may be longer than the service lets anybody wait.
      if (answer.status !== 200) expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    }
    for (const [index, reference] of references.entries()) {
      const again = await post(till(), receipts[index] ?? {});
      expect(await again.json()).toMatchObject({ Reference: reference, DeviceSignature: expect.any(String) });
    }
  });

  test('the primary dies under load, the standby is promoted: nothing that was answered is lost, and the service goes on by itself', async () => {
    const under = new Load(till(), DEVICE, 10, 'load');
    await until(() => under.seals.size > 200, '200 receipts');
    await replicated.primary.kill();
    const killedAt = performance.now();
    await until(() => (under.statuses.get(503) ?? 0) > 0, 'a 503');
    await replicated.promote();
    const promotedAt = performance.now();
    const before = under.seals.size;
    await until(() => under.seals.size > before, 'a receipt after the fail-over');
    const sealedAt = performance.now();
    await until(() => under.seals.size > before + 100, 'a hundred of them');
    await under.stop();
    process.stdout.write(
      `fail-over: ${before} seals answered before; promoted ${Math.round(promotedAt - killedAt)} ms after the kill, sealing again ${Math.round(sealedAt - promotedAt)} ms later; answers ${JSON.stringify([...under.statuses])}, none for ${under.unanswered}\n`,
    );
    expect(new Set(under.statuses.keys())).toEqual(new Set([200, 503]));

    const pool = await openPool();
    try {
      expect(await lostSeals(pool, under.seals.values())).toEqual([]);
      expect(await proveChain(pool, DEVICE)).toMatchObject({ holds: true });
      await until(() => isSubmitted(pool), 'everything is with the authority');
      const { rows } = await pool.query<{ number: number; hash: string }>(
        `select global_counter as number, encode(hash, 'base64') as hash from receipts order by global_counter`,
      );
      const booked = (await books.receipts(DEVICE)).map(({ receiptGlobalNo, hash }) => ({
        number: receiptGlobalNo,
        hash,
      }));
      expect(booked).toEqual(rows);
    } finally {
      await pool.end();
    }
  });

  async function isSubmitted(pool: Pool): Promise<boolean> {
    const { rows } = await pool.query(
      'select from device_heads h join device_lanes l using (taxpayer_id, device_id) where global_counter > submitted_through',
    );
    return rows.length === 0;
  }
});
