import { once } from 'node:events';
import type { Server } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { Log } from '../platform/logging/log.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { StartRefusal } from '../platform/start-refusal.ts';
import { DeviceKeys } from './certificates/device-keys.ts';
import { createServerCertificate, openIdentity } from './certificates/identity.ts';
import { createControlServer } from './control/server.ts';
import { createGateway } from './gateway/server.ts';
import { Closings } from './operations/closings.ts';
import type { Authority } from './state/authority.ts';
import { AuthorityClock } from './state/authority-clock.ts';
import { CallLog } from './state/call-log.ts';
import { Faults } from './state/faults.ts';
import { addDemoDevices } from './state/registry-defaults.ts';
import { DEFAULT_SWITCHES, type Switches } from './state/switches.ts';
import { WebhookReceiver } from './state/webhook-receiver.ts';
import { Database } from './store/database.ts';
import { readSetting, writeSetting } from './store/settings.ts';

export interface SimulatorOptions extends Partial<Switches> {
  readonly dataDir: string;
  /** Of the gateway; control API and verification pages are always on 127.0.0.1. */
  readonly host: string;
  /** Of the gateway; 0 takes any free one. */
  readonly port: number;
  /** Of the control API and the verification pages; 0 takes any free one. */
  readonly controlPort: number;
  readonly log: Log;
  readonly clock?: Clock;
  /** Where the public finds the verification pages, if not at the control port. At most 50 characters. */
  readonly qrUrl?: string;
  /** Where to tell of webhooks that arrive; the log by default. */
  readonly print?: (line: string) => void;
}

export interface Simulator {
  /** Of the gateway (HTTPS). */
  readonly url: string;
  readonly controlUrl: string;
  readonly qrUrl: string;
  /** The certificate authority a client must trust, as PEM. */
  readonly caFile: string;
  stop(): Promise<void>;
}

const SWITCHES_SETTING = 'switches';
const MAX_QR_URL = 50;
/** Anyone who reaches the control API controls the authority without a password, so it listens on this machine only. */
const CONTROL_HOST = '127.0.0.1';

/** A taken port fails with EADDRINUSE, a folder in use with a StartRefusal; neither leaves anything running. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const dataDir = resolve(options.dataDir);
  await makeFolder(dataDir);
  const db = openDatabase(join(dataDir, 'simulator.db'));
  try {
    return await start(options, dataDir, db);
  } catch (error) {
    db.close();
    throw error;
  }
}

async function start(options: SimulatorOptions, dataDir: string, db: Database): Promise<Simulator> {
  const { host, log } = options;
  const identity = await openIdentity(dataDir);
  await db.transact(() => addDemoDevices(db));
  const faults = new Faults();
  const calls = new CallLog();
  let switches = effectiveSwitches(db, options);
  let qrUrl = '';
  const authority: Authority = {
    db,
    identity,
    deviceKeys: new DeviceKeys(db),
    clock: new AuthorityClock(db, options.clock ?? systemClock),
    log,
    get qrUrl() {
      return qrUrl;
    },
    switches: () => switches,
    strikeClosing: (deviceId) => faults.strikeClosing(deviceId),
    scheduleClosing: (deviceId) => closings.schedule(deviceId),
  };
  const hosts = new Set(['127.0.0.1', '::1', 'localhost', hostname(), ...(isWildcard(host) ? [] : [host])]);
  const gateway = createGateway({ authority, faults, calls, ...(await createServerCertificate(identity, [...hosts])) });
  const webhooks = new WebhookReceiver(options.print ?? ((line) => log.info({}, line)));
  const control = createControlServer({
    authority,
    faults,
    calls,
    webhooks,
    cutConnections: gateway.cutConnections,
    changeSwitches: (changes) => {
      writeSetting(db, SWITCHES_SETTING, { ...changedSwitches(db), ...changes });
      switches = effectiveSwitches(db, options);
    },
  });
  const publicHost = isWildcard(host) ? '127.0.0.1' : host;
  const controlPort = await listen(control, CONTROL_HOST, options.controlPort);
  const origin = `http://${CONTROL_HOST}:${controlPort}`;
  qrUrl = options.qrUrl ?? origin;
  if (qrUrl.length > MAX_QR_URL) {
    control.close();
    throw new StartRefusal(`the address of the verification pages has more than ${MAX_QR_URL} characters: ${qrUrl}`);
  }
  const port = await listen(gateway.server, host, options.port).catch((error: unknown) => {
    control.close();
    throw error;
  });
  const closings = new Closings(authority);
  const simulator: Simulator = {
    url: `https://${publicHost}:${port}`,
    controlUrl: `${origin}/control`,
    qrUrl,
    caFile: identity.caFile,
    stop: async () => {
      closings.stop();
      await Promise.all([
        closeServer(control, () => control.closeAllConnections()),
        closeServer(gateway.server, gateway.cutConnections),
      ]);
      db.close();
    },
  };
  const { url, controlUrl, caFile } = simulator;
  log.info({ url, controlUrl, qrUrl, caFile }, 'the authority simulator is ready');
  return simulator;
}

/** What the control API changed lasts and wins over how the simulator was started. */
function effectiveSwitches(db: Database, options: Partial<Switches>): Switches {
  const names = Object.keys(DEFAULT_SWITCHES);
  const given = Object.entries(options).filter(([name, value]) => value !== undefined && names.includes(name));
  return { ...DEFAULT_SWITCHES, ...Object.fromEntries(given), ...changedSwitches(db) };
}

function changedSwitches(db: Database): Partial<Switches> | undefined {
  return readSetting(db, SWITCHES_SETTING) as Partial<Switches> | undefined;
}

function openDatabase(file: string): Database {
  try {
    return new Database(file);
  } catch (error) {
    if (error instanceof Error && /locked/.test(error.message)) {
      throw new StartRefusal('another simulator is using this data folder: stop it, or choose another folder.');
    }
    throw error;
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  const listening = once(server, 'listening');
  server.listen(port, host);
  await listening;
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

async function closeServer(server: Server, cutConnections: () => void): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  cutConnections();
  await closed;
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
