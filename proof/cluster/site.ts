import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, primaryOf } from '../../src/platform/database/database.ts';
import { PrimaryWatch } from '../../src/platform/database/primary-watch.ts';
import { until } from '../../test/support/process.ts';
import { Admin } from '../world/admin.ts';
import type { EndpointReceiver } from '../world/endpoint-receiver.ts';
import { ChaosInstance, IN_A_HURRY } from '../world/instance.ts';
import { seededRandom } from '../world/random.ts';
import { openBusiness, openSurroundings, type Site } from '../world/site.ts';
import type { Cluster } from './cluster.ts';

const ROLE = { user: 'tillseal', password: 'change-me-4', database: 'tillseal' };
const FIRST_PORT = 3001;
/** Everything of the cluster is on this machine, too. */
const ATTEMPT_MS = 30_000;
const SUBMIT_MS = 300_000;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** How the service finds the leader: it knows all members, or a proxy does. */
export type Way = 'hosts' | 'proxy';

export interface SiteOptions {
  readonly folder: string;
  readonly cluster: Cluster;
  readonly way: Way;
  readonly devices: number;
  readonly seed: number;
  /** Where the source of the instances is, if not here. */
  readonly root: string | undefined;
}

export interface ClusterSite extends Site {
  readonly receiver: EndpointReceiver;
  /** Before the checker reads: from whom. */
  lookFrom(host: string): void;
  keepLogs(): Promise<void>;
}

/** Three instances on a cluster, and what every world has. */
export async function openSite(options: SiteOptions): Promise<ClusterSite> {
  const { folder, cluster, seed, root } = options;
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const leader = await cluster.knownLeader();
  await cluster.ask(leader, `create role ${ROLE.user} login password '${ROLE.password}'`);
  await cluster.ask(leader, `create database ${ROLE.database} owner ${ROLE.user}`);
  const hosts = cluster.machines.map(({ address }) => `${address}:5432`).join(',');
  const urlOf = (where: string) =>
    `postgresql://${ROLE.user}:${ROLE.password}@${where}/${ROLE.database}?sslmode=disable`;
  // They end with everything else that runs in here.
  const surroundings = await openSurroundings(folder, seededRandom(seed), []);
  const { authority } = surroundings;
  const environment = {
    DATA_DIR: dataDir,
    DATABASE_URL: urlOf(options.way === 'hosts' ? hosts : '127.0.0.1:5000'),
    ALLOW_UNSAFE_DATABASE: 'false',
    AUTHORITY_URL: `https://127.0.0.1:${new URL(authority.url).port}`,
    AUTHORITY_CA_FILE: authority.caFile,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ...IN_A_HURRY,
  };
  const instances = ['A', 'B', 'C'].map(
    (name, index) => new ChaosInstance({ name, folder, root, environment, port: FIRST_PORT + index }),
  );
  const business = await openBusiness(surroundings, { instances, dataDir, devices: options.devices });
  const pool = await openDatabase({ connection: urlOf(hosts), maxConnections: 4, log: quiet });
  new PrimaryWatch(primaryOf(pool), quiet).start();
  let host = leader.address;
  return {
    ...surroundings,
    ...business,
    instances,
    admin: new Admin(instances, business.adminToken, ATTEMPT_MS),
    database: {
      pool,
      get connection() {
        return { host, port: 5432, ...ROLE };
      },
    },
    lookFrom: (found) => {
      host = found;
    },
    keepLogs: async () => {
      for (const one of instances) await writeFile(join(folder, `instance-${one.name}.log`), one.logs());
    },
  };
}

export async function allSubmitted({ database: { pool } }: Site): Promise<void> {
  const text = `select sum(h.global_counter - l.submitted_through)::integer as count
                  from device_lanes l join device_heads h using (taxpayer_id, device_id)`;
  const count = async () => (await pool.query<{ count: number }>(text)).rows[0]?.count;
  await until(async () => (await count()) === 0, 'everything is submitted', SUBMIT_MS);
}
