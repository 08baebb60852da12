/** The authority's simulator as the program it is: a process of its own, talked to over TLS and its control API only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { COMPILE_CACHE, programOf } from '../process.ts';
import { AuthorityBooks } from './books.ts';
import type { TestAuthority } from './instance.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export interface SimulatorProcess {
  readonly id: number;
  /** Of the gateway (HTTPS). */
  readonly url: string;
  readonly controlUrl: string;
  readonly caFile: string;
  end(): Promise<void>;
}

/** Starts src/simulator/main.ts, which `npx tillseal simulator` runs, on free ports and with nothing remembered. */
export async function startSimulatorProcess(closeDelayMs = 20): Promise<SimulatorProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-authority-'));
  const flags = ['--port', '0', '--control-port', '0', '--data-dir', folder, '--close-delay-ms', `${closeDelayMs}`];
  const child = spawn(process.execPath, [programOf('src/simulator/main.ts'), ...flags], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A test run that ends early, with Ctrl-C for example, leaves no authority behind.
  const endNow = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', endNow);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const ended = once(child, 'close');
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
    process.off('exit', endNow);
    await rm(folder, { recursive: true, force: true });
  };
  const firstLine = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [line] = await Promise.race([
    firstLine,
    ended.then(async () => {
      await end();
      throw new Error(`the simulator did not start: ${complaints}`);
    }),
  ]);
  const { url, controlUrl, caFile } = JSON.parse(line) as SimulatorProcess;
  return { id: child.pid ?? 0, url, controlUrl, caFile, end };
}

/** Spoken to over TLS by the service in this process. */
export async function simulatorProcess(): Promise<TestAuthority> {
  const simulator = await startSimulatorProcess();
  const books = new AuthorityBooks(simulator.controlUrl);
  const reach = { url: simulator.url, caPem: await readFile(simulator.caFile, 'utf8') };
  return { books, reach, tell: (now) => books.standAt(now), end: () => simulator.end() };
}
