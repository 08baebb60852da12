/**
 * The service and the authority together. In one process: the real simulator over TLS, the real gateway and the keeper,
 * with one clock for both sides that tests move. As processes of their own, where being killed is the point: see
 * authority-processes.ts.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Pool } from 'pg';
import { createGateway, type Gateway } from '../../src/authority/index.ts';
import { registerConsole } from '../../src/console/index.ts';
import {
  addTaxpayer,
  createAuthenticate,
  createFiscalService,
  type FiscalService,
  issueToken,
} from '../../src/fiscal/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { inTransaction, openDatabase } from '../../src/platform/database.ts';
import { createHttpApp } from '../../src/platform/http/app.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type MasterKeys, singleMasterKey } from '../../src/platform/master-keys.ts';
import { fingerprint } from '../../src/platform/secrets.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/index.ts';
import { AuthorityBooks } from './authority-books.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { invoice } from './receipts.ts';
import { NOON } from './service.ts';

const log = createLogger('silent');

export interface BenchOptions {
  readonly now?: Date;
  /** How long a request waits for its own submission. */
  readonly submissionWaitMs?: number;
  readonly simulator?: Partial<SimulatorOptions>;
  readonly gatewayTimeoutMs?: number;
  /** Another service with a database of its own at the same authority, with the same clock. */
  readonly beside?: AuthorityBench;
}

export interface BenchShop {
  readonly taxpayerId: string;
  readonly token: string;
  readonly tin: string;
}

/** Body fields of the admin route that differ from the usual, and what the authority knows of the device. */
export interface DeviceChoices {
  readonly shop?: BenchShop;
  readonly atAuthority?: object;
  readonly registration?: object;
}

let nextDeviceId = 20_000;

/** One instance of the service: pool, gateway, keeper and routes of its own, requests injected. */
interface Instance {
  readonly app: FastifyInstance;
  readonly fiscal: FiscalService;
  readonly gateway: Gateway;
  readonly pool: Pool;
  close(): Promise<void>;
}

export class AuthorityBench {
  readonly database: TestDatabase;
  readonly masterKeys: MasterKeys;
  readonly simulator: Simulator;
  readonly books: AuthorityBooks;
  readonly shop: BenchShop;
  readonly adminToken: string;
  readonly #options: BenchOptions;
  readonly #folder: string;
  readonly #time: { now: Date };
  readonly #instances: Instance[] = [];
  /** Devices that are woken whenever the clock moves: [taxpayer, device]. */
  readonly #devices: [string, number][] = [];

  private constructor(parts: {
    database: TestDatabase;
    masterKeys: MasterKeys;
    simulator: Simulator;
    shop: BenchShop;
    adminToken: string;
    options: BenchOptions;
    folder: string;
    time: { now: Date };
  }) {
    this.database = parts.database;
    this.masterKeys = parts.masterKeys;
    this.simulator = parts.simulator;
    this.books = new AuthorityBooks(parts.simulator.controlUrl);
    this.shop = parts.shop;
    this.adminToken = parts.adminToken;
    this.#options = parts.options;
    this.#folder = parts.folder;
    this.#time = parts.time;
  }

