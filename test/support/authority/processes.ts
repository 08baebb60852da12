/** The authority and the instances of the service as processes of their own: for journeys in which one of them is killed. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { fingerprint } from '../../../src/platform/secrets/secrets.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { Machine, type ServiceProcess } from '../process.ts';
import { AuthorityBooks } from './books.ts';
import { addOperator, addShop, type BenchShop } from './shop.ts';
import { type SimulatorProcess, startSimulatorProcess } from './simulator.ts';

const PATIENCE_MS = 100_000;

export class AuthorityProcesses {
  readonly database: TestDatabase;
  readonly books: AuthorityBooks;
  readonly shop: BenchShop;
  readonly #simulator: SimulatorProcess;
  readonly #machine: Machine;
  readonly #environment: Record<string, string>;
  readonly #adminToken: string;

  private constructor(parts: {
    database: TestDatabase;
    simulator: SimulatorProcess;
    shop: BenchShop;
    machine: Machine;
    environment: Record<string, string>;
    adminToken: string;
  }) {
    this.database = parts.database;
    this.books = new AuthorityBooks(parts.simulator.controlUrl);
    this.shop = parts.shop;
    this.#simulator = parts.simulator;
    this.#machine = parts.machine;
    this.#environment = parts.environment;
    this.#adminToken = parts.adminToken;
  }

  static async start(): Promise<AuthorityProcesses> {
    const machine = new Machine();
    const folder = await machine.folder();
    const [simulator, database] = await Promise.all([startSimulatorProcess(), createTestDatabase()]);
    const masterKey = randomBytes(32);
    await database.pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKey)]);
    const shop = await addShop(database.pool, singleMasterKey(masterKey), '2000000001');
    const adminToken = await addOperator(database.pool);
    const environment = {
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      AUTHORITY_URL: simulator.url,
      AUTHORITY_CA_FILE: simulator.caFile,
      MASTER_KEY: masterKey.toString('base64'),
    };
    return new AuthorityProcesses({ database, simulator, shop, machine, environment, adminToken });
  }

  get pool(): Pool {
    return this.database.pool;
  }

  /** What every instance is started with. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  /** An instance of the service. */
  startService(environment: Record<string, string> = {}): ServiceProcess {
    return this.#machine.start({ ...this.#environment, ...environment });
  }

  /** A device the authority knows and we do not: the body that registers it, its window twelve hours away, its dates free to run ahead. */
  async announceDevice(deviceId: number) {
    const { serialNo, activationKey } = await this.books.addDevice(deviceId, this.shop.tin);
    const awayHour = String((new Date().getUTCHours() + 14) % 24).padStart(2, '0');
    return {
      TaxpayerId: this.shop.taxpayerId,
      AuthorityDeviceId: deviceId,
      SerialNumber: serialNo,
      ActivationKey: activationKey,
      MaintenanceStart: `${awayHour}:00`,
      AdvanceLimitSeconds: 86_400,
    };
  }

  /** Registers a device through the instance at `url`. */
  register(url: string, registration: object): Promise<Response> {
    return this.ask(url, 'POST', '/api/admin/devices', registration);
  }

  /** As an operator, of the instance at `url`. */
  ask(url: string, method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#adminToken}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** A device that is registered through the instance at `url`, its first day open. */
  async addDevice(url: string, deviceId: number): Promise<void> {
    const answer = await this.register(url, await this.announceDevice(deviceId));
    if (answer.status !== 201) throw new Error(`device ${deviceId} was not registered: ${await answer.text()}`);
    await this.untilOpened(deviceId);
  }

  async untilOpened(deviceId: number): Promise<void> {
    await this.until(async () => {
      const { rows } = await this.pool.query('select from device_heads where device_id = $1 and day_state = $2', [
        deviceId,
        'Opened',
      ]);
      return rows.length === 1;
    }, `the day of device ${deviceId} is open`);
  }

  async until(condition: () => boolean | Promise<boolean>, what: string, patienceMs = PATIENCE_MS): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
      await delay(20);
    }
  }

  /** Receipts that are sealed and not with the authority, over all devices. */
  async backlog(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      `select coalesce(sum(h.global_counter - l.submitted_through), 0)::integer as count
         from device_lanes l join device_heads h using (taxpayer_id, device_id)`,
    );
    return rows[0]?.count ?? 0;
  }

  async end(): Promise<void> {
    await this.#simulator.end();
    await this.#machine.end();
    await this.database.drop();
  }
}
