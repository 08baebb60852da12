import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tillseal } from '../../../test/support/command-line.ts';
import { until } from '../../../test/support/process.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { openShop, type Shop, takeLane } from '../../../test/support/shop.ts';
import type { Alert, AlertWithReport } from '../../contract/fiscal/alert.ts';
import { raise } from '../../platform/alerts/store.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';
import { holdDevice } from '../devices/hold-device.ts';
import { wakeLane } from '../lanes/store.ts';
import { lookForOutages } from './look-for-outages.ts';
import { updateOutage } from './outage-store.ts';
import { findAlert } from './store.ts';

let service: TestService;
let operator: string;
let shop: Shop;

beforeAll(async () => {
  service = await createTestService();
  operator = (await issueToken(service.pool, { name: 'Tendai', scopes: ['admin'] })).token;
});
afterAll(() => service.close());
beforeEach(async () => {
  service.now = NOON;
  await service.pool.query('delete from outages');
  await service.pool.query('delete from alerts');
  await service.pool.query('delete from device_lanes');
  shop = await openShop(service);
  await takeLane(service, shop);
});

const look = () => lookForOutages({ pool: service.pool, clock: () => service.now, timeZone: 'Africa/Harare' });
const later = (minutes: number) => {
  service.now = new Date(service.now.getTime() + minutes * 60_000);
};
const request = (method: 'GET' | 'PATCH', url: string, body?: object) => service.call(operator, method, url, body);
const block = (BlockedReason: string | null, deviceId = shop.deviceId) =>
  request('PATCH', `/api/admin/devices/${deviceId}`, { BlockedReason });
/** Outages, found from their alerts: all, or those that are open work. */
async function list(query = 'IncludeCleared=true') {
  const url = `/api/admin/alerts?${query}`;
  const { Alerts, NextCursor } = (await request('GET', url)).json<{ Alerts: Alert[]; NextCursor: string | null }>();
  const stopped = Alerts.filter(({ Kind }) => Kind === 'DeviceStopped');
  return { Outages: stopped.map(({ Outage, ...alert }) => ({ ...alert, ...Outage })), NextCursor };
}
const openWork = async () => (await list('')).Outages;
const change = async (outage: { readonly Number: string } | undefined, body: object) =>
  request('PATCH', `/api/admin/alerts/${outage?.Number}`, body);
async function alerts(): Promise<string[]> {
  const { rows } = await service.pool.query<{ kind: string; message: string }>(
    "select kind, message from alerts where cleared_at is null and kind not in ('Operator', 'Restored', 'AuthorityAhead') order by kind",
  );
  return rows.map(({ kind, message }) => `${kind}: ${message}`);
}

test('a device that an operator blocks is out of use, with an alert, until it can seal again', async () => {
  await look();
  expect((await list()).Outages).toEqual([]);
  await block('Stolen');
  later(1);
  await look();
  expect((await list()).Outages).toMatchObject([
    {
      AuthorityDeviceId: shop.deviceId,
      Code: 'DeviceOnHold',
      Problem: 'Stolen',
      BeganAt: NOON.toISOString(),
      EndedAt: null,
    },
  ]);
  expect(await openWork()).toHaveLength(1);
  const [alert] = await alerts();
  expect(alert).toContain(`Device ${shop.deviceId} has been out of use since 2026-11-15T12:00:00+02:00: Stolen. `);
  expect(alert).toMatch(/Blocked by Tendai \(token [-0-9a-f]+\); it is unblocked on its page in the console, or by/);
  later(2);
  await block(null);
  await look();
  expect((await list()).Outages).toMatchObject([{ EndedAt: service.now.toISOString() }]);
  expect([await openWork(), await alerts()]).toEqual([[], []]);
});

test('after six hours the report is due, and the alert about it ends with its reference number', async () => {
  await block('Stolen');
  await look();
  later(6 * 60);
  await look();
  expect(await alerts()).toEqual([
    expect.stringMatching(/^DeviceStopped: /),
    expect.stringContaining('Report it to the authority by 2026-11-15T20:00:00+02:00, outside business hours by 8 am'),
  ]);
  expect((await alerts())[1]).toContain(
    `The text, ready to copy: REPORT: FISCAL DEVICE OUT OF USE; TIN: 2000000001; Company: Test shop; Contact: (please fill in); Device: registration number ${shop.deviceId}, serial number SN-TEST; Out of use since: 2026-11-15 12:00; Problem: Stolen; How sales are recorded meanwhile: Every sale`,
  );
  const [outage] = (await list()).Outages;
  await change(outage, { SalesRecording: 'Invoice book 12' });
  await look();
  expect((await alerts())[1]).toMatch(/How sales are recorded meanwhile: Invoice book 12$/);
  expect(await change(outage, { ReferenceNumber: 'ERR-1' })).toMatchObject({ statusCode: 200 });
  later(1);
  await look();
  expect(await alerts()).toEqual([expect.stringMatching(/^DeviceStopped: /)]);
  await change(outage, { ReferenceNumber: null });
  await look();
  expect(await alerts()).toHaveLength(2);
});

