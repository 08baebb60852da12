import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, Machine, until } from '../support/process.ts';
import { isSynchronous, type ReplicatedPostgres, startReplicated } from '../support/replicated-postgres.ts';

/** A start on a primary whose synchronous standby is away: whatever it has to write waits. */

const machine = new Machine();
let replicated: ReplicatedPostgres;
let environment: Record<string, string>;
let url: string;

beforeAll(async () => {
  replicated = await startReplicated(await machine.folder());
  await replicated.primary.query('create database tillseal');
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  environment = {
    DATA_DIR: await machine.folder(),
    DATABASE_URL: `postgresql://tillseal@127.0.0.1:${replicated.primary.port}/tillseal`,
    AUTHORITY_URL: 'simulator',
    MASTER_KEY: randomBytes(32).toString('base64'),
    PORT: String(port),
  };
});
afterAll(async () => {
  await machine.end();
  await replicated.end();
});

const status = (path: string) =>
  fetch(url + path).then(
    async (answer) => ({ status: answer.status, text: await answer.text() }),
    () => ({ status: 0, text: '' }),
  );

test('it says what it waits for, at its address and in the log, ends when it is asked to, and goes on when the standby is back', async () => {
  await replicated.standby.kill();
  const first = machine.start(environment);
  await until(
    async () => (await status('/health/ready')).text.includes('standby is away'),
    'it says what it waits for',
  );
  expect(await status('/health/ready')).toMatchObject({
    status: 503,
    text: expect.stringContaining('"Reason":"Tillseal is starting: the database confirms no commit'),
  });
  expect((await status('/health/live')).status).toBe(200);
  expect(await status('/metrics')).toMatchObject({ status: 200, text: expect.stringContaining('process_cpu') });
  expect(await status('/console')).toMatchObject({ status: 503, text: expect.stringContaining('standby is away') });
  expect(await status('/api/receipt/A')).toMatchObject({ status: 503, text: expect.stringContaining('Unavailable') });
  await until(
    () => first.stdout().includes('the start waits: the database confirms no commit'),
    'the log says it, too',
  );
  const askedAt = performance.now();
  await first.stop();
  expect(performance.now() - askedAt).toBeLessThan(15_000);

  const second = machine.start(environment);
  await until(() => second.stdout().includes('the start waits'), 'the second one waits as well');
  await replicated.standby.startAgain();
  await until(() => isSynchronous(replicated.primary), 'the standby is synchronous');
  expect(await second.ready).toBe(url);
  await second.stop();
});

test('one that has nothing to write is ready, and says that commits wait', async () => {
  await replicated.standby.kill();
  const third = machine.start(environment);
  expect(await third.ready).toBe(url);
  const answer = await status('/health/ready');
  expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('"Status":"ready"') });
});

test('one that waits goes on, without a restart, on the server that was promoted beside the one that confirms nothing', async () => {
  const { primary, standby } = replicated;
  await standby.startAgain();
  await until(() => isSynchronous(primary), 'the standby is synchronous');
  await primary.query('create database other');
  await primary.query("alter system set synchronous_standby_names = 'nobody'");
  await primary.query('select pg_reload_conf()');
  const servers = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const fourth = machine.start({
    ...environment,
    DATABASE_URL: `postgresql://tillseal@${servers}/other`,
    DATA_DIR: await machine.folder(),
    PORT: '0',
  });
  await until(() => fourth.stdout().includes('the start waits: the database confirms no commit'), 'it waits');
  await standby.promote();
  await fourth.ready;
  const [row] = await standby.query<{ found: number }>(
    'select count(*)::integer as found from master_keys',
    [],
    'other',
  );
  expect(row?.found).toBe(1);
});
