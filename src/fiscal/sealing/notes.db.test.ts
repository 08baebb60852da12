import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { headOf } from '../../../test/support/receipts/chain.ts';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { errorsOf, openShop, plainNote, plainReceipt, type Shop } from '../../../test/support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await createTestService();
});
beforeEach(async () => {
  service.now = NOON;
  shop = await openShop(service);
});
afterAll(() => service.close());

const EXTERNAL = { OriginalFiscalDayNumber: 12, OriginalGlobalCounter: 345, OriginalAuthorityDeviceId: 77 };

async function expectRefused(note: object | string, ...errors: string[]): Promise<void> {
  const head = await headOf(service.pool, shop.deviceId);
  const answer = await service.sign(shop.token, note);
  expect([answer.statusCode, errorsOf(answer)], answer.body).toEqual([400, errors]);
  expect(await headOf(service.pool, shop.deviceId)).toEqual(head);
}

async function seal(receipt: object | string) {
  const answer = await service.sign(shop.token, receipt);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ GlobalCounter: number }>();
}

test('a note of a known original is sealed and points to it, whatever device it is sealed on', async () => {
  await seal(invoice(shop.deviceId, 'N-1'));
  const second = await service.addDevice(shop.taxpayerId);
  await seal(creditNote(second, 'N-2', 'N-1'));
  const { rows } = await service.pool.query(
    'select original_device_id, original_global_counter from receipts where taxpayer_id = $1 and reference = $2',
    [shop.taxpayerId, 'N-2'],
  );
  expect(rows).toEqual([{ original_device_id: shop.deviceId, original_global_counter: 1 }]);
});

test('the Original fields may be given when they agree with the known original', async () => {
  const { GlobalCounter } = await seal(invoice(shop.deviceId, 'N-1'));
  const numbers = {
    OriginalFiscalDayNumber: 1,
    OriginalGlobalCounter: GlobalCounter,
    OriginalAuthorityDeviceId: shop.deviceId,
  };
  await expectRefused(
    creditNote(shop.deviceId, 'N-2', 'N-1', { ...numbers, OriginalFiscalDayNumber: 2, OriginalGlobalCounter: 9 }),
    'OriginalFiscalDayNumber RCPT032',
    'OriginalGlobalCounter RCPT032',
  );
  await seal(creditNote(shop.deviceId, 'N-2', 'N-1', numbers));
});

test('an external original needs its three numbers, and then is taken on trust', async () => {
  await expectRefused(creditNote(shop.deviceId, 'N-1', 'OLD-1'), 'OriginalReference RCPT032');
  await expectRefused(
    creditNote(shop.deviceId, 'N-1', 'OLD-1', { OriginalGlobalCounter: 345 }),
    'OriginalFiscalDayNumber RCPT032',
    'OriginalAuthorityDeviceId RCPT032',
  );
  await seal(creditNote(shop.deviceId, 'N-1', 'OLD-1', EXTERNAL));
});

test('where the taxpayer lists the devices of its older invoices, a note on any other is refused before it is sealed', async () => {
  const list = (devices: number[] | null) =>
    service.pool.query('update taxpayers set original_devices = $2 where taxpayer_id = $1', [shop.taxpayerId, devices]);
  await list([78]);
  await expectRefused(creditNote(shop.deviceId, 'N-1', 'OLD-1', EXTERNAL), 'OriginalAuthorityDeviceId RCPT032');
  await seal(creditNote(shop.deviceId, 'N-1', 'OLD-1', { ...EXTERNAL, OriginalAuthorityDeviceId: 78 }));
  await seal(invoice(shop.deviceId, 'N-2'));
  await seal(creditNote(shop.deviceId, 'N-3', 'N-2'));
  await list(null);
  await seal(creditNote(shop.deviceId, 'N-4', 'OLD-2', EXTERNAL));
});

test('the numbers of an external original must not be those of a receipt sealed here under another reference', async () => {
  const { GlobalCounter } = await seal(invoice(shop.deviceId, 'N-1'));
  await expectRefused(
    creditNote(shop.deviceId, 'N-2', 'WRONG', {
      OriginalFiscalDayNumber: 1,
      OriginalGlobalCounter: GlobalCounter,
      OriginalAuthorityDeviceId: shop.deviceId,
    }),
    'OriginalGlobalCounter RCPT032',
  );
});

test('a number of a device here that is not sealed yet is no external original, so the invoice that gets it can be credited whole', async () => {
  const second = await service.addDevice(shop.taxpayerId);
  await seal(plainReceipt(shop.deviceId, 'N-1', '10'));
  const next = { OriginalFiscalDayNumber: 1, OriginalGlobalCounter: 2, OriginalAuthorityDeviceId: shop.deviceId };
  const early = await service.sign(shop.token, plainNote(second, 'N-2', 'PAPER-1', '-500', next));
  expect([early.statusCode, errorsOf(early)]).toEqual([400, ['OriginalGlobalCounter RCPT032']]);
  expect(early.body).toContain(`receipt 2 of device ${shop.deviceId} is not sealed yet`);
  await seal(plainReceipt(shop.deviceId, 'N-3', '10'));
  await seal(plainNote(second, 'N-4', 'N-3', '-10'));
});

