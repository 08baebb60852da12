import type { Pool } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { invoice } from '../../test/support/receipts/receipts.ts';
import { serviceOfFile, type TestTaxpayer } from '../../test/support/service.ts';
import { addVendor } from '../billpay/index.ts';
import { recordEvent } from '../fiscal/events/store.ts';
import { newId } from '../kernel/ids.ts';
import { raise as raiseAlert, settle } from '../platform/alerts/store.ts';
import { inTransaction, type Transaction } from '../platform/database/database.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';
import { announceAlerts } from './announce-alerts.ts';

const service = await serviceOfFile();
let shop: TestTaxpayer;
let deviceId: number;
beforeEach(async () => {
  await service.pool.query('update alerts set announced_at = now(), solved_announced_at = now()');
  shop = await service.addTaxpayer();
  deviceId = await service.addDevice(shop.taxpayerId);
});

const announce = (pool: Pool = service.pool) => announceAlerts(pool);
/** Five seconds later, for the alerts that are there. */
const age = () =>
  service.pool.query(
    `update alerts set raised_at = raised_at - interval '5 seconds' where announced_at is null and cleared_at is null`,
  );
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(service.pool, work);
const alert = (message = 'It is stopped.', id = deviceId) =>
  ({ taxpayerId: shop.taxpayerId, deviceId: id, kind: 'DeviceStopped', message }) as const;
const raise = (message?: string, id?: number) => inTx((tx) => raiseAlert(tx, alert(message, id)));
const clear = (id?: number) => inTx((tx) => settle(tx, 'DeviceStopped', alert('', id)));

interface Listed {
  readonly Number: number;
  readonly Type: string;
  readonly At: string;
  readonly Data: { readonly [name: string]: unknown };
}
const events = async () => (await service.get(shop.token, '/api/events?Limit=500')).json<{ Events: Listed[] }>().Events;
const types = async () => (await events()).map(({ Type }) => Type);
const lastNumber = async () =>
  (
    await service.pool.query<{ last: bigint }>('select last_number as last from event_counters where tenant_id = $1', [
      INSTALLATION_ID,
    ])
  ).rows[0]?.last ?? 0n;

test('an alert is told once when it is raised and once when it is over, to its tenant and to the installation', async () => {
  const before = await lastNumber();
  await raise();
  await announce();
  expect(await types()).toEqual([]);
  await age();
  await announce();
  await announce();
  await raise('Other words.');
  await announce();
  const [raised] = await events();
  expect(raised).toMatchObject({
    Number: 1,
    Type: 'alert.raised',
    Data: {
      Kind: 'DeviceStopped',
      Message: 'It is stopped.',
      AuthorityDeviceId: deviceId,
      TaxpayerId: shop.taxpayerId,
      VendorId: null,
      TenantName: 'Test shop',
      EndpointId: null,
      RaisedAt: expect.stringMatching(/Z$/),
    },
  });
  await clear();
  await announce();
  await announce();
  expect(await types()).toEqual(['alert.raised', 'alert.solved']);
  const solved = (await events()).at(-1);
  expect(solved?.Data).toMatchObject({ AlertId: raised?.Data['AlertId'], SolvedAt: expect.stringMatching(/Z$/) });
  const own = await service.fiscal.feed.list(INSTALLATION_ID, before, 10);
  expect(
    own.map(({ number, type, data }) => ({ Number: Number(number - before), Type: type, Data: JSON.parse(data) })),
  ).toEqual((await events()).map(({ At: _at, ...event }) => event));
});

test('what is over within five seconds is never told; what was over before anybody looked is told in order', async () => {
  await raise('Brief.', 1);
  await clear(1);
  await raise('Longer.', 2);
  await age();
  await clear(2);
  await announce();
  expect((await events()).map(({ Type, Data }) => [Type, Data['Message']])).toEqual([
    ['alert.raised', 'Longer.'],
    ['alert.solved', 'Longer.'],
  ]);
  const { rows } = await service.pool.query(
    'select from alerts where announced_at is null or solved_announced_at is null',
  );
  expect(rows).toEqual([]);
});

test('one that comes back is told again', async () => {
  for (let times = 0; times < 2; times += 1) {
    await raise();
    await age();
    await announce();
    await clear();
    await announce();
  }
  expect(await types()).toEqual(['alert.raised', 'alert.solved', 'alert.raised', 'alert.solved']);
});

test('alerts of vendors go to their feed, those of the installation to its own only', async () => {
  const before = await lastNumber();
  const vendorId = newId();
  await inTx(async (tx) => {
    await addVendor(tx, service.masterKeys, { vendorId, vendorCode: 'POSB', name: 'POSB' }, new Date());
    await raiseAlert(tx, { vendorId, kind: 'PaymentFlagged', what: 'P1', message: 'In doubt.' });
    await raiseAlert(tx, { kind: 'BuyersNotTaken', message: 'They are not sent.' });
  });
  await age();
  await announce();
  await settle(service.pool, 'BuyersNotTaken', {});
  await announce();
  const { rows } = await service.pool.query('select type, data from events where tenant_id = $1', [vendorId]);
  expect(rows).toEqual([{ type: 'alert.raised', data: expect.stringContaining('"TenantName": "POSB"') }]);
  const own = await service.fiscal.feed.list(INSTALLATION_ID, before, 10);
  expect(own.map(({ type, data }) => [type, JSON.parse(data).Kind])).toEqual([
    ['alert.raised', 'PaymentFlagged'],
    ['alert.raised', 'BuyersNotTaken'],
    ['alert.solved', 'BuyersNotTaken'],
  ]);
});

