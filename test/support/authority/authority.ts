/**
 * The service and the authority together: the service in this process, so that tests can move its clock, with the real
 * gateway and the keeper; the authority in it, too, or where `isProcess` asks for it the simulator's own process, over TLS. The service as a process, where being
 * killed is the point: see processes.ts.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { afterAll, afterEach } from 'vitest';
import type { Gateway } from '../../../src/fdms/index.ts';
import { holdDevice } from '../../../src/fiscal/devices/hold-device.ts';
import { type FiscalService, wakeLane } from '../../../src/fiscal/index.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { type MasterKeys, singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { addOperator, makeShop, newMasterKey, type TestTaxpayer } from '../local-shop.ts';
import { NOON, type ServiceChoices } from '../service.ts';
import type { AuthorityBooks } from './books.ts';
import { type KeepingInstance, startInstance, type TestAuthority } from './instance.ts';
import { PacedAuthority } from './paced-authority.ts';
import { BenchRequests } from './requests.ts';
import { simulatorProcess } from './simulator.ts';
import { SharedTime } from './time.ts';

export interface BenchOptions {
  readonly now?: Date;
  /** How long a request waits for its own submission. */
  readonly submissionWaitMs?: number;
  readonly settings?: ServiceChoices;
  /** The way to the database, if not directly. */
  readonly reach?: (database: TestDatabase) => Promise<string>;
  /** The authority is a process of its own, over TLS. */
  readonly isProcess?: boolean;
  /** Another service with a database of its own at the same authority, with the same clock. */
  readonly beside?: AuthorityBench;
}

/** Body fields of the admin route that differ from the usual, and what the authority knows of the device. */
export interface DeviceChoices {
  readonly shop?: TestTaxpayer;
  readonly atAuthority?: object;
  readonly registration?: object;
}

export interface Wait {
  readonly stepSeconds?: number;
  readonly patienceMs?: number;
  readonly deviceId?: number;
}

let nextDeviceId = 20_000;

interface BenchParts {
  readonly database: TestDatabase;
  readonly masterKeys: MasterKeys;
  readonly authority: TestAuthority;
  readonly time: SharedTime;
  readonly shop: TestTaxpayer;
  readonly adminToken: string;
  readonly options: BenchOptions;
}

export class AuthorityBench extends BenchRequests {
  readonly books: AuthorityBooks;
  readonly shop: TestTaxpayer;
  readonly adminToken: string;
  readonly #parts: BenchParts;
  readonly #instances: KeepingInstance[] = [];
  /** Devices that are woken whenever the clock moves: [taxpayer, device]. */
  readonly #devices: [string, number][] = [];

  private constructor(parts: BenchParts) {
    super();
    this.books = parts.authority.books;
    this.shop = parts.shop;
    this.adminToken = parts.adminToken;
    this.#parts = parts;
  }

  static async start(options: BenchOptions = {}): Promise<AuthorityBench> {
    const beside = options.beside === undefined ? undefined : options.beside.#parts;
    const authority =
      beside?.authority ?? (options.isProcess ? await simulatorProcess() : await PacedAuthority.open(() => time.now));
    const time: SharedTime = beside?.time ?? new SharedTime(options.now ?? NOON, (now) => authority.tell(now));
    await time.move((now) => now);
    const database = await createTestDatabase();
    const masterKeys = singleMasterKey(await newMasterKey(database.pool));
    const shop = await makeShop(database.pool, masterKeys);
    const adminToken = await addOperator(database.pool);
    const bench = new AuthorityBench({ database, masterKeys, authority, time, shop, adminToken, options });
    await bench.addInstance();
    return bench;
  }

  /** Calls of a device wait from now on, until they are let go. */
  hold(operation: string, deviceId: number): () => void {
    const { authority } = this.#parts;
    if (authority instanceof PacedAuthority) return authority.hold(operation, deviceId);
    throw new Error('a process does not hold calls');
  }

  get pool(): Pool {
    return this.#parts.database.pool;
  }

  get masterKeys(): MasterKeys {
    return this.#parts.masterKeys;
  }

  get gateway(): Gateway {
    return this.instance().gateway;
  }

  get fiscal(): FiscalService {
    return this.instance().fiscal;
  }

  /** What both sides take for the time. */
  get now(): Date {
    return this.#parts.time.now;
  }

  instance(index = 0): KeepingInstance {
    const found = this.#instances[index];
    if (found === undefined) throw new Error(`there is no instance ${index}`);
    return found;
  }

  /** Another instance on the same database; the first one is there from the start. */
  async addInstance(): Promise<KeepingInstance> {
    const { database, authority, masterKeys, time, options } = this.#parts;
    const url = (await options.reach?.(database)) ?? database.url;
    const parts = { url, masterKeys, clock: () => time.now };
    const instance = await startInstance(parts, authority, {
      submissionWaitMs: options.submissionWaitMs ?? 20_000,
      ...options.settings,
    });
    this.#instances.push(instance);
    return instance;
  }

