import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HANG, type ReceivedWebhook } from '../../test/support/billpay/vendor-endpoint.ts';
import {
  createTestEndpoints,
  numbersIn,
  type SentPage,
  type TestEndpoints,
  verified,
} from '../../test/support/endpoints/endpoints.ts';
import { until } from '../../test/support/process.ts';
import type { TestTaxpayer } from '../../test/support/service.ts';

let bench: TestEndpoints;
beforeAll(async () => {
  bench = await createTestEndpoints();
});
afterAll(() => bench.close());

type Made = Awaited<ReturnType<TestEndpoints['endpoint']>>;

/** As `GET` shows it. */
async function shown({ shop, path }: Made): Promise<Record<string, unknown>> {
  return bench.good(shop.token, 'GET', path);
}

const settled = (made: Made, fields: Record<string, unknown>) =>
  until(async () => {
    const now = await shown(made);
    return Object.entries(fields).every(([name, value]) => now[name] === value);
  }, JSON.stringify(fields));

const numbers = ({ created, receiver }: Made) => numbersIn(created.Secret, receiver);
const ids = ({ receiver }: Made) => receiver.received.map(({ headers }) => headers['webhook-id']);
const bodyOf = ({ body }: ReceivedWebhook) => JSON.parse(body) as SentPage;

async function newShop(): Promise<TestTaxpayer> {
  return bench.addTaxpayer();
}

describe('events', () => {
  test('come one after another, each signed, as GET /api/events lists them', async () => {
    const shop = await newShop();
    await bench.happen(shop, 'o');
    const made = await bench.endpoint(shop);
    await bench.happen(shop, 'obo');
    await settled(made, { LastNumber: 4 });
    expect(numbers(made)).toEqual([[2], [3], [4]]);
    const listed = await bench.service.get(shop.token, '/api/events?After=1');
    const { Events } = listed.json<SentPage>();
    expect(made.receiver.received.flatMap((one) => bodyOf(one).Events)).toEqual(Events);
    const [first] = made.receiver.received;
    expect(first?.body).toBe((await bench.service.get(shop.token, '/api/events?After=1&Limit=1')).body);
    expect(first?.headers['content-type']).toBe('application/json');
    expect(new Set(ids(made)).size).toBe(3);
  });

  test('of a backlog only the next ones are kept in memory: the others are read when their turn comes', async () => {
    const own = await createTestEndpoints();
    const reads: number[] = [];
    const list: typeof own.feed.list = async (...asked) => {
      const found = await own.feed.list(...asked);
      reads.push(found.length);
      return found;
    };
    await own.drain();
    const backlog = await own.addTaxpayer();
    const { receiver, created } = await own.endpoint(backlog);
    await own.happen(backlog, 'o'.repeat(120));
    own.newEngine({ ...own.feed, list }).startWork();
    await until(() => receiver.received.length === 120, 'all are sent');
    expect(numbersIn(created.Secret, receiver).flat()).toEqual(Array.from({ length: 120 }, (_, place) => place + 1));
    expect(reads).toEqual([120, 69, 18]);
    await own.close();
  });

  test('go in batches where the endpoint takes them, over one connection', async () => {
    const shop = await newShop();
    const sockets = new Set<unknown>();
    const made = await bench.endpoint(shop, { BatchSize: 4 }, (response) => {
      sockets.add(response.socket?.remotePort);
      response.writeHead(200).end('thanks');
    });
    await bench.happen(shop, 'oooooooooo');
    await settled(made, { LastNumber: 10 });
    expect(numbers(made)).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 10],
    ]);
    expect(sockets.size).toBe(1);
  });

  test('that are not wanted are passed over, and hold up nothing', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, { EventTypes: ['device.blocked'], BatchSize: 10 });
    await bench.happen(shop, `${'o'.repeat(1200)}boob`);
    await settled(made, { LastNumber: 1204 });
    expect(numbers(made)).toEqual([[1201, 1204]]);
    await bench.happen(shop, 'ooo');
    await settled(made, { LastNumber: 1207 });
    expect(made.receiver.received).toHaveLength(1);
  });

  test('by default are all but those of sealed receipts', async () => {
    const { created } = await bench.endpoint(await newShop());
    expect(created['EventTypes']).not.toContain('receipt.signed');
    expect(created['EventTypes']).toEqual(expect.arrayContaining(['receipt.submitted', 'alert.raised', 'day.closed']));
  });

  test('of a vendor reach the endpoint of the vendor', async () => {
    const vendor = await bench.addVendor();
    const receiver = await bench.receive();
    const created = await bench.good(vendor.token, 'POST', '/api/endpoints', { Address: receiver.url, BatchSize: 2 });
    expect(created['VendorId']).toBe(vendor.vendorId);
    await bench.happenToVendor(vendor.vendorId, 3);
    await until(() => receiver.received.length === 2, 'both batches');
    expect(numbersIn(created.Secret, receiver)).toEqual([[1, 2], [3]]);
  });

  test('carry the header of the owner’s choice, which is never shown', async () => {
    const shop = await newShop();
    const Header = { Name: 'Authorization', Value: 'Bearer what-only-we-know' };
    let signature = '';
    const made = await bench.endpoint(shop, { Header }, (response, { headers }) => {
      signature = String(headers['webhook-signature']);
      const { authorization = '' } = headers;
      const echo = JSON.stringify({ Token: authorization.split(' ')[1], ...headers }).replaceAll('/', String.raw`\/`);
      response.writeHead(200).end(`${echo.padEnd(1005)}${authorization}`);
    });
    expect(made.created).toMatchObject({ HeaderName: 'Authorization' });
    await bench.happen(shop, 'o');
    await settled(made, { LastNumber: 1 });
    expect(made.receiver.received[0]?.headers.authorization).toBe(Header.Value);
    await bench.good(shop.token, 'PATCH', made.path, { Header: null });
    await bench.happen(shop, 'o');
    await settled(made, { LastNumber: 2 });
    expect(made.receiver.received[1]?.headers.authorization).toBeUndefined();
    const { rows } = await bench.pool.query<{ entry: string }>('select row_to_json(a)::text as entry from audit_log a');
    const tested = await bench.good(shop.token, 'POST', `${made.path}/test`);
    expect(tested['Answer']).toContain('"webhook-id":"msg_');
    const everything = JSON.stringify([tested, await shown(made), rows, bench.logged]);
    expect(everything).not.toContain('what-only');
    expect(everything.replaceAll('\\', '')).not.toContain(signature.slice('v1,'.length));
    expect(everything).not.toContain(made.created.Secret.slice('whsec_'.length, 20));
  });

  test('come no faster than the endpoint wants', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, { MaxPerSecond: 20 });
    const startedMs = performance.now();
    await bench.happen(shop, 'oooooo');
    await until(() => made.receiver.received.length === 6, 'all six');
    expect(performance.now() - startedMs).toBeGreaterThan(5 * 45);
  });
});