  static async start(options: BenchOptions = {}): Promise<AuthorityBench> {
    const time = options.beside === undefined ? { now: options.now ?? NOON } : options.beside.#time;
    const folder = await mkdtemp(join(tmpdir(), 'tillseal-authority-'));
    const simulator =
      options.beside?.simulator ??
      (await startSimulator({
        dataDir: folder,
        host: '127.0.0.1',
        port: 0,
        controlPort: 0,
        log,
        clock: () => time.now,
        closeDelayMs: 20,
        ...options.simulator,
      }));
    const database = await createTestDatabase();
    const masterKeys = singleMasterKey(randomBytes(32));
    await database.pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKeys.current())]);
    const shop = await addShop(database.pool, masterKeys, '2000000001');
    const { token: adminToken } = await issueToken(database.pool, {
      taxpayerId: null,
      name: 'operator',
      scopes: ['admin'],
    });
    const bench = new AuthorityBench({ database, masterKeys, simulator, shop, adminToken, options, folder, time });
    await bench.addInstance();
    return bench;
  }

  get pool(): Pool {
    return this.database.pool;
  }

  get gateway(): Gateway {
    return this.instance().gateway;
  }

  get fiscal(): FiscalService {
    return this.instance().fiscal;
  }

  /** What both sides take for the time. */
  get now(): Date {
    return this.#time.now;
  }

  readonly clock = (): Date => this.#time.now;

  instance(index = 0): Instance {
    const found = this.#instances[index];
    if (found === undefined) throw new Error(`there is no instance ${index}`);
    return found;
  }

  /** Another instance on the same database; the first one is there from the start. */
  async addInstance(): Promise<Instance> {
    const { clock, masterKeys } = this;
    const pool = await openDatabase({ connection: this.database.url, maxConnections: 10, log });
    const gateway = createGateway({
      url: this.simulator.url,
      caPem: await readFile(this.simulator.caFile, 'utf8'),
      modelName: 'Server',
      modelVersion: 'v1',
      log,
      timeoutMs: this.#options.gatewayTimeoutMs ?? 5000,
    });
    const app = createHttpApp({ log, publicUrl: 'http://tillseal.test' });
    const authenticate = createAuthenticate(pool, clock);
    const submissionWaitMs = this.#options.submissionWaitMs ?? 5000;
    const fiscal = createFiscalService({
      pool,
      masterKeys,
      gateway,
      clock,
      log,
      authenticate,
      submissionWaitMs,
    });
    fiscal.registerRoutes(app);
    registerConsole(app, { pool, masterKeys, clock, authenticate, gateway, poke: fiscal.poke });
    await app.ready();
    fiscal.startKeeper();
    const instance: Instance = {
      app,
      fiscal,
      gateway,
      pool,
      close: async () => {
        await app.close();
        await fiscal.drain();
        await gateway.close();
        await pool.end();
      },
    };
    this.#instances.push(instance);
    return instance;
  }

  addShop(tin: string): Promise<BenchShop> {
    return addShop(this.pool, this.masterKeys, tin);
  }

  /** A device the authority knows, registered by the admin route, with its first day open. */
  async addDevice(choices: DeviceChoices = {}): Promise<number> {
    const { deviceId, registration } = await this.announceDevice(choices);
    const answer = await this.admin('POST', '/api/admin/devices', registration);
    if (answer.statusCode !== 201) throw new Error(`device ${deviceId} was not registered: ${answer.body}`);
    await this.untilDay(deviceId, 'Opened');
    return deviceId;
  }

  async addDevices(count: number, choices: DeviceChoices = {}): Promise<number[]> {
    return Promise.all(Array.from({ length: count }, () => this.addDevice(choices)));
  }

  /** A device the authority knows and we do not: its number, and the body that registers it. */
  async announceDevice({ shop = this.shop, atAuthority = {}, registration = {} }: DeviceChoices = {}) {
    nextDeviceId += 1;
    const deviceId = nextDeviceId;
    const device = await this.books.addDevice(deviceId, shop.tin, atAuthority);
    this.#devices.push([shop.taxpayerId, deviceId]);
    return {
      deviceId,
      registration: {
        TaxpayerId: shop.taxpayerId,
        AuthorityDeviceId: deviceId,
        SerialNumber: device.serialNo,
        ActivationKey: device.activationKey,
        ...registration,
      },
    };
  }

  sign(receipt: object | string, { token = this.shop.token, instance = 0 } = {}): Promise<LightMyRequestResponse> {
    return this.instance(instance).app.inject({
      method: 'POST',
      url: '/api/receipt/sign',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: typeof receipt === 'string' ? receipt : JSON.stringify(receipt),
    });
  }

  /** An invoice dated now; anything but 200 is thrown. */
  async sell(deviceId: number, reference: string, changes: object = {}, options = {}): Promise<Sold> {
    const answer = await this.sign(invoice(deviceId, reference, { Date: this.now.toISOString(), ...changes }), options);
    if (answer.statusCode !== 200) throw new Error(`${reference} was not sealed: ${answer.body}`);
    return answer.json<Sold>();
  }

  get(path: string, { token = this.shop.token, instance = 0 } = {}): Promise<LightMyRequestResponse> {
    return this.instance(instance).app.inject({
      method: 'GET',
      url: path,
      headers: { authorization: `Bearer ${token}` },
    });
  }

  admin(method: 'GET' | 'POST' | 'PATCH', url: string, body?: object): Promise<LightMyRequestResponse> {
    return this.instance().app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${this.adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async requestDay(deviceId: number, action: 'open' | 'close'): Promise<void> {
    const answer = await this.admin('POST', `/api/admin/devices/${deviceId}/day`, { Action: action });
    if (answer.statusCode !== 202) throw new Error(answer.body);
  }

  async decide(deviceId: number, globalCounter: number, decision: string): Promise<number> {
    const url = `/api/admin/devices/${deviceId}/receipts/${globalCounter}/decision`;
    return (await this.admin('POST', url, { Decision: decision })).statusCode;
  }

  /** Open alerts as `Kind subject`. */
  async alerts(): Promise<{ readonly Kind: string; readonly Subject: string; readonly Message: string }[]> {
    return (await this.admin('GET', '/api/admin/alerts?Limit=100')).json<{
      Alerts: { Kind: string; Subject: string; Message: string }[];
    }>().Alerts;
  }

  async dayOf(deviceId: number): Promise<{ readonly number: number; readonly state: string }> {
    const { rows } = await this.pool.query<{ number: number; state: string }>(
      'select fiscal_day_number as number, day_state as state from device_heads where device_id = $1',
      [deviceId],
    );
    if (rows[0] === undefined) throw new Error(`device ${deviceId} has no head`);
    return rows[0];
  }

  /** Where each receipt of a device stands, in the order of their numbers. */
  async submissions(deviceId: number): Promise<string[]> {
    const { rows } = await this.pool.query<{ state: string | null }>(
      `select s.state from receipts r left join submissions s using (taxpayer_id, device_id, global_counter)
        where r.device_id = $1 order by r.global_counter`,
      [deviceId],
    );
    return rows.map((row) => row.state ?? 'Pending');
  }

  async stateOf(reference: string): Promise<string> {
    const { rows } = await this.pool.query<{ state: string | null }>(
      `select s.state from receipts r left join submissions s using (taxpayer_id, device_id, global_counter)
        where r.reference = $1`,
      [reference],
    );
    return rows[0] === undefined ? 'absent' : (rows[0].state ?? 'Pending');
  }

  /** The counters of a day as we keep them and as the authority does, in the same words: `SaleByTax USD 517 15.5 231`. */
  async counters(deviceId: number, fiscalDayNumber: number): Promise<{ ours: string[]; theirs: string[] }> {
    const { rows } = await this.pool.query<{ counters: string | null }>(
      'select counters::text as counters from fiscal_days where device_id = $1 and fiscal_day_number = $2',
      [deviceId, fiscalDayNumber],
    );
    const ours = JSON.parse(rows[0]?.counters ?? '[]') as OurCounter[];
    const theirs = (await this.books.day(deviceId, fiscalDayNumber)).counters ?? [];
    const words = (...parts: (string | number | null | undefined)[]) => parts.filter((part) => part != null).join(' ');
    return {
      ours: ours
        .map(({ type, currency, taxId, taxPercent, moneyType, value }) =>
          words(type, currency, taxId, taxPercent, moneyType, value),
        )
        .toSorted(),
      theirs: theirs
        .map((counter) =>
          words(
            counter.fiscalCounterType,
            counter.fiscalCounterCurrency,
            counter.fiscalCounterTaxID,
            counter.fiscalCounterTaxPercent,
            counter.fiscalCounterMoneyType,
            counter.fiscalCounterValue,
          ),
        )
        .toSorted(),
    };
  }

  untilDay(deviceId: number, state: string, number?: number): Promise<void> {
    return this.until(
      async () => {
        const day = await this.dayOf(deviceId);
        return day.state === state && (number === undefined || day.number === number);
      },
      `day ${number ?? ''} of device ${deviceId} is ${state}`,
    );
  }

  untilSubmitted(deviceId: number): Promise<void> {
    return this.until(
      async () => (await this.submissions(deviceId)).every((state) => state === 'Submitted'),
      `all receipts of device ${deviceId} are Submitted`,
    );
  }

  moveTo(instant: Date | string): void {
    this.#time.now = new Date(instant);
    this.wake();
  }

  advance(seconds: number): void {
    this.moveTo(new Date(this.now.getTime() + seconds * 1000));
  }

  /** Every device looks at the clock now, not only when the keeper comes by. */
  wake(): void {
    for (const [taxpayerId, deviceId] of this.#devices) this.fiscal.poke(taxpayerId, deviceId);
  }

  /** Waits for a condition; the shared clock moves on by so much with every look, so no pause has to be sat out. */
  async until(
    condition: () => boolean | Promise<boolean>,
    what: string,
    { stepSeconds = 1, patienceMs = 20_000 } = {},
  ) {
    const deadline = Date.now() + patienceMs;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
      await delay(10);
      if (stepSeconds > 0) this.advance(stepSeconds);
      else this.wake();
    }
  }

  async end(): Promise<void> {
    await this.books.clearFaults().catch(() => {});
    for (const instance of this.#instances.splice(0)) await instance.close();
    if (this.#options.beside === undefined) await this.simulator.stop();
    await this.database.drop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface OurCounter {
  readonly type: string;
  readonly currency: string;
  readonly taxId?: number;
  readonly taxPercent?: string | null;
  readonly moneyType?: string;
  readonly value: string;
}

export interface Sold {
  readonly Reference: string;
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly FiscalDayNumber: number;
  readonly FiscalDayCounter: number;
  readonly DeviceHash: string;
  readonly DeviceSignature: string;
  readonly SubmissionFailed: string | null;
  readonly SubmissionError: string | null;
}

/** A taxpayer with a token for its tills. */
export async function addShop(pool: Pool, masterKeys: MasterKeys, tin: string): Promise<BenchShop> {
  const taxpayerId = newId();
  return inTransaction(pool, async (tx) => {
    await addTaxpayer(tx, masterKeys, { taxpayerId, name: 'Test shop', tin, vatNumber: '220000001' });
    const { token } = await issueToken(tx, { taxpayerId, name: 'till', scopes: ['sign', 'read'] });
    return { taxpayerId, token, tin };
  });
}
