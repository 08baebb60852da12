import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import serviceFlags from '../../service-flags.json' with { type: 'json' };
import type { Demo } from '../../src/demo/demo.ts';

const START_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 15_000;

/** The unchanged service: a separate process with its embedded database, simulator and demo. */
export interface FuzzedService {
  readonly url: string;
  readonly demo: Demo;
  readonly dataDir: string;
  readonly logFile: string;
  /** What was printed to standard error: empty unless it crashed. */
  readonly errorFile: string;
  readonly masterKeyFile: string;
  hasEnded(): boolean;
  rssMb(): Promise<number>;
  openFiles(): Promise<number>;
  /** Stops it properly and resolves with its exit code. */
  stop(): Promise<number | string>;
  remove(): Promise<void>;
}

export async function startService(): Promise<FuzzedService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillseal-fuzz-'));
  const logFile = join(dataDir, 'service.log');
  const errorFile = join(dataDir, 'service-errors.log');
  const child = spawn(process.execPath, [...serviceFlags, join(import.meta.dirname, '..', '..', 'src', 'main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a process group of its own, so that Ctrl-C reaches only the fuzzer, which then stops it properly.
    detached: true,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...(process.env['NODE_COMPILE_CACHE'] && { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'debug',
      RATE_LIMIT_PER_SECOND: '0',
      SUBMISSION_WAIT_MS: '500',
      WEBHOOK_TIMEOUT_MS: '2000',
    },
  });
  let head = '';
  const logs = [createWriteStream(logFile), createWriteStream(errorFile)] as const;
  const keep = (log: WriteStream) => (chunk: Buffer) => {
    if (head.length < 100_000) head += chunk.toString('utf8');
    log.write(chunk);
  };
  child.stdout.on('data', keep(logs[0]));
  child.stderr.on('data', keep(logs[1]));
  const url = await untilReady(child, () => head);
  return {
    url,
    demo: JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo,
    dataDir,
    logFile,
    errorFile,
    masterKeyFile: join(dataDir, 'master.key'),
    hasEnded: () => hasEnded(child),
    rssMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
    },
    openFiles: async () => (await readdir(`/proc/${child.pid}/fd`).catch(() => [])).length,
    stop: async () => {
      if (!hasEnded(child)) {
        const ended = once(child, 'close');
        child.kill('SIGTERM');
        const timer = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
        await ended;
        clearTimeout(timer);
      }
      await Promise.all(logs.map((log) => new Promise<void>((resolve) => log.end(resolve))));
      return child.exitCode ?? child.signalCode ?? 'unknown';
    },
    remove: () => rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
}

async function untilReady(child: ChildProcess, head: () => string): Promise<string> {
  const deadline = Date.now() + START_PATIENCE_MS;
  for (;;) {
    const line = /^\{.*"msg":"ready"\}$/m.exec(head())?.[0];
    if (line !== undefined) return (JSON.parse(line) as { url: string }).url;
    if (hasEnded(child) || Date.now() > deadline) throw new Error(`the service did not start: ${head().slice(-2000)}`);
    await delay(20);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}
