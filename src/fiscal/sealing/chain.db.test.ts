import { expect, test } from 'vitest';
import { openLocalDay } from '../../../test/support/local-shop.ts';
import { headOf, proveChain, storedLines } from '../../../test/support/receipts/chain.ts';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { NOON, serviceOfFile } from '../../../test/support/service.ts';
import { openShop, plainReceipt, tally } from '../../../test/support/shop.ts';

const service = await serviceOfFile();

test.each(['ECDSA-P256', 'RSA-2048'] as const)(
  'two hundred receipts at once make one unbroken chain with %s',
  async (keyAlgorithm) => {
    const { token, deviceId } = await openShop(service, { keyAlgorithm });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => service.sign(token, invoice(deviceId, `C-${index}`))),
    );
    expect(tally(answers)).toEqual({ 200: 200 });
    const counters = answers.map((answer) => answer.json<{ GlobalCounter: number }>().GlobalCounter);
    expect(counters.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 200 });
  },
);

test('the chain goes on over invoices, notes, currencies and exempt lines; the next fiscal day has one of its own', async () => {
  const { taxpayerId, token, deviceId } = await openShop(service);
  const exempt = { TaxPercent: null };
  const line = { Type: 'Sale', Name: 'School fees', HsCode: '99990000', Quantity: 1, LineTotal: 5, ...exempt };
  const receipts = [
    invoice(deviceId, 'M-1'),
    creditNote(deviceId, 'M-2', 'M-1'),
    plainReceipt(deviceId, 'M-3', '0.10', { Currency: 'ZIG' }),
    invoice(deviceId, 'M-4', {
      TotalAmount: 5,
      ReceiptLines: [line],
      Taxes: [{ ...exempt, SalesAmountWithTax: 5, TaxAmount: 0 }],
      Payments: [{ Type: 'Card', Amount: 5 }],
    }),
  ];
  for (const receipt of receipts) expect((await service.sign(token, receipt)).statusCode).toBe(200);
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 4 });
  await service.pool.query("update device_heads set day_state = 'Closed' where device_id = $1", [deviceId]);
  await openLocalDay(service.pool, taxpayerId, deviceId, NOON);
  const first = await service.sign(token, invoice(deviceId, 'M-5'));
  expect(first.json()).toMatchObject({ FiscalDayNumber: 2, FiscalDayCounter: 1, GlobalCounter: 5 });
  expect((await service.sign(token, invoice(deviceId, 'M-6'))).statusCode).toBe(200);
  const stored = (await storedLines(service.pool, deviceId)).map((text) => JSON.parse(text) as Record<string, unknown>);
  const [fifth, sixth] = stored.filter(({ Kind }) => Kind === 'receipt').slice(-2);
  expect([fifth?.['PreviousHash'], sixth?.['PreviousHash']]).toEqual([null, fifth?.['Hash']]);
});

test('a refused receipt between good ones consumes no number', async () => {
  const { token, deviceId } = await openShop(service);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      service.sign(token, invoice(deviceId, `R-${index}`, index % 4 === 0 ? { Date: '2026-11-16T12:00:00' } : {})),
    ),
  );
  expect(tally(answers)).toEqual({ 200: 30, 400: 10 });
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 30 });
});

test('devices of several taxpayers in one batch keep their own chains', async () => {
  const shops = await Promise.all(Array.from({ length: 5 }, () => openShop(service)));
  const answers = await Promise.all(
    shops.flatMap(({ token, deviceId }) =>
      Array.from({ length: 20 }, (_, index) => service.sign(token, invoice(deviceId, `S-${index}`))),
    ),
  );
  expect(tally(answers)).toEqual({ 200: 100 });
  for (const { deviceId } of shops) {
    expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 20 });
  }
});

test.each([
  ['update', 'update receipts set total = total + 1'],
  ['update of one harmless column', "update receipts set body = body where reference = 'T-1'"],
  ['delete', 'delete from receipts'],
  ['truncate', 'truncate receipts cascade'],
])('receipts are append-only: %s is refused by the database', async (_name, statement) => {
  const { token, deviceId } = await openShop(service);
  await service.sign(token, invoice(deviceId, 'T-1'));
  await expect(service.pool.query(statement)).rejects.toThrow('receipts is append-only');
  expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: 1 });
});

test.each([
  ['the same global counter', {}, 'receipts_pkey'],
  [
    'the same reference',
    { global_counter: '3', fiscal_day_counter: '3', previous_hash: 'hash', event_number: 'null' },
    'receipts_reference_once',
  ],
  ['the same day counter', { global_counter: '3', reference: "'F-9'" }, 'receipts_day_counter_once'],
  [
    'a fork: a second receipt over the same predecessor',
    { global_counter: '3', reference: "'F-9'", fiscal_day_counter: '3' },
    'receipts_no_fork',
  ],
  [
    'a second beginning of a day',
    { global_counter: '3', reference: "'F-9'", fiscal_day_counter: '1', previous_hash: 'null' },
    'receipts_day_counter_once',
  ],
  [
    'a beginning in the middle of a day',
    { global_counter: '3', reference: "'F-9'", fiscal_day_counter: '3', previous_hash: 'null' },
    'receipts_check',
  ],
])('the schema refuses %s', async (_name, changes, constraint) => {
  const { token, deviceId } = await openShop(service);
  await service.sign(token, invoice(deviceId, 'F-1'));
  await service.sign(token, invoice(deviceId, 'F-2'));
  const { rows } = await service.pool.query<{ column_name: string }>(
    "select column_name from information_schema.columns where table_name = 'receipts' order by ordinal_position",
  );
  const columns = rows.map((row) => row.column_name);
  const values = columns.map((column) => (changes as Record<string, string>)[column] ?? column);
  const copy = `insert into receipts (${columns.join(', ')}) select ${values.join(', ')} from receipts
    where device_id = $1 and fiscal_day_counter = 2`;
  await expect(service.pool.query(copy, [deviceId])).rejects.toMatchObject({
    constraint: expect.stringContaining(constraint),
  });
});

test.each([
  ['delete', 'delete from devices where device_id = $1'],
  ['truncate', 'truncate devices cascade'],
])('no device is ever removed: %s is refused by the database', async (_name, statement) => {
  const { deviceId } = await openShop(service);
  const values = statement.includes('$1') ? [deviceId] : [];
  await expect(service.pool.query(statement, values)).rejects.toMatchObject({ code: '23001' });
});

test('the head is the last receipt: counters, hash and date', async () => {
  const { token, deviceId } = await openShop(service);
  await service.sign(token, invoice(deviceId, 'H-1'));
  const last = await service.sign(token, invoice(deviceId, 'H-2'));
  const head = await headOf(service.pool, deviceId);
  expect(head).toMatchObject({ global_counter: 2, fiscal_day_counter: 2, last_date: '2026-11-15 12:00:01' });
  expect(head.last_hash?.toString('base64')).toBe(last.json<{ DeviceHash: string }>().DeviceHash);
});
