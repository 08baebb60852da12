import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Demo } from '../../src/demo/demo.ts';
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
import { Load } from '../support/receipts/load.ts';

const machine = new Machine();
let dataDir: string;
let service: ServiceProcess;
let demo: Demo;
let sold = 0;

beforeAll(async () => {
  dataDir = await copyDemo(await machine.folder());
  await start();
  const pool = await openEmbedded(dataDir);
  await liftDateLimit(pool, demo.deviceId);
  await pool.end();
});
afterAll(() => machine.end());

async function start(): Promise<void> {
  service = machine.start({ DATA_DIR: dataDir });
  await service.ready;
  demo = await readDemoFile(dataDir);
}

async function stopWith(signal: NodeJS.Signals): Promise<number> {
  const server = postmasterId(dataDir) ?? 0;
  const askedAt = performance.now();
  process.kill(-service.id, signal);
  expect(await service.ended).toBe(0);
  expect(isAlive(server)).toBe(false);
  return performance.now() - askedAt;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s under load: what is in flight is answered, and both processes are gone before they would be ended by force',
  async (signal) => {
    const under = new Load({ url: demo.baseUrl, token: demo.taxpayer.token }, demo.deviceId, 20, signal);
    await until(() => under.seals.size > 200, '200 receipts');
    const tookMs = await stopWith(signal);
    await under.stop();
    process.stdout.write(`${signal} under load: stopped in ${Math.round(tookMs)} ms\n`);
    expect(service.stderr()).toBe('');

    await start();
    const pool = await openEmbedded(dataDir);
    expect(await lostSeals(pool, under.seals.values())).toEqual([]);
    const verdict = await proveChain(pool, demo.deviceId);
    const { rows } = await pool.query<{ invoices: number }>(
      "select count(*)::integer as invoices from payment_invoices where state = 'Sealed'",
    );
    await pool.end();
    // Sealed means answered: nobody was cut off between the commit and the answer. The demo's own invoices come on top.
    sold += under.seals.size;
    expect(verdict).toEqual({ holds: true, count: sold + (rows[0]?.invoices ?? 0) });
  },
);

test('neither a client that never finishes its request nor a second signal keeps the service from stopping in 10 s', async () => {
  const { hostname, port } = new URL(demo.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `POST /api/receipt/sign HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${demo.taxpayer.token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  );
  await fetch(`${demo.baseUrl}/health/live`); // by now the service has taken the socket
  process.kill(service.id, 'SIGINT');
  expect(await stopWith('SIGTERM')).toBeLessThan(10_000);
  socket.destroy();
});
