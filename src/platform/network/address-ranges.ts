import { BlockList, isIP } from 'node:net';

/**
 * Where an address leads, for requests to places that others have named. `private` is what an installation may have good
 * reason to allow (its own network, this machine); `never` leads nowhere a web server is, or to the cloud's own secrets.
 *
 * On node:net's BlockList rather than a library: the ranges are IANA's special-purpose registries, a table of our own to
 * read and test, and comparing an address with a range is what Node does itself.
 */
export type AddressKind = 'public' | 'private' | 'never';

const PRIVATE = ranges([
  '127.0.0.0/8', // loopback
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16', // link-local
  '100.64.0.0/10', // carrier-grade NAT
  '::1/128', // loopback
  'fc00::/7', // unique local
  'fe80::/10', // link-local
]);

const NEVER = ranges([
  '0.0.0.0/8', // "this network": Linux connects to itself
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '198.51.100.0/24',
  '203.0.113.0/24',
  '192.88.99.0/24', // 6to4 relays
  '198.18.0.0/15', // benchmarking
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  // The metadata services of the clouds, which hand out credentials.
  '169.254.169.254/32',
  '169.254.170.2/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '3fff::/20',
  '2002::/16', // 6to4: any IPv4 address in disguise, and long given up
]);

/** All allocated ranges of IPv6; everything else is special. */
const GLOBAL_UNICAST = ranges(['2000::/3']);

/** `::ffff:127.0.0.1` and `64:ff9b::7f00:1` are IPv4 addresses written as IPv6: judged as what they lead to. */
const EMBEDDING = ranges(['::ffff:0:0/96', '64:ff9b::/96']);

export function addressKind(address: string): AddressKind {
  const family = isIP(address);
  if (family === 4) return kindOf(address, 'ipv4', true);
  const groups = family === 6 ? ipv6Groups(address) : undefined;
  if (groups === undefined) return 'never';
  const plain = groups.map((group) => group.toString(16)).join(':');
  if (EMBEDDING.ipv6.check(plain, 'ipv6')) {
    const [high = 0, low = 0] = groups.slice(6);
    return addressKind([high >> 8, high & 255, low >> 8, low & 255].join('.'));
  }
  return kindOf(plain, 'ipv6', GLOBAL_UNICAST.ipv6.check(plain, 'ipv6'));
}

/**
 * Who sends, as far as an address can tell: an IPv6 address by its first 48 bits, since that is what a site is given; counted by
 * 64 bits, one site would be 65,536 senders.
 * Undefined for what is no address. Some proxies write the port behind it.
 */
export function networkOf(address: string): string | undefined {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
  if (isIP(bare) === 4) return bare;
  const groups = isIP(bare) === 6 ? ipv6Groups(bare.split('%', 1)[0] ?? '') : undefined;
  if (groups === undefined) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${groups
    .slice(0, 3)
    .map((group) => group.toString(16))
    .join(':')}::/48`;
}

function kindOf(address: string, family: 'ipv4' | 'ipv6', isGivenOut: boolean): AddressKind {
  if (NEVER[family].check(address, family)) return 'never';
  if (PRIVATE[family].check(address, family)) return 'private';
  return isGivenOut ? 'public' : 'never';
}

/** The eight groups of an IPv6 address; the URL parser writes every spelling in one way. An address with a zone has none. */
function ipv6Groups(address: string): readonly number[] | undefined {
  const url = URL.parse(`http://[${address}]/`);
  if (url === null) return undefined;
  const [head = '', tail] = url.hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

/** Two lists, because a BlockList would also match mapped addresses, in its own way. */
function ranges(texts: readonly string[]): { readonly ipv4: BlockList; readonly ipv6: BlockList } {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of texts) {
    const [address = '', bits = ''] = text.split('/');
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    lists[family].addSubnet(address, Number(bits), family);
  }
  return lists;
}
