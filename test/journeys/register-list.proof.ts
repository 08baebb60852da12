import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../support/authority/authority.ts';
import { tillseal } from '../support/command-line.ts';
import { until } from '../support/process.ts';

/** A list of eighty devices, against the real service with a real simulator of the authority behind it. */
const COUNT = 80;
const HEADER = 'AuthorityDeviceId,SerialNumber,ActivationKey,MaintenanceStart';
let bench: AuthorityBench;
let environment: Record<string, string>;
let folder: string;
let lines: string[];

beforeAll(async () => {
  bench = await AuthorityBench.start({ isProcess: true });
  const { app } = bench.instance();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  environment = { TILLSEAL_URL: url, TILLSEAL_TOKEN: 'x', TILLSEAL_OPERATOR_TOKEN: bench.adminToken };
  folder = await mkdtemp(join(tmpdir(), 'tillseal-device-list-'));
  lines = [];
  for (let count = 0; count < COUNT; count += 1) {
    const { registration } = await bench.announceDevice();
    lines.push(`${registration.AuthorityDeviceId},${registration.SerialNumber},${registration.ActivationKey},03:00`);
  }
});
afterAll(async () => {
  await bench.end();
  await rm(folder, { recursive: true, force: true });
});

async function register(list: readonly string[], ...more: string[]) {
  await writeFile(join(folder, 'list.csv'), [HEADER, ...list].join('\r\n'));
  return tillseal(words(...more), { environment, cwd: folder });
}
const words = (...more: string[]) =>
  ['device', 'register', '--csv', 'list.csv', '--taxpayer', bench.shop.taxpayerId].concat(more);
const registered = async () => {
  const { rows } = await bench.pool.query<{ count: number }>('select count(*)::integer as count from device_heads');
  return rows[0]?.count ?? 0;
};
const keys = () => lines.map((line) => line.split(',')[2] ?? '');

test('a list with mistakes is refused as a whole, with every mistake named', async () => {
  const wrong = lines
    .with(10, '7,SN')
    .with(60, lines[59] ?? '')
    .with(COUNT - 1, '12,SN,ABCDEFGH,3:00');
  const ran = await register(wrong);
  expect([ran.code, ran.stdout]).toEqual([2, '']);
  const [id] = (lines[59] ?? '').split(',');
  expect(ran.stderr).toBe(
    'tillseal: 3 things are wrong in list.csv. Nothing was registered.\n' +
      '  line 12  ActivationKey: 8 characters; a spreadsheet drops leading zeros unless the column is text; it is empty\n' +
      `  line 62  AuthorityDeviceId: device ${id} is already on line 61\n` +
      '  line 81  MaintenanceStart: a time of day with two digits each, such as 02:00\n',
  );
  expect(await registered()).toBe(0);
  const checked = await register(lines, '--check');
  expect([checked.code, checked.stdout]).toEqual([0, `${COUNT} devices: ${COUNT} new.\n`]);
  expect(await registered()).toBe(0);
  expect((await tillseal(['device', 'register', '7', '--csv', 'list.csv'], { environment, cwd: folder })).code).toBe(2);
  expect((await register(lines, '--zone', 'Africa/Lusaka')).stderr).toContain('--csv and --zone contradict');
});

async function isSettled(): Promise<boolean> {
  const count = await registered();
  await delay(2000);
  return count === (await registered());
}

test('a command that is killed leaves a list that the next one finishes, and no device is registered twice', async () => {
  await writeFile(join(folder, 'list.csv'), [HEADER, ...lines].join('\n'));
  const main = resolve(import.meta.dirname, '../../src/cli/main.ts');
  const child = spawn(process.execPath, [main, ...words('--results', 'killed.csv')], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...environment },
    stdio: 'ignore',
  });
  await until(async () => (await registered()) > 20, 'twenty devices are registered', 120_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  // What the service was registering for it: an outage in the middle of that would spend the activation key.
  await until(async () => await isSettled(), 'nothing is under way');
  const partial = await readFile(join(folder, 'killed.csv'), 'utf8');
  expect(partial.split('\r\n').filter((line) => line.endsWith(',Registered,')).length).toBeGreaterThan(10);

  await bench.books.fault({ kind: 'outage' });
  const down = await register(lines);
  expect([down.code, down.stderr]).toEqual([3, expect.stringContaining('The same command again continues')]);
  expect(down.stdout).toMatch(/^ +\d+ +\d+ +Failed +The device could not be registered: /m);
  await bench.books.clearFaults();
  const before = await registered();
  expect(before).toBeLessThan(COUNT);

  const wrongKey = (lines[COUNT - 1] ?? '').replace(/,[^,]*(,03:00)$/, ',WRONGKEY$1');
  const rest = await register(lines.with(COUNT - 1, wrongKey), '--results', 'results.csv');
  expect(rest.code).toBe(1);
  expect(rest.stdout).toMatch(/^ *81 +\d+ +Refused +The authority refused the device: DEV02/m);
  expect(rest.stdout).toContain(
    `\n${COUNT} devices: ${before} already there, ${COUNT - before - 1} registered, 1 refused.\n`,
  );
  const results = await readFile(join(folder, 'results.csv'), 'utf8');
  expect(results.split('\r\n')).toHaveLength(COUNT + 2);
  for (const key of keys()) expect(results + rest.stdout + rest.stderr + down.stdout).not.toContain(key);

  const last = await register(lines, '--json');
  expect(last.code).toBe(0);
  const { Rows } = JSON.parse(last.stdout) as { Rows: { Result: string }[] };
  expect(Rows.filter((row) => row.Result === 'Already there')).toHaveLength(COUNT - 1);
  expect(await registered()).toBe(COUNT);

  const other = await register([(lines[0] ?? '').replace(',03:00', ',04:00')]);
  expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('Different  MaintenanceStart is 03:00 here')]);
}, 240_000);
