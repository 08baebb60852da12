import { expect, test } from 'vitest';
import { until } from '../../../test/support/process.ts';
import { proveChain } from '../../../test/support/receipts/chain.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { addInstance, serviceOfFile } from '../../../test/support/service.ts';
import { codeOf, openShop, tally } from '../../../test/support/shop.ts';
import { primaryOf } from '../../platform/database/database.ts';

const service = await serviceOfFile();
await service.pool.query(`
  create function raise_for_poison() returns trigger language plpgsql as $$
  begin
    if new.reference like 'POISON%' then raise exception 'poisoned row of %', new.body; end if;
    return new;
  end $$;
  create trigger poison before insert on receipts for each row execute function raise_for_poison();`);

test('a row the database refuses fails alone: strangers of its batch are sealed without a gap', async () => {
  const shop = await openShop(service);
  const stranger = await openShop(service);
  await service.sign(shop.token, invoice(shop.deviceId, 'W-1'));
  await service.sign(stranger.token, invoice(stranger.deviceId, 'W-1'));
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, (_, index) => service.sign(stranger.token, invoice(stranger.deviceId, `S-${index}`))),
    service.sign(shop.token, invoice(shop.deviceId, 'POISON-1', { BuyerName: 'Chipo' })),
    ...Array.from({ length: 10 }, (_, index) => service.sign(shop.token, invoice(shop.deviceId, `S-${index}`))),
  ]);
  expect(tally(answers)).toEqual({ 200: 20, 500: 1 });
  const failed = answers[10];
  expect(failed?.json()).toMatchObject({ status: 500, Code: 'InternalError', requestId: expect.any(String) });
  expect(failed?.body).not.toMatch(/poison|Chipo|insert|receipts/i);
  for (const { deviceId } of [shop, stranger]) {
    expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 11 });
  }
});

test('a reference that failed can be sealed later: the failure left nothing behind', async () => {
  const { token, deviceId } = await openShop(service);
  expect((await service.sign(token, invoice(deviceId, 'POISON-2'))).statusCode).toBe(500);
  await service.pool.query('alter table receipts disable trigger poison');
  try {
    const answer = await service.sign(token, invoice(deviceId, 'POISON-2'));
    expect([answer.statusCode, answer.json<{ GlobalCounter: number }>().GlobalCounter]).toEqual([200, 1]);
  } finally {
    await service.pool.query('alter table receipts enable trigger poison');
  }
});

test('a receipt that finds no event number moves no head: without its row that would be a gap', async () => {
  const { taxpayerId, token, deviceId } = await openShop(service);
  await service.sign(token, invoice(deviceId, 'E-1'));
  await service.pool.query('delete from event_counters where tenant_id = $1', [taxpayerId]);
  expect((await service.sign(token, invoice(deviceId, 'E-2'))).statusCode).toBe(500);
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 1 });
});

test('connections that the database ends are answered 503 with Retry-After or sealed, never lost or doubled', async () => {
  const { token, deviceId } = await openShop(service, { advanceLimitSeconds: 100_000 });
  const other = await addInstance(service);
  const answered = new Map<string, string>();
  let sent = 0;
  let failed = 0;
  const send = async (): Promise<boolean> => {
    sent += 1;
    const reference = `K-${sent}`;
    const answer = await other.sign(token, invoice(deviceId, reference));
    const isSealed = answer.statusCode === 200;
    if (isSealed) answered.set(reference, answer.json<{ DeviceHash: string }>().DeviceHash);
    else expect([answer.statusCode, answer.headers['retry-after']], answer.body).toEqual([503, '2']);
    return isSealed;
  };
  // Until the cut has hit something that was at work, which the first or second one does.
  for (let round = 0; round < 50 && failed === 0; round += 1) {
    const requests = Array.from({ length: 60 }, send);
    await service.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    failed = (await Promise.all(requests)).filter((isSealed) => !isSealed).length;
  }
  expect(failed).toBeGreaterThan(0);
  // As a till does: a connection that is about to end may still be handed out, and then all are told to come back once more.
  const seal = async (reference: string) => {
    for (;;) {
      const answer = await other.sign(token, invoice(deviceId, reference));
      if (answer.statusCode !== 503) return answer;
    }
  };
  const again = await Promise.all(Array.from({ length: sent }, (_, index) => seal(`K-${index + 1}`)));
  expect(tally(again)).toEqual({ 200: sent });
  for (const answer of again) {
    const { Reference, DeviceHash } = answer.json<{ Reference: string; DeviceHash: string }>();
    expect(answered.get(Reference) ?? DeviceHash).toBe(DeviceHash);
  }
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: sent });
  await other.close();
});

