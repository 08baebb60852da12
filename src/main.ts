import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { composeService } from './compose.ts';
import { addPerson, ensureOperatorToken, ensurePractice, newOneTimePassword } from './console/index.ts';
import { banner } from './demo/banner.ts';
import { type Demo, prepareDemo } from './demo/demo.ts';
import { holdRestoredDevices, observeCalls, UNPROVED } from './fiscal/index.ts';
import { systemClock } from './platform/clock.ts';
import { barrierOf } from './platform/database/barrier.ts';
import { inTransaction, openDatabase, primaryOf } from './platform/database/database.ts';
import { refuseUnsafeDatabase } from './platform/database/durability.ts';
import { migrate } from './platform/database/migrate.ts';
import { PrimaryWatch } from './platform/database/primary-watch.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/embedded-postgres.ts';
import { type OverloadMonitor, watchOverload } from './platform/http/overload.ts';
import { Porch } from './platform/http/porch.ts';
import { createLogger } from './platform/logging/logger.ts';
import { createMetrics } from './platform/metrics.ts';
import { scriptOptions } from './platform/script-options.ts';
import { openMasterKeys } from './platform/secrets/master-keys.ts';
import { readSettings, type Settings } from './platform/settings.ts';
import { StartRefusal } from './platform/start-refusal.ts';
import { traceFields, traceWith } from './platform/tracing/tracing.ts';
import { letHelpersStepBack } from './platform/work/helper-threads.ts';
import { startAuthority } from './start-authority.ts';

/** The process around the service: what was started here is taken down in the opposite order. */

const MIGRATIONS = join(import.meta.dirname, '..', 'migrations');
const USAGE = `Usage: tillseal start

It takes no options. Its settings are environment variables: docs/operations/running.md
`;
const DATABASE_CONNECTIONS = 20;
/** Some things never end on their own, such as a commit whose standby is down. None of them was answered. */
const MAX_STOP_MS = 20_000;
/** So long a start that is asked to stop may go on, since what it has begun is taken down best when it is done. */
const MAX_START_MS = 3000;

type Stop = () => Promise<unknown>;

async function main(): Promise<void> {
  scriptOptions(USAGE, {});
  const stops: Stop[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  const asked = stopSignal();
  // As a file it may lie on a full disk. What is said there is lost then, and nothing else.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  try {
    const settings = readSettings();
    const log = createLogger(settings.logLevel, undefined, settings.isTraced ? traceFields : undefined);
    if (settings.isTraced) {
      // Before everything else: what is made without it stays without it.
      const { openTelemetry } = await import('./platform/tracing/open-telemetry.ts');
      stops.push(traceWith(openTelemetry(log)));
    }
    letHelpersStepBack();
    const started = start(settings, log, stops).then(() => true);
    const signal = await Promise.race([asked, started.then(() => asked)]);
    const isStarted = await Promise.race([started, delay(MAX_START_MS, false)]);
    log.info({ signal }, isStarted ? 'stopping: finishing what is in flight' : 'stopping: the start is given up');
    setTimeout(
      () => {
        log.error({}, 'stopped without what would not finish: the database does not confirm it');
        process.exit(1);
      },
      isStarted ? MAX_STOP_MS : MAX_START_MS,
    ).unref();
    await stopAll();
    log.info({}, 'stopped');
    process.exit(0);
  } catch (error) {
    if (error instanceof StartRefusal)
      process.stderr.write(`tillseal: ${error.message.replaceAll('\n', '\ntillseal: ')}\n`);
    else process.stderr.write(`tillseal: could not start: ${error instanceof Error ? error.stack : String(error)}\n`);
    await stopAll().catch(() => {});
    process.exit(1);
  }
}

