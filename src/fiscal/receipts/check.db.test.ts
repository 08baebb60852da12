import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../../test/support/exact-number.ts';
import { arbitraryReceipt, type GeneratedReceipt } from '../../../test/support/receipts/arbitrary-receipt.ts';
import { MUTATIONS, SERVICE_MUTATIONS } from '../../../test/support/receipts/mutations.ts';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { NOON, serviceOfFile } from '../../../test/support/service.ts';

const service = await serviceOfFile();
let nextReference = 0;
const shop = await service.addTaxpayer();

const check = (receipt: object | string) => service.post(shop.token, '/api/receipt/check', receipt);
const sign = (receipt: object | string) => service.sign(shop.token, receipt);

/** The receipt for that device, under a reference that was never used. */
function sent(receipt: GeneratedReceipt, deviceId: number): GeneratedReceipt {
  nextReference += 1;
  return { ...structuredClone(receipt), AuthorityDeviceId: deviceId, Reference: `CHECKED ${nextReference}` };
}

async function stateOf(deviceId: number): Promise<unknown> {
  const heads = await service.pool.query('select * from device_heads where device_id = $1', [deviceId]);
  const receipts = await service.pool.query('select count(*) from receipts');
  const events = await service.pool.query('select * from event_counters order by tenant_id');
  return { head: heads.rows, receipts: receipts.rows, events: events.rows };
}

const LARGEST = { largestCents: 10n ** 12n };