test('a batch that an administrator or a limit of the database cancels is answered 503, and sealed once when it is sent again', async () => {
  const { token, deviceId } = await openShop(service);
  const holder = await service.pool.connect();
  await holder.query('begin');
  await holder.query('lock table receipts in access exclusive mode');
  const cancelled = service.sign(token, invoice(deviceId, 'CANCELLED'));
  await until(() => isWaitingForLock(), 'the sealer waits for the table');
  const { rows } = await service.pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  for (const { pid } of rows) await service.pool.query('select pg_cancel_backend($1)', [pid]);
  const answer = await cancelled;
  await holder.query('rollback');
  holder.release();
  expect([answer.statusCode, codeOf(answer), answer.headers['retry-after']]).toEqual([503, 'Unavailable', '2']);
  expect((await service.sign(token, invoice(deviceId, 'CANCELLED'))).statusCode).toBe(200);
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 1 });
});

test('a head that somebody holds and never lets go delays no other device, and its receipts are told to come back', async () => {
  const shop = await openShop(service);
  const stranger = await openShop(service);
  const known = await openShop(service);
  await service.sign(known.token, invoice(known.deviceId, 'KNOWN'));
  const sellTwenty = async (name: string) => {
    const startedAt = performance.now();
    for (let count = 0; count < 20; count += 1) {
      const answer = await service.sign(stranger.token, invoice(stranger.deviceId, `${name}-${count}`));
      expect(answer.statusCode).toBe(200);
    }
    return performance.now() - startedAt;
  };
  const usualMs = await sellTwenty('USUAL');
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from device_heads where device_id = $1 for update', [shop.deviceId]);
    // As a till does: sent again when it is told to come back, so there is always one that waits for the head.
    const over = new AbortController();
    const toldToComeBack: unknown[] = [];
    const till = async () => {
      do {
        const answer = await service.sign(shop.token, invoice(shop.deviceId, 'HELD'));
        toldToComeBack.push([answer.statusCode, codeOf(answer), answer.headers['retry-after']]);
      } while (!over.signal.aborted);
    };
    const held = till();
    await until(() => isWaitingForLock(), 'the sealer waits for the head');
    // A tenth of a second each, wide because a machine may be shared; who waited until it is given up would need five.
    expect(await sellTwenty('FREE')).toBeLessThan(5 * usualMs + 10_000);
    const replay = await service.sign(known.token, invoice(known.deviceId, 'KNOWN'));
    expect(replay.headers['idempotent-replay']).toBe('true');
    over.abort();
    await held;
    for (const answer of toldToComeBack) expect(answer).toEqual([503, 'Unavailable', '2']);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  const again = await service.sign(shop.token, invoice(shop.deviceId, 'HELD'));
  expect([again.statusCode, again.json<{ GlobalCounter: number }>().GlobalCounter]).toEqual([200, 1]);
});

test('a head that is let go in time is sealed on without anybody noticing', async () => {
  const { token, deviceId } = await openShop(service);
  const holder = await service.pool.connect();
  await holder.query('begin');
  await holder.query('select 1 from device_heads where device_id = $1 for update', [deviceId]);
  const held = service.sign(token, invoice(deviceId, 'HELD'));
  await until(() => isWaitingForLock(), 'the sealer waits for the head');
  await holder.query('commit');
  holder.release();
  expect((await held).statusCode).toBe(200);
});

test('a good receipt that came while commits waited is answered 503 also when they wait no more, and sealed when it is sent again', async () => {
  const { token, deviceId } = await openShop(service);
  const primary = primaryOf(service.pool);
  const holder = await service.pool.connect();
  await holder.query('begin');
  await holder.query('lock table receipts in access exclusive mode');
  primary.isWaiting = true;
  const came = service.sign(token, invoice(deviceId, 'CAME'));
  await until(() => isWaitingForLock(), 'its reference is looked up');
  primary.isWaiting = false;
  await holder.query('rollback');
  holder.release();
  const answer = await came;
  expect([answer.statusCode, codeOf(answer), answer.headers['retry-after']]).toEqual([503, 'Unavailable', '2']);
  expect((await service.sign(token, invoice(deviceId, 'CAME'))).statusCode).toBe(200);
});

async function isWaitingForLock(): Promise<boolean> {
  const { rowCount } = await service.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount !== 0;
}
