import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask as askOf } from '../support/ask.ts';
import { type ReplicatedService, startReplicatedService } from '../support/authority/replicated-service.ts';
import { until } from '../support/process.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { Load, nowInvoice, post } from '../support/receipts/load.ts';
import { isSynchronous } from '../support/replicated-postgres.ts';

const DEVICE = 8201;
let service: ReplicatedService;
beforeEach(async () => {
  service = await startReplicatedService(DEVICE);
});
afterEach(() => service?.end());

const till = () => ({ url: service.url, token: service.shop.token });

test('a seal is not answered before the standby has it, and is answered when it is back', async () => {
  await service.replicated.standby.kill();
  const references = ['alone-1', 'alone-2'];
  const receipts = references.map((reference) => nowInvoice(DEVICE, reference));
  const answers = receipts.map((receipt) => post(till(), receipt));
  const first = await Promise.race([...answers, delay(2_000, 'none')]);
  expect(first).toBe('none');
  await service.replicated.standby.startAgain();
  await until(() => isSynchronous(service.replicated.primary), 'the standby is synchronous again');
  for (const answer of await Promise.all(answers)) {
    // On a slow machine it may be longer than the service lets anybody wait.
    if (answer.status !== 200) expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  }
  for (const [index, reference] of references.entries()) {
    const again = await post(till(), receipts[index] ?? {});
    expect(await again.json()).toMatchObject({ Reference: reference, DeviceSignature: expect.any(String) });
  }
});

test('a minute of full load with a standby that is well: no sale is refused', async () => {
  const begunAt = performance.now();
  const under = new Load(till(), DEVICE, 40, 'well');
  await until(() => performance.now() - begunAt > 60_000, 'a minute');
  await under.stop();
  process.stdout.write(`a standby that is well: answers ${JSON.stringify([...under.statuses])} in a minute\n`);
  expect([[...under.statuses.keys()], under.unanswered]).toEqual([[200], 0]);
});

