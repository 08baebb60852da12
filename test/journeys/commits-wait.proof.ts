import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEndpoint } from '../../src/endpoints/create-endpoint.ts';
import { lookForOutages } from '../../src/fiscal/alerts/look-for-outages.ts';
import { Refused } from '../../src/kernel/refusal.ts';
import { inTransaction, openDatabase, primaryOf } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { createLogger } from '../../src/platform/logging/logger.ts';
import { singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import { fingerprint } from '../../src/platform/secrets/secrets.ts';
import { startVendorEndpoint, type VendorEndpoint } from '../support/billpay/vendor-endpoint.ts';
import { addShop } from '../support/local-shop.ts';
import { MailServer } from '../support/mail-server.ts';
import { Machine, until } from '../support/process.ts';
import { isSynchronous, type ReplicatedPostgres, startReplicated } from '../support/replicated-postgres.ts';
import { addInstance } from '../support/service.ts';

/** Two instances on a primary with a synchronous standby, and people and programs who are told of alerts. The clock is given. */

const DEVICE = 8203;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const machine = new Machine();
const mails = new MailServer();
const masterKey = randomBytes(32);
const masterKeys = singleMasterKey(masterKey);
const stops: (() => Promise<unknown>)[] = [];
const lines: string[] = [];
let replicated: ReplicatedPostgres;
let pool: Pool;
let receiver: VendorEndpoint;
let secret: string;
let beats = 0;
let aheadMs = 0;
const clock = () => new Date(Date.now() + aheadMs);
const pass = (hours: number) => {
  aheadMs += hours * 3_600_000;
};
const MINUTE = 1.05 / 60;

async function startInstance(address: string, mailPort: number): Promise<Pool> {
  const log = createLogger('info', { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  const mail = { url: `smtp://127.0.0.1:${mailPort}`, from: 'tillseal@example.com' };
  const instance = await addInstance({ url: address, masterKeys, clock }, { log, mail, webhookAllowsPrivate: true });
  instance.primary.onBeat(() => {
    beats += 1;
  });
  instance.primary.start();
  instance.startWork();
  stops.push(async () => {
    await instance.primary.stop();
    await instance.close();
  });
  return instance.pool;
}

beforeAll(async () => {
  replicated = await startReplicated(await machine.folder());
  const { primary, standby } = replicated;
  await primary.query('create database tillseal');
  const address = `postgresql://tillseal@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/tillseal`;
  const empty = await openDatabase({ connection: address, maxConnections: 1, log: quiet });
  await migrate(empty, new URL('../../migrations', import.meta.url).pathname, quiet);
  await empty.end();
  const mailPort = await mails.listen();
  receiver = await startVendorEndpoint(204);
  pool = await startInstance(address, mailPort);
  await startInstance(address, mailPort);
  await pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKey)]);
  const { taxpayerId } = await addShop(pool, masterKey, [DEVICE]);
  await pool.query('insert into device_lanes (taxpayer_id, device_id, submitted_through) values ($1, $2, 0)', [
    taxpayerId,
    DEVICE,
  ]);
  const context = {
    masterKeys,
    clock,
    senderAddresses: [],
    scope: undefined,
    allowsPrivate: true,
    hasMail: true,
    caller: 'operator' as const,
  };
  for (const Address of ['mailto:tendai@example.com', receiver.url]) {
    const nobody = { taxpayerId: null, vendorId: null, billerCode: null };
    const made = await inTransaction(pool, (tx) => createEndpoint(tx, context, nobody, { Address }, 'test'));
    if (made instanceof Refused) throw new Error('an endpoint was refused');
    secret = made.answer.Secret ?? '';
  }
  await until(() => primaryOf(pool).isReplicated, 'the heartbeat saw the standby');
});
afterAll(async () => {
  // First: whatever waits for a commit ends with them.
  await replicated?.end();
  await Promise.all(stops.map((stop) => stop()));
  await receiver?.close();
  await mails.close();
  await machine.end();
});

/** `null alert.raised CommitsWait`: its number, type and kind. */
const hooks = () =>
  receiver.received.flatMap(({ headers, body }) => {
    const page = new Webhook(secret).sign(
      String(headers['webhook-id']),
      new Date(Number(headers['webhook-timestamp']) * 1000),
      body,
    );
    expect(headers['webhook-signature']).toBe(page);
    const { Events } = JSON.parse(body) as {
      Events: { Number: number | null; Type: string; Data: { Kind: string } }[];
    };
    return Events.map((event) => `${event.Number} ${event.Type} ${event.Data.Kind}`);
  });