describe('a receiver in trouble', () => {
  test('gets the same batch under the same id again, in its time, and then what came meanwhile', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, { BatchSize: 3 }, 500);
    await bench.happen(shop, 'oo');
    await settled(made, { FailedAttempts: 1 });
    await bench.happen(shop, 'ooo');
    made.receiver.answer = 200;
    bench.pass(7);
    await settled(made, { LastNumber: 5 });
    expect(numbers(made)).toEqual([
      [1, 2],
      [1, 2],
      [3, 4, 5],
    ]);
    const [first, second, third] = ids(made);
    expect([first === second, second === third]).toEqual([true, false]);
    const now = await shown(made);
    expect(now['LastTakenAt']).toBe(bench.service.now.toISOString());
    expect(now['Attempts']).toMatchObject([
      { Outcome: 'Taken', FirstNumber: 3, LastNumber: 5, EventCount: 3, StatusCode: 200 },
      { Outcome: 'Taken', MessageId: first, StatusCode: 200, Error: null },
      { Outcome: 'Failed', MessageId: first, StatusCode: 500, Error: 'answered 500' },
    ]);
  });

  test('keeps its batch and its turn when its owner saves what is no change to them', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, { BatchSize: 3 }, 500);
    await bench.happen(shop, 'oo');
    await settled(made, { FailedAttempts: 1 });
    const { Address, AlertKinds, EventTypes, NextAttemptAt } = await shown(made);
    const saved = { Address, AlertKinds, EventTypes: (EventTypes as string[]).toReversed(), Header: null };
    const changed = { Description: 'New', BatchSize: 9, ...saved };
    expect(await bench.good(shop.token, 'PATCH', made.path, changed)).toMatchObject({
      FailedAttempts: 1,
      NextAttemptAt,
    });
    await bench.happen(shop, 'o');
    let answer = () => {};
    made.receiver.answer = (response) => {
      answer = () => response.writeHead(200).end();
    };
    bench.pass(7);
    await until(() => made.receiver.received.length === 2, 'the second try');
    await bench.good(shop.token, 'PATCH', made.path, { Description: 'Newer' });
    made.receiver.answer = 200;
    answer();
    await settled(made, { LastNumber: 3 });
    expect(numbers(made)).toEqual([[1, 2], [1, 2], [3]]);
  });

  test('is left alone for as long as it asks', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, {}, (response) => response.writeHead(429, { 'retry-after': '600' }).end());
    const askedAt = bench.service.now.getTime();
    await bench.happen(shop, 'o');
    await settled(made, { FailedAttempts: 1 });
    expect((await shown(made))['NextAttemptAt']).toBe(new Date(askedAt + 600_000).toISOString());
  });

  test('is an alert at the third failure, until it takes something, and once an hour at most', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, {}, 503);
    const alerts = async () => {
      const { rows } = await bench.pool.query<{ message: string; isOver: boolean }>(
        `select message, cleared_at is not null as "isOver" from alerts
          where kind = 'EndpointFailing' and what = $1 and taxpayer_id = $2 order by alert_id`,
        [made.created.EndpointId, shop.taxpayerId],
      );
      return rows;
    };
    const fail = async (times: number) => {
      made.receiver.answer = 503;
      await bench.happen(shop, 'o');
      for (let attempt = 1; attempt <= times; attempt += 1) {
        await settled(made, { FailedAttempts: attempt });
        bench.pass(attempt === times ? 0 : 3600);
      }
    };
    const recover = async (LastNumber: number) => {
      made.receiver.answer = 200;
      bench.pass(86_400);
      await settled(made, { LastNumber });
    };
    await fail(2);
    expect(await alerts()).toEqual([]);
    bench.pass(3600);
    await settled(made, { FailedAttempts: 3 });
    const message = expect.stringContaining('It failed 3 times in a row; of the last time: answered 503.');
    expect(await alerts()).toEqual([{ message, isOver: false }]);
    await recover(1);
    expect(await alerts()).toEqual([{ message, isOver: true }]);
    await fail(3);
    expect(await alerts()).toHaveLength(1);
    await recover(2);
    await bench.pool.query(
      `update alerts set cleared_at = cleared_at - interval '1 hour' where cleared_at is not null`,
    );
    await fail(3);
    expect(await alerts()).toMatchObject([{ isOver: true }, { isOver: false }]);
    await bench.good(shop.token, 'PATCH', made.path, { EventTypes: ['day.opened'] });
    expect(await alerts()).toMatchObject([{ isOver: true }, { isOver: true }]);
  });

  test('is paused after the tenth failure, its owner is told, and it goes on where it stopped', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, {}, 404);
    await bench.happen(shop, 'oo');
    for (let attempt = 1; attempt < 10; attempt += 1) {
      await settled(made, { FailedAttempts: attempt });
      bench.pass(86_400 * 1.2);
    }
    await settled(made, { State: 'Paused' });
    const alerts = () =>
      bench.pool.query<{ message: string; cleared_at: Date | null }>(
        `select message, cleared_at from alerts where coalesce(what, data ->> 'endpointId') = $1 and taxpayer_id = $2 order by kind desc`,
        [made.created.EndpointId, shop.taxpayerId],
      );
    const [alert, failing] = (await alerts()).rows;
    expect(failing?.cleared_at).toBeInstanceOf(Date);
    expect(alert?.message).toContain('It failed 10 times in three days; of the last time: answered 404');
    bench.pass(86_400 * 30);
    made.receiver.answer = 200;
    await bench.happen(shop, 'o');
    const before = made.receiver.received.length;
    expect(before).toBe(10);
    expect(await bench.good(shop.token, 'POST', `${made.path}/resume`, {})).toMatchObject({ State: 'Active' });
    await settled(made, { LastNumber: 3 });
    expect(numbers(made).slice(before)).toEqual([[1], [2], [3]]);
    expect(new Set(ids(made).slice(0, before + 1)).size).toBe(1);
    expect((await alerts()).rows[0]?.cleared_at).not.toBeNull();
  });

  test('that answers 410 is paused at once', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, {}, 410);
    await bench.happen(shop, 'o');
    await settled(made, { State: 'Paused', LastNumber: 0 });
    expect((await shown(made))['PauseReason']).toContain('410');
    expect(made.receiver.received).toHaveLength(1);
  });

  test('of one event only has it set aside: it can be sent again, and leaves the list when it is taken', async () => {
    const shop = await newShop();
    let isMended = false;
    const made = await bench.endpoint(shop, { BatchSize: 3 }, (response, received) => {
      const isBad = !isMended && bodyOf(received).Events.some((event) => event.Number === 2);
      response.writeHead(isBad ? 422 : 200).end();
    });
    await bench.happen(shop, 'ooo');
    for (const failed of [1, 2]) {
      await settled(made, { FailedAttempts: failed });
      bench.pass(360);
    }
    // The third refusal sends them singly: 1 is taken, 2 is refused.
    await settled(made, { LastNumber: 1, FailedAttempts: 1 });
    bench.pass(7);
    await settled(made, { FailedAttempts: 2 });
    bench.pass(360);
    await settled(made, { LastNumber: 3, SetAsideCount: 1 });
    expect(numbers(made)).toEqual([[1, 2, 3], [1, 2, 3], [1, 2, 3], [1], [2], [2], [2], [3]]);
    const { SetAside } = await shown(made);
    expect(SetAside).toMatchObject([{ Number: 2, Type: 'day.opened', Error: 'answered 422' }]);
    const resend = () => bench.good(shop.token, 'POST', `${made.path}/resend`, { Number: 2 });
    expect(await resend()).toMatchObject({ Outcome: 'Refused', StatusCode: 422, FirstNumber: 2 });
    isMended = true;
    expect(await resend()).toMatchObject({ Outcome: 'Taken', MessageId: ids(made)[4] });
    expect(await shown(made)).toMatchObject({ SetAside: [], SetAsideCount: 0, LastNumber: 3 });
  });

  test('that refuses everything is paused after five', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, {}, 400);
    await bench.happen(shop, 'oooooooo');
    for (let event = 0; event < 5; event += 1) {
      await settled(made, { LastNumber: event, FailedAttempts: 1 });
      bench.pass(7);
      await settled(made, { FailedAttempts: 2 });
      bench.pass(360);
    }
    await settled(made, { State: 'Paused', LastNumber: 5, SetAsideCount: 5 });
    expect(made.receiver.received).toHaveLength(15);
  });

  test('holds the line with a refusal, too, where it wants to', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, { HoldOnRefusal: true }, 422);
    await bench.happen(shop, 'oo');
    for (const failed of [1, 2, 3, 4]) {
      await settled(made, { FailedAttempts: failed });
      bench.pass(86_400);
    }
    expect(
      numbers(made)
        .flat()
        .every((number) => number === 1),
    ).toBe(true);
    expect(await shown(made)).toMatchObject({ LastNumber: 0, SetAsideCount: 0 });
  });
});

