import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import serviceFlags from '../../../bin/service-flags.json' with { type: 'json' };
import { embeddedUrl, openEmbedded, spawnService } from '../../../test/support/process.ts';

export interface Instance {
  readonly url: string;
  /** Of its process. */
  readonly id: number;
  /** The memory of the Node process, without its database. */
  rssMb(): Promise<number>;
  /** The end of it. */
  log(): string;
  stop(): Promise<unknown>;
}

/** The instance that owns the database. */
export interface ServiceProcess extends Instance {
  readonly pool: Pool;
  readonly databaseUrl: string;
  readonly masterKey: Buffer;
}

/** Starts the product as it is, on an embedded durable PostgreSQL inside `dataDir`. `nodeOptions` are for profiling. */
export async function startService(
  dataDir: string,
  nodeOptions: readonly string[],
  signal: AbortSignal,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const instance = await startInstance(nodeOptions, { ...environment, DATA_DIR: dataDir }, signal);
  try {
    const pool = await openEmbedded(dataDir);
    return {
      ...instance,
      pool,
      databaseUrl: await embeddedUrl(dataDir),
      masterKey: Buffer.from(await readFile(join(dataDir, 'master.key'), 'utf8'), 'base64'),
      stop: async () => {
        await pool.end();
        await instance.stop();
      },
    };
  } catch (error) {
    await instance.stop();
    throw error;
  }
}

/** A second instance on the database of a running one. */
export function startBeside({ databaseUrl, masterKey }: ServiceProcess, signal: AbortSignal): Promise<Instance> {
  return startInstance([], { DATABASE_URL: databaseUrl, MASTER_KEY: masterKey.toString('base64') }, signal);
}

async function startInstance(
  nodeOptions: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Instance> {
  // Nothing listens at its authority, and no device of the bench is registered, so nothing is submitted.
  const usual = {
    DEMO: 'false',
    AUTHORITY_URL: 'https://127.0.0.1:9',
    SUBMISSION_WAIT_MS: '',
    ALLOW_UNSAFE_DATABASE: '',
  };
  signal.throwIfAborted();
  const service = spawnService({ ...usual, ...environment }, { nodeOptions: [...serviceFlags, ...nodeOptions] });
  signal.addEventListener('abort', () => void service.stop(), { once: true });
  const url = await service.ready;
  const log = () => (service.stdout() + service.stderr()).slice(-20_000);
  return { ...service, url, log };
}

/** A bare Fastify in a process of its own; resolves with its address. */
export async function startEcho(): Promise<{ readonly url: string; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'echo.ts'), { execArgv: [] });
  const [url] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the bare server did not start'))),
  ]);
  return { url: String(url), stop: () => void child.kill() };
}