async function start(settings: Settings, log: Logger, stops: Stop[]): Promise<void> {
  const metrics = createMetrics();
  let watch: PrimaryWatch | undefined;
  // The embedded one is started here, which nobody has to be told.
  let waiting = settings.databaseUrl === undefined ? undefined : 'its database does not answer yet';
  const porch = new Porch({
    metrics,
    log,
    waitsFor: () => (watch?.isWaiting ? 'the database confirms no commit, because its standby is away' : waiting),
  });
  stops.push(() => porch.close());
  // Before anything is started: a taken port is the most common mistake, and this way it leaves no trace. Port 0 asks for any free one.
  await porch.listen(settings.port, settings.host).catch(refuseListen(settings));
  const { port } = porch;
  // A demo's banner says where its secrets are, and nothing is lost with them.
  const secretsLog = settings.isDemo ? log.child({}, { level: 'error' }) : log;
  const publicUrl = settings.publicUrl ?? `http://${settings.host}:${port}`;
  const pool = await startDatabase(settings, log, stops);
  const primary = new PrimaryWatch(primaryOf(pool), log);
  watch = primary;
  primary.start();
  stops.push(() => primary.stop());
  waiting = undefined;
  const masterKeys = await onOneServer(pool, async () => {
    await migrate(pool, MIGRATIONS, log, {
      waits: (words) => {
        waiting = words;
      },
    });
    waiting = undefined;
    if (primaryOf(pool).isUnproved) {
      const message = `Device {device} is on hold: the service was ${UNPROVED}. That server may have been promoted, and have more.`;
      await inTransaction(pool, (tx) => holdRestoredDevices(tx, message, UNPROVED));
    }
    return openMasterKeys(pool, settings, secretsLog);
  });
  const authority = await startAuthority(settings, port, log, observeCalls(metrics.registry));
  stops.push(() => authority.stop());
  // Watched from the moment it listens: a process that is starting is busy, not overloaded.
  let overload: OverloadMonitor | undefined;
  stops.push(async () => overload?.stop());
  let demo: Demo | undefined;
  const parts = { settings, publicUrl, pool, masterKeys, clock: systemClock, gateway: authority.gateway, log };
  const service = composeService({
    ...parts,
    metrics,
    primary,
    admits: () => overload?.admits() !== false,
    demo: () => demo && { operatorEmail: demo.operator.email, controlUrl: demo.simulator.controlUrl },
  });
  stops.push(service.stop);

  const isWorker = settings.roles.has('worker');
  if (isWorker) service.fiscal.startKeeper();
  const { dataDir } = settings;
  const operatorToken = await ensureOperatorToken(pool, dataDir, secretsLog);
  demo = settings.isDemo
    ? await prepareDemo({
        ...parts,
        dataDir,
        baseUrl: publicUrl,
        operatorToken,
        addPerson: (person) => addPerson(pool, 'demo', { ...person, mustChangePassword: false }),
        ensurePractice: (name, taxpayerId) => ensurePractice(pool, name, taxpayerId, systemClock()),
        newPassword: newOneTimePassword,
        simulator: authority.simulator,
      })
    : undefined;
  overload = watchOverload(() => pool.waitingCount);
  await porch.close();
  await service.app
    .listen({ host: settings.host, port, listenTextResolver: () => 'listening' })
    .catch(refuseListen(settings));
  // After it listens: by default the signing service that bill payments call is this very process.
  if (isWorker) service.startWork();
  log.info({ url: publicUrl, roles: [...settings.roles] }, 'ready');
  // Where Node keeps compiled code (NODE_COMPILE_CACHE), it is there for the next start even if this process is killed.
  flushCompileCache();
  if (demo) process.stdout.write(banner(demo, dataDir));
}

/** Anew where the watch has meanwhile left a server that confirms nothing for another. */
async function onOneServer<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  const primary = primaryOf(pool);
  for (;;) {
    const { epoch } = primary;
    try {
      return await work();
    } catch (error) {
      if (primary.epoch === epoch || pool.ending) throw error;
    }
  }
}

async function startDatabase(settings: Settings, log: Logger, stops: Stop[]): Promise<Pool> {
  let connection: Parameters<typeof openDatabase>[0]['connection'];
  if (settings.databaseUrl === undefined) {
    const embedded = await startEmbeddedPostgres({ dataDir: settings.dataDir, log });
    stops.push(() => embedded.stop());
    connection = embedded.connection;
  } else connection = settings.databaseUrl;
  // Of a demo nothing matters.
  const dataDir = settings.isDemo ? undefined : settings.dataDir;
  const pool = await openDatabase({ connection, maxConnections: DATABASE_CONNECTIONS, log, dataDir });
  stops.push(() => Promise.all([barrierOf(pool).close(), pool.end()]));
  if (settings.databaseUrl !== undefined) await refuseUnsafeDatabase(pool, settings.allowsUnsafeDatabase, log);
  return pool;
}

function refuseListen({ host, port }: Settings): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new StartRefusal(
        `port ${port} on ${host} is taken: stop what uses it, or choose another, such as PORT=${port + 10}.`,
      );
    }
    if (code === 'EACCES') throw new StartRefusal(`port ${port} is not allowed for this user: choose one above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartRefusal(`HOST=${host} is not an address of this machine: use 127.0.0.1 or 0.0.0.0.`);
    }
    throw error;
  };
}

/** The first SIGINT or SIGTERM asks for a stop; a terminal and the launcher may both send one, so later ones say nothing new. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
    process.on('SIGHUP', resolve);
  });
}

await main();