describe('resuming', () => {
  test('goes on after a number, since a moment or from now; of an active endpoint it is a replay', async () => {
    const shop = await newShop();
    await bench.happen(shop, 'ooo');
    bench.pass(3600);
    const moment = new Date(bench.service.now.getTime() + 1_800_000).toISOString();
    bench.pass(3600);
    await bench.happen(shop, 'ooo');
    const made = await bench.endpoint(shop, { BatchSize: 100 });
    const resume = async (body: object) => {
      const before = made.receiver.received.length;
      await bench.good(shop.token, 'POST', `${made.path}/resume`, body);
      await settled(made, { LastNumber: 6 });
      return numbers(made).slice(before);
    };
    expect(await resume({})).toEqual([]);
    expect(await resume({ After: 2 })).toEqual([[3, 4, 5, 6]]);
    expect(await resume({ Since: moment })).toEqual([[4, 5, 6]]);
    expect(await resume({ After: 0 })).toEqual([[1, 2, 3, 4, 5, 6]]);
    expect(await resume({ FromNow: true })).toEqual([]);
    made.receiver.answer = 410;
    await bench.happen(shop, 'oo');
    await settled(made, { State: 'Paused' });
    made.receiver.answer = 200;
    await bench.good(shop.token, 'POST', `${made.path}/resume`, { FromNow: true });
    await bench.happen(shop, 'o');
    await settled(made, { LastNumber: 9 });
    expect(numbers(made).at(-1)).toEqual([9]);
    for (const body of [{ After: 10 }, { After: 1, FromNow: true }, { Since: 'yesterday' }]) {
      expect((await bench.call(shop.token, 'POST', `${made.path}/resume`, body)).statusCode).toBe(400);
    }
  });
});