test('the primary dies under load, the standby is promoted: nothing that was answered is lost, and the service goes on automatically', async () => {
  const under = new Load(till(), DEVICE, 10, 'load');
  await until(() => under.seals.size > 200, '200 receipts');
  await service.replicated.primary.kill();
  const killedAt = performance.now();
  await until(() => (under.statuses.get(503) ?? 0) > 0, 'a 503');
  await service.replicated.promote();
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

  const pool = await service.openPool();
  try {
    expect(await lostSeals(pool, under.seals.values())).toEqual([]);
    expect(await proveChain(pool, DEVICE)).toMatchObject({ holds: true });
    await until(() => isSubmitted(pool), 'everything is with the authority');
    const { rows } = await pool.query<{ number: number; hash: string }>(
      `select global_counter as number, encode(hash, 'base64') as hash from receipts order by global_counter`,
    );
    const booked = (await service.books.receipts(DEVICE)).map(({ receiptGlobalNo, hash }) => ({
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

const ask = (path: string, token: string, method = 'GET') => askOf({ url: service.url, token }, method, path);

async function firstAlert(): Promise<string> {
  const answer = await ask('/api/admin/alerts', service.operator);
  return ((await answer.json()) as { Alerts: { Number: string }[] }).Alerts[0]?.Number ?? '';
}

async function alerts(): Promise<string[]> {
  const answer = await ask('/api/admin/alerts', service.operator);
  return ((await answer.json()) as { Alerts: { Kind: string }[] }).Alerts.map(({ Kind }) => Kind);
}

test('while the standby is away tills are answered 503 within ten seconds, operators see it, and everything that waited is sealed once when it is back', async () => {
  const before = performance.now();
  expect((await post(till(), nowInvoice(DEVICE, 'before'))).status).toBe(200);
  await service.replicated.standby.kill();
  const receipts = ['wait-1', 'wait-2'].map((reference) => nowInvoice(DEVICE, reference));
  const askedAt = performance.now();
  for (const answer of await Promise.all(receipts.map((receipt) => post(till(), receipt)))) {
    expect([answer.status, ((await answer.json()) as { Code: string }).Code]).toEqual([503, 'Unavailable']);
  }
  expect((performance.now() - askedAt) / 1000).toBeLessThan(10.5);
  await until(async () => {
    const ready = await ask('/health/ready', '');
    return ((await ready.json()) as { Database: string }).Database === 'waiting for its standby';
  }, 'ready says what it waits for');
  expect((await ask('/health/ready', '')).status).toBe(200);
  const overview = await ask('/api/admin/overview', service.operator);
  expect(overview.headers.get('database-state')).toBe('waiting');
  expect(await overview.json()).toMatchObject({
    Database: { State: 'Waiting', CommitWaitSeconds: expect.any(Number) },
  });
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/tillseal_database_commit_wait_seconds [1-9]/);
  await until(async () => (await alerts()).includes('CommitsWait'), 'the alert');
  const acknowledged = await ask(`/api/admin/alerts/${await firstAlert()}/acknowledge`, service.operator, 'POST');
  expect(acknowledged.status, 'a change that cannot be confirmed').toBe(503);
  await service.replicated.standby.startAgain();
  await until(() => isSynchronous(service.replicated.primary), 'the standby is synchronous again');
  for (const receipt of receipts) expect((await post(till(), receipt)).status).toBe(200);
  await until(async () => !(await alerts()).includes('CommitsWait'), 'the alert is settled');
  process.stdout.write(`standby away: ${Math.round(performance.now() - before)} ms in all\n`);
});

test('the primary freezes under load, the standby is promoted: sealing goes on within fifteen seconds, and nobody waits longer than ten for an answer', async () => {
  const under = new Load(till(), DEVICE, 8, 'frozen');
  await until(() => under.seals.size > 50, '50 receipts');
  service.replicated.primary.signal('SIGSTOP');
  await service.replicated.promote();
  const promotedAt = performance.now();
  const before = under.seals.size;
  await until(() => under.seals.size > before + 20, 'receipts after the promotion');
  const seconds = (performance.now() - promotedAt) / 1000;
  await under.stop();
  process.stdout.write(
    `frozen primary: sealing again ${seconds.toFixed(1)} s after the promotion; answers ${JSON.stringify([...under.statuses])}, none for ${under.unanswered}\n`,
  );
  expect(seconds).toBeLessThan(15);
  expect(under.unanswered).toBe(0);
  const pool = await service.openPool();
  try {
    expect(await lostSeals(pool, under.seals.values())).toEqual([]);
    expect(await proveChain(pool, DEVICE)).toMatchObject({ holds: true });
  } finally {
    await pool.end();
  }
});

test('without a synchronous standby a fail-over loses what was answered: the device is on hold until an operator decides, and no number is given twice', async () => {
  const { primary, standby } = service.replicated;
  await primary.query('alter system reset synchronous_standby_names');
  await primary.query('select pg_reload_conf()');
  expect((await post(till(), nowInvoice(DEVICE, 'kept'))).status).toBe(200);
  await until(async () => {
    const [row] = await primary.query<{ is_level: boolean }>(
      'select bool_and(replay_lsn = pg_current_wal_lsn()) as is_level from pg_stat_replication',
    );
    return row?.is_level === true;
  }, 'the standby has what was sold so far');
  await standby.kill();
  for (const reference of ['lost-1', 'lost-2']) {
    expect((await post(till(), nowInvoice(DEVICE, reference))).status).toBe(200);
  }
  await until(async () => (await service.books.receipts(DEVICE)).length === 3, 'the authority has all three');
  await primary.kill();
  await standby.startAgain();
  await service.replicated.promote();
  const codes = new Set<string>();
  await until(async () => {
    const answer = await post(till(), nowInvoice(DEVICE, 'new'));
    expect(answer.status).toBe(503);
    codes.add(((await answer.json()) as { Code: string }).Code);
    return codes.has('DeviceOnHold');
  }, 'the device is on hold');
  await until(async () => (await alerts()).includes('RowsLost'), 'the alert');
  const numbers = (await service.books.receipts(DEVICE)).map(({ receiptGlobalNo }) => receiptGlobalNo);
  expect(numbers).toEqual([1, 2, 3]);
  const pool = await service.openPool();
  try {
    await until(async () => {
      const { rows } = await pool.query<{ timeline: number }>('select timeline from database_timelines order by 1');
      return rows.map(({ timeline }) => timeline).join() === '1,2';
    }, 'the new timeline is known');
    const compared = await pool.query('select from device_lanes where compare_wanted_at is not null');
    expect(compared.rows).toHaveLength(1);
  } finally {
    await pool.end();
  }
});
