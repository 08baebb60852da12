import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { COMPILE_CACHE, programOf } from '../../test/support/process.ts';
import { control } from '../../test/support/simulator/control.ts';
import { registeredDevice } from '../../test/support/simulator/device.ts';
import { TestSimulator } from '../../test/support/simulator/simulator.ts';
import { type Simulator, startSimulator } from './index.ts';

const folders: string[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('a restart keeps identity, devices, days, receipts, settings and the clock', async () => {
  const world = await TestSimulator.start();
  const before = world.simulator;
  const device = await registeredDevice(before, { deviceId: 7001 });
  await control(before, 'POST', '/clock', { offsetSeconds: 3600 });
  await control(before, 'PATCH', '/settings', { toleranceCents: 7 });
  await device.openDay('2026-03-01T08:00:00');
  const receipt = device.next();
  const accepted = await device.send(receipt);
  device.advance(receipt);
  await world.restart();

  const again = device.movedTo(world.simulator);
  expect((await again.send(receipt)).body.receiptID).toBe(accepted.body.receiptID);
  expect((await again.submit()).body.validationErrors).toBeUndefined();
  expect(await control(world.simulator, 'GET', '/clock')).toMatchObject({ localTime: '2026-03-01T13:00:00' });
  expect(await control(world.simulator, 'GET', '/settings')).toMatchObject({ toleranceCents: 7 });
  await world.end();
});

test('a closing that was accepted before a restart is decided after it', async () => {
  const world = await TestSimulator.start({ closeDelayMs: 5000 });
  const device = await registeredDevice(world.simulator, { deviceId: 7002 });
  await device.openDay('2026-03-01T08:00:00');
  await device.closeDay([], 0);
  await world.restart();
  const again = device.movedTo(world.simulator);
  expect((await again.get('GetStatus')).body.fiscalDayStatus).toBe('FiscalDayCloseInitiated');
  expect((await again.settled()).body.fiscalDayStatus).toBe('FiscalDayClosed');
  await world.end();
});

test('two simulators never share a folder', async () => {
  const world = await TestSimulator.start();
  const child = run(world.dataDir);
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  await world.end();
});

test('a taken port is told by its code, and leaves the folder free', async () => {
  const world = await TestSimulator.start();
  const dataDir = await mkdtemp(join(tmpdir(), 'tillseal-simulator-'));
  folders.push(dataDir);
  const port = Number(new URL(world.simulator.url).port);
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const options = { dataDir, host: '127.0.0.1', controlPort: 0, log: quiet };
  await expect(startSimulator({ ...options, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await (await startSimulator({ ...options, port: 0 })).stop();
  await world.end();
});

/** The program, as a person starts it. */
function run(dataDir: string): ChildProcess {
  const child = spawn(
    process.execPath,
    [programOf('src/simulator/main.ts'), '--port', '0', '--control-port', '0', '--data-dir', dataDir],
    {
      cwd: join(import.meta.dirname, '../..'),
      env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  children.push(child);
  return child;
}

async function started(child: ChildProcess): Promise<Simulator> {
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    const [line = ''] = output.split('\n');
    if (output.includes('\n')) return { ...(JSON.parse(line) as Simulator), stop: async () => {} };
  }
  throw new Error(`the simulator ended: ${output}`);
}

test('kill -9 loses nothing that was answered', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillseal-simulator-'));
  folders.push(dataDir);
  const child = run(dataDir);
  const simulator = await started(child);
  const device = await registeredDevice(simulator, { deviceId: 7003 });
  await device.openDay('2026-01-02T08:00:00');
  const answered: number[] = [];
  const killed = once(child, 'close');
  for (;;) {
    const answer = await device.submit().catch(() => undefined);
    if (answer === undefined) break;
    answered.push(answer.body.receiptID);
    // A moment later, when one of the next is on its way.
    if (answered.length === 10) setTimeout(() => child.kill('SIGKILL'), 7);
  }
  await killed;
  expect(answered.length).toBeGreaterThan(5);

  const restarted = await started(run(dataDir));
  const held: { receiptID: number; colour: string | null }[] = await control(
    restarted,
    'GET',
    '/devices/7003/receipts',
  );
  expect(held.map(({ receiptID }) => receiptID)).toEqual(expect.arrayContaining(answered));
  // The one in flight may have been stored without an answer, no more.
  expect(held.length - answered.length).toBeLessThanOrEqual(1);
  const again = device.movedTo(restarted);
  expect((await again.submit()).body.validationErrors).toBeUndefined();
});
