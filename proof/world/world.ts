import { randomBytes } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../test/support/process.ts';
import type { Admin } from './admin.ts';
import { ChaosDatabase } from './database.ts';
import type { Endpoint } from './endpoint-receiver.ts';
import { type Ends, endAll, startAll } from './ends.ts';
import { ChaosInstance, IN_A_HURRY, type InstanceOptions } from './instance.ts';
import { seededRandom } from './random.ts';
import type { Shop } from './shop.ts';
import { openBusiness, openSurroundings, type Site, type Surroundings } from './site.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { Tunnel } from './tunnel.ts';

export interface WorldOptions {
  /** Empty at first; everything of the run is kept here. */
  readonly folder: string;
  readonly instances: number;
  readonly devices: number;
  readonly diskMegabytes: number;
  readonly seed: number;
  /** Where the source of the instances is, if not here. */
  readonly root?: string;
}

/** An instance with its ways to the database and to the authority. */
export interface Post {
  readonly instance: ChaosInstance;
  readonly toDatabase: Tunnel;
  readonly toAuthority: Tunnel;
}

/** Everything that a run breaks: the authority, one database, the instances behind proxies, a vendor, and a shop. */
export class World implements Site {
  readonly folder: string;
  readonly disk: SmallDisk;
  readonly database: ChaosDatabase;
  readonly authority: Surroundings['authority'];
  readonly books: Surroundings['books'];
  readonly vendor: Surroundings['vendor'];
  readonly receiver: Surroundings['receiver'];
  readonly callbacksFile: string;
  readonly eventsFile: string;
  readonly posts: readonly Post[];
  readonly admin: Admin;
  readonly adminToken: string;
  readonly shop: Shop;
  readonly endpoints: readonly Endpoint[];
  readonly #ends: Ends;

  private constructor(parts: Parts, ends: Ends) {
    this.folder = parts.folder;
    this.disk = parts.disk;
    this.database = parts.database;
    this.authority = parts.authority;
    this.books = parts.books;
    this.vendor = parts.vendor;
    this.receiver = parts.receiver;
    this.callbacksFile = parts.callbacksFile;
    this.eventsFile = parts.eventsFile;
    this.posts = parts.posts;
    this.admin = parts.admin;
    this.adminToken = parts.adminToken;
    this.shop = parts.shop;
    this.endpoints = parts.endpoints;
    this.#ends = ends;
  }

  static start(options: WorldOptions): Promise<World> {
    return startAll(async (ends) => new World(await startParts(options, ends), ends));
  }

  get instances(): readonly ChaosInstance[] {
    return this.posts.map(({ instance }) => instance);
  }

  /** What is kept stays in the folder: logs, and the database as it was stopped. */
  end({ isKept }: { readonly isKept: boolean }): Promise<void> {
    return endAll(this.#ends, isKept);
  }
}

type Parts = Awaited<ReturnType<typeof startParts>>;

async function startParts(options: WorldOptions, ends: Ends) {
  const { folder, root } = options;
  await mkdir(folder, { recursive: true });
  const disk = mountSmallDisk(join(folder, 'disk'), options.diskMegabytes);
  ends.push(() => disk.remove());
  const database = await ChaosDatabase.start(disk.folder);
  ends.push(async (isKept) => {
    await database.stop();
    if (isKept && disk.whyNot === undefined) await cp(disk.folder, join(folder, 'database'), { recursive: true });
  });
  const surroundings = await openSurroundings(folder, seededRandom(options.seed), ends);
  const { authority } = surroundings;
  const dataDir = join(folder, 'data');
  const environment = {
    DATA_DIR: dataDir,
    AUTHORITY_CA_FILE: authority.caFile,
    MASTER_KEY: randomBytes(32).toString('base64'),
    ...IN_A_HURRY,
  };
  const posts: Post[] = [];
  for (let index = 0; index < options.instances; index += 1) {
    const name = String.fromCodePoint(65 + index);
    const post = await preparePost({ name, folder, root, environment }, database, authority);
    posts.push(post);
    ends.push((isKept) => endPost(post, folder, isKept));
  }
  const instances = posts.map(({ instance }) => instance);
  const business = await openBusiness(surroundings, { instances, dataDir, devices: options.devices });
  return { folder, disk, database, posts, ...surroundings, ...business };
}

async function endPost({ instance, toDatabase, toAuthority }: Post, folder: string, isKept: boolean): Promise<void> {
  await instance.end();
  if (isKept) await writeFile(join(folder, `instance-${instance.name}.log`), instance.logs());
  await Promise.all([toDatabase.close(), toAuthority.close()]);
}

async function preparePost(
  options: Omit<InstanceOptions, 'port'>,
  database: ChaosDatabase,
  authority: Surroundings['authority'],
): Promise<Post> {
  const toDatabase = await Tunnel.start({ path: database.socket });
  const toAuthority = await Tunnel.start({ host: '127.0.0.1', port: Number(new URL(authority.url).port) });
  const environment = {
    ...options.environment,
    DATABASE_URL: `postgresql://tillseal@127.0.0.1:${toDatabase.port}/tillseal?sslmode=disable`,
    AUTHORITY_URL: `https://127.0.0.1:${toAuthority.port}`,
  };
  const instance = new ChaosInstance({ ...options, environment, port: await freePort() });
  return { instance, toDatabase, toAuthority };
}
