import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { HANG } from '../../test/support/billpay/vendor-endpoint.ts';
import { createTestEndpoints, numbersIn, type TestEndpoints } from '../../test/support/endpoints/endpoints.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { until } from '../../test/support/process.ts';
import { markRestored } from '../backup/mark-restored.ts';
import { inTransaction } from '../platform/database/database.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';
import { recordEvents } from '../platform/events/store.ts';
import { announceAlerts } from './announce-alerts.ts';
import { deleteOldAttempts } from './attempt-store.ts';
import { claimEndpoints, type Step, writeSteps } from './work-store.ts';

/** Wrong clocks, long pauses of a process, restored installations, suspended tenants. */

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const mails = new MailServer();
let bench: TestEndpoints;
let mail: { url: string; from: string };
beforeAll(async () => {
  mail = { url: `smtp://127.0.0.1:${await mails.listen()}`, from: 'tillseal@example.com' };
  bench = await createTestEndpoints({ mail });
});
afterAll(async () => {
  await bench.close();
  await mails.close();
});

const numbers = ({ created, receiver }: Awaited<ReturnType<TestEndpoints['endpoint']>>) =>
  numbersIn(created.Secret, receiver).flat();
const rowOf = async (endpointId: string, { pool } = bench) => {
  const text = 'select cursor, locked_until, state, pause_reason from endpoints where endpoint_id = $1';
  const { rows } = await pool.query<{
    cursor: bigint;
    locked_until: Date | null;
    state: string;
    pause_reason: string | null;
  }>(text, [endpointId]);
  return rows[0];
};
const isFreeAt = (endpointId: string, cursor: bigint, of?: TestEndpoints) => async () => {
  const row = await rowOf(endpointId, of);
  return row?.cursor === cursor && row.locked_until === null;
};

test('after a clock that was a day ahead events go on, also by mail', async () => {
  const shop = await bench.addTaxpayer();
  const made = await bench.endpoint(shop);
  const { now } = bench.service;
  bench.pass(86_400);
  await bench.happen(shop, 'o');
  await until(isFreeAt(made.created.EndpointId, 1n), 'the first');
  bench.service.now = now;
  await bench.happen(shop, 'o');
  await until(() => numbers(made).length === 2, 'the second');

  const address = { Address: 'mailto:tendai@example.com', TaxpayerId: shop.taxpayerId };
  await bench.good(bench.operator, 'POST', '/api/admin/endpoints', address);
  const data = {
    AlertId: '1',
    Kind: 'DeviceStopped',
    Message: 'It is stopped.',
    AuthorityDeviceId: 1001,
    TaxpayerId: shop.taxpayerId,
    VendorId: null,
    TenantName: 'Shop',
    EndpointId: null,
    RaisedAt: now.toISOString(),
  } as const;
  const ahead = new Date(now.getTime() + 86_400_000);
  const event = { type: 'alert.raised', at: ahead, data, tenantId: shop.taxpayerId } as const;
  await inTransaction(bench.pool, (tx) => recordEvents(tx, [event]));
  bench.pass(0);
  await until(() => mails.messages.length === 1, 'the mail');
});

test('what was set aside leaves the list when a replay brings it and it is taken', async () => {
  const shop = await bench.addTaxpayer();
  const made = await bench.endpoint(shop);
  await bench.happen(shop, 'oo');
  await until(isFreeAt(made.created.EndpointId, 2n), 'both');
  await bench.pool.query(
    `insert into endpoint_set_aside select $1, number, 'day.opened', now(), 'answered 422' from generate_series(1, 2) as number`,
    [made.created.EndpointId],
  );
  await bench.good(shop.token, 'POST', `${made.path}/resume`, { After: 1 });
  await until(() => numbers(made).length === 3, 'the second again');
  await until(isFreeAt(made.created.EndpointId, 2n), 'written down');
  expect((await bench.good(shop.token, 'GET', made.path))['SetAside']).toMatchObject([{ Number: 1 }]);
});