test('a receipt from before a device came here is an external original; the first that is sealed here is none', async () => {
  const counters = [shop.taxpayerId, shop.deviceId, 41];
  await service.pool.query(
    'update devices set registered_counter = $3 where taxpayer_id = $1 and device_id = $2',
    counters,
  );
  await service.pool.query(
    'update device_heads set global_counter = $3 where taxpayer_id = $1 and device_id = $2',
    counters,
  );
  const old = (OriginalGlobalCounter: number) => ({ ...EXTERNAL, OriginalGlobalCounter });
  const own = { OriginalAuthorityDeviceId: shop.deviceId };
  await seal(creditNote(shop.deviceId, 'N-1', 'OLD-1', { ...old(41), ...own }));
  for (const number of [42, 43, 44]) {
    await expectRefused(
      creditNote(shop.deviceId, 'N-2', 'OLD-2', { ...old(number), ...own }),
      'OriginalGlobalCounter RCPT032',
    );
  }
});

test('a device of another taxpayer answers as one that does not exist: its numbers are taken on trust', async () => {
  const other = await openShop(service);
  expect((await service.sign(other.token, invoice(other.deviceId, 'N-1'))).statusCode).toBe(200);
  for (const [index, device] of [other.deviceId, 2_000_000_000].entries()) {
    for (const number of [1, 2]) {
      const numbers = { ...EXTERNAL, OriginalGlobalCounter: number, OriginalAuthorityDeviceId: device };
      await seal(creditNote(shop.deviceId, `N-${index}-${number}`, 'N-1', numbers));
    }
  }
});

test('a note refers to an invoice, not to a note', async () => {
  await seal(invoice(shop.deviceId, 'N-1'));
  await seal(plainNote(shop.deviceId, 'N-2', 'OLD', '5', EXTERNAL));
  await expectRefused(plainNote(shop.deviceId, 'N-3', 'N-2', '-5'), 'OriginalReference RCPT032');
});

test("another taxpayer's invoice is unknown", async () => {
  const stranger = await openShop(service);
  expect((await service.sign(stranger.token, invoice(stranger.deviceId, 'N-1'))).statusCode).toBe(200);
  await expectRefused(creditNote(shop.deviceId, 'N-2', 'N-1'), 'OriginalReference RCPT032');
});

test.each(['Refused', 'Undeliverable'])('an original that is %s cannot be credited', async (state) => {
  const { GlobalCounter } = await seal(invoice(shop.deviceId, 'N-1'));
  await service.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, failed_at, error)
     values ($1, $2, $3, $4, now(), 'x')`,
    [shop.taxpayerId, shop.deviceId, GlobalCounter, state],
  );
  await expectRefused(creditNote(shop.deviceId, 'N-2', 'N-1'), 'OriginalReference RCPT032');
});

test.each(['Pending', 'Submitted'])('an original that is %s can be credited', async (state) => {
  const { GlobalCounter } = await seal(invoice(shop.deviceId, 'N-1'));
  await service.pool.query(
    'insert into submissions (taxpayer_id, device_id, global_counter, state) values ($1, $2, $3, $4)',
    [shop.taxpayerId, shop.deviceId, GlobalCounter, state],
  );
  await seal(creditNote(shop.deviceId, 'N-2', 'N-1'));
});

test('the currency, the percentages and the remainder of the original are all checked in one pass', async () => {
  await seal(invoice(shop.deviceId, 'N-1'));
  await expectRefused(
    plainNote(shop.deviceId, 'N-2', 'N-1', '-115.51', { Currency: 'ZWG' }),
    'Currency RCPT042',
    'ReceiptLines[0].TaxPercent RCPT036',
    'Taxes[0].TaxPercent RCPT036',
    'TotalAmount RCPT035',
  );
});

/** What the authority said of a receipt, as the keeper records it. */
async function settle(reference: string, state: string, colour: 'Red' | 'Grey' | 'Yellow' | null = null) {
  await service.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, worst_colour, authority_receipt_id)
     select taxpayer_id, device_id, global_counter, $3, $4, case when $3 = 'Submitted' then global_counter end
       from receipts where taxpayer_id = $1 and reference = $2
     on conflict (taxpayer_id, device_id, global_counter) do update set state = $3, worst_colour = $4`,
    [shop.taxpayerId, reference, state, colour],
  );
}

