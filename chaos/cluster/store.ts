import type { Machine } from './machine.ts';

/** Where Patroni keeps its lock. */
export const STORES = ['etcd', 'zookeeper', 'raft', 'etcd3'] as const;
export type Store = (typeof STORES)[number];

const addresses = (port: number) => [1, 2, 3].map((number) => `10.77.0.${number}:${port}`);
const quoted = (all: readonly string[]) => all.map((one) => `'${one}'`).join(', ');

/** The section of patroni.yml that stands in the place of the one in deploy/cluster, which is `etcd`. */
export function sectionOf(store: Store, { address }: Machine): string {
  const others = addresses(2222).filter((one) => !one.startsWith(`${address}:`));
  return {
    etcd: `etcd:\n  hosts: ${addresses(2379).join(',')}\n`,
    etcd3: `etcd3:\n  hosts: ${addresses(2379).join(',')}\n`,
    zookeeper: `zookeeper:\n  hosts: [${quoted(addresses(2181))}]\n`,
    raft: `raft:\n  data_dir: /var/lib/raft\n  self_addr: ${address}:2222\n  partner_addrs: [${quoted(others)}]\n`,
  }[store];
}

/** For Debian's zookeeper, on the machine with this number. */
export const ZOOKEEPER_CONFIGURATION = [
  'tickTime=1000',
  'initLimit=10',
  'syncLimit=5',
  'dataDir=/var/lib/zookeeper',
  'clientPort=2181',
  'admin.enableServer=false',
  ...[1, 2, 3].map((number) => `server.${number}=10.77.0.${number}:2888:3888`),
].join('\n');

/** What runs beside Patroni; its own Raft runs in it. */
export function commandOf(store: Store, configuration: string): readonly string[] {
  const zookeeper = ['-cp', '/usr/share/java/zookeeper.jar', 'org.apache.zookeeper.server.quorum.QuorumPeerMain'];
  const java = ['java', '-Xmx128m', ...zookeeper, configuration];
  return { etcd: ['etcd'], etcd3: ['etcd'], zookeeper: java, raft: [] }[store];
}
