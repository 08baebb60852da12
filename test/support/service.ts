import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { composeService, type Service, type ServiceParts } from '../../src/compose.ts';
import { addTaxpayer, type DeviceRegistration, issueToken, registerDevice } from '../../src/fiscal/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { inTransaction, openDatabase, primaryOf } from '../../src/platform/database/database.ts';
import { PrimaryWatch } from '../../src/platform/database/primary-watch.ts';
import { createLogger } from '../../src/platform/logging/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { type MasterKeys, singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import { fingerprint } from '../../src/platform/secrets/secrets.ts';
import { readSettings, type Settings } from '../../src/platform/settings.ts';
import { createTestDatabase } from './database.ts';
import { openLocalDay } from './open-day.ts';
import { unreachableGateway } from './unreachable-gateway.ts';

/** Sunday noon in Harare: the day is open, the maintenance window (02:00) is far, 15.5 % is valid. */
export const NOON = new Date('2026-11-15T10:00:00Z');

export interface TestService extends Instance {
  readonly url: string;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  /** What the service takes for the time, unless it has a clock of its own; tests move it. */
  now: Date;
  addTaxpayer(options?: Partial<Parameters<typeof addTaxpayer>[2]>): Promise<TestTaxpayer>;
  /** Unless it says otherwise, its day was opened an hour ago. */
  addDevice(taxpayerId: string, options?: Partial<DeviceRegistration> & { isOpen?: boolean }): Promise<number>;
}

export interface TestTaxpayer {
  readonly taxpayerId: string;
  readonly token: string;
}

/** Settings and parts that differ from those of a service without limits, mail and demo, far from any authority. */
export type ServiceChoices = Omit<Partial<Settings & ServiceParts>, 'settings' | 'publicUrl'>;

type Headers = Readonly<Record<string, string>>;

/** As main.ts has it, without a socket: requests are injected. Nothing works in the background until it is started. */
export interface Instance extends Service {
  readonly pool: Pool;
  /** `METHOD /path/{parameter}` of every route there is. */
  readonly routes: readonly string[];
  sign(token: string, receipt: object | string, headers?: Headers): Promise<LightMyRequestResponse>;
  post(token: string, path: string, body: object | string, headers?: Headers): Promise<LightMyRequestResponse>;
  get(token: string, path: string): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

const PUBLIC_URL = 'http://tillseal.test';
const SETTINGS = readSettings({ DEMO: 'false', RATE_LIMIT_PER_SECOND: '0', PUBLIC_URL }, false);
const silent = createLogger('silent');

function compose(
  parts: Pick<ServiceParts, 'pool' | 'masterKeys' | 'clock'>,
  choices: ServiceChoices,
): Omit<Instance, 'close'> {
  const routes: string[] = [];
  const watchRoutes = (message: unknown) =>
    (message as { readonly fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat())
        if (name !== 'HEAD') routes.push(`${name} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
    });
  subscribe('fastify.initialization', watchRoutes);
  const service = composeService({
    gateway: unreachableGateway(),
    log: silent,
    metrics: createMetrics(),
    primary: new PrimaryWatch(primaryOf(parts.pool), silent),
    wrongPasswordsPerSecond: 20,
    ...parts,
    ...choices,
    settings: { ...SETTINGS, ...choices },
    publicUrl: PUBLIC_URL,
  });
  unsubscribe('fastify.initialization', watchRoutes);
  const { app } = service;
  const post: Instance['post'] = (token, url, body, headers = {}) =>
    app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return {
    ...service,
    pool: parts.pool,
    routes,
    sign: (token, receipt, headers) => post(token, '/api/receipt/sign', receipt, headers),
    post,
    get: (token, url) => app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${token}` } }),
  };
}

let nextDeviceId = 5000;

/** The service on a database of its own, without a socket. */
export async function createTestService(choices: ServiceChoices = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const { pool } = database;
  const masterKeys = singleMasterKey(randomBytes(32));
  await pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKeys.current())]);
  const clock = choices.clock ?? (() => service.now);
  const instance = compose({ pool, masterKeys, clock }, choices);
  const service: TestService = {
    ...instance,
    url: database.url,
    masterKeys,
    clock,
    now: NOON,
    addTaxpayer: async (options = {}) => {
      const taxpayerId = newId();
      const taxpayer = { taxpayerId, name: 'Test shop', tin: '2000000001', vatNumber: '220000001', ...options };
      return inTransaction(pool, async (tx) => {
        await addTaxpayer(tx, masterKeys, taxpayer);
        const { token } = await issueToken(tx, { taxpayerId, name: 'till', scopes: ['sign', 'read'] });
        return { taxpayerId, token };
      });
    },
    addDevice: async (taxpayerId, { isOpen = true, ...options } = {}) => {
      nextDeviceId += 1;
      const registration: DeviceRegistration = { ...DEVICE, taxpayerId, deviceId: nextDeviceId, ...options };
      await inTransaction(pool, (tx) => registerDevice(tx, masterKeys, registration));
      const anHourAgo = new Date(service.now.getTime() - 3_600_000);
      if (isOpen) await openLocalDay(pool, taxpayerId, registration.deviceId, anHourAgo);
      return registration.deviceId;
    },
    close: async () => {
      await instance.stop();
      await database.drop();
    },
  };
  await instance.app.ready();
  return service;
}

/** Another instance on the same database, with a sealer, caches and connections of its own. */
export async function addInstance(
  { url, masterKeys, clock }: Pick<TestService, 'url' | 'masterKeys' | 'clock'>,
  choices: ServiceChoices = {},
): Promise<Instance> {
  const pool = await openDatabase({ connection: url, maxConnections: 10, log: silent });
  const instance = compose({ pool, masterKeys, clock }, choices);
  await instance.app.ready();
  return {
    ...instance,
    close: async () => {
      await instance.stop();
      await pool.end();
    },
  };
}

export const DEVICE: Omit<DeviceRegistration, 'taxpayerId' | 'deviceId'> = {
  keyAlgorithm: 'ECDSA-P256',
  zone: 'Africa/Harare',
  maintenanceStartMinute: 120,
  datePolicy: 'advance',
  advanceLimitSeconds: 300,
  futureLimitSeconds: 120,
  serialNumber: 'SN-TEST',
  qrUrl: 'https://verify.example.com',
  dayMaximumHours: 24,
  taxes: [
    { taxId: 1, taxPercent: null, taxName: 'Exempt', validFrom: '2020-01-01', validTill: null },
    { taxId: 2, taxPercent: '0', taxName: 'Zero rated', validFrom: '2020-01-01', validTill: null },
    { taxId: 3, taxPercent: '15', taxName: 'Standard rated', validFrom: '2020-01-01', validTill: '2025-12-31' },
    { taxId: 517, taxPercent: '15.5', taxName: 'Standard rated', validFrom: '2026-01-01', validTill: null },
  ],
};