test('a tenant that is suspended meanwhile is sent no more until it is so no longer', async () => {
  const shop = await bench.addTaxpayer();
  let release = () => {};
  const made = await bench.endpoint(shop, {}, (response) => {
    release = () => response.writeHead(204).end();
  });
  await bench.happen(shop, 'ooo');
  await until(() => made.receiver.received.length === 1, 'it is under way');
  const suspend = (at: Date | null) =>
    bench.pool.query('update taxpayers set suspended_at = $2 where taxpayer_id = $1', [shop.taxpayerId, at]);
  await suspend(bench.service.now);
  release();
  await until(isFreeAt(made.created.EndpointId, 1n), 'nobody holds it');
  expect(numbers(made)).toEqual([1]);
  made.receiver.answer = 204;
  await suspend(null);
  await until(() => numbers(made).length === 3, 'the others');
});

test('of two that write at once only the one that holds the endpoint is told so', async () => {
  const { created } = await bench.endpoint(await bench.addTaxpayer());
  const lease = new Date(bench.service.now.getTime() + 20_000);
  await bench.pool.query('update endpoints set locked_until = $2 where endpoint_id = $1', [created.EndpointId, lease]);
  const { rows } = await bench.pool.query<Step['endpoint']>(
    `select endpoint_id as "endpointId", revision, state, cursor, attempts, refusals, set_aside_in_row as "setAsideInRow",
            next_attempt_at as "nextAttemptAt", null as "batchLast", null as "singlyUntil", null as "pausedAt", null as "pauseReason"
       from endpoints where endpoint_id = $1`,
    [created.EndpointId],
  );
  const [endpoint] = rows;
  if (endpoint === undefined) throw new Error('there is none');
  const step = (lockedUntil: Date): Step => ({
    endpoint: { ...endpoint, lockedUntil },
    heldMs: null,
    attempt: undefined,
    setAsideType: undefined,
    wasFailing: false,
  });
  const steps = [step(new Date(0)), step(lease)];
  expect(await inTransaction(bench.pool, (tx) => writeSteps(tx, steps))).toEqual([undefined, null]);
});

test.each([-60_000, 60_000])('a clock that is %d ms off takes no endpoint from its holder', async (offMs) => {
  const own = await createTestEndpoints();
  const shop = await own.addTaxpayer();
  const { created } = await own.endpoint(shop);
  await own.drain();
  await own.happen(shop, 'o');
  const claim = (now: Date) => claimEndpoints(own.pool, now, { firstMs: 20_000, longestMs: 65_000 }, 10);
  const later = new Date(own.service.now.getTime() + 120_000);
  expect((await claim(later)).map(({ endpointId }) => endpointId)).toEqual([created.EndpointId]);
  expect(await claim(new Date(later.getTime() + offMs))).toEqual([]);
  await own.close();
});

test('attempts are deleted after thirty days, in portions', async () => {
  const { created } = await bench.endpoint(await bench.addTaxpayer());
  const count = async () => {
    const text = 'select from endpoint_attempts where endpoint_id = $1';
    return (await bench.pool.query(text, [created.EndpointId])).rowCount;
  };
  const insert = (rows: number, at: Date) =>
    bench.pool.query(
      `insert into endpoint_attempts (endpoint_id, message_id, first_number, last_number, event_count, started_at, duration_ms, outcome)
       select $1, 'msg', 1, 1, 1, $3, 1, 'Taken' from generate_series(1, $2)`,
      [created.EndpointId, rows, at],
    );
  await insert(1, bench.service.now);
  await insert(11_000, new Date(bench.service.now.getTime() - 31 * 86_400_000));
  expect(await deleteOldAttempts(bench.pool, bench.service.now)).toEqual(expect.any(BigInt));
  // Of the first five thousand, in which the new one is and what other tests have left.
  expect(await count()).toBeGreaterThan(6001);
  expect(await count()).toBeLessThan(6100);
  for (const { run } of bench.engine.regularWork) await run();
  expect(await count()).toBe(1);
});

