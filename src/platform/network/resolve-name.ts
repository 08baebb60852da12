import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';

const RESOLVER_OPTIONS = { timeout: 2000, tries: 2 };

/**
 * Every address of a name. Asks the nameservers first: the system's own look-up occupies one of the process's few worker
 * threads for as long as a dead nameserver makes it wait, and signing needs those threads. Only names that the nameservers
 * answered not to know go to the system, which also reads its hosts file and search domains.
 */
export async function resolveName(name: string): Promise<readonly LookupAddress[]> {
  if (!name.includes('.') || /\.localhost\.?$/i.test(name)) return lookup(name, { all: true });
  const resolver = new Resolver(RESOLVER_OPTIONS);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses: LookupAddress[] = [
    ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
    ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  const failures = [ipv4, ipv6].filter((result) => result.status === 'rejected');
  const silent = failures.find(({ reason }) => !isUnknownName(reason));
  if (silent !== undefined) throw silent.reason;
  return lookup(name, { all: true });
}

function isUnknownName(error: unknown): boolean {
  // ECONNREFUSED: there is no nameserver at all, so there is none to wait for.
  return error instanceof Error && 'code' in error && /^(ENOTFOUND|ENODATA|ECONNREFUSED)$/.test(String(error.code));
}
