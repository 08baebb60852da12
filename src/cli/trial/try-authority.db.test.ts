import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../../../test/support/authority/authority.ts';
import { type Ran, tillseal } from '../../../test/support/command-line.ts';
import { formatWall, wallOfInstant } from '../../kernel/zone.ts';
import { seconds } from '../../platform/clock.ts';

let bench: AuthorityBench;
let url: string;
let folder: string;

beforeAll(async () => {
  bench = await AuthorityBench.start({ now: new Date() });
  const { app } = bench.instance();
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'tillseal-trial-'));
});
afterEach(() => bench.books.clearFaults());
afterAll(async () => {
  await bench.end();
  await rm(folder, { recursive: true, force: true });
});

/** Whatever the time is, the maintenance window is half a day away. */
const windowStart = () => formatWall(wallOfInstant('Africa/Harare', seconds(new Date()) + 12 * 3600)).slice(11, 16);

/** The command as a person runs it, while time passes. */
async function tryAuthority(words: readonly string[], input?: string): Promise<Ran> {
  const environment = {
    TILLSEAL_URL: url,
    TILLSEAL_TOKEN: bench.shop.token,
    TILLSEAL_OPERATOR_TOKEN: bench.adminToken,
  };
  const state = { hasEnded: false };
  const running = tillseal(['try-authority', ...words], {
    environment,
    cwd: folder,
    ...(input === undefined ? {} : { input }),
  }).finally(() => {
    state.hasEnded = true;
  });
  while (!state.hasEnded) {
    await delay(40);
    await bench.advance(1);
  }
  return running;
}

test('a device is tried from registration to a closed day, and the report says that everything agrees', async () => {
  const { deviceId, registration } = await bench.announceDevice();
  const device = [String(deviceId), '--taxpayer', registration.TaxpayerId, '--serial', registration.SerialNumber];
  const ran = await tryAuthority(
    [...device, '--activation-key', '-', '--maintenance-start', windowStart(), '--report', join(folder, 'good.md')],
    `${registration.ActivationKey}\n`,
  );
  expect([ran.stderr, ran.stdout]).toEqual(['', expect.stringContaining('Everything agrees.')]);
  const report = await readFile(join(folder, 'good.md'), 'utf8');
  expect(ran.code).toBe(0);
  expect(report).toMatch(/^\| Result \| all \d+ comparisons agree \|$/m);
  expect(report).toContain('| yes | GetStatus: last receipt number | 5 | 5 |');
  expect(report).toContain(
    '| yes | Exact halves: TAX_ROUNDING, and what the authority takes | half-even | half-even |',
  );
  expect(report).toContain('| yes | GetStatus: state of the day | FiscalDayClosed | FiscalDayClosed |');
  expect(report).not.toContain('**no**');
  expect(report).not.toContain(registration.ActivationKey);
  expect((await bench.books.receipts(deviceId)).map(({ colour }) => colour)).toEqual([null, null, null, null, null]);
  expect(await bench.books.day(deviceId, 1)).toMatchObject({ reconciliationMode: 'Auto' });
});

test('an authority that rounds exact halves the other way is found, and named', async () => {
  const { deviceId, registration } = await bench.announceDevice({ registration: { MaintenanceStart: windowStart() } });
  expect((await bench.admin('POST', '/api/admin/devices', registration)).statusCode).toBe(201);
  await bench.books.control('PATCH', '/settings', { rounding: 'half-up' });
  const ran = await tryAuthority([String(deviceId), '--json']);
  await bench.books.control('PATCH', '/settings', { rounding: 'half-even' });
  const { Checks } = JSON.parse(ran.stdout) as { Checks: { What: string; Expected: string; Found: string }[] };
  expect(Checks.filter(({ What }) => What.startsWith('Exact halves'))).toEqual([
    expect.objectContaining({ Expected: 'half-even', Found: 'half-up', Agrees: false }),
  ]);
});

test('what does not agree is in the report, with the words of the authority, and ends with 1', async () => {
  const { deviceId, registration } = await bench.announceDevice({
    registration: { MaintenanceStart: windowStart() },
  });
  expect((await bench.admin('POST', '/api/admin/devices', registration)).statusCode).toBe(201);
  await bench.books.fault({ kind: 'remark', code: 'RCPT020', colour: 'Red', deviceId, count: 1 });
  const ran = await tryAuthority([String(deviceId), '--json']);
  expect([ran.stderr, ran.code]).toEqual(['', 1]);
  expect(JSON.parse(ran.stdout)).toMatchObject({ Agrees: false });
  const report = await readFile(join(folder, `authority-trial-${deviceId}.md`), 'utf8');
  expect(report).toMatch(/^\| \*\*no\*\* \| Receipt 1: remarks of the authority \| none \| RCPT020 \(Red\): /m);
  expect(report).toMatch(/^\| \*\*no\*\* \| The authority closes the day \| Closed \| CloseFailed \|$/m);
});
