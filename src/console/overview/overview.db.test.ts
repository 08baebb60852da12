import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { openShop, plainNote, plainReceipt, type Shop } from '../../../test/support/shop.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';
import { countMinutes, RECEIPTS, readMinutes } from './minute-store.ts';

let service: TestService;
let shop: Shop;
let token: string;

beforeAll(async () => {
  service = await createTestService();
  shop = await openShop(service);
  await service.addDevice(shop.taxpayerId, { isOpen: false });
  token = (await issueToken(service.pool, { name: 'operator', scopes: ['admin'] })).token;
});
afterAll(() => service.close());

const overview = async () => (await service.get(token, '/api/admin/overview')).json();
const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1000);
const sell = async (reference: string, amount: string) => {
  const receipt = amount.startsWith('-')
    ? plainNote(shop.deviceId, reference, 'A-1', amount)
    : plainReceipt(shop.deviceId, reference, amount);
  const answer = await service.sign(shop.token, receipt);
  if (answer.statusCode !== 200) throw new Error(answer.body);
};

describe('the overview', () => {
  test('adds up what was sealed, to the cent, before and after its minutes are counted', async () => {
    await sell('A-1', '9999999999999999.99');
    await sell('A-2', '0.02');
    service.now = later(120);
    await sell('A-3', '-0.01');
    const expected = [{ Currency: 'USD', Receipts: 3, Total: 10_000_000_000_000_000 }];
    const at = async (seconds: number) => {
      service.now = later(seconds);
      return overview();
    };
    expect((await at(121)).Today.Totals).toEqual(expected);
    const { Today, ReceiptsPerMinute } = await at(600);
    expect(Today.Totals).toEqual(expected);
    expect(ReceiptsPerMinute.Counts).toHaveLength(60);
    const [noon, twoLater] = [59 - 10, 59 - 8];
    expect([ReceiptsPerMinute.Counts[noon], ReceiptsPerMinute.Counts[twoLater]]).toEqual([2, 1]);
    expect(ReceiptsPerMinute.Counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(3);
  });

  test('tells how the devices and the backlog stand, and what came last', async () => {
    const { Devices, Authority, LatestReceipts, Backlog } = await overview();
    expect(Devices).toEqual({
      DayStates: { Opened: 1, Closed: 1 },
      Blocked: 0,
      Stopped: 0,
      Red: 0,
      StoppedDayStates: {},
    });
    expect(Authority).toEqual({ State: 'Up', Reason: null });
    expect(Backlog.Receipts).toBe(0);
    const references = LatestReceipts.map((receipt: { Reference: string }) => receipt.Reference);
    expect(references).toEqual(['A-3', 'A-2', 'A-1']);
    expect(LatestReceipts[0]).toMatchObject({ State: 'Pending', TotalAmount: -0.01 });
  });

  test('counts devices whose open day has a red receipt, which the authority will not close', async () => {
    const red = async () => (await overview()).Devices.Red;
    await service.pool.query(
      `insert into submissions (taxpayer_id, device_id, global_counter, state, worst_colour)
       values ($1, $2, 1, 'Submitted', 'Red')`,
      [shop.taxpayerId, shop.deviceId],
    );
    expect(await red()).toBe(1);
    const of = `where device_id = ${shop.deviceId}`;
    await service.pool.query(`update device_heads set day_state = 'Closed' ${of}`);
    expect(await red()).toBe(0);
    // It was one of the day before.
    const { rows } = await service.pool.query(
      `update device_heads set day_state = 'Opened', fiscal_day_counter = 1 ${of} returning global_counter`,
    );
    expect([rows[0].global_counter, await red()]).toEqual([3, 0]);
    await service.pool.query(`update device_heads set fiscal_day_counter = 3 ${of}`);
  });

  test('warns of days that end and certificates that expire', async () => {
    await service.pool.query('update device_keys set certificate_valid_till = $1', [later(29 * 86_400)]);
    service.now = later(21 * 3600);
    const { DaysNearMaximum, CertificatesExpiring } = await overview();
    expect(DaysNearMaximum).toEqual([
      expect.objectContaining({ AuthorityDeviceId: shop.deviceId, At: later(23 * 3600).toISOString() }),
    ]);
    expect(CertificatesExpiring).toHaveLength(2);
  });
});

test("today is that of the installation's zone, wherever the devices are", async () => {
  const far = await createTestService({ timeZone: 'Pacific/Auckland' });
  try {
    await openShop(far);
    const operator = await issueToken(far.pool, { name: 'operator', scopes: ['admin'] });
    const { Today } = (await far.get(operator.token, '/api/admin/overview')).json();
    // Noon of 15 November in Harare is 23:00 there.
    expect(Today).toMatchObject({ Zone: 'Pacific/Auckland', Since: '2026-11-14T11:00:00.000Z' });
    const session = (await far.app.inject('/api/admin/session')).json();
    expect(session).toEqual({
      Person: null,
      OpenIdProvider: null,
      TimeZone: 'Pacific/Auckland',
      TaxRounding: 'half-even',
      Authority: 'Simulator',
    });
  } finally {
    await far.close();
  }
});

test('a minute is counted once, by however many instances', async () => {
  service.now = later(700);
  await Promise.all([1, 2, 3].map(() => countMinutes(service.pool, RECEIPTS, service.now)));
  const minutes = await readMinutes(service.pool, RECEIPTS, NOON);
  expect(minutes.reduce((sum, minute) => sum + minute.count, 0)).toBe(3);
});

test('the overview of a taxpayer counts what is theirs, over all their devices, and nothing of others', async () => {
  const other = await service.addTaxpayer();
  const at = `/api/admin/taxpayers/${other.taxpayerId}/overview`;
  const nothing = { DayStates: {}, Blocked: 0, Stopped: 0, Red: 0, StoppedDayStates: {} };
  expect((await service.get(token, at)).json()).toMatchObject({ Devices: nothing, OpenDays: [] });
  const [first, second] = [await service.addDevice(other.taxpayerId), await service.addDevice(other.taxpayerId)];
  await service.addDevice(other.taxpayerId, { isOpen: false });
  for (const [deviceId, reference, amount] of [
    [first, 'B-1', '10.10'],
    [second, 'B-2', '0.25'],
  ] as const) {
    expect((await service.sign(other.token, plainReceipt(deviceId, reference, amount))).statusCode).toBe(200);
  }
  const { Devices, OpenDays, Backlog, Alerts } = (await service.get(token, at)).json();
  expect(Devices).toEqual({ ...nothing, DayStates: { Opened: 2, Closed: 1 } });
  expect(OpenDays).toEqual([{ Currency: 'USD', Receipts: 2, Total: 10.35 }]);
  expect([Backlog.Receipts, Alerts.Newest]).toEqual([0, []]);
});
