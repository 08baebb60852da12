import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { proveChain } from '../../../test/support/receipts/chain.ts';
import { addInstance, createTestService, type Instance, type TestService } from '../../../test/support/service.ts';
import { errorsOf, openShop, plainNote, plainReceipt, type Shop, tally } from '../../../test/support/shop.ts';
import type { Queryable } from '../../platform/database/database.ts';

let service: TestService;
let other: Instance;
let shop: Shop;
beforeAll(async () => {
  service = await createTestService();
  other = await addInstance(service);
});
beforeEach(async () => {
  shop = await openShop(service);
});
afterAll(async () => {
  await other.close();
  await service.close();
});

async function creditedTotal(): Promise<string | undefined> {
  const { rows } = await service.pool.query<{ total: string }>(
    "select sum(total) as total from receipts where taxpayer_id = $1 and type = 'CreditNote'",
    [shop.taxpayerId],
  );
  return rows[0]?.total;
}

test('twins of a note on two instances both get the one seal', async () => {
  for (let round = 0; round < 40; round += 1) {
    await service.sign(shop.token, plainReceipt(shop.deviceId, `O-${round}`, '100'));
    const note = plainNote(shop.deviceId, `N-${round}`, `O-${round}`, '-100');
    const answers = await Promise.all([service, other].map((instance) => instance.sign(shop.token, note)));
    expect(tally(answers), answers.map(({ body }) => body).join()).toEqual({ 200: 2 });
  }
  expect(await proveChain(service.pool, shop.deviceId)).toEqual({ holds: true, count: 80 });
});

test('notes in one batch cannot together credit more than the original', async () => {
  await service.sign(shop.token, plainReceipt(shop.deviceId, 'O', '100'));
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      service.sign(shop.token, plainNote(shop.deviceId, `N-${index}`, 'O', '-30')),
    ),
  );
  expect(tally(answers)).toEqual({ 200: 3, 400: 7 });
  const refused = answers.filter((answer) => answer.statusCode === 400);
  expect(refused.flatMap(errorsOf)).toEqual(refused.map(() => 'TotalAmount RCPT035'));
  expect(await creditedTotal()).toBe('-90.00');
});

test('notes on two devices of two instances cannot together credit more than the original', async () => {
  const second = await service.addDevice(shop.taxpayerId);
  for (let round = 0; round < 20; round += 1) {
    await service.sign(shop.token, plainReceipt(shop.deviceId, `O-${round}`, '100'));
    const answers = await Promise.all([
      service.sign(shop.token, plainNote(shop.deviceId, `N-${round}-a`, `O-${round}`, '-60')),
      other.sign(shop.token, plainNote(second, `N-${round}-b`, `O-${round}`, '-60')),
    ]);
    expect(tally(answers)).toEqual({ 200: 1, 400: 1 });
  }
  expect(await creditedTotal()).toBe('-1200.00');
  expect(await proveChain(service.pool, second)).toMatchObject({ holds: true });
});

test('one reference for notes on two devices: the later one is a conflict, however long it waited for the original', async () => {
  const second = await service.addDevice(shop.taxpayerId);
  await service.sign(shop.token, plainReceipt(shop.deviceId, 'O', '100'));
  const holder = await service.pool.connect();
  await holder.query('begin');
  await holder.query("select from receipts where reference = 'O' and taxpayer_id = $1 for update", [shop.taxpayerId]);
  const waiting = [
    service.sign(shop.token, plainNote(shop.deviceId, 'N', 'O', '-100')),
    other.sign(shop.token, plainNote(second, 'N', 'O', '-100')),
  ];
  try {
    await expect.poll(() => lockWaits(service.pool)).toBe(2);
  } finally {
    await holder.query('commit');
    holder.release();
  }
  expect(tally(await Promise.all(waiting))).toEqual({ 200: 1, 409: 1 });
});

