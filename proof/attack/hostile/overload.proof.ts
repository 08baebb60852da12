import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { TokenScope } from '../../../src/contract/shared/values.ts';
import { MAX_WAITING, type OverloadMonitor, watchOverload } from '../../../src/platform/http/overload.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { until } from '../../../test/support/process.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { checkFrame } from '../answer/check-answer.ts';
import { type AttackedService, attackedService, plain } from '../attacked-service.ts';
import { inTurns, type RawAnswer, sendBytes, textOf } from '../request/send.ts';
import { bearer } from '../world/credentials.ts';
import { areaOf } from '../world/document.ts';

let attacked: AttackedService;
afterEach(() => attacked.close());

/** As many as may wait to be sealed, and the most that two batches, one written and one made ready, take out of the queue. */
const MAX_QUEUE = 5000;
const MAX_UNDER_WAY = 1000;

describe('when more is asked than can be sealed', () => {
  test('the queue stops growing: newcomers get 503 with Retry-After at once, and those who wait are sealed', async () => {
    attacked = await attackedService();
    const { service, own, port } = attacked;
    const deviceId = await service.addDevice(own.taxpayerId, { advanceLimitSeconds: 1_000_000 });
    const request = (name: string, isLast = true) =>
      textOf(plain('/api/receipt/sign', own.till, invoice(deviceId, name)), isLast);
    const release = await stopSealing(attacked);
    // Many on each of a few connections: what counts is how many wait inside.
    const connections = 62;
    const each = 100;
    const answered: Promise<string[]>[] = [];
    for (let connection = 0; connection < connections; connection += 1) {
      const texts = Array.from({ length: each }, (_unused, turn) =>
        request(`Q-${connection}-${turn}`, turn === each - 1),
      );
      answered.push(statusesOf(port, texts));
    }
    await until(() => queueIsFull(attacked), 'the queue is full', 60_000);

    const late = await Promise.all(
      Array.from({ length: 50 }, (_unused, turn) => sendBytes(port, [request(`LATE-${turn}`)])),
    );
    for (const answer of late) {
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('1');
      expect(jsonOf(answer)).toMatchObject({ Code: 'Overloaded' });
    }
    expect(await queueLength(attacked)).toBe(MAX_QUEUE);
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      expect((await attacked.ask(path)).status, path).toBe(200);
    }

    await release();
    const statuses = (await Promise.all(answered)).flat();
    expect(statuses).toHaveLength(connections * each);
    const sealed = statuses.filter((status) => status === '200').length;
    expect(sealed + statuses.filter((status) => status === '503').length).toBe(connections * each);
    expect(sealed).toBeGreaterThanOrEqual(MAX_QUEUE);
    expect(sealed).toBeLessThanOrEqual(MAX_QUEUE + MAX_UNDER_WAY);
    const { rows } = await service.pool.query('select count(*)::integer as count from receipts');
    expect(rows[0]).toEqual({ count: sealed });
    expect((await sendBytes(port, [request('AFTERWARDS')])).status).toBe(200);
  }, 300_000);

  test('a lagging process answers 503 on every route of /api before it reads anything, and recovers', async () => {
    let isOverloaded = true;
    attacked = await attackedService({ admits: () => !isOverloaded });
    await inTurns(attacked.operations, async (operation) => {
      const answer = await attacked.send(attacked.to(operation, { credentials: bearer('unknown') }));
      expect(checkFrame(answer), operation.name).toEqual([]);
      if (!operation.template.startsWith('/api/')) expect(answer.status, operation.name).toBe(200);
      else {
        expect(answer.status, operation.name).toBe(503);
        expect(answer.headers['retry-after'], operation.name).toBe('1');
        expect(jsonOf(answer), operation.name).toMatchObject({ Code: 'Overloaded' });
      }
    });
    isOverloaded = false;
    expect((await attacked.ask('/api/receipt', attacked.own.till)).status).toBe(200);
  });
});