describe('several instances', () => {
  test('one that died while it sent is followed by another: the same events under the same id, none lost', async () => {
    const shop = await newShop();
    const made = await bench.endpoint(shop, { BatchSize: 2 }, HANG);
    await bench.happen(shop, 'oo');
    await until(() => made.receiver.received.length === 1, 'it is under way');
    await bench.happen(shop, 'ooo');
    // Whoever held it is gone: its lease runs out, and what it would write is no longer wanted.
    made.receiver.answer = 200;
    bench.newEngine().startWork();
    await bench.expireLease(made.created);
    await settled(made, { LastNumber: 5 });
    expect(numbers(made)).toEqual([[1, 2], [1, 2], [3, 4], [5]]);
    expect(ids(made)[0]).toBe(ids(made)[1]);
  });

  test('never send to one endpoint at the same time, nor out of order', async () => {
    const shop = await newShop();
    let underWay = 0;
    let most = 0;
    const made = await bench.endpoint(shop, { BatchSize: 5 }, (response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setTimeout(() => {
        underWay -= 1;
        response.end();
      }, 5);
    });
    bench.newEngine().startWork();
    for (let time = 0; time < 20; time += 1) await bench.happen(shop, 'ooo');
    await settled(made, { LastNumber: 60 });
    expect(numbers(made).flat()).toEqual(Array.from({ length: 60 }, (_, place) => place + 1));
    expect(most).toBe(1);
  });
});

