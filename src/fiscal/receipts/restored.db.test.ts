import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { codeOf, errorsOf, openShop } from '../../../test/support/shop.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { noteRestore } from '../devices/restore-store.ts';
import { issueToken } from '../taxpayers/issue-token.ts';

const TAKEN_AT = new Date(NOON.getTime() - 86_400_000);
const UNKNOWN = 899_999;

let service: TestService;
let operator: string;
let shop: Awaited<ReturnType<typeof openShop>>;

beforeAll(async () => {
  service = await createTestService();
  operator = (await issueToken(service.pool, { taxpayerId: null, name: 'Tendai', scopes: ['admin'] })).token;
  shop = await openShop(service);
});
afterAll(() => service.close());

const sell = (deviceId: number, reference: string) => service.sign(shop.token, invoice(deviceId, reference));
const restore = () => inTransaction(service.pool, (tx) => noteRestore(tx, { backupTakenAt: TAKEN_AT, markedAt: NOON }));
const complete = () => service.call(operator, 'POST', '/api/admin/restore/complete');
const openAlerts = async () =>
  (await service.get(operator, '/api/admin/alerts'))
    .json<{ Alerts: { Kind: string; Message: string }[] }>()
    .Alerts.filter(({ Kind }) => Kind === 'DevicesIncomplete');

test('after a restore an unknown device is on hold for everybody alike, until an operator says that all devices are here', async () => {
  const anothers = await openShop(service);
  expect(errorsOf(await sell(UNKNOWN, 'U-1'))).toEqual(['AuthorityDeviceId DeviceUnknown']);
  expect((await complete()).statusCode).toBe(404);
  const sealed = await sell(shop.deviceId, 'KNOWN-1');

  await restore();
  const answers = [await sell(UNKNOWN, 'U-1'), await sell(anothers.deviceId, 'U-1'), await sell(-5, 'U-1')];
  for (const answer of answers) {
    expect([answer.statusCode, codeOf(answer), answer.headers['retry-after']]).toEqual([503, 'DeviceOnHold', '60']);
    expect(answer.json()).toMatchObject({ Then: 'Again' });
  }
  const words = answers.map((answer) => answer.json<{ detail: string }>().detail.replace(/^Device -?[0-9]+ /, ''));
  expect(new Set(words).size).toBe(1);
  expect(words[0]).toContain(`restored from the backup of ${TAKEN_AT.toISOString()}`);

  // What is known goes on, and what is sealed is answered with its seal.
  expect((await sell(shop.deviceId, 'KNOWN-2')).statusCode).toBe(200);
  expect((await sell(shop.deviceId, 'KNOWN-1')).json()).toEqual(sealed.json());
  const replayed = { ...invoice(UNKNOWN, 'KNOWN-1') };
  expect((await service.sign(shop.token, replayed)).statusCode).toBe(409);

  const [alert] = await openAlerts();
  expect(alert?.Message).toContain(TAKEN_AT.toISOString());
  const overview = await service.get(operator, '/api/admin/overview');
  const shown = { BackupTakenAt: TAKEN_AT.toISOString(), RestoredAt: NOON.toISOString() };
  expect(overview.json()).toMatchObject({ Restored: shown });

  const completed = await complete();
  expect([completed.statusCode, completed.json()]).toEqual([200, shown]);
  expect(errorsOf(await sell(UNKNOWN, 'U-1'))).toEqual(['AuthorityDeviceId DeviceUnknown']);
  expect(await openAlerts()).toEqual([]);
  expect((await service.get(operator, '/api/admin/overview')).json()).toMatchObject({ Restored: null });
  const audit = (await service.get(operator, '/api/admin/audit?Limit=1')).json<{ Entries: object[] }>();
  expect(audit.Entries[0]).toMatchObject({
    Action: 'restore.completed',
    Actor: expect.stringContaining('Tendai'),
    Before: shown,
  });
});

test('a receipt for a missing device is told its errors, and its check that it has to wait', async () => {
  await restore();
  const wrong = await service.sign(shop.token, invoice(UNKNOWN, 'WRONG', { TotalAmount: 1 }));
  expect([wrong.statusCode, wrong.json<{ Then: string }>().Then]).toEqual([400, 'SetAside']);
  expect(errorsOf(wrong)).not.toContain('AuthorityDeviceId DeviceUnknown');
  const checked = await service.post(shop.token, '/api/receipt/check', invoice(UNKNOWN, 'GOOD'));
  expect([checked.statusCode, checked.headers['not-now'], checked.headers['retry-after']]).toEqual([
    200,
    'DeviceOnHold',
    '60',
  ]);
  await restore();
  expect(await openAlerts()).toHaveLength(1);
  await complete();
});