test('after a restore nothing is sent until somebody says where to go on', async () => {
  const shop = await bench.addTaxpayer();
  const made = await bench.endpoint(shop, {}, 500);
  await bench.happen(shop, 'o');
  await until(() => made.receiver.received.length === 1, 'the first try');
  await markRestored({ kind: 'database', url: bench.service.url, dataDir: undefined }, bench.service.now, quiet);
  expect(await rowOf(made.created.EndpointId)).toMatchObject({
    state: 'Paused',
    pause_reason: 'It was restored from a backup: resume where its receiver should go on',
    locked_until: null,
  });
  const { rowCount } = await bench.pool.query(
    `select from alerts where kind = 'EndpointPaused' and data ->> 'endpointId' = $1 and taxpayer_id = $2 and cleared_at is null`,
    [made.created.EndpointId, shop.taxpayerId],
  );
  expect(rowCount).toBe(1);
  const { Alerts } = (
    await bench.service.get(bench.operator, `/api/admin/alerts?TaxpayerId=${shop.taxpayerId}`)
  ).json();
  expect(Alerts, 'whoever reads it finds the endpoint').toMatchObject([{ Subject: made.created.EndpointId }]);
  made.receiver.answer = 204;
  await bench.good(shop.token, 'POST', `${made.path}/resume`, {});
  await until(() => numbers(made).length === 2, 'it is resumed');
});

/** So many alerts of the installation's feed, as they are announced. */
const announceTo = ({ pool, service }: TestEndpoints, Kind: string, count: number) =>
  inTransaction(pool, (tx) =>
    recordEvents(
      tx,
      Array.from({ length: count }, (_, n) => {
        const nobody = {
          AuthorityDeviceId: null,
          TaxpayerId: null,
          VendorId: null,
          TenantName: null,
          EndpointId: null,
        };
        const at = service.now;
        const alert = { AlertId: `${Kind} ${n}`, Kind, Message: 'something', RaisedAt: at.toISOString() };
        return { tenantId: INSTALLATION_ID, type: 'alert.raised', at, data: { ...alert, ...nobody } };
      }),
    ),
  );
const subjectsTo = (person: string) =>
  mails.messages.filter(({ to }) => to.includes(person)).map(({ headers }) => headers['subject']);

test('a person gets one message about all that waits and none for five minutes after it, but what is urgent; also after a restore', async () => {
  // Of its own: each instance that there is sends mail.
  const own = await createTestEndpoints({ mail });
  const announce = (kind: string, count: number) => announceTo(own, kind, count);
  const person = 'duty@example.com';
  const made = await own.good(own.operator, 'POST', '/api/admin/endpoints', { Address: `mailto:${person}` });
  await markRestored({ kind: 'database', url: own.service.url, dataDir: undefined }, own.service.now, quiet);
  expect(await rowOf(made.EndpointId, own)).toMatchObject({ state: 'Active' });
  // Nothing more is sent of what was told before.
  const all = async () => {
    const { rows } = await own.pool.query<{ last: bigint }>(
      'select last_number as last from event_counters where tenant_id = $1',
      [INSTALLATION_ID],
    );
    await until(isFreeAt(made.EndpointId, rows[0]?.last ?? 0n, own), 'all is sent');
  };
  await announce('TillBehind', 700);
  own.pass(11);
  await all();
  expect(subjectsTo(person)).toEqual(['Tillseal: Till behind (and 699 more)']);
  for (let minute = 0; minute < 4; minute += 1) {
    await announce('ClockWrong', 10);
    own.pass(60);
  }
  await announce('DeviceStopped', 1);
  own.pass(11);
  await all();
  expect(subjectsTo(person).slice(1)).toEqual(['Tillseal: Device stopped (and 40 more)']);
  await announce('TillBehind', 3);
  own.pass(200);
  own.pass(99);
  await announce('ClockWrong', 4);
  own.pass(11);
  await all();
  expect(subjectsTo(person).slice(2)).toEqual(['Tillseal: Till behind (and 6 more)']);
  await own.close();
});