const subjects = () => mails.messages.map(({ headers }) => headers['subject']);
const rows = async (statement: string) => (await pool.query<{ text: string }>(statement)).rows.map(({ text }) => text);
const OPEN = `select kind as text from alerts where cleared_at is null order by kind`;

/** Both instances have looked since then. */
async function bothLook(): Promise<void> {
  const enough = beats + 6;
  await until(() => beats >= enough, 'both instances look');
}

async function loseStandby(): Promise<void> {
  await replicated.standby.kill();
  pool.query("select pg_logical_emit_message(true, 'test', '')").catch(() => {});
  await until(async () => (await rows(OPEN)).includes('CommitsWait'), 'the alert');
}

test('people are told that commits wait while they do, once, again every hour, and when it is over; the report is due after six hours', async () => {
  await loseStandby();
  await bothLook();
  expect([hooks(), subjects()]).toEqual([[], []]);
  pass(MINUTE);
  await until(() => hooks().length + subjects().length === 2, 'both are told');
  await bothLook();
  const raised = 'null alert.raised CommitsWait';
  expect([hooks(), subjects()]).toEqual([[raised], ['Tillseal: Commits wait']]);

  pass(1);
  await until(() => hooks().length + subjects().length === 4, 'both are told again');
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(2);

  await bothLook();
  pass(9);
  await until(() => hooks().length + subjects().length === 6, 'and again');
  // Nothing of that waits for the standby.
  await lookForOutages({ pool, clock, timeZone: 'Africa/Harare' });
  expect(await rows(OPEN)).toEqual(['CommitsWait', 'DeviceStopped', 'ReportDue']);
  expect(hooks().filter((hook) => hook !== raised)).toEqual([]);

  await replicated.standby.startAgain();
  await until(() => isSynchronous(replicated.primary), 'the standby is back');
  await until(() => hooks().some((hook) => /^[1-9].*solved ReportDue/.test(hook)), 'it is over, and all has a number');
  await until(() => subjects().length >= 4, 'mail that it is over');
  // Sent beside the feed: one of its events may come first.
  const apart = hooks().filter((hook) => hook.startsWith('null'));
  expect(apart.slice(3)).toEqual(['null alert.solved CommitsWait']);
  // That the device was stopped is known for some seconds only on the clock of the database, and may be too short for it.
  const numbered = hooks().filter((hook) => !hook.startsWith('null') && !hook.endsWith('DeviceStopped'));
  expect(numbered.map((hook) => hook.replace(/^\d+ /, ''))).toEqual([
    'alert.raised CommitsWait',
    'alert.solved CommitsWait',
    'alert.raised ReportDue',
    'alert.solved ReportDue',
  ]);
  // Once apart, and the feed's mail may say it, too.
  expect(subjects()).toContain('Tillseal: Solved: Commits wait');
  const [outage] = (await pool.query('select code, ended_at - began_at as lasted from outages')).rows;
  expect([outage.code, outage.lasted.hours]).toEqual(['Unavailable', 10]);
  await bothLook();
  const said = (words: string) => lines.filter((line) => line.startsWith(words)).length;
  expect([said('commits wait for a standby'), said('commits are confirmed again')]).toEqual([2, 2]);
});

test('what a lost server knew is known to those who saw it: it is told to be over, and the outage is recorded', async () => {
  const before = hooks().length;
  await loseStandby();
  pass(MINUTE);
  await until(() => hooks().length === before + 1, 'the program is told');
  pass(0.5);
  await bothLook();
  await replicated.primary.kill();
  await replicated.standby.startAgain();
  await replicated.promote();
  await until(() => hooks().includes('null alert.solved CommitsWait', before), 'it is over');
  await bothLook();
  await until(
    () =>
      hooks()
        .slice(before)
        .some((hook) => /^[1-9].*solved CommitsWait/.test(hook)),
    'it has a number',
  );
  expect(
    hooks()
      .slice(before)
      .filter((hook) => hook.startsWith('null')),
  ).toEqual(['null alert.raised CommitsWait', 'null alert.solved CommitsWait']);
  const lasted =
    "select code || extract(hour from ended_at - began_at + interval '30 minutes') as text from outages order by outage_id";
  expect(await rows(lasted)).toEqual(['Unavailable10', 'Unavailable1']);
});
