/** The authority and the instances of the service as processes of their own: for journeys in which one of them is killed. */
import type { Pool } from 'pg';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { ask } from '../ask.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { addOperator, farWindow, makeShop, newMasterKey, type TestTaxpayer } from '../local-shop.ts';
import { Machine, type ServiceProcess, until } from '../process.ts';
import { AuthorityBooks } from './books.ts';
import { type SimulatorProcess, startSimulatorProcess } from './simulator.ts';

type Database = Pick<TestDatabase, 'pool' | 'url' | 'drop'>;

interface Parts {
  readonly database: Database;
  readonly simulator: SimulatorProcess;
  readonly machine: Machine;
  readonly shop: TestTaxpayer;
  readonly operator: string;
  /** What every instance is started with. */
  readonly environment: Readonly<Record<string, string>>;
}

export class AuthorityProcesses {
  readonly books: AuthorityBooks;
  readonly shop: TestTaxpayer;
  readonly operator: string;
  readonly environment: Parts['environment'];
  readonly until = until;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.books = new AuthorityBooks(parts.simulator.controlUrl);
    this.shop = parts.shop;
    this.operator = parts.operator;
    this.environment = parts.environment;
    this.#parts = parts;
  }

  static async start(given?: Database): Promise<AuthorityProcesses> {
    const machine = new Machine();
    const folder = await machine.folder();
    const [simulator, database] = await Promise.all([startSimulatorProcess(), given ?? createTestDatabase()]);
    const masterKey = await newMasterKey(database.pool);
    const shop = await makeShop(database.pool, singleMasterKey(masterKey));
    const operator = await addOperator(database.pool);
    const environment = {
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      AUTHORITY_URL: simulator.url,
      AUTHORITY_CA_FILE: simulator.caFile,
      MASTER_KEY: masterKey.toString('base64'),
    };
    return new AuthorityProcesses({ database, simulator, machine, shop, operator, environment });
  }

  get database(): Database {
    return this.#parts.database;
  }

  get pool(): Pool {
    return this.database.pool;
  }

  /** An instance of the service. */
  startService(environment: Record<string, string> = {}): ServiceProcess {
    return this.#parts.machine.start({ ...this.environment, ...environment });
  }

  /** A device the authority knows and we do not: the body that registers it, its dates free to run ahead. */
  async announceDevice(deviceId: number) {
    const announced = await this.books.announce(this.shop, deviceId);
    return { ...announced, MaintenanceStart: farWindow().time, AdvanceLimitSeconds: 86_400 };
  }

  /** Registers a device through the instance at `url`. */
  register(url: string, registration: object): Promise<Response> {
    return this.ask(url, 'POST', '/api/admin/devices', registration);
  }

  /** As an operator, of the instance at `url`. */
  ask(url: string, method: string, path: string, body?: object): Promise<Response> {
    return ask({ url, token: this.operator }, method, path, body);
  }

  /** A device that is registered through the instance at `url`, its first day open. */
  async addDevice(url: string, deviceId: number): Promise<void> {
    const answer = await this.register(url, await this.announceDevice(deviceId));
    if (answer.status !== 201) throw new Error(`device ${deviceId} was not registered: ${await answer.text()}`);
    await this.untilOpened(deviceId);
  }

  async untilOpened(deviceId: number): Promise<void> {
    const text = `select from device_heads where device_id = $1 and day_state = 'Opened'`;
    const isOpen = async () => (await this.pool.query(text, [deviceId])).rowCount === 1;
    await until(isOpen, `the day of device ${deviceId} is open`);
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
    await this.#parts.simulator.end();
    await this.#parts.machine.end();
    await this.database.drop();
  }
}
