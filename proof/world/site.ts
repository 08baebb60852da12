import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { AuthorityBooks } from '../../test/support/authority/books.ts';
import { startSimulatorProcess } from '../../test/support/authority/simulator.ts';
import { Admin, MAKING_MS } from './admin.ts';
import { type Endpoint, EndpointReceiver } from './endpoint-receiver.ts';
import type { Ends } from './ends.ts';
import type { ChaosInstance } from './instance.ts';
import type { Random } from './random.ts';
import { openShop, type Shop } from './shop.ts';
import { VendorReceiver } from './vendor-receiver.ts';

/** What is around the service: the authority, a vendor, and where its endpoints are. They keep what they were sent in files. */
export type Surroundings = Awaited<ReturnType<typeof openSurroundings>>;

export async function openSurroundings(folder: string, random: Random, ends: Ends) {
  const [callbacksFile, eventsFile] = [join(folder, 'callbacks.jsonl'), join(folder, 'events.jsonl')];
  const authority = await startSimulatorProcess(50);
  ends.push(() => authority.end());
  const vendor = await new VendorReceiver().start(callbacksFile);
  ends.push(() => vendor.close());
  const receiver = await new EndpointReceiver(random.fork('endpoints')).start(eventsFile);
  ends.push(() => receiver.close());
  return { authority, books: new AuthorityBooks(authority.controlUrl), vendor, receiver, callbacksFile, eventsFile };
}

/** What an operator works with. */
export interface Office {
  readonly database: { readonly pool: Pool };
  readonly admin: Admin;
}

/** What driver, settling and checker need of a world, whatever its database stands on. */
export interface Site extends Office, Business, Pick<Surroundings, 'authority' | 'callbacksFile' | 'eventsFile'> {
  readonly instances: readonly Pick<ChaosInstance, 'name' | 'url'>[];
  readonly database: { readonly pool: Pool; readonly connection: Connection };
}

interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export interface Business {
  readonly admin: Admin;
  readonly adminToken: string;
  readonly shop: Shop;
  readonly endpoints: readonly Endpoint[];
}

/** Starts the instances, and makes at them a shop that sells and is told of everything. */
export async function openBusiness(
  { books, vendor, receiver }: Surroundings,
  options: { readonly instances: readonly ChaosInstance[]; readonly dataDir: string; readonly devices: number },
): Promise<Business> {
  const { instances, dataDir, devices } = options;
  const [first, ...others] = instances;
  // The first one makes the schema and the operator's token.
  await first?.start();
  await Promise.all(others.map((instance) => instance.start()));
  const adminToken = (await readFile(join(dataDir, 'operator-token'), 'utf8')).trim();
  const making = new Admin(instances, adminToken, MAKING_MS);
  const shop = await openShop(making, books, { devices, callbackUrl: `${vendor.url}/hook` });
  const endpoints = await receiver.register(making, shop);
  return { admin: new Admin(instances, adminToken), adminToken, shop, endpoints };
}

type Found = Omit<Site, keyof Office> & { readonly database: Pick<Site['database'], 'connection'> };

/** Where the checker finds everything. */
export function placesOf(site: Found, ledgerFile: string) {
  const { shop, database, adminToken, callbacksFile, eventsFile, endpoints } = site;
  return {
    ledgerFile,
    callbacksFile,
    eventsFile,
    endpoints,
    database: database.connection,
    controlUrl: site.authority.controlUrl,
    serviceUrls: site.instances.map(({ url }) => url),
    adminToken,
    token: shop.token,
    vendorToken: shop.vendorToken,
    webhookSecret: shop.webhookSecret,
    deviceIds: shop.deviceIds,
  };
}