test('while commits wait nothing is held that could not be committed; afterwards all is told, also of a report that is due no more', async () => {
  await inTx((tx) => raiseAlert(tx, { kind: 'CommitsWait', message: 'Commits wait.' }));
  await raise();
  await age();
  expect(await announce()).toBe(0);
  await inTx(async (tx) => {
    await raiseAlert(tx, { ...alert('Report it.'), kind: 'ReportDue' });
    await settle(tx, 'ReportDue', alert());
    await settle(tx, 'CommitsWait', {});
  });
  expect(await announce()).toBe(3);
  expect((await events()).map(({ Type, Data }) => [Type, Data['Kind']])).toEqual([
    ['alert.raised', 'DeviceStopped'],
    ['alert.raised', 'ReportDue'],
    ['alert.solved', 'ReportDue'],
  ]);
});

test('whoever waits for the installation’s feed is told as soon as something is announced', async () => {
  const { watch } = service.fiscal.feed;
  const last = await lastNumber();
  const told = new Promise<boolean>((resolve) => void watch.watch(INSTALLATION_ID, last, resolve));
  await raise();
  await age();
  await announce();
  expect(await told).toBe(true);
});

test('many instances at the same time tell of each alert once, without gaps', async () => {
  const before = await lastNumber();
  const shops = await Promise.all(Array.from({ length: 6 }, () => service.addTaxpayer()));
  await inTx(async (tx) => {
    for (const { taxpayerId } of shops) {
      for (let n = 0; n < 40; n += 1) await raiseAlert(tx, { ...alert('', n), taxpayerId });
    }
  });
  await age();
  const work = async () => {
    while ((await announce()) > 0);
  };
  await Promise.all(Array.from({ length: 5 }, work));
  for (const { taxpayerId } of shops) {
    const { rows } = await service.pool.query<{ number: bigint; alert: string }>(
      `select number, data ->> 'AlertId' as alert from events where tenant_id = $1 order by number`,
      [taxpayerId],
    );
    expect(rows.map(({ number }) => Number(number))).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(new Set(rows.map((row) => row.alert)).size).toBe(40);
  }
  expect((await lastNumber()) - before).toBe(240n);
  expect(await service.fiscal.feed.list(INSTALLATION_ID, before, 500)).toHaveLength(240);
});

test('in whatever order others take alerts and numbers, also while receipts are sealed, nobody ends in a deadlock', async () => {
  const { taxpayerId } = shop;
  const at = new Date();
  const data = { AuthorityDeviceId: deviceId };
  const done = new AbortController();
  const announcing = async () => {
    while (!done.signal.aborted) await announce();
  };
  const raising = async (isEventFirst: boolean, nth: number) => {
    const inEitherOrder = (work: (tx: Transaction) => Promise<unknown>) =>
      inTx(async (tx) => {
        const event = () => recordEvent(tx, { taxpayerId, type: 'device.released', at, data });
        if (isEventFirst) await event();
        await work(tx);
        if (!isEventFirst) await event();
      });
    for (let round = 0; round < 15; round += 1) {
      await inEitherOrder(async (tx) => {
        await raiseAlert(tx, alert('', nth));
        const older = `update alerts set raised_at = raised_at - interval '5 seconds' where taxpayer_id = $1 and device_id = $2`;
        await tx.query(older, [taxpayerId, nth]);
      });
      await inEitherOrder((tx) => raiseAlert(tx, alert('More.', nth)));
      await inEitherOrder((tx) => settle(tx, 'DeviceStopped', alert('', nth)));
    }
  };
  const sealing = async () => {
    for (let sale = 0; sale < 15; sale += 1) {
      expect((await service.sign(shop.token, invoice(deviceId, `SALE-${sale}`))).statusCode).toBe(200);
    }
  };
  const others = [announcing(), announcing()];
  await Promise.all([raising(true, 1), raising(false, 2), raising(true, 3), raising(false, 4), sealing()]);
  done.abort();
  await Promise.all(others);
  while ((await announce()) > 0);
  const { rows } = await service.pool.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  expect(rows[0]?.deadlocks).toBe(0n);
  const found = await events();
  expect(found.map((event) => event.Number)).toEqual(
    Array.from({ length: 3 * 60 + 15 + 2 * 60 }, (_, index) => index + 1),
  );
  const open = new Set<unknown>();
  for (const { Type, Data } of found) {
    if (Type === 'alert.raised') expect(open.add(Data['AlertId']).size).toBeLessThan(70);
    if (Type === 'alert.solved') expect(open.delete(Data['AlertId'])).toBe(true);
  }
  expect(open.size).toBe(0);
});

test('one about an endpoint says which, because that endpoint is not told', async () => {
  const endpointId = newId();
  await service.pool.query(
    `insert into alerts (taxpayer_id, kind, what, message, raised_at)
     values ($1, 'EndpointFailing', $2, 'It takes no events.', now() - interval '5 seconds')`,
    [shop.taxpayerId, endpointId],
  );
  await announce();
  expect(await events()).toMatchObject([{ Data: { Kind: 'EndpointFailing', EndpointId: endpointId } }]);
});

test('those that somebody else holds are left for the next look, not asked for again at once', async () => {
  await raise();
  await age();
  await inTx(async (tx) => {
    await tx.query('select from alerts where taxpayer_id = $1 for update', [shop.taxpayerId]);
    expect(await announce()).toBe(0);
  });
  expect(await announce()).toBe(1);
});
