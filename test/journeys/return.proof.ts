/** A primary that was replaced comes back: nothing that starts afterwards uses it, unless a person says so. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addressOf, type ReplicatedService, startReplicatedService } from '../support/authority/replicated-service.ts';
import { tillseal } from '../support/command-line.ts';
import { type ServiceProcess, until } from '../support/process.ts';
import { nowInvoice, post, type Seal } from '../support/receipts/load.ts';
import type { DatabaseServer } from '../support/replicated-postgres.ts';

const DEVICE = 8203;
const OTHER = 8204;
let service: ReplicatedService;
let db1: DatabaseServer;
let db2: DatabaseServer;
beforeEach(async () => {
  service = await startReplicatedService(DEVICE);
  ({ primary: db1, standby: db2 } = service.replicated);
});
afterEach(() => service?.end());

async function sell(url: string, reference: string, deviceId = DEVICE): Promise<number> {
  const answer = await post({ url, token: service.shop.token }, nowInvoice(deviceId, reference));
  const body = (await answer.json()) as Seal & { readonly Code: string };
  return answer.status === 200 ? body.GlobalCounter : answer.status;
}

/** Number and reference of all that the authority has. */
async function booked(deviceId = DEVICE): Promise<string[]> {
  return (await service.books.receipts(deviceId)).map(
    ({ receiptGlobalNo, invoiceNo }) => `${receiptGlobalNo} ${invoiceNo}`,
  );
}

async function alone(server: DatabaseServer): Promise<void> {
  await server.query('alter system reset synchronous_standby_names');
  await server.query('select pg_reload_conf()');
}

async function stop(process_: ServiceProcess): Promise<void> {
  process.kill(process_.id, 'SIGTERM');
  await process_.ended;
}

async function isLevel(): Promise<boolean> {
  const [row] = await db1.query<{ is_level: boolean }>(
    'select bool_and(replay_lsn = pg_current_wal_lsn()) as is_level from pg_stat_replication',
  );
  return row?.is_level === true;
}

/** The connections of instances to a server. */
async function connections(server: DatabaseServer): Promise<number> {
  const [row] = await server.query<{ found: number }>(
    "select count(*)::integer as found from pg_stat_activity where datname = 'tillseal' and application_name like 'tillseal%'",
  );
  return row?.found ?? 0;
}

/** The other one is asked for a moment at a start. */
const untilOnly = (used: DatabaseServer, other: DatabaseServer) =>
  until(async () => (await connections(used)) > 0 && (await connections(other)) === 0, 'the other one is not used');

const DATABASE_URL = () => addressOf(db1, db2);

/** Sells 1 to 3 on db1, 4 to 6 on db2, which was promoted in its place, and has db1 back. */
async function replace(): Promise<string> {
  await stop(service.process);
  const running = service.start({ DATABASE_URL: DATABASE_URL() });
  const url = await running.ready;
  for (const number of [1, 2, 3]) expect(await sell(url, `a-${number}`)).toBe(number);
  await until(isLevel, 'the standby has them');
  await db1.kill();
  await service.replicated.promote();
  await until(async () => (await sell(url, 'b-4')) === 4, 'the promoted one seals');
  expect(await sell(url, 'b-5')).toBe(5);
  await db1.startAgain();
  expect(await sell(url, 'b-6')).toBe(6);
  return url;
}

const last = () => service.start({ DATABASE_URL: DATABASE_URL() });

test.each(['asynchronous', 'three servers', 'alone, and its commits wait'])(
  'a restart does not join the primary that was replaced and is back: no number is given twice (%s)',
  async (mode) => {
    if (mode === 'asynchronous') await alone(db1);
    if (mode === 'three servers') await service.replicated.addThird();
    const first = await replace();
    if (mode === 'three servers') await until(isThirdBack, 'the third one follows db1 again');
    const restarted = last();
    const second = await restarted.ready;
    expect(await sell(second, 'c-7')).toBe(7);
    // Two instances, and both are on the same server.
    expect(await sell(first, 'd-8')).toBe(8);
    expect(await sell(second, 'c-9')).toBe(9);
    await untilOnly(db2, db1);
    await until(async () => (await booked()).length === 9, 'all are with the authority');
    expect(new Set((await booked()).map((one) => one.split(' ')[0])).size).toBe(9);
    const saved = await tillseal(['backup', join(service.environment['DATA_DIR'] ?? '', 'b.tar.gz'), '--json'], {
      environment: { ...service.environment, DATABASE_URL: DATABASE_URL() },
    });
    expect(JSON.parse(saved.stdout)).toMatchObject({
      From: expect.stringContaining(`127.0.0.1:${db2.port}, timeline 2, newest receipt: number 9`),
      Receipts: 9,
    });
  },
);

async function isThirdBack(): Promise<boolean> {
  const rows = await db1.query(
    "select from pg_stat_replication where application_name = 'third' and state = 'streaming'",
  );
  return rows.length === 1;
}

test('with the promoted server away a restart refuses the old one in a line, and without a record every device is compared before it seals', async () => {
  await alone(db1);
  const running = service.process;
  await replace();
  await until(async () => (await booked()).length === 6, 'all are with the authority');
  await db2.stop();
  const refused = last();
  expect(await refused.ended).toBe(1);
  expect(refused.stderr()).toMatch(
    new RegExp(
      `^tillseal: The database server 127.0.0.1:${db1.port} is on timeline 1, .* worked on timeline 2: .*restore mark.*\n$`,
    ),
  );
  const elsewhere = service.start({
    DATABASE_URL: DATABASE_URL(),
    DATA_DIR: await mkdtemp(join(tmpdir(), 'tillseal-journey-')),
  });
  const url = await elsewhere.ready;
  expect(await sell(url, 'c-4')).toBe(503);
  await until(async () => (await alertsAt(url)).includes(`AuthorityAhead ${DEVICE}`), 'it is compared');
  expect(await sell(url, 'c-4')).toBe(503);
  expect(await booked()).toHaveLength(6);
  expect(running.stderr()).toBe('');
});