test('what is acquitted of an earlier outage does not end the reminder of this one', async () => {
  await block('Stolen');
  await look();
  const [earlier] = (await list()).Outages;
  await change(earlier, { ReferenceNumber: 'ERR-1' });
  await block(null);
  await look();
  await block('Stolen again');
  later(6 * 60);
  await look();
  expect(await change(earlier, { Acquitted: true })).toMatchObject({ statusCode: 200 });
  expect(await alerts()).toHaveLength(2);
});

test('one that the authority has to hear of stays open work until it is acquitted, in the audit log as well', async () => {
  await block('Stolen');
  await look();
  const [outage] = (await list()).Outages;
  const early = await change(outage, { ReferenceNumber: 'ERR-1', Acquitted: true });
  expect([early.statusCode, early.json().errors]).toMatchObject([400, [{ Field: 'Acquitted', Code: 'NotOneOf' }]]);
  expect((await change(outage, { Acquitted: true, ReportedAt: 'yesterday' })).json().errors).toHaveLength(3);
  await change(outage, { ReferenceNumber: 'ERR-1', ReportedAt: '2026-11-15T13:00:00+02:00' });
  await block(null);
  await look();
  expect(await openWork()).toMatchObject([
    { ReferenceNumber: 'ERR-1', ReportedAt: '2026-11-15T11:00:00.000Z', AcquittedAt: null },
  ]);
  later(60);
  const acquitted = (await change(outage, { Acquitted: true })).json<Alert>();
  expect(acquitted.Outage).toMatchObject({ AcquittedAt: service.now.toISOString() });
  expect(await openWork()).toEqual([]);
  const { rows } = await service.pool.query(
    `select after ->> 'ReferenceNumber' as reference from audit_log where action = 'outage.changed' and actor like 'Tendai%' and subject = $1`,
    [`device ${shop.deviceId}`],
  );
  expect(rows).toEqual([{ reference: 'ERR-1' }, { reference: 'ERR-1' }]);
});

test('open ones are listed, ended ones on request, page by page, and can be narrowed to a device or taxpayer', async () => {
  const other = await openShop(service);
  await takeLane(service, other);
  for (const deviceId of [shop.deviceId, other.deviceId]) {
    await block('Stolen', deviceId);
    await look();
  }
  await block(null, other.deviceId);
  await look();
  expect((await openWork()).map(({ AuthorityDeviceId }) => AuthorityDeviceId)).toEqual([shop.deviceId]);
  const first = await list('IncludeCleared=true&Limit=1');
  expect(first).toMatchObject({ Outages: [{ AuthorityDeviceId: other.deviceId, ClearedAt: expect.any(String) }] });
  const second = await list(`IncludeCleared=true&Limit=1&Cursor=${first.NextCursor}`);
  expect(second).toMatchObject({ Outages: [{ AuthorityDeviceId: shop.deviceId, ClearedAt: null }], NextCursor: null });
  for (const query of [`AuthorityDeviceId=${other.deviceId}`, `TaxpayerId=${other.taxpayerId}`]) {
    expect(
      (await list(`${query}&IncludeCleared=true`)).Outages.map(({ AuthorityDeviceId }) => AuthorityDeviceId),
    ).toEqual([other.deviceId]);
  }
});

test('the report names every device of the taxpayer that is out of use now, and no other', async () => {
  const second = { ...shop, deviceId: await service.addDevice(shop.taxpayerId, { serialNumber: 'SN-SECOND' }) };
  const neighbour = await openShop(service);
  for (const one of [second, neighbour]) await takeLane(service, one);
  await service.pool.query(
    `update device_configurations set branch_contacts = '{"phoneNo":"0242 700 000","email":null}' where device_id = $1`,
    [shop.deviceId],
  );
  for (const { deviceId } of [shop, second, neighbour]) await block('Stolen', deviceId);
  await look();
  const [outage] = (await list(`AuthorityDeviceId=${shop.deviceId}`)).Outages;
  const { Report } = (await request('GET', `/api/admin/alerts/${outage?.Number}`)).json<AlertWithReport>();
  expect(Report).toContain('TIN: 2000000001\nCompany: Test shop\nContact: 0242 700 000\n');
  expect(
    [...(Report ?? '').matchAll(/registration number (\d+), serial number (\S+)/g)].map((match) => match.slice(1)),
  ).toEqual([
    [String(shop.deviceId), 'SN-TEST'],
    [String(second.deviceId), 'SN-SECOND'],
  ]);
  expect(Report).toContain('a slip that says that it is not a fiscal receipt');
  const changed = (await change(outage, { SalesRecording: 'Invoice book 12' })).json<AlertWithReport>();
  expect(changed.Report).toContain('How sales are recorded meanwhile: Invoice book 12\n');
});

