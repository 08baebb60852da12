import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { afterAll } from 'vitest';
import { composeService, type Service, type ServiceParts } from '../../src/compose.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { barrierOf } from '../../src/platform/database/barrier.ts';
import { inTransaction, openDatabase, primaryOf } from '../../src/platform/database/database.ts';
import { PrimaryWatch } from '../../src/platform/database/primary-watch.ts';
import { createLogger } from '../../src/platform/logging/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { type MasterKeys, singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import { readSettings, type Settings } from '../../src/platform/settings.ts';
import { createTestDatabase } from './database.ts';
import {
  DEVICE,
  type LocalDevice,
  makeShop,
  newMasterKey,
  openLocalDay,
  registerDevice,
  type TestTaxpayer,
} from './local-shop.ts';
import { unreachableGateway } from './unreachable-gateway.ts';

export type { TestTaxpayer };

/** Sunday noon in Harare: the day is open, the maintenance window (02:00) is far, 15.5 % is valid. */
export const NOON = new Date('2026-11-15T10:00:00Z');

export interface TestService extends Instance {
  readonly url: string;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  /** What the service takes for the time, unless it has a clock of its own; tests move it. */
  now: Date;
  addTaxpayer(options?: Parameters<typeof makeShop>[2]): Promise<TestTaxpayer>;
  /** Unless it says otherwise, its day was opened an hour ago. */
  addDevice(taxpayerId: string, options?: Partial<LocalDevice> & { isOpen?: boolean }): Promise<number>;
}

/** Settings and parts that differ from those of a service without limits, mail and demo, far from any authority. */
export type ServiceChoices = Omit<Partial<Settings & ServiceParts>, 'settings' | 'primary'>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Headers = Readonly<Record<string, string>>;

/** As main.ts has it, without a socket: requests are injected. Nothing works in the background until it is started. */
export interface Instance extends Service {
  readonly pool: Pool;
  /** Not started. */
  readonly primary: PrimaryWatch;
  /** `METHOD /path/{parameter}` of every route there is. */
  readonly routes: readonly string[];
  call(
    token: string,
    method: Method,
    url: string,
    body?: object | string,
    headers?: Headers,
  ): Promise<LightMyRequestResponse>;
  sign(token: string, receipt: object | string, headers?: Headers): Promise<LightMyRequestResponse>;
  post(token: string, url: string, body: object | string, headers?: Headers): Promise<LightMyRequestResponse>;
  get(token: string, url: string): Promise<LightMyRequestResponse>;
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
  const primary = new PrimaryWatch(primaryOf(parts.pool), silent);
  subscribe('fastify.initialization', watchRoutes);
  const service = composeService({
    gateway: unreachableGateway(),
    log: silent,
    metrics: createMetrics(),
    primary,
    wrongPasswordsPerSecond: 20,
    ...parts,
    ...choices,
    settings: { ...SETTINGS, ...choices },
    publicUrl: choices.publicUrl ?? PUBLIC_URL,
  });
  unsubscribe('fastify.initialization', watchRoutes);
  const { app } = service;
  const call: Instance['call'] = (token, method, url, body, headers = {}) => {
    const hasBody = body !== undefined;
    const own = { authorization: `Bearer ${token}`, ...(hasBody && { 'content-type': 'application/json' }) };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return app.inject({ method, url, headers: { ...own, ...headers }, ...(hasBody && { body: text }) });
  };
  return {
    ...service,
    pool: parts.pool,
    primary,
    routes,
    call,
    sign: (token, receipt, headers) => call(token, 'POST', '/api/receipt/sign', receipt, headers),
    post: (token, url, body, headers) => call(token, 'POST', url, body, headers),
    get: (token, url) => call(token, 'GET', url),
  };
}

let nextDeviceId = 5000;

/** The service on a database of its own, without a socket. */
export async function createTestService(choices: ServiceChoices = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const { pool } = database;
  const masterKeys = singleMasterKey(await newMasterKey(pool));
  const clock = choices.clock ?? (() => service.now);
  const instance = compose({ pool, masterKeys, clock }, choices);
  const service: TestService = {
    ...instance,
    url: database.url,
    masterKeys,
    clock,
    now: NOON,
    addTaxpayer: (options) => makeShop(pool, masterKeys, options),
    addDevice: async (taxpayerId, { isOpen = true, ...options } = {}) => {
      nextDeviceId += 1;
      const registration: LocalDevice = { ...DEVICE, taxpayerId, deviceId: nextDeviceId, ...options };
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
      await Promise.all([barrierOf(pool).close(), pool.end()]);
    },
  };
}

/** The one of a test file, gone after its last test. */
export async function serviceOfFile(choices?: ServiceChoices): Promise<TestService> {
  const service = await createTestService(choices);
  afterAll(() => service.close());
  return service;
}