test('a receiver that hangs slows no other', async () => {
  const shop = await newShop();
  const hanging = await bench.endpoint(shop, {}, HANG);
  const healthy = await bench.endpoint(shop);
  await bench.happen(shop, 'ooo');
  await settled(healthy, { LastNumber: 3 });
  expect(hanging.receiver.received).toHaveLength(1);
  expect(await shown(hanging)).toMatchObject({ LastNumber: 0, FailedAttempts: 0 });
});

test('a change while a request is under way is followed by the next one', async () => {
  const shop = await newShop();
  const other = await bench.receive();
  let release = () => {};
  const made = await bench.endpoint(shop, {}, (response) => {
    release = () => response.writeHead(500).end();
  });
  await bench.happen(shop, 'oo');
  await until(() => made.receiver.received.length === 1, 'it is under way');
  await bench.good(shop.token, 'PATCH', made.path, { Address: other.url });
  release();
  await settled(made, { LastNumber: 2, FailedAttempts: 0 });
  expect(numbersIn(made.created.Secret, other)).toEqual([[1], [2]]);
});

test('a secret is replaced with both signing for a while, or at once', async () => {
  const shop = await newShop();
  const made = await bench.endpoint(shop);
  const old = made.created.Secret;
  const rotate = async (body: object) => (await bench.good(shop.token, 'POST', `${made.path}/secret`, body)).Secret;
  const next = async () => {
    const count = made.receiver.received.length;
    await bench.happen(shop, 'o');
    await settled(made, { LastNumber: count + 1 });
    const [webhook] = made.receiver.received.slice(-1);
    if (webhook === undefined) throw new Error('nothing came');
    return webhook;
  };
  const second = await rotate({});
  const both = await next();
  for (const secret of [old, second]) expect(verified(secret, both).Events).toHaveLength(1);
  bench.pass(86_401);
  const later = await next();
  verified(second, later);
  expect(() => verified(old, later)).toThrow();
  const third = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  expect(await rotate({ Overlap: 0, Secret: third })).toBe(third);
  const leaked = await next();
  verified(third, leaked);
  expect(() => verified(second, leaked)).toThrow();
});