  addShop(tin: string): Promise<TestTaxpayer> {
    return makeShop(this.pool, this.#parts.masterKeys, { tin });
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
    const announced = await this.books.announce(shop, deviceId, atAuthority);
    this.#devices.push([shop.taxpayerId, deviceId]);
    return { deviceId, registration: { ...announced, ...registration } };
  }

  untilDay(deviceId: number, state: string, number?: number): Promise<void> {
    return this.until(
      async () => {
        const day = await this.dayOf(deviceId);
        return day.state === state && (number === undefined || day.number === number);
      },
      `day ${number ?? ''} of device ${deviceId} is ${state}`,
      { deviceId },
    );
  }

  /** An operator asks for it. */
  async closeDay(deviceId: number, number = 1): Promise<void> {
    await this.requestDay(deviceId, 'close');
    await this.untilDay(deviceId, 'Closed', number);
  }

  async openDay(deviceId: number, number = 2): Promise<void> {
    await this.requestDay(deviceId, 'open');
    await this.untilDay(deviceId, 'Opened', number);
  }

  /** The day is closed, and the next one opened at once. */
  async nextDay(deviceId: number, number = 2): Promise<void> {
    await this.requestDay(deviceId, 'close', { ThenOpen: true });
    await this.untilDay(deviceId, 'Opened', number);
  }

  untilSubmitted(deviceId: number): Promise<void> {
    return this.until(
      async () => (await this.submissions(deviceId)).every((state) => state === 'Submitted'),
      `all receipts of device ${deviceId} are Submitted`,
      { deviceId },
    );
  }

  async moveTo(instant: Date | string): Promise<void> {
    await this.#parts.time.move(() => new Date(instant));
    this.wake();
  }

  /** Of the next day in Harare: far from every window. */
  moveToNoon(): Promise<void> {
    const noon = new Date(this.now);
    noon.setUTCHours(24 + 10, 0, 0, 0);
    return this.moveTo(noon);
  }

  async advance(seconds: number, deviceId?: number): Promise<void> {
    if (seconds > 0) await this.#parts.time.move((now) => new Date(now.getTime() + seconds * 1000));
    this.wake(deviceId);
  }

  /** The device, or every one, looks at the clock now, not only when the keeper comes by. */
  wake(only?: number): void {
    for (const [taxpayerId, deviceId] of this.#devices) {
      if (only === undefined || only === deviceId) this.fiscal.poke(taxpayerId, deviceId);
    }
  }

  /**
   * Waits for a condition; the shared clock moves on by so much (a second, and ten after ten of them) whenever every device has done what
   * the present time asks for, so no pause has to be sat out, and no call is overtaken by time, however slow the machine is. What concerns
   * one device wakes that one only.
   */
  async until(condition: () => boolean | Promise<boolean>, what: string, options: Wait = {}): Promise<void> {
    const { stepSeconds, patienceMs = 100_000, deviceId } = options;
    const deadline = Date.now() + patienceMs;
    for (let moves = 0; ; ) {
      const mayMove = stepSeconds === 0 || (await this.#comesToRest());
      if (await condition()) return;
      if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
      if (mayMove) {
        moves += 1;
        await this.advance(stepSeconds ?? (moves > 10 ? 10 : 1), deviceId);
      }
      // Hundreds may wait at once where the authority is a process.
      await delay(this.#parts.options.isProcess ? 10 : 1);
    }
  }

  /** Whether every device has done what the present time asks for, within a moment. */
  async #comesToRest(): Promise<boolean> {
    for (let patience = 20; patience > 0; patience -= 1) {
      if (this.#instances.every(({ fiscal }) => fiscal.isAtRest())) return true;
      await delay(2);
    }
    return false;
  }

  /** Nothing more is done for the devices that there are: as the time moves on, each would open, close and ask again and again. */
  async giveUpDevices(): Promise<void> {
    for (const [taxpayerId, deviceId] of this.#devices.splice(0)) {
      const key = { taxpayerId, deviceId };
      const hold = { kind: 'GivenUp', reason: 'its test has ended', by: 'test' } as const;
      await inTransaction(this.pool, async (tx) => holdDevice(await wakeLane(tx, key), key, hold, this.now));
    }
  }

  async end(): Promise<void> {
    const { authority, database, options } = this.#parts;
    await this.books.clearFaults().catch(() => {});
    for (const instance of this.#instances.splice(0)) await instance.close();
    if (options.beside === undefined) await authority.end();
    await database.drop();
  }
}

/** The one of a test file: without faults and devices after each test, and gone after the last. */
export async function benchOfFile(options?: BenchOptions): Promise<AuthorityBench> {
  const bench = await AuthorityBench.start(options);
  afterEach(async () => {
    await bench.books.clearFaults();
    await bench.giveUpDevices();
  });
  afterAll(() => bench.end());
  return bench;
}