async function lockWaits(db: Queryable): Promise<number | undefined> {
  const { rows } = await db.query<{ waits: number }>(
    `select count(*)::integer as waits from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.waits;
}

test('a debit note earlier in the batch makes no room: the authority does not have it yet', async () => {
  await service.sign(shop.token, plainReceipt(shop.deviceId, 'O', '100'));
  const answers = await Promise.all([
    service.sign(shop.token, plainNote(shop.deviceId, 'D', 'O', '50')),
    service.sign(shop.token, plainNote(shop.deviceId, 'C', 'O', '-150')),
  ]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 400]);
  expect(answers[1]?.body).toContain('debit note D of 50.00 is not at the authority yet');
});

test.each(['before', 'after'])(
  'a note that comes in the same batch %s its invoice is sealed behind it',
  async (order) => {
    const second = await service.addDevice(shop.taxpayerId);
    // Both devices are in the cache, so that the two requests take the same time to the sealer.
    await service.sign(shop.token, plainReceipt(shop.deviceId, 'W-1', '1'));
    await service.sign(shop.token, plainReceipt(second, 'W-2', '1'));
    const receipts = [plainReceipt(shop.deviceId, 'O', '100'), plainNote(second, 'N', 'O', '-100')];
    if (order === 'before') receipts.reverse();
    const answers = await Promise.all(receipts.map((receipt) => service.sign(shop.token, receipt)));
    expect(tally(answers)).toEqual({ 200: 2 });
  },
);

test('a note in one batch with an invoice that is refused is refused too, and nobody waits for ever', async () => {
  await service.sign(shop.token, plainReceipt(shop.deviceId, 'W-1', '1'));
  const late = { Date: '2027-01-01T00:00:00' };
  const answers = await Promise.all([
    service.sign(shop.token, plainNote(shop.deviceId, 'N', 'O', '-100')),
    service.sign(shop.token, plainReceipt(shop.deviceId, 'O', '100', late)),
  ]);
  expect(answers.map(errorsOf)).toEqual([['OriginalReference RCPT032'], ['Date RCPT031']]);
});

test('a note that names itself is refused and does not hang the sealer', async () => {
  const answer = await service.sign(shop.token, plainNote(shop.deviceId, 'SELF', 'SELF', '-1'));
  expect([answer.statusCode, errorsOf(answer)]).toEqual([400, ['OriginalReference RCPT032']]);
  expect((await service.sign(shop.token, plainReceipt(shop.deviceId, 'NEXT', '1'))).statusCode).toBe(200);
});

test('a note and an invoice that share one reference: one of them has it, the other is a conflict', async () => {
  const answers = await Promise.all([
    service.sign(shop.token, plainNote(shop.deviceId, 'SAME', 'SAME', '-1')),
    service.sign(shop.token, plainReceipt(shop.deviceId, 'SAME', '1')),
  ]);
  // The note is judged after the invoice, or before anything of that reference is known.
  expect([JSON.stringify({ 200: 1, 409: 1 }), JSON.stringify({ 200: 1, 400: 1 })]).toContain(
    JSON.stringify(tally(answers)),
  );
});

test('two notes that name each other are both refused and do not hang the sealer', async () => {
  const answers = await Promise.all([
    service.sign(shop.token, plainNote(shop.deviceId, 'A', 'B', '-1')),
    service.sign(shop.token, plainNote(shop.deviceId, 'B', 'A', '-1')),
  ]);
  expect(tally(answers)).toEqual({ 400: 2 });
  expect((await service.sign(shop.token, plainReceipt(shop.deviceId, 'NEXT', '1'))).statusCode).toBe(200);
});

test('two notes of external originals that name each other: the later one finds a note, which cannot be credited', async () => {
  const numbers = { OriginalFiscalDayNumber: 1, OriginalGlobalCounter: 9, OriginalAuthorityDeviceId: 77 };
  const first = await service.sign(shop.token, plainNote(shop.deviceId, 'A', 'B', '-1', numbers));
  const second = await service.sign(shop.token, plainNote(shop.deviceId, 'B', 'A', '-1', numbers));
  expect([first.statusCode, second.statusCode]).toEqual([200, 400]);
  expect(errorsOf(second)).toEqual(['OriginalReference RCPT032']);
});
