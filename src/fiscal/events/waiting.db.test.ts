import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Pool } from 'pg';
import { expect, test, vi } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, serviceOfFile, type TestTaxpayer } from '../../../test/support/service.ts';
import { inTransaction, onCommit } from '../../platform/database/database.ts';
import { MAX_WAITING_PER_TOKEN } from '../../platform/events/event-routes.ts';
import { recordEvent } from './store.ts';

const service = await serviceOfFile();
const port = Number(new URL(await service.app.listen({ host: '127.0.0.1', port: 0 })).port);

interface Page {
  readonly Events: readonly { readonly Number: number; readonly Type: string }[];
  readonly LastNumber: number;
}

const until = (condition: () => Promise<boolean> | boolean) => vi.waitUntil(condition, { timeout: 50_000 });
const wait = (taxpayer: TestTaxpayer, seconds: number) =>
  service.get(taxpayer.token, `/api/events?after=0&wait=${seconds}`);

function openDay(pool: Pool, { taxpayerId }: TestTaxpayer): Promise<void> {
  const data = { AuthorityDeviceId: 1, FiscalDayNumber: 1, IsKnownToAuthority: true };
  return inTransaction(pool, (tx) => recordEvent(tx, { taxpayerId, type: 'day.opened', at: service.now, data }));
}

/** A poll over a connection that can be cut. */
async function pollBySocket({ token }: TestTaxpayer): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET /api/events?wait=30 HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${token}\r\n\r\n`);
  return socket;
}

test('a thousand polls that wait for nothing ask the database no more often than one', async () => {
  const taxpayers = await Promise.all(Array.from({ length: 20 }, () => service.addTaxpayer()));
  await Promise.all(taxpayers.map((taxpayer) => service.get(taxpayer.token, '/api/events')));
  let questions = 0;
  const count = () => {
    questions += 1;
  };
  service.pool.on('acquire', count);
  const answers = await Promise.all(
    taxpayers.flatMap((taxpayer) => Array.from({ length: 50 }, () => wait(taxpayer, 1))),
  );
  service.pool.off('acquire', count);
  expect(answers.map((answer) => answer.body)).toEqual(answers.map(() => '{"Events":[],"LastNumber":0}'));
  // Some at the beginning, five a second after it, and one a second for whether tokens have changed.
  expect(questions).toBeLessThan(40);
});

test('what another instance commits reaches who waits here', async () => {
  const taxpayer = await service.addTaxpayer();
  const waiting = wait(taxpayer, 30);
  const other = new Pool({ connectionString: service.url });
  await openDay(other, taxpayer);
  await other.end();
  expect((await waiting).json<Page>().Events).toMatchObject([{ Number: 1, Type: 'day.opened' }]);
});

test('an event reaches who waits for it, and nobody else', async () => {
  const [seller, other] = [await service.addTaxpayer(), await service.addTaxpayer()];
  const [mine, theirs] = [wait(seller, 30), wait(other, 1)];
  await openDay(service.pool, seller);
  expect((await mine).json<Page>()).toMatchObject({ LastNumber: 1 });
  expect((await theirs).json<Page>()).toEqual({ Events: [], LastNumber: 0 });
});

test('every receipt that is sealed here is told to those who wait here, without their next look', async () => {
  const { taxpayerId, token } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  let times = 0;
  onCommit(service.pool, (tenantIds) => {
    if ([...tenantIds].includes(taxpayerId)) times += 1;
  });
  for (const reference of ['first-under-the-lock', 'second-ahead', 'second-ahead']) {
    await service.sign(token, invoice(deviceId, reference));
  }
  expect(times).toBe(2);
});

test('a token may have many polls waiting and not any number of them; who hangs up frees its place', async () => {
  const [busy, other] = [await service.addTaxpayer(), await service.addTaxpayer()];
  const polls = await Promise.all(Array.from({ length: MAX_WAITING_PER_TOKEN + 1 }, () => pollBySocket(busy)));
  // All of them wait but the one that is one too many.
  const answered = await Promise.race(
    polls.map(async (poll) => ({ poll, text: String((await once(poll, 'data')).at(0)) })),
  );
  expect(answered.text).toMatch(/^HTTP\/1\.1 429 /);
  expect(answered.text).toContain('\r\nretry-after: 5\r\n');
  expect(answered.text).toContain('200 requests with this token are waiting for events already');
  expect((await wait(busy, 1)).statusCode).toBe(429);
  expect((await service.get(busy.token, '/api/events')).statusCode).toBe(200);
  expect((await wait(other, 1)).statusCode).toBe(200);
  polls.find((poll) => poll !== answered.poll)?.destroy();
  await until(async () => (await wait(busy, 1)).statusCode === 200);
  for (const poll of polls) poll.destroy();
});

test('a service that stops answers those who wait instead of letting their time run out', async () => {
  const stopping = await createTestService();
  await stopping.app.listen({ host: '127.0.0.1', port: 0 });
  const { token } = await stopping.addTaxpayer();
  await stopping.get(token, '/api/events');
  const isWaiting = once(stopping.pool, 'acquire');
  const waiting = stopping.get(token, '/api/events?wait=30');
  await isWaiting;
  const startedAt = performance.now();
  await stopping.close();
  expect((await waiting).json<Page>()).toEqual({ Events: [], LastNumber: 0 });
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});
