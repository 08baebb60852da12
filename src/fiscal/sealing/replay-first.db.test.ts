import { afterEach, beforeEach, expect, test } from 'vitest';
import { headOf } from '../../../test/support/receipts/chain.ts';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { codeOf, openShop, type Shop } from '../../../test/support/shop.ts';

let service: TestService;
let shop: Shop;
beforeEach(async () => {
  service = await createTestService();
  shop = await openShop(service);
});
afterEach(() => service.close());

async function changeDevice(statement: string, values: unknown[] = []): Promise<void> {
  await service.pool.query(statement, [shop.deviceId, ...values]);
  await service.pool.query('update device_heads set revision = revision + 1 where device_id = $1', [shop.deviceId]);
}

const HOLD = `insert into alerts (taxpayer_id, device_id, kind, message)
  select taxpayer_id, device_id, 'Operator', 'certificate revoked' from devices where device_id = $1`;

const CHANGES: [
  string,
  { status: number; code: string; retryAfter: string | undefined },
  () => Promise<void> | void,
][] = [
  [
    'the maintenance window',
    { status: 503, code: 'MaintenanceWindow', retryAfter: '5400' },
    () => {
      service.now = new Date('2026-11-16T00:30:00Z');
    },
  ],
  [
    'a closed day',
    { status: 503, code: 'FiscalDayNotOpen', retryAfter: '60' },
    () => changeDevice("update device_heads set day_state = 'Closed' where device_id = $1"),
  ],
  [
    'a closing day',
    { status: 503, code: 'FiscalDayNotOpen', retryAfter: '60' },
    () => changeDevice("update device_heads set day_state = 'Closing' where device_id = $1"),
  ],
  [
    'a day that is too long',
    { status: 503, code: 'FiscalDayTooLong', retryAfter: '60' },
    () => {
      service.now = new Date(NOON.getTime() + 24 * 3_600_000 + 1000);
    },
  ],
  ['a blocked device', { status: 503, code: 'DeviceOnHold', retryAfter: '60' }, () => changeDevice(HOLD)],
  [
    'taxes that are no longer valid',
    { status: 400, code: 'InvalidRequest', retryAfter: undefined },
    async () => {
      const taxes = [
        { taxId: 517, taxPercent: '15.5', taxName: 'Old', validFrom: '2026-01-01', validTill: '2026-11-14' },
      ];
      await changeDevice(
        `insert into device_configurations (taxpayer_id, device_id, configuration_version, serial_number, qr_url,
           day_maximum_hours, taxes, received_at)
         select taxpayer_id, device_id, 2, serial_number, qr_url, day_maximum_hours, $2, '2026-11-15 11:00:00+02'
           from device_configurations where device_id = $1`,
        [JSON.stringify(taxes)],
      );
      await changeDevice('update device_heads set configuration_version = 2 where device_id = $1');
    },
  ],
  [
    'a head that has moved far past the date',
    { status: 400, code: 'InvalidRequest', retryAfter: undefined },
    () => {
      service.now = new Date(NOON.getTime() + 3_600_000);
      return changeDevice("update device_heads set last_date = '2026-11-15 13:00:00' where device_id = $1");
    },
  ],
];

test.each(CHANGES)(
  'a retry is answered in spite of %s, which refuses a new receipt',
  async (_name, refused, change) => {
    const sealed = await service.sign(shop.token, invoice(shop.deviceId, 'P-1'));
    await change();
    const head = await headOf(service.pool, shop.deviceId);
    const fresh = await service.sign(shop.token, invoice(shop.deviceId, 'P-2'));
    expect([fresh.statusCode, codeOf(fresh)], fresh.body).toEqual([refused.status, refused.code]);
    expect(fresh.headers['retry-after']).toBe(refused.retryAfter);

    const replay = await service.sign(shop.token, invoice(shop.deviceId, 'P-1'));
    expect([replay.statusCode, replay.headers['idempotent-replay']], replay.body).toEqual([200, 'true']);
    const { SubmissionFailed: _first, ...seal } = sealed.json<Record<string, unknown>>();
    expect(replay.json()).toMatchObject(seal);
    const conflict = await service.sign(shop.token, invoice(shop.deviceId, 'P-1', { BuyerName: 'Chipo' }));
    expect(conflict.statusCode).toBe(409);
    expect(await headOf(service.pool, shop.deviceId)).toEqual(head);
  },
);