describe('when the database does not keep up', () => {
  test('those who wait for it stay a bounded number: others get 503 at once, and all is well when it is back', async () => {
    let monitor: OverloadMonitor | undefined;
    attacked = await attackedService({ admits: () => monitor?.admits() ?? true });
    const { pool } = attacked.service;
    // Only the number of those who wait is looked at: this process attacks and serves, and so lags.
    monitor = watchOverload(() => pool.waitingCount, { largestDelayMs: 600_000, probeMs: 1000 });
    const { till } = attacked.own;
    expect((await attacked.ask('/api/receipt', till)).status).toBe(200);
    const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    const each = 125;
    const asked = plain('/api/receipt/NONE', till);
    const requests = Array.from({ length: each }, (_unused, turn) => textOf(asked, turn === each - 1));
    const answered = Array.from({ length: 20 }, () => statusesOf(attacked.port, requests));
    await until(() => pool.waitingCount >= MAX_WAITING, 'many wait for the database');
    const late = await Promise.all(Array.from({ length: 20 }, () => attacked.ask('/api/receipt/NONE', till)));
    for (const answer of late) {
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect(pool.waitingCount).toBeLessThanOrEqual(MAX_WAITING + 10);
    expect((await attacked.ask('/health/live')).status).toBe(200);
    expect((await attacked.ask('/metrics')).status).toBe(200);
    for (const client of held) client.release();
    const statuses = (await Promise.all(answered)).flat();
    expect(new Set(statuses)).toEqual(new Set(['404', '503']));
    expect((await attacked.ask('/api/receipt', till)).status).toBe(200);
    monitor.stop();
  });
});

describe('the rate limit', () => {
  test('answers 429 with Retry-After to the token that asks too much, on every route, and to no other', async () => {
    // Its clock stands still, so that nothing is forgotten however slow the machine is.
    attacked = await attackedService({ rateLimitPerSecond: 5 });
    const { pool, own } = attacked;
    const { taxpayerId, vendorId } = own;
    const issue = async (owner: object, scopes: readonly TokenScope[]) =>
      (await issueToken(pool, { ...owner, name: 'x', scopes })).token;
    const second = await issue({ taxpayerId }, ['sign', 'read']);
    await inTurns(attacked.operations, async (operation) => {
      const area = areaOf(operation.access);
      if (area === undefined) return;
      const token =
        area === 'payments'
          ? await issue({ vendorId }, ['pay', 'read'])
          : await (area === 'admin' ? issue({}, ['admin']) : issue({ taxpayerId }, ['sign', 'read', 'endpoints']));
      const attempt = attacked.to(operation, { credentials: bearer(token) });
      const answers: RawAnswer[] = [];
      for (let turn = 0; turn < 60 && answers.at(-1)?.status !== 429; turn += 1) {
        answers.push(...(await Promise.all(Array.from({ length: 8 }, () => attacked.send(attempt)))));
      }
      const refused = answers.filter((answer) => answer.status === 429);
      expect(refused.length, operation.name).toBeGreaterThan(0);
      for (const answer of refused) {
        expect(Number(answer.headers['retry-after']), operation.name).toBeGreaterThanOrEqual(1);
        expect(jsonOf(answer), operation.name).toMatchObject({ Code: 'RateLimited' });
        expect(checkFrame(answer), operation.name).toEqual([]);
      }
    });
    expect((await attacked.ask('/api/receipt', second)).status).toBe(200);
    expect((await attacked.ask('/metrics')).status).toBe(200);
  });
});

const jsonOf = ({ body }: RawAnswer): unknown => JSON.parse(body.toString('utf8'));

/** Holds the table that every seal goes into. */
async function stopSealing({ service }: AttackedService): Promise<() => Promise<void>> {
  const client = await service.pool.connect();
  await client.query('begin');
  await client.query('lock table receipts in share mode');
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

/** Asked now and then only: the asking is work too. */
async function queueIsFull(service: AttackedService): Promise<boolean> {
  await delay(200);
  return (await queueLength(service)) >= MAX_QUEUE;
}

async function queueLength(service: AttackedService): Promise<number> {
  const { body } = await service.ask('/metrics');
  return Number(/^tillseal_seal_queue_length (\d+)$/m.exec(body.toString('utf8'))?.[1]);
}

async function statusesOf(port: number, requests: readonly string[]): Promise<string[]> {
  let text = '';
  await sendBytes(port, requests, (socket) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
  });
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => match[1] ?? '');
}
