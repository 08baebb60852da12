import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import serviceFlags from '../../../bin/service-flags.json' with { type: 'json' };
import type { Demo } from '../../../src/demo/demo.ts';
import { readDemoFile, type ServiceProcess, spawnService } from '../../../test/support/process.ts';
import { SignIn } from './sign-in.ts';

/** The unchanged service: a separate process with its embedded database, simulator and demo. */
export interface FuzzedService extends Pick<ServiceProcess, 'hasEnded' | 'rssMb' | 'stop'> {
  readonly url: string;
  readonly demo: Demo;
  readonly dataDir: string;
  readonly logFile: string;
  /** What was printed to standard error: empty unless it crashed. */
  readonly errorFile: string;
  readonly masterKeyFile: string;
  readonly signIn: SignIn;
  openFiles(): Promise<number>;
  remove(): Promise<void>;
}

/** `root`: where its source is, if not here. */
export async function startService(root?: string): Promise<FuzzedService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillseal-fuzz-'));
  const logFile = join(dataDir, 'service.log');
  const errorFile = join(dataDir, 'service-errors.log');
  const signIn = await SignIn.start();
  const settings = { LOG_LEVEL: 'debug', SUBMISSION_WAIT_MS: '500', WEBHOOK_TIMEOUT_MS: '2000' };
  const service = spawnService(
    { DATA_DIR: dataDir, ...settings, ...signIn.environment },
    { nodeOptions: serviceFlags, keepsLog: false, ...(root && { root }) },
  );
  // A run that ends early, with Ctrl-C for example, leaves no service behind. Not a kill, which would leave its database running.
  process.once('exit', () => void service.child.kill('SIGTERM'));
  const logs = [
    service.child.stdout.pipe(createWriteStream(logFile)),
    service.child.stderr.pipe(createWriteStream(errorFile)),
  ];
  return {
    ...service,
    url: await service.ready,
    demo: await readDemoFile(dataDir),
    dataDir,
    logFile,
    errorFile,
    masterKeyFile: join(dataDir, 'master.key'),
    signIn,
    openFiles: async () => (await readdir(`/proc/${service.id}/fd`).catch(() => [])).length,
    stop: async () => {
      const how = await service.stop();
      await Promise.all([...logs.map((log) => finished(log)), signIn.close()]);
      return how;
    },
    remove: () => rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  };
}
