import type { Run } from './common/run.ts';

/** A row of what can be proved. */
export interface Row {
  readonly name: string;
  readonly proves: string;
  /** Without options. */
  readonly takes: string;
  readonly needs?: string;
  /** In namespaces of its own, which end with it: nothing can be left behind. */
  readonly inside?: 'processes' | 'network';
  /** In docs/proof: how it is done, what it found, and what it does not prove. */
  readonly page: string;
  /** The words of each run before a release, and of a short one. */
  readonly long: readonly (readonly string[])[];
  readonly short: readonly (readonly string[])[];
  readonly load: () => Promise<{ readonly default: Run }>;
}

export const RUNS: readonly Row[] = [
  {
    name: 'chaos',
    proves: 'nothing is lost, forked or duplicated when processes, networks, disks and clocks fail',
    takes: '3 minutes',
    page: 'README.md',
    long: [['--minutes', '30']],
    short: [['--minutes', '3']],
    load: () => import('./runs/chaos.ts'),
  },
  {
    name: 'power',
    proves: 'the same on a disk that loses its power',
    takes: '20 minutes',
    needs: 'root on Linux, nbdkit',
    inside: 'processes',
    page: 'power-cut.md',
    long: [['--cuts', '500']],
    short: [['--cuts', '40']],
    load: () => import('./runs/power.ts'),
  },
  {
    name: 'cluster',
    proves: 'the same on PostgreSQL under Patroni',
    takes: '30 minutes',
    needs: "root on Linux, Debian's Patroni, etcd and HAProxy",
    inside: 'network',
    page: 'cluster.md',
    long: [[], ['--way', 'proxy']],
    short: [
      ['--minutes', '5'],
      ['--minutes', '5', '--way', 'proxy'],
    ],
    load: () => import('./runs/cluster.ts'),
  },
  {
    name: 'clients',
    proves: 'the outboxes of all clients lose nothing',
    takes: '20 minutes',
    needs: 'PHP, Python, mono: each language that is here',
    page: 'clients.md',
    long: [[], ['--faults']],
    short: [
      ['--sales', '200', '--kills', '20'],
      ['--faults', '--language', 'typescript'],
    ],
    load: () => import('./runs/clients.ts'),
  },
  {
    name: 'attack',
    proves: 'hostile requests do no harm',
    takes: '2 minutes',
    page: 'attack.md',
    long: [['--requests', '200000']],
    short: [[]],
    load: () => import('./runs/attack.ts'),
  },
  {
    name: 'mutation',
    proves: 'the tests notice when the code is wrong',
    takes: '2 hours',
    page: 'mutation.md',
    long: [[]],
    short: [['--only', 'src/fiscal/core/seal.ts']],
    load: () => import('./runs/mutation.ts'),
  },
  {
    name: 'vectors',
    proves: 'signed strings, hashes, signatures and QR codes are those of the authority',
    takes: 'a second',
    page: 'README.md',
    long: [[]],
    short: [[]],
    load: () => import('./runs/vectors.ts'),
  },
  {
    name: 'long',
    proves: 'fail-over, backup and restore, and every other test that takes minutes',
    takes: '40 minutes',
    page: 'README.md',
    long: [[]],
    short: [['test/journeys/replication.proof.ts', 'test/journeys/barrier.proof.ts', 'test/journeys/backup.proof.ts']],
    load: () => import('./runs/long.ts'),
  },
];
