import { expect, test } from 'vitest';
import { proveChain } from '../../../test/support/receipts/chain.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { serviceOfFile } from '../../../test/support/service.ts';
import { openShop, tally } from '../../../test/support/shop.ts';

/** A batch is decided on what the one before it will leave. If that one leaves something else, nothing of it may stand. */
const service = await serviceOfFile();
await service.pool.query(`
  create function slow_or_poisoned() returns trigger language plpgsql as $$
  begin
    if new.reference like 'SLOW%' then perform pg_sleep(1); end if;
    if new.reference like '%POISON%' then raise exception 'poisoned'; end if;
    return new;
  end $$;
  create trigger slow_or_poisoned before insert on receipts for each row execute function slow_or_poisoned();`);

async function knownShop() {
  const shop = await openShop(service, { advanceLimitSeconds: 100_000 });
  expect((await service.sign(shop.token, invoice(shop.deviceId, 'first'))).statusCode).toBe(200);
  return shop;
}

const untilWriting = async () => {
  for (;;) {
    const { rows } = await service.pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
    );
    if (rows.length > 0) return;
  }
};

/** Forty that are sealed while `slow` is being written: enough for a batch of their own, sent behind it. */
async function sendBehind(slow: string) {
  const { token, deviceId } = await knownShop();
  const first = service.sign(token, invoice(deviceId, slow));
  await untilWriting();
  const behind = Array.from({ length: 40 }, (_, index) => service.sign(token, invoice(deviceId, `behind ${index}`)));
  return { deviceId, first: await first, behind: await Promise.all(behind) };
}

test('the next batch is sent before the one under way is written, and stands behind it', async () => {
  const { deviceId, first, behind } = await sendBehind('SLOW');
  expect(first.json()).toMatchObject({ GlobalCounter: 2 });
  expect(tally(behind)).toEqual({ 200: 40 });
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 42 });
});

test('what was sent behind a batch that fails is sealed all the same, without a gap', async () => {
  const { deviceId, first, behind } = await sendBehind('SLOW POISON');
  expect(first.statusCode).toBe(500);
  expect(tally(behind)).toEqual({ 200: 40 });
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 41 });
});

test('the same number of receipts with another hash is another head', async () => {
  const { token, deviceId } = await knownShop();
  const elsewhere = Buffer.alloc(32, 7);
  await service.pool.query('update device_heads set last_hash = $2 where device_id = $1', [deviceId, elsewhere]);
  expect((await service.sign(token, invoice(deviceId, 'second'))).statusCode).toBe(200);
  const { rows } = await service.pool.query(
    'select previous_hash from receipts where device_id = $1 and global_counter = 2',
    [deviceId],
  );
  expect(rows[0]?.previous_hash).toEqual(elsewhere);
});

test('a good receipt does not wait for the lock with a refused one of its batch', async () => {
  const { token, deviceId } = await knownShop();
  const answers = await Promise.all([
    service.sign(token, invoice(deviceId, 'good')),
    service.sign(token, invoice(deviceId, 'first')),
    service.sign(token, invoice(deviceId, 'good', { Cashier: 'another' })),
  ]);
  expect(tally(answers)).toEqual({ 200: 2, 409: 1 });
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 2 });
});
