import { randomBytes } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { registerConsole } from '../../src/console/index.ts';
import {
  addTaxpayer,
  createAuthenticate,
  createFiscalService,
  type DeviceRegistration,
  type FiscalService,
  issueToken,
  registerDevice,
} from '../../src/fiscal/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { inTransaction } from '../../src/platform/database/database.ts';
import { eventRoutes } from '../../src/platform/events/event-routes.ts';
import { createHttpApp } from '../../src/platform/http/app.ts';
import { createLogger } from '../../src/platform/logging/logger.ts';
import { type MasterKeys, singleMasterKey } from '../../src/platform/secrets/master-keys.ts';
import { fingerprint } from '../../src/platform/secrets/secrets.ts';
import { createTestDatabase } from './database.ts';
import { openLocalDay } from './open-day.ts';
import { unreachableGateway } from './unreachable-gateway.ts';

/** Sunday noon in Harare: the day is open, the maintenance window (02:00) is far, 15.5 % is valid. */
export const NOON = new Date('2026-11-15T10:00:00Z');

export interface TestService {
  readonly pool: Pool;
  readonly url: string;
  readonly masterKeys: MasterKeys;
  readonly app: FastifyInstance;
  readonly tills: FiscalService['tills'];
  /** What the service takes for the time; tests move it. */
  now: Date;
  addTaxpayer(options?: Partial<Parameters<typeof addTaxpayer>[2]>): Promise<TestTaxpayer>;
  /** Unless it says otherwise, its day was opened an hour ago. */
  addDevice(taxpayerId: string, options?: Partial<DeviceRegistration> & { isOpen?: boolean }): Promise<number>;
  sign(token: string, receipt: object | string, headers?: Headers): Promise<LightMyRequestResponse>;
  post(token: string, path: string, body: object | string, headers?: Headers): Promise<LightMyRequestResponse>;
  get(token: string, path: string): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

export interface TestTaxpayer {
  readonly taxpayerId: string;
  readonly token: string;
}

interface ServiceChoices {
  readonly timeZone?: string;
  /** For devices of an authority, which `paced/` plays. */
  readonly submissionWaitMs?: number;
}

let nextDeviceId = 5000;

/** The signing service on a database of its own, without a socket: requests are injected. */
export async function createTestService(options: ServiceChoices = {}): Promise<TestService> {
  const { submissionWaitMs = 10_000, ...consoleOptions } = options;
  const database = await createTestDatabase();
  const { pool } = database;
  const masterKeys = singleMasterKey(randomBytes(32));
  await pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKeys.current())]);
  const log = createLogger('silent');
  const publicUrl = 'http://tillseal.test';
  const app = createHttpApp({ log, publicUrl });
  const service: TestService = {
    pool,
    url: database.url,
    masterKeys,
    app,
    get tills() {
      return fiscal.tills;
    },
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
    sign: (token, receipt, headers) => service.post(token, '/api/receipt/sign', receipt, headers),
    post: (token, url, body, headers = {}) =>
      app.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (token, path) => app.inject({ method: 'GET', url: path, headers: { authorization: `Bearer ${token}` } }),
    close: async () => {
      await app.close();
      await fiscal.drain();
      await database.drop();
    },
  };
  const clock = () => service.now;
  const authenticate = createAuthenticate(pool, clock);
  const fiscal = createFiscalService({ pool, masterKeys, clock, log, authenticate, submissionWaitMs });
  fiscal.registerRoutes(app);
  eventRoutes(app, [fiscal.events]);
  registerConsole(app, {
    pool,
    masterKeys,
    clock,
    authenticate,
    publicUrl,
    gateway: unreachableGateway(),
    poke: fiscal.poke,
    wrongPasswordsPerSecond: 20,
    ...consoleOptions,
  });
  await app.ready();
  return service;
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