test('beside an instance at work such a start has the devices compared and freed again, whichever of the two asks', async () => {
  await alone(db1);
  expect(await sell(service.url, 'a-1')).toBe(1);
  await db2.kill();
  const fresh = await mkdtemp(join(tmpdir(), 'tillseal-journey-'));
  const second = await service.start({ DATABASE_URL: DATABASE_URL(), DATA_DIR: fresh }).ready;
  await until(async () => (await sell(second, 'b-2')) === 2, 'it is free again');
  expect(await sell(service.url, 'a-3')).toBe(3);
});

test('after rows were lost an operator goes back as the alert says: devices are compared first, no number is given twice, and the other server is never used again', async () => {
  await service.addDevice(OTHER);
  await alone(db1);
  await stop(service.process);
  const running = last();
  const url = await running.ready;
  expect([await sell(url, 'a-1'), await sell(url, 'b-1', OTHER)]).toEqual([1, 1]);
  await until(isLevel, 'the standby has them');
  await db2.kill();
  expect(await sell(url, 'a-2')).toBe(2);
  await until(async () => (await booked()).length === 2, 'the authority has it');
  await db1.kill();
  await db2.startAgain();
  await service.replicated.promote();
  await until(async () => (await sell(url, 'b-2', OTHER)) === 2, 'the other device goes on');
  expect(await sell(url, 'b-3', OTHER)).toBe(3);
  await until(async () => (await alertsAt(url)).includes(`RowsLost ${DEVICE}`), 'the alert');
  expect(await sell(url, 'a-3')).toBe(503);
  await until(async () => (await booked(OTHER)).length === 3, 'the authority has them');
  await stop(running);

  await db2.stop();
  await db1.startAgain();
  const environment = { ...service.environment, DATABASE_URL: DATABASE_URL() };
  const early = last();
  expect([await early.ended, early.stderr()]).toEqual([1, expect.stringContaining('tillseal restore mark')]);
  await db2.startAgain();
  const both = await tillseal(['restore', 'mark'], { environment });
  expect([both.code, both.stderr]).toEqual([1, expect.stringMatching(/is not the only one .* takes writes/)]);
  await db2.stop();
  const marked = await tillseal(['restore', 'mark'], { environment });
  expect([marked.code, marked.stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`127.0.0.1:${db1.port}, timeline 1`)),
  ]);

  await db2.startAgain();
  const back = last();
  const after = await back.ready;
  await until(async () => (await sell(after, 'a-3')) === 3, 'the device that lost nothing here goes on');
  await until(
    async () => (await alertsAt(after)).includes(`AuthorityAhead ${OTHER}`),
    'the other one waits for a person',
  );
  expect(await sell(after, 'b-back-1', OTHER)).toBe(503);
  await untilOnly(db1, db2);
  const saved = await tillseal(['backup', join(service.environment['DATA_DIR'] ?? '', 'b.tar.gz'), '--json'], {
    environment,
  });
  expect(JSON.parse(saved.stdout)).toMatchObject({
    From: expect.stringContaining(`127.0.0.1:${db1.port}, timeline 1`),
  });
  // Its machine is lost for a moment: the server that was given up is no replacement.
  await db1.kill();
  await until(async () => (await fetch(`${after}/health/ready`)).status === 503, 'there is no database');
  const hopeless = last();
  expect([await hopeless.ended, hopeless.stderr()]).toEqual([1, expect.stringContaining('was given up')]);
  await db1.startAgain();
  await until(async () => (await sell(after, 'a-4')) === 4, 'it goes on');
  await untilOnly(db1, db2);
  await until(async () => (await booked()).length === 4, 'the authority has it');
  expect([await booked(), await booked(OTHER)]).toEqual([
    ['1 a-1', '2 a-2', '3 a-3', '4 a-4'],
    ['1 b-1', '2 b-2', '3 b-3'],
  ]);
});

test('a leader that restarted in place twice while commits waited is lost: the promoted server, on a lower timeline, is used without a restart', async () => {
  const { url } = service;
  expect(await sell(url, 'a-1')).toBe(1);
  await db2.kill();
  await db1.restartInPlace();
  await db1.restartInPlace();
  await until(async () => (await connections(db1)) > 2, 'the service is on the third timeline');
  await until(async () => (await sell(url, 'lost')) === 503, 'nothing is confirmed there');
  await db1.kill();
  await db2.startAgain();
  await service.replicated.promote();
  await until(async () => (await sell(url, 'a-2')) === 2, 'the promoted one seals');
  const [log] = await db2.query<{ file: string }>('select pg_walfile_name(pg_current_wal_lsn()) as file');
  expect(log?.file).toMatch(/^00000002/);
  expect(await readFile(join(service.environment['DATA_DIR'] ?? '', 'database.json'), 'utf8')).toContain(
    '"timeline":2',
  );
});

async function alertsAt(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/admin/alerts`, { headers: { authorization: `Bearer ${service.operator}` } });
  const { Alerts } = (await answer.json()) as {
    readonly Alerts: { readonly Kind: string; readonly AuthorityDeviceId: number }[];
  };
  return Alerts.map(({ Kind, AuthorityDeviceId }) => `${Kind} ${AuthorityDeviceId}`);
}
