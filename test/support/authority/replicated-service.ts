/** The service on a primary with a synchronous standby, with a device whose day is open. */
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { fingerprint } from '../../../src/platform/secrets/secrets.ts';
import { Machine, type ServiceProcess, until } from '../process.ts';
import { type DatabaseServer, type ReplicatedPostgres, startReplicated } from '../replicated-postgres.ts';
import { AuthorityBooks } from './books.ts';
import { addOperator, addShop, type BenchShop } from './shop.ts';
import { startSimulatorProcess } from './simulator.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const MIGRATIONS = new URL('../../../migrations', import.meta.url).pathname;

export interface ReplicatedService {
  readonly replicated: ReplicatedPostgres;
  readonly books: AuthorityBooks;
  readonly shop: BenchShop;
  readonly operator: string;
  readonly url: string;
  readonly deviceId: number;
  readonly process: ServiceProcess;
  /** What it was started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts an instance on the same servers, with the same folder unless it says otherwise. */
  start(environment?: Readonly<Record<string, string>>): ServiceProcess;
  /** Another device of the shop, with its day open. */
  addDevice(deviceId: number): Promise<void>;
  /** A pool on whichever server takes writes. */
  openPool(): Promise<Pool>;
  end(): Promise<void>;
}

/** A DATABASE_URL with these servers, in this order. */
export function addressOf(...servers: readonly DatabaseServer[]): string {
  return `postgresql://tillseal@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/tillseal`;
}

export async function startReplicatedService(deviceId: number): Promise<ReplicatedService> {
  const machine = new Machine();
  const folder = await machine.folder();
  const [simulator, replicated] = await Promise.all([startSimulatorProcess(), startReplicated(folder)]);
  const books = new AuthorityBooks(simulator.controlUrl);
  await replicated.primary.query('create database tillseal');
  const masterKey = randomBytes(32);
  // The standby first: whoever takes writes is to be found.
  const address = addressOf(replicated.standby, replicated.primary);
  const openPool = () => openDatabase({ connection: address, maxConnections: 2, log: quiet });
  const pool = await openPool();
  await migrate(pool, MIGRATIONS, quiet);
  await pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKey)]);
  const shop = await addShop(pool, singleMasterKey(masterKey), '2000000001');
  const operator = await addOperator(pool);
  const environment = {
    DATA_DIR: folder,
    DATABASE_URL: address,
    AUTHORITY_URL: simulator.url,
    AUTHORITY_CA_FILE: simulator.caFile,
    MASTER_KEY: masterKey.toString('base64'),
  };
  const start = (other = {}) => machine.start({ ...environment, ...other });
  const service = start();
  const url = await service.ready;
  const addDevice = async (added: number) => {
    const { serialNo, activationKey } = await books.addDevice(added, shop.tin);
    const awayHour = String((new Date().getUTCHours() + 14) % 24).padStart(2, '0');
    const answer = await fetch(`${url}/api/admin/devices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        TaxpayerId: shop.taxpayerId,
        AuthorityDeviceId: added,
        SerialNumber: serialNo,
        ActivationKey: activationKey,
        MaintenanceStart: `${awayHour}:00`,
        AdvanceLimitSeconds: 86_400,
      }),
    });
    if (answer.status !== 201) throw new Error(`the device was not registered: ${await answer.text()}`);
    await until(async () => {
      const { rows } = await pool.query<{ day_state: string }>(
        'select day_state from device_heads where device_id = $1',
        [added],
      );
      return rows[0]?.day_state === 'Opened';
    }, 'the day is open');
  };
  await addDevice(deviceId);
  return {
    replicated,
    books,
    shop,
    operator,
    url,
    deviceId,
    process: service,
    environment,
    start,
    addDevice,
    openPool,
    end: async () => {
      await pool.end();
      await machine.end();
      await replicated.end();
      await simulator.end();
    },
  };
}
