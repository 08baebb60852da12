/** The service on a primary with a synchronous standby, with a device whose day is open. */
import type { Pool } from 'pg';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { Machine, type ServiceProcess } from '../process.ts';
import { type DatabaseServer, type ReplicatedPostgres, startReplicated } from '../replicated-postgres.ts';
import { AuthorityProcesses } from './processes.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const MIGRATIONS = new URL('../../../migrations', import.meta.url).pathname;

export interface ReplicatedService extends Pick<AuthorityProcesses, 'books' | 'shop' | 'operator' | 'environment'> {
  readonly replicated: ReplicatedPostgres;
  readonly url: string;
  readonly deviceId: number;
  readonly process: ServiceProcess;
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
  const replicated = await startReplicated(await machine.folder());
  await replicated.primary.query('create database tillseal');
  // The standby first: whoever takes writes is to be found.
  const address = addressOf(replicated.standby, replicated.primary);
  const openPool = () => openDatabase({ connection: address, maxConnections: 2, log: quiet });
  const pool = await openPool();
  await migrate(pool, MIGRATIONS, quiet);
  const drop = async () => {
    await pool.end();
    await replicated.end();
    await machine.end();
  };
  const world = await AuthorityProcesses.start({ pool, url: address, drop });
  const service = world.startService();
  const url = await service.ready;
  await world.addDevice(url, deviceId);
  const { books, shop, operator, environment } = world;
  return {
    replicated,
    books,
    shop,
    operator,
    environment,
    url,
    deviceId,
    process: service,
    start: (other) => world.startService(other),
    addDevice: (added) => world.addDevice(url, added),
    openPool,
    end: () => world.end(),
  };
}