test('credit notes take the original and what debit notes added, to the cent and no further', async () => {
  await seal(plainReceipt(shop.deviceId, 'N-1', '100'));
  await seal(plainNote(shop.deviceId, 'N-2', 'N-1', '-60'));
  await expectRefused(plainNote(shop.deviceId, 'N-3', 'N-1', '-40.01'), 'TotalAmount RCPT035');
  await seal(plainNote(shop.deviceId, 'N-4', 'N-1', '0.01'));
  await settle('N-4', 'Submitted');
  await seal(plainNote(shop.deviceId, 'N-5', 'N-1', '-40.01'));
  await expectRefused(plainNote(shop.deviceId, 'N-6', 'N-1', '-0.01'), 'TotalAmount RCPT035');
});

test.each([
  ['Pending', null, false],
  ['Refused', null, false],
  ['Undeliverable', null, false],
  ['Submitted', 'Red', false],
  ['Submitted', 'Grey', false],
  ['Submitted', 'Yellow', true],
  ['Submitted', null, true],
] as const)('a debit note that is %s (%s) makes room for a credit note: %s', async (state, colour, makesRoom) => {
  const second = await service.addDevice(shop.taxpayerId);
  await seal(plainReceipt(shop.deviceId, 'N-1', '10'));
  await seal(plainNote(second, 'N-2', 'N-1', '5'));
  await settle('N-2', state, colour);
  const note = plainNote(shop.deviceId, 'N-3', 'N-1', '-15');
  if (makesRoom) await seal(note);
  else {
    await expectRefused(note, 'TotalAmount RCPT035');
    await seal(plainNote(shop.deviceId, 'N-3', 'N-1', '-10'));
  }
});

test.each([
  ['Pending', null, true],
  ['Refused', null, true],
  ['Submitted', null, true],
  ['Submitted', 'Red', true],
  ['Undeliverable', null, false],
] as const)('a credit note that is %s (%s) keeps what it took: %s', async (state, colour, keeps) => {
  const second = await service.addDevice(shop.taxpayerId);
  await seal(plainReceipt(shop.deviceId, 'N-1', '10'));
  await seal(plainNote(second, 'N-2', 'N-1', '-10'));
  await settle('N-2', state, colour);
  const note = plainNote(shop.deviceId, 'N-3', 'N-1', '-10');
  if (keeps) await expectRefused(note, 'TotalAmount RCPT035');
  else await seal(note);
});

test('an invoice is creditable for twelve months to the second', async () => {
  service.now = new Date('2026-02-14T10:00:00Z');
  shop = await openShop(service);
  await seal(plainReceipt(shop.deviceId, 'N-1', '100', { Date: '2026-02-14T12:00:00' }));
  service.now = new Date('2027-02-14T10:00:30Z');
  const device = await service.addDevice(shop.taxpayerId);
  const late = await service.sign(shop.token, plainNote(device, 'N-2', 'N-1', '-1', { Date: '2027-02-14T12:00:01' }));
  expect([late.statusCode, errorsOf(late)]).toEqual([400, ['OriginalReference RCPT033']]);
  await seal(plainNote(device, 'N-2', 'N-1', '-1', { Date: '2027-02-14T12:00:00' }));
});

test('an invoice at the old rate stays creditable after the rate changed, with the tax id it was sealed with', async () => {
  service.now = new Date('2025-12-20T10:00:00Z');
  shop = await openShop(service);
  const at15 = (amount: number, tax: number) => ({
    TotalAmount: amount,
    ReceiptLines: [{ Type: 'Sale', Name: 'Kettle', HsCode: '8516', Quantity: 1, LineTotal: amount, TaxPercent: 15 }],
    Payments: [{ Type: 'Cash', Amount: amount }],
    Taxes: [{ TaxPercent: 15, SalesAmountWithTax: amount, TaxAmount: tax }],
  });
  await seal(invoice(shop.deviceId, 'N-1', { Date: '2025-12-20T12:00:00', ...at15(115, 15) }));
  service.now = NOON;
  const device = await service.addDevice(shop.taxpayerId);
  const fresh = await service.sign(shop.token, invoice(device, 'N-2', at15(115, 15)));
  expect([fresh.statusCode, errorsOf(fresh)[0]]).toEqual([400, 'ReceiptLines[0].TaxPercent RCPT025']);
  const newRate = await service.sign(shop.token, creditNote(device, 'N-3', 'N-1'));
  expect(errorsOf(newRate)).toContain('Taxes[0].TaxPercent RCPT036');
  await seal(creditNote(device, 'N-4', 'N-1', at15(-115, -15)));
  const { rows } = await service.pool.query<{ taxes: string }>(
    'select taxes from receipts where taxpayer_id = $1 and reference = $2',
    [shop.taxpayerId, 'N-4'],
  );
  expect(JSON.parse(rows[0]?.taxes ?? '')).toMatchObject([{ taxId: 3, taxPercent: '15' }]);
});