describe('checking a receipt', () => {
  test('answers what signing then answers, and changes nothing', async () => {
    const deviceId = await service.addDevice(shop.taxpayerId);
    await sign(invoice(deviceId, 'the head'));
    await fc.assert(
      fc.asyncProperty(arbitraryReceipt(LARGEST), async (generated) => {
        const wire = toJson(sent(generated, deviceId));
        const before = await stateOf(deviceId);
        const checked = await check(wire);
        expect(checked.statusCode, checked.body).toBe(200);
        expect(checked.headers['not-now']).toBeUndefined();
        expect(await stateOf(deviceId)).toEqual(before);
        const signed = await sign(wire);
        expect(signed.headers['date-advanced']).toBe(checked.headers['date-advanced']);
        expect(signed.json()).toMatchObject({ ...checked.json(), Date: signed.json<{ Date: string }>().Date });
      }),
      { numRuns: 40 },
    );
  });

  test('refuses with the same words for each broken rule', async () => {
    const deviceId = await service.addDevice(shop.taxpayerId);
    await sign(invoice(deviceId, 'another head'));
    for (const { name, fits, change } of [...MUTATIONS, ...SERVICE_MUTATIONS]) {
      const [generated] = fc.sample(arbitraryReceipt(LARGEST).filter(fits), 1);
      if (generated === undefined) throw new Error('nothing was generated');
      const wire = sent(generated, deviceId);
      change(wire);
      const [checked, signed] = [await check(toJson(wire)), await sign(toJson(wire))];
      expect(checked.statusCode, name).toBe(400);
      expect(checked.json<{ errors: object[] }>().errors, name).toEqual(signed.json<{ errors: object[] }>().errors);
    }
  });

  test('knows the original of a note, and what is left of it', async () => {
    const deviceId = await service.addDevice(shop.taxpayerId);
    await sign(invoice(deviceId, 'ORIGINAL'));
    expect((await check(creditNote(deviceId, 'CREDIT', 'ORIGINAL'))).statusCode).toBe(200);
    await sign(creditNote(deviceId, 'CREDIT', 'ORIGINAL'));
    const again = await check(creditNote(deviceId, 'CREDIT-2', 'ORIGINAL'));
    expect(again.statusCode).toBe(400);
    expect(again.json()).toMatchObject({ errors: [{ Code: 'RCPT035' }] });
    expect((await check(creditNote(deviceId, 'CREDIT-3', 'NOWHERE'))).json()).toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ Code: 'RCPT032' })]),
    });
  });

  test('of a reference that is sealed says so, or what differs', async () => {
    const deviceId = await service.addDevice(shop.taxpayerId);
    await sign(invoice(deviceId, 'SEALED'));
    const same = await check(invoice(deviceId, 'SEALED'));
    expect([same.statusCode, same.headers['idempotent-replay']]).toEqual([200, 'true']);
    expect(same.json()).not.toHaveProperty('DeviceHash');
    const other = await check(invoice(deviceId, 'SEALED', { Cashier: 'Rudo' }));
    expect([other.statusCode, other.json<{ Code: string }>().Code]).toEqual([409, 'ReferenceConflict']);
    const broken = await check(invoice(deviceId, 'SEALED', { TotalAmount: 1 }));
    expect(broken.statusCode, 'a sealed reference decides before every rule').toBe(409);
  });

  test('says what a good receipt would have to wait for, and never answers 503', async () => {
    const closed = await service.addDevice(shop.taxpayerId, { isOpen: false });
    const good = await check(invoice(closed, 'WAITS'));
    expect([good.statusCode, good.headers['not-now'], good.headers['retry-after']]).toEqual([
      200,
      'FiscalDayNotOpen',
      expect.stringMatching(/^[1-9]\d*$/),
    ]);
    const bad = await check(
      invoice(closed, 'WAITS', { Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: 115.5, TaxAmount: 1 }] }),
    );
    expect(bad.statusCode).toBe(400);
    const future = await check(invoice(closed, 'WAITS', { Date: '2026-11-15T13:00:00' }));
    expect(future.json()).toMatchObject({ errors: [{ Code: 'RCPT031' }] });

    const open = await service.addDevice(shop.taxpayerId);
    service.now = new Date('2026-11-16T00:30:00Z');
    const inWindow = await check(invoice(open, 'WAITS', { Date: '2026-11-15T23:00:00' }));
    service.now = NOON;
    expect([inWindow.statusCode, inWindow.headers['not-now'], inWindow.headers['retry-after']]).toEqual([
      200,
      'MaintenanceWindow',
      '5400',
    ]);
  });

  test('says that a device is on hold, once the receipt itself is good', async () => {
    const deviceId = await service.addDevice(shop.taxpayerId);
    await service.pool.query(
      `insert into alerts (taxpayer_id, device_id, kind, message)
       select taxpayer_id, device_id, 'Operator', 'Stolen' from devices where device_id = $1`,
      [deviceId],
    );
    const good = await check(invoice(deviceId, 'HELD'));
    expect([good.statusCode, good.headers['not-now'], good.headers['retry-after']]).toEqual([
      200,
      'DeviceOnHold',
      '60',
    ]);
    const future = await check(invoice(deviceId, 'HELD', { Date: '2026-11-15T13:00:00' }));
    expect(future.json()).toMatchObject({ errors: [{ Code: 'RCPT031' }] });
  });

  test('says that a device is too far ahead of the clock', async () => {
    const deviceId = await service.addDevice(shop.taxpayerId);
    await service.pool.query(
      "update device_heads set last_date = '2026-11-15T12:10:00', revision = revision + 1 where device_id = $1",
      [deviceId],
    );
    const answer = await check(invoice(deviceId, 'BUSY'));
    expect([answer.statusCode, answer.headers['not-now'], answer.headers['retry-after']]).toEqual([
      200,
      'DeviceBusy',
      '301',
    ]);
  });

  test('a device of somebody else is one that does not exist', async () => {
    const other = await service.addTaxpayer();
    const deviceId = await service.addDevice(other.taxpayerId);
    expect((await check(invoice(deviceId, 'FOREIGN'))).json()).toMatchObject({ errors: [{ Code: 'DeviceUnknown' }] });
    expect((await check(invoice(-5, 'FOREIGN'))).json()).toMatchObject({ errors: [{ Code: 'DeviceUnknown' }] });
  });
});
