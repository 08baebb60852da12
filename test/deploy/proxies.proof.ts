import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Demo } from '../../src/demo/demo.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort, liftDateLimit, Machine, readDemoFile, type ServiceProcess, until } from '../support/process.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { nowInvoice, type Seal } from '../support/receipts/load.ts';
import { makeCertificate, PROXIES, programOf, type RunningProxy, startProxy } from './proxy.ts';

/** The files of deploy/ in the real proxies: tills through each of them, two instances behind it, and one of those is killed. */
const TILLS = 8;
const RECEIPTS_PER_TILL = 12;
const INSIDE = [
  '/metrics',
  '/%6Detrics',
  '/%6d%65%74%72%69%63%73',
  '/metrics?x=1',
  '/%6Detrics/',
  '//metrics',
  '/%256Detrics',
  '/version',
  '/%76ersion',
  '/versio%6E?x',
  '/health',
  '/health/live',
  '/%68ealth/ready',
  '/health%2Fready',
  '/healt%68/%72eady',
];

const machine = new Machine();
let database: TestDatabase;
let settings: Record<string, string>;
let first: ServiceProcess;
let demo: Demo;
let tokens: string[];
let proxy: RunningProxy | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  const dataDir = await machine.folder();
  settings = {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    AUTHORITY_URL: 'simulator',
    MASTER_KEY: randomBytes(32).toString('base64'),
    TRUST_PROXY: '1',
    DEMO: 'true',
  };
  first = machine.start(settings);
  await first.ready;
  demo = await readDemoFile(dataDir);
  await liftDateLimit(database.pool, demo.deviceId);
  tokens = [];
  for (let till = 0; till < TILLS; till += 1) {
    const answer = await fetch(`${demo.baseUrl}/api/admin/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.operator.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ TaxpayerId: demo.taxpayer.id, Name: `Till ${till}`, Scopes: ['sign', 'read'] }),
    });
    tokens.push(((await answer.json()) as { Token: string }).Token);
  }
}, 120_000);
afterEach(async () => {
  if (proxy !== undefined && proxy.child.exitCode === null) {
    proxy.child.kill('SIGTERM');
    await once(proxy.child, 'exit');
  }
});
afterAll(async () => {
  await machine.end();
  await database.drop();
});

/** How many receipts an instance was asked to sign. */
async function signed(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(/^tillseal_http_request_duration_seconds_count\{.*receipt\/sign.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe.each(PROXIES)('$name', (kind) => {
  const program = programOf(kind);
  if (program === undefined) process.stderr.write(`${kind.name} is not installed: its file in deploy/ is not tried\n`);

  test.skipIf(program === undefined)(
    'keeps a till to its instance, gathers no stream, and loses nothing when an instance is killed',
    async () => {
      const second = machine.start({ ...settings, DEMO: 'false' });
      const urls = [await first.ready, await second.ready] as const;
      const [one = 0, two = 0] = urls.map((url) => Number(new URL(url).port));
      const folder = join(await machine.folder(), kind.name);
      mkdirSync(folder);
      const dispatcher = new Agent({ connect: { ca: makeCertificate(folder) } });
      const place = { folder, port: await freePort(), plainPort: await freePort(), instances: [one, two] as const };
      const running = startProxy(kind, program ?? '', place);
      proxy = running;
      const base = `https://localhost:${place.port}`;
      const call = (path: string, token: string, options: object = {}) =>
        fetch(base + path, { dispatcher, headers: { authorization: `Bearer ${token}` }, ...options });
      const sign = (token: string, reference: string) =>
        call('/api/receipt/sign', token, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(nowInvoice(demo.deviceId, reference)),
        });
      const isUp = async () => (await call('/openapi.json', '').catch(() => undefined))?.status === 200;
      await until(isUp, `${kind.name} answers`, 30_000).catch(() => {
        throw new Error(`${kind.name} does not answer: ${running.output()}`);
      });

      // Every till is served by one instance, and not all of them by the same.
      const shares: number[] = [];
      for (const [till, token] of tokens.entries()) {
        const before = await signed(urls[0]);
        for (let count = 0; count < 3; count += 1) {
          expect((await sign(token, `${kind.name}-stay-${till}-${count}`)).status).toBe(200);
        }
        shares.push((await signed(urls[0])) - before);
      }
      expect(new Set(shares)).toEqual(new Set([0, 3]));

      // What is for the inside stays there, however it is spelled: the service decodes an address before it looks for its route.
      for (const path of INSIDE) expect([path, (await call(path, '')).status]).toEqual([path, 404]);
      const plain = await fetch(`http://127.0.0.1:${place.plainPort}/docs`, { redirect: 'manual' }).catch(
        () => undefined,
      );
      // Caddy redirects automatically in production; with a port that is not 443 it is switched off.
      if (kind.name !== 'caddy')
        expect([plain?.status, plain?.headers.get('location')?.slice(0, 8)]).toEqual([308, 'https://']);

      // Too large a body is refused by the service, which says so in its own words.
      const large = await call('/api/receipt/sign', tokens[0] ?? '', {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
        body: JSON.stringify({ Notes: 'x'.repeat(1_500_000) }),
      });
      expect([large.status, large.headers.get('content-type')]).toEqual([
        413,
        'application/problem+json; charset=utf-8',
      ]);
      expect(large.headers.has('x-request-id')).toBe(true);

      // A poll waits.
      const askedAt = performance.now();
      expect((await call('/api/events?After=1000000000&Wait=3', tokens[0] ?? '')).status).toBe(200);
      expect(performance.now() - askedAt).toBeGreaterThan(2_500);

      // Under load one instance is killed. A till sends the same receipt again until it is answered.
      const seals: Seal[] = [];
      const failures = new Map<string, number>();
      const deadline = Date.now() + 60_000;
      const tills = tokens.map(async (token, till) => {
        for (let count = 0; count < RECEIPTS_PER_TILL; count += 1) {
          for (let isSealed = false; !isSealed; ) {
            const answer = await sign(token, `${kind.name}-kill-${till}-${count}`).catch(() => undefined);
            isSealed = answer?.status === 200;
            if (isSealed) seals.push((await answer?.json()) as Seal);
            else {
              const why = String(answer?.status ?? 'cut off');
              failures.set(why, (failures.get(why) ?? 0) + 1);
              if (Date.now() > deadline) throw new Error(`not sealed after a minute: ${JSON.stringify([...failures])}`);
              await delay(100);
            }
          }
        }
      });
      await until(() => seals.length > TILLS, 'some receipts');
      process.kill(-second.id, 'SIGKILL');
      await Promise.all(tills);
      process.stdout.write(`${kind.name}: ${seals.length} sealed, not at first: ${JSON.stringify([...failures])}\n`);
      if (kind.sendsAgain) expect([...failures.keys()].filter((why) => why !== '503')).toEqual([]);
      expect(new Set(seals.map(({ Reference }) => Reference)).size).toBe(TILLS * RECEIPTS_PER_TILL);
      expect(await lostSeals(database.pool, seals)).toEqual([]);
      expect(await proveChain(database.pool, demo.deviceId)).toMatchObject({ holds: true });
      await dispatcher.close();
    },
    240_000,
  );
});