test('a day that is neither open nor about to be is an outage after two minutes; a shorter pause leaves no trace', async () => {
  await service.pool.query("update device_heads set day_state = 'Closing' where device_id = $1", [shop.deviceId]);
  await look();
  later(1);
  await look();
  expect([(await list()).Outages, await alerts()]).toEqual([[], []]);
  later(1);
  await look();
  expect((await list()).Outages).toMatchObject([{ Code: 'FiscalDayNotOpen', BeganAt: NOON.toISOString() }]);
  await service.pool.query("update device_heads set day_state = 'Opened' where device_id = $1", [shop.deviceId]);
  await look();
  await service.pool.query("update device_heads set day_state = 'Closing' where device_id = $1", [shop.deviceId]);
  await look();
  await service.pool.query("update device_heads set day_state = 'Opened' where device_id = $1", [shop.deviceId]);
  await look();
  const { rows } = await service.pool.query('select from outages where device_id = $1', [shop.deviceId]);
  expect(rows).toHaveLength(1);
});

test('after ten hours in which commits waited for a standby the report is due for every device that could have sold', async () => {
  const [other, left, unregistered] = [await openShop(service), await openShop(service), await openShop(service)];
  for (const one of [other, left]) await takeLane(service, one);
  await service.pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [left.taxpayerId]);
  await block('Stolen', other.deviceId);
  await service.pool.query("insert into alerts (kind, message, since) values ('CommitsWait', '', $1)", [NOON]);
  later(10 * 60);
  await look();
  expect(
    (await list()).Outages.map(({ AuthorityDeviceId, Code, BeganAt }) => [AuthorityDeviceId, Code, BeganAt]),
  ).toEqual([
    [other.deviceId, 'DeviceOnHold', NOON.toISOString()],
    [shop.deviceId, 'Unavailable', NOON.toISOString()],
  ]);
  expect((await alerts()).filter((alert) => alert.startsWith('ReportDue'))).toEqual([
    expect.stringContaining('Report it to the authority by 2026-11-15T20:00:00+02:00'),
    expect.stringContaining('Report it to the authority by 2026-11-15T20:00:00+02:00'),
  ]);
  await service.pool.query('update alerts set cleared_at = now() where kind = $1', ['CommitsWait']);
  await look();
  expect((await list()).Outages.map(({ AuthorityDeviceId, EndedAt }) => [AuthorityDeviceId, EndedAt])).toEqual([
    [other.deviceId, null],
    [shop.deviceId, service.now.toISOString()],
  ]);
  expect(unregistered.deviceId).toBeGreaterThan(0);
});

test('devices of a suspended taxpayer, and those not registered yet, are not missed', async () => {
  const unregistered = await openShop(service);
  await service.pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [shop.taxpayerId]);
  for (const { deviceId } of [shop, unregistered]) await block('Left us', deviceId);
  await look();
  expect((await list()).Outages).toEqual([]);
});

test('the outage of a device whose taxpayer is suspended is over, and nobody is reminded of it', async () => {
  await block('Left us');
  await look();
  await service.pool.query('update taxpayers set suspended_at = now() where taxpayer_id = $1', [shop.taxpayerId]);
  later(6 * 60);
  await look();
  expect((await list()).Outages).toMatchObject([{ EndedAt: service.now.toISOString() }]);
  expect([await openWork(), await alerts()]).toEqual([[], []]);
});

test('several instances that look at the same time tell of each outage once', async () => {
  const shops = [shop];
  for (let more = 0; more < 5; more += 1) shops.push(await openShop(service));
  for (const one of shops.slice(1)) await takeLane(service, one);
  for (const { deviceId } of shops) await block('Stolen', deviceId);
  await Promise.all(Array.from({ length: 6 }, look));
  expect((await list()).Outages).toHaveLength(6);
  expect(await alerts()).toHaveLength(6);
  for (const { deviceId } of shops) await block(null, deviceId);
  await Promise.all(Array.from({ length: 6 }, look));
  expect(await alerts()).toEqual([]);
});

test('an operator who changes an outage while the worker ends it waits for nothing that waits for the operator', async () => {
  await block('Stolen');
  await look();
  await block(null);
  const [outage] = (await list()).Outages;
  const { looking } = await inTransaction(service.pool, async (tx) => {
    const alertId = BigInt(outage?.Number ?? 0);
    await tx.query('select from outages where alert_id = $1 for update', [alertId]);
    const looking = look();
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => (await service.pool.query(waiting)).rowCount === 1, 'the look waits');
    const found = await findAlert(tx, alertId);
    if (found?.Outage) await updateOutage(tx, alertId, { ...found.Outage, SalesRecording: 'Invoice book 12' });
    return { looking };
  });
  await looking;
  expect((await list()).Outages).toMatchObject([
    { SalesRecording: 'Invoice book 12', EndedAt: service.now.toISOString() },
  ]);
});