test('of a tenant’s paused endpoints there is one alert; who has them paused, removed and paused again is told of once', async () => {
  const shop = await bench.addTaxpayer();
  const alerts = async (isOpen: boolean) => {
    const { rows } = await bench.pool.query<{ message: string }>(
      `select message from alerts where taxpayer_id = $1 and kind = 'EndpointPaused' and cleared_at is null = $2`,
      [shop.taxpayerId, isOpen],
    );
    return rows.map(({ message }) => message);
  };
  const told = async () => {
    const listed = await bench.service.get(shop.token, '/api/events?Limit=500');
    return listed
      .json<{ Events: { Type: string; Data: { Kind?: string } }[] }>()
      .Events.flatMap(({ Type, Data }) => (Data.Kind === 'EndpointPaused' ? [Type] : []));
  };
  const look = () => announceAlerts(bench.pool);
  for (let round = 0; round < 2; round += 1) {
    const made = [];
    for (let n = 0; n < 20; n += 1) made.push(await bench.endpoint(shop, { EventTypes: ['day.opened'] }, 410));
    await bench.happen(shop, 'o');
    const paused = "select from endpoints where taxpayer_id = $1 and state = 'Paused'";
    await until(async () => (await bench.pool.query(paused, [shop.taxpayerId])).rowCount === 20, 'all are paused');
    expect(await alerts(true)).toEqual([expect.stringContaining('Nor are 19 other endpoints of the same owner.')]);
    const older = `update alerts set raised_at = raised_at - interval '5 seconds' where cleared_at is null`;
    await bench.pool.query(older);
    await look();
    for (const { path } of made) {
      expect(await alerts(true)).toHaveLength(1);
      await bench.good(shop.token, 'DELETE', path);
    }
    await look();
    expect(await alerts(true)).toEqual([]);
  }
  expect([(await alerts(false)).length, await told()]).toEqual([2, ['alert.raised', 'alert.solved']]);
  // Nothing is hidden for good: an hour later it is told.
  await bench.endpoint(shop, { EventTypes: ['day.opened'] }, 410);
  await bench.happen(shop, 'o');
  await until(async () => (await alerts(true)).length === 1, 'it is paused');
  await bench.pool.query(`update alerts set tell_at = tell_at - interval '1 hour' where cleared_at is null`);
  await look();
  expect(await told()).toEqual(['alert.raised', 'alert.solved', 'alert.raised']);
});

test('whose lease ran out while it read a batch that is tried again does not send it beside its new holder', async () => {
  const shop = await bench.addTaxpayer();
  await bench.drain();
  let goOn: (() => void) | undefined;
  const slow = {
    ...bench.feed,
    list: async (...asked: Parameters<typeof bench.feed.list>) => {
      const found = await bench.feed.list(...asked);
      if (goOn === undefined) {
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      }
      return found;
    },
  };
  let underWay = 0;
  let most = 0;
  const releases: (() => void)[] = [];
  const made = await bench.endpoint(shop, {}, (response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    releases.push(() => {
      underWay -= 1;
      response.writeHead(204).end();
    });
  });
  await bench.happen(shop, 'oo');
  await bench.pool.query('update endpoints set batch_last = 1 where endpoint_id = $1', [made.created.EndpointId]);
  const stalled = bench.newEngine(slow);
  stalled.startWork();
  await until(() => goOn !== undefined, 'it reads');
  // So that it is not the one that claims the endpoint again.
  const stopped = stalled.drain();
  const now = performance.now.bind(performance);
  const sleeping = vi.spyOn(performance, 'now').mockImplementation(() => now() + 25_000);
  await bench.expireLease(made.created);
  bench.newEngine().startWork();
  await until(() => releases.length === 1, 'another one sends');
  goOn?.();
  await stopped;
  sleeping.mockRestore();
  while (releases.length > 0 || numbers(made).length < 2) {
    releases.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect([numbers(made), most]).toEqual([[1, 2], 1]);
});

test('a stop waits for no receiver that is sent something by hand and does not answer', async () => {
  const own = await createTestEndpoints();
  const shop = await own.addTaxpayer();
  const { path, receiver } = await own.endpoint(shop, {}, HANG);
  const tested = own.good(shop.token, 'POST', `${path}/test`);
  await until(() => receiver.received.length === 1, 'it is sent');
  await own.engine.drain();
  expect(await tested).toMatchObject({ Outcome: 'Failed', StatusCode: null });
  expect(Number((await tested)['DurationMs'])).toBeLessThan(10_000);
  await own.close();
});