test('a device that is blocked names itself and the reason, and a receipt with errors is still told its errors', async () => {
  await changeDevice(HOLD);
  const answer = await service.sign(shop.token, invoice(shop.deviceId, 'B-1'));
  expect(answer.json<{ detail: string }>().detail).toContain(`Device ${shop.deviceId} is on hold: certificate revoked`);
  const wrong = await service.sign(shop.token, invoice(shop.deviceId, 'B-1', { TotalAmount: 1 }));
  expect([wrong.statusCode, codeOf(wrong)]).toEqual([400, 'InvalidRequest']);
});

test('a day whose close failed still seals', async () => {
  await changeDevice("update device_heads set day_state = 'CloseFailed' where device_id = $1");
  expect((await service.sign(shop.token, invoice(shop.deviceId, 'B-2'))).statusCode).toBe(200);
});

test('a credit note is replayed although nothing is left to credit, and its original was refused since', async () => {
  await service.sign(shop.token, invoice(shop.deviceId, 'N-1'));
  const note = creditNote(shop.deviceId, 'N-2', 'N-1');
  expect((await service.sign(shop.token, note)).statusCode).toBe(200);
  await service.pool.query(
    `insert into submissions (taxpayer_id, device_id, global_counter, state, failed_at, error)
     values ($1, $2, 1, 'Refused', now(), 'malformed')`,
    [shop.taxpayerId, shop.deviceId],
  );
  const replay = await service.sign(shop.token, note);
  expect([replay.statusCode, replay.headers['idempotent-replay']], replay.body).toEqual([200, 'true']);
});

test('a replay after HS defaults changed is answered with the codes that were sealed', async () => {
  const hs = { Taxed: '85160000', ZeroRated: '19059010', Exempt: '99990000' };
  const other = await openShop(service, {}, { defaultHsCodes: hs });
  const line = { Type: 'Sale', Name: 'Pot', Quantity: 1, LineTotal: 115.5, TaxPercent: 15.5 };
  const receipt = invoice(other.deviceId, 'HS-1', { ReceiptLines: [line] });
  const sealed = await service.sign(other.token, receipt);
  expect(sealed.json()).toMatchObject({ ReceiptLines: [{ HsCode: '85160000' }] });
  await service.pool.query('update taxpayers set default_hs_taxed = null where taxpayer_id = $1', [other.taxpayerId]);
  const replay = await service.sign(other.token, receipt);
  expect([replay.statusCode, replay.headers['idempotent-replay']], replay.body).toEqual([200, 'true']);
  expect(replay.json()).toMatchObject({ ReceiptLines: [{ HsCode: '85160000' }] });
  const spelledOut = { ...receipt, ReceiptLines: [{ ...line, HsCode: '85160000' }] };
  expect((await service.sign(other.token, spelledOut)).statusCode).toBe(409);
});

test('a replay shows how the submission stands now', async () => {
  const receipt = invoice(shop.deviceId, 'N-3');
  const sealed = await service.sign(shop.token, receipt);
  expect(sealed.json<{ SubmissionError: string | null }>().SubmissionError).toEqual(expect.any(String));
  await service.pool.query(
    "insert into submissions (taxpayer_id, device_id, global_counter, state) values ($1, $2, 1, 'Submitted')",
    [shop.taxpayerId, shop.deviceId],
  );
  expect((await service.sign(shop.token, receipt)).json()).toMatchObject({
    SubmissionFailed: null,
    SubmissionError: null,
  });
});