const hold = (nth: number) => ({ kind: 'AuthorityAhead' as const, reason: `the ${nth}th` });

test('a fleet is looked at as a whole, and in portions, between which operators can write and others raise', async () => {
  await service.pool.query(`
    with made as (select 700000 + n as device_id from generate_series(1, 2100) n),
    d as (insert into devices (taxpayer_id, device_id, zone, maintenance_start_minute, date_policy, advance_limit_seconds, future_limit_seconds)
      select '${shop.taxpayerId}', device_id, 'Africa/Harare', 120, 'advance', 300, 120 from made returning device_id),
    k as (insert into device_keys (taxpayer_id, device_id, key_version, algorithm, public_key_pem, private_key_encrypted)
      select '${shop.taxpayerId}', device_id, 1, 'ECDSA-P256', '', '' from d),
    c as (insert into device_configurations (taxpayer_id, device_id, configuration_version, serial_number, qr_url, day_maximum_hours, taxes)
      select '${shop.taxpayerId}', device_id, 1, 'SN', '', 24, '[]' from d),
    h as (insert into device_heads (taxpayer_id, device_id, revision, key_version, configuration_version, day_state, fiscal_day_number,
        fiscal_day_counter, global_counter) select '${shop.taxpayerId}', device_id, 1, 1, 1, 'Closed', 0, 0, 0 from d),
    l as (insert into device_lanes (taxpayer_id, device_id) select '${shop.taxpayerId}', device_id from d)
    insert into alerts (taxpayer_id, device_id, kind, message) select '${shop.taxpayerId}', device_id, 'Restored', 'restored' from d`);
  service.now = new Date();
  await service.pool.query(
    'update devices set maintenance_start_minute = (extract(hour from now() at time zone zone)::integer * 60 + 720) % 1440',
  );
  const count = async () => (await service.pool.query('select from outages where device_id > 700000')).rowCount;
  const counts = new Set<number | null>();
  const looking = { isOver: false };
  const looked = look().finally(() => {
    looking.isOver = true;
  });
  // Whoever raises something about one of these devices waits for no lock for longer than 50 ms.
  const stopped = { taxpayerId: shop.taxpayerId, deviceId: 700_001 };
  for (let nth = 0; !looking.isOver; nth += 1) {
    counts.add(await count());
    await inTransaction(service.pool, async (tx) => {
      await tx.query("set local lock_timeout = '50ms'");
      await raise(tx, { kind: 'TaxesDiffer', ...stopped, message: `the ${nth}th` });
      await holdDevice(await wakeLane(tx, stopped), stopped, hold(nth), service.now);
    });
  }
  await looked;
  expect(counts.size).toBeGreaterThan(2);
  expect(await count()).toBe(2100);
  expect((await alerts()).filter((text) => text.startsWith('DeviceStopped: Device 70'))).toHaveLength(2100);
});

test('the command line lists them, prints the report, and records number and acquittal', async () => {
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const run = (...words: string[]) =>
    tillseal(['alerts', ...words], { environment: { TILLSEAL_URL: url, TILLSEAL_OPERATOR_TOKEN: operator } });
  await block('Stolen');
  await look();
  const number = (await list()).Outages[0]?.Number ?? '';
  expect((await run('--device', String(shop.deviceId))).stdout).toMatch(
    new RegExp(
      `^ *${number} .* ${shop.deviceId} +DeviceStopped +open +Device ${shop.deviceId} has been out of use`,
      'm',
    ),
  );
  expect((await run('report', number, '--sales-recording', 'Book 12')).stdout).toMatch(/^REPORT: [\s\S]*: Book 12\n$/);
  expect((await run('reference', number, 'ERR-7', '--at', '2026-11-15')).stdout).toMatch(
    /^Outage reference number +ERR-7\nOutage reported at +2026-11-15 00:00:00 \+02:00$/m,
  );
  const early = await run('acquit', number);
  expect([early.code, early.stderr]).toEqual([expect.any(Number), expect.stringContaining('is not over')]);
  await block(null);
  await look();
  expect((await run()).stdout).toMatch(/settled .* reported as ERR-7, to be acquitted/);
  expect((await run('acquit', number)).stdout).toMatch(/^Outage acquitted at +2026-11-15 12:00:00/m);
  expect((await run('show', number)).stdout).toMatch(/^Outage sales recording +Book 12$/m);
});
