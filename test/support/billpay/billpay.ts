import { randomBytes } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import {
  addBiller,
  addVendor,
  type BillpayOptions,
  type BillpayService,
  changeVisibility,
  createBillpayService,
  encryptVendorSecret,
  issueVendorToken,
  lockVendor,
  replaceBiller,
  updateVendor,
  updateVendorSecret,
} from '../../../src/billpay/index.ts';
import { registerConsole } from '../../../src/console/index.ts';
import { type BillerConfiguration, PLAIN_BILLER } from '../../../src/contract/billpay/biller.ts';
import { createAuthenticate, issueToken } from '../../../src/fiscal/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { eventRoutes } from '../../../src/platform/events/event-routes.ts';
import { createHttpApp } from '../../../src/platform/http/app.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import { type MasterKeys, singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { fingerprint } from '../../../src/platform/secrets/secrets.ts';
import { createTestDatabase } from '../database.ts';
import { NOON } from '../service.ts';
import { unreachableGateway } from '../unreachable-gateway.ts';

export interface TestVendor {
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly token: string;
  readonly webhookSecret: string;
}

export interface TestVendorOptions {
  readonly vendorCode?: string;
  readonly callbackUrl?: string;
  readonly callbackToken?: string;
  readonly fiscalToken?: string;
  readonly fiscalDeviceId?: number;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface TestBillpay {
  readonly pool: Pool;
  readonly url: string;
  readonly masterKeys: MasterKeys;
  readonly app: FastifyInstance;
  readonly service: BillpayService;
  /** Sees every biller that addBiller makes, unless it is told otherwise. */
  readonly vendor: TestVendor;
  /** Of an operator who may do everything. */
  readonly operatorToken: string;
  /** What the service takes for the time; tests move it. */
  now: Date;
  addVendor(options?: TestVendorOptions): Promise<TestVendor>;
  /** A biller like BILLER with what is given changed, shown to `visibleTo` (by default to `vendor`). Its code. */
  addBiller(options?: Partial<BillerConfiguration>, visibleTo?: readonly TestVendor[]): Promise<string>;
  /** Puts the changed configuration in place, as an operator would. */
  changeBiller(biller: BillerConfiguration): Promise<void>;
  setVisible(vendor: TestVendor, billerCode: string, isVisible: boolean): Promise<void>;
  /** A request of `vendor`, or with another Authorization header. */
  send(method: Method, path: string, body?: object | string, authorization?: string): Promise<LightMyRequestResponse>;
  /** A request of the operator, under /api/admin. */
  admin(method: Method, path: string, body?: object | string): Promise<LightMyRequestResponse>;
  /** Listens on a free port of loopback. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** Takes USD and ZWG, any member, no products, no fee, no invoice, no target, no feed. */
export const BILLER = { ...PLAIN_BILLER, Code: 'PLAIN', Name: 'Plain biller' };

let nextNumber = 0;

/** Bill payments and the console on a database of their own, without a socket: requests are injected. */
export async function createTestBillpay(
  options: Partial<BillpayOptions> & { readonly now?: Date } = {},
): Promise<TestBillpay> {
  const database = await createTestDatabase();
  const { pool } = database;
  const masterKeys = singleMasterKey(randomBytes(32));
  await pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKeys.current())]);
  const log = createLogger('silent');
  const app = createHttpApp({ log, publicUrl: 'http://tillseal.test' });
  const time = { now: options.now ?? NOON };
  const clock = options.clock ?? (() => time.now);
  const service = createBillpayService({
    pool,
    masterKeys,
    log,
    fiscalUrl: 'http://fiscal.invalid',
    webhookIntervalMs: 30_000,
    webhookTimeoutMs: 10_000,
    webhookAllowsPrivate: true,
    ...options,
    clock,
  });
  service.registerRoutes(app);
  eventRoutes(app, [service.events]);
  const authenticate = createAuthenticate(pool, clock);
  registerConsole(app, {
    pool,
    masterKeys,
    clock,
    authenticate,
    gateway: unreachableGateway(),
    poke: () => {},
    reversePayment: service.reversePayment,
    webhookAllowsPrivate: options.webhookAllowsPrivate ?? true,
  });
  await app.ready();
  const operator = await issueToken(pool, { taxpayerId: null, name: 'Tendai', scopes: ['admin'] });

  const addTestVendor = (vendor: TestVendorOptions = {}): Promise<TestVendor> =>
    inTransaction(pool, async (tx) => {
      nextNumber += 1;
      const vendorId = newId();
      const vendorCode = vendor.vendorCode ?? `VENDOR-${nextNumber}`;
      const { webhookSecret } = await addVendor(tx, masterKeys, { vendorId, vendorCode, name: vendorCode }, clock());
      const record = await lockVendor(tx, vendorId);
      if (record === undefined) throw new Error('the vendor that was just added is not there');
      const { callbackUrl = null, fiscalDeviceId = null } = vendor;
      await updateVendor(tx, { ...record, callbackUrl, fiscalDeviceId });
      for (const which of ['callbackToken', 'fiscalToken'] as const) {
        const text = vendor[which];
        if (text === undefined) continue;
        const encrypted = await encryptVendorSecret(tx, masterKeys, vendorId, which, text);
        await updateVendorSecret(tx, vendorId, which, encrypted);
      }
      const request = { vendorId, name: 'app', scopes: ['pay', 'read'] } as const;
      const { token } = await issueVendorToken(tx, request, clock());
      return { vendorId, vendorCode, token, webhookSecret };
    });
  const vendor = await addTestVendor();

  const inject = (method: Method, url: string, body: object | string | undefined, authorization: string) =>
    app.inject({
      method,
      url,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

  return {
    pool,
    url: database.url,
    masterKeys,
    app,
    service,
    vendor,
    operatorToken: operator.token,
    get now() {
      return time.now;
    },
    set now(now) {
      time.now = now;
    },
    addVendor: addTestVendor,
    addBiller: async (changes = {}, visibleTo = [vendor]) => {
      nextNumber += 1;
      const biller = { ...BILLER, Code: `BILLER-${nextNumber}`, ...changes };
      await inTransaction(pool, async (tx) => {
        if ((await addBiller(tx, biller, clock())) === undefined) throw new Error(`${biller.Code} already exists`);
        for (const { vendorId } of visibleTo) await changeVisibility(tx, vendorId, biller.Code, true, clock());
      });
      return biller.Code;
    },
    changeBiller: async (biller) => {
      const change = await inTransaction(pool, (tx) => replaceBiller(tx, biller, clock()));
      if (change === undefined) throw new Error(`there is no biller ${biller.Code}`);
    },
    setVisible: async ({ vendorId }, billerCode, isVisible) => {
      await inTransaction(pool, (tx) => changeVisibility(tx, vendorId, billerCode, isVisible, clock()));
    },
    send: (method, path, body, authorization = `Bearer ${vendor.token}`) => inject(method, path, body, authorization),
    admin: (method, path, body) => inject(method, `/api/admin${path}`, body, `Bearer ${operator.token}`),
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    close: async () => {
      await app.close();
      await service.drain();
      await database.drop();
    },
  };
}
