import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Demo } from '../../src/demo/demo.ts';
import { ask } from '../support/ask.ts';
import { copyDemo } from '../support/prepared-demo.ts';
import {
  isAlive,
  liftDateLimit,
  Machine,
  openEmbedded,
  postmasterId,
  readDemoFile,
  type ServiceProcess,
  until,
} from '../support/process.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { Load, nowInvoice, post } from '../support/receipts/load.ts';

const machine = new Machine();
let dataDir: string;
let service: ServiceProcess;
let url: string;
let demo: Demo;

beforeAll(async () => {
  dataDir = await copyDemo(await machine.folder());
  await start();
  demo = await readDemoFile(dataDir);
  const pool = await openEmbedded(dataDir);
  await liftDateLimit(pool, demo.deviceId);
  await pool.end();
});
afterAll(() => machine.end());

async function start(): Promise<void> {
  service = machine.start({ DATA_DIR: dataDir });
  url = await service.ready;
}

function load(name: string): Load {
  return new Load({ url, token: demo.taxpayer.token }, demo.deviceId, 20, name);
}

async function expectNothingLost(under: Load): Promise<void> {
  const pool = await openEmbedded(dataDir);
  try {
    expect(await lostSeals(pool, under.seals.values())).toEqual([]);
    expect(await proveChain(pool, demo.deviceId)).toMatchObject({ holds: true });
  } finally {
    await pool.end();
  }
}

async function expectRetriesToAgree(under: Load): Promise<void> {
  for (const seal of [...under.seals.values()].slice(-5)) {
    const answer = await ask({ url, token: demo.taxpayer.token }, 'GET', `/api/receipt/${seal.Reference}`);
    expect(await answer.json()).toMatchObject({ DeviceSignature: seal.DeviceSignature });
  }
}

test('kill -9 of the service under load: after a restart every 200 is there unchanged and the chain is whole', async () => {
  const under = load('A');
  await until(() => under.seals.size > 300, '300 receipts');
  await service.kill();
  await under.stop();
  expect(under.unanswered).toBeGreaterThan(0);

  const startedAt = performance.now();
  await start();
  process.stdout.write(`after kill -9 of the service ready again in ${Math.round(performance.now() - startedAt)} ms\n`);
  await expectNothingLost(under);
  await expectRetriesToAgree(under);
});

test('kill -9 of service and database at once under load: nothing that was answered is lost', async () => {
  const under = load('B');
  await until(() => under.seals.size > 300, '300 receipts');
  const server = postmasterId(dataDir) ?? 0;
  process.kill(server, 'SIGKILL');
  await service.kill();
  await under.stop();

  const startedAt = performance.now();
  await start();
  process.stdout.write(`after kill -9 of both ready again in ${Math.round(performance.now() - startedAt)} ms\n`);
  await expectNothingLost(under);
  await expectRetriesToAgree(under);
});

test('kill -9 of the database alone: the service answers 503 at most, recovers automatically and has lost nothing', async () => {
  const under = load('C');
  await until(() => under.seals.size > 300, '300 receipts');
  const server = postmasterId(dataDir) ?? 0;
  const killedAt = performance.now();
  process.kill(server, 'SIGKILL');
  // On a busy machine no request may be in the middle of something, and all wait until it is back.
  await until(() => ![server, undefined].includes(postmasterId(dataDir)), 'another server');
  const before = under.seals.size;
  await until(() => under.seals.size > before + 50, 'receipts after the recovery');
  process.stdout.write(
    `after kill -9 of the database sealing again in ${Math.round(performance.now() - killedAt)} ms\n`,
  );
  await under.stop();
  expect([200, 503]).toEqual(expect.arrayContaining([...under.statuses.keys()]));
  expect(under.unanswered).toBe(0);
  expect(isAlive(server)).toBe(false);
  await expectNothingLost(under);
  const next = await post({ url, token: demo.taxpayer.token }, nowInvoice(demo.deviceId, 'C-after'));
  expect(next.status).toBe(200);
});
