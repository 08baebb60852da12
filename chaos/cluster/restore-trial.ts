import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, seededRandom } from '../../clients/conformance/tills/random.ts';
import { tillseal } from '../../test/support/command-line.ts';
import { until } from '../../test/support/process.ts';
import { Ledger } from '../driver/ledger.ts';
import { randomLines, receiptBody } from '../driver/receipts.ts';
import { type Answer, Sender } from '../driver/requests.ts';
import { Cluster } from './cluster.ts';
import type { Machine } from './machine.ts';
import { allSubmitted, type ClusterSite, openSite } from './site.ts';
import type { Task } from './task.ts';

const DEVICES = 4;
const SALES = 10;
const PATIENCE_MS = 120_000;
const DATA = '/var/lib/postgresql/15/tillseal';
const PROGRAMS = '/usr/lib/postgresql/15/bin';

interface Found {
  readonly backupSeconds: string;
  readonly restoreSeconds: string;
  readonly before: number;
  readonly after: number;
  readonly restored: number;
  readonly mark: string;
  readonly outcomes: readonly string[];
}

/**
 * Copies a running cluster with pgBackRest, sells on, loses all three members, and restores a moment before the last sales: half of
 * the devices have sold since, so the authority knows more of them than the restored database.
 */
export async function tryRestore({ folder, seed, store }: Task, tell: (line: string) => void): Promise<Found> {
  await mkdir(folder, { recursive: true });
  const cluster = await Cluster.start({ folder, store, isSynchronous: true, isArchived: true });
  const site = await openSite({ folder, cluster, way: 'hosts', devices: DEVICES, seed, root: undefined });
  const ledger = await Ledger.open(join(folder, 'ledger.jsonl'));
  const till = new Till(site, ledger, seededRandom(seed));
  const { deviceIds } = site.shop;
  const leader = await cluster.knownLeader();
  await run(cluster, leader, ['pgbackrest', '--stanza=tillseal', 'stanza-create']);
  await till.sell(deviceIds, SALES);
  const startedAt = Date.now();
  await run(cluster, leader, ['pgbackrest', '--stanza=tillseal', '--type=full', 'backup']);
  const backupSeconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  await till.sell(deviceIds, SALES);
  await allSubmitted(site);
  const [now] = await cluster.ask<{ moment: string; count: number }>(
    leader,
    'select now()::text as moment, count(*)::integer as count from receipts',
    'tillseal',
  );
  tell(`backed up in ${backupSeconds} s; the moment is ${now?.moment}, with ${now?.count} receipts`);
  await till.sell(deviceIds.slice(0, DEVICES / 2), SALES);
  await allSubmitted(site);
  await cluster.ask(leader, 'select pg_switch_wal()');
  await until(() => isArchived(cluster, leader), 'the last file is in the archive', PATIENCE_MS);
  for (const instance of site.instances) await instance.end();
  const restoreSeconds = await loseAndRestore(cluster, now?.moment ?? '');
  tell(`restored and whole again after ${restoreSeconds} s`);
  const mark = await tillseal(['restore', 'mark'], { environment: { DATABASE_URL: site.databaseUrl } });
  for (const instance of site.instances) await instance.start();
  await until(() => isCompared(site), 'the authority was asked about every device', PATIENCE_MS);
  const outcomes = await Promise.all(deviceIds.map((deviceId) => till.outcomeOf(deviceId)));
  const [restored] = await cluster.ask<{ count: number }>(
    await cluster.knownLeader(),
    "select count(*)::integer as count from receipts where reference not like 'after-%'",
    'tillseal',
  );
  const counts = { before: now?.count ?? 0, after: (DEVICES / 2) * SALES, restored: restored?.count ?? 0 };
  return { backupSeconds, restoreSeconds, ...counts, mark: `${mark.stdout}${mark.stderr}`.trim(), outcomes };
}

async function run(cluster: Cluster, machine: Machine, words: readonly string[]): Promise<void> {
  const [code] = (await once(cluster.start(machine, words), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${words.join(' ')}: ended with ${code}`);
}

async function isArchived(cluster: Cluster, leader: Machine): Promise<boolean> {
  const [row] = await cluster.ask<{ isDone: boolean }>(
    leader,
    'select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 16 * 1024 * 1024) as "isDone" from pg_stat_archiver',
  );
  return row?.isDone === true;
}

/** Everything of Patroni begins anew: its store is emptied, one member is restored, and the others are copied from it. */
async function loseAndRestore(cluster: Cluster, moment: string): Promise<string> {
  const startedAt = Date.now();
  const [first, ...others] = cluster.machines;
  if (first === undefined) throw new Error('there is no machine');
  for (const machine of cluster.machines) {
    await machine.kill();
    for (const name of ['postgresql/15', 'etcd/tillseal', 'zookeeper/version-2', 'raft'])
      rmSync(join(machine.folder, 'lib', name), { recursive: true, force: true });
    cluster.startStore(machine);
  }
  const words = ['--stanza=tillseal', '--type=time', `--target=${moment}`, '--target-action=promote', 'restore'];
  await run(cluster, first, ['pgbackrest', ...words]);
  const server = run(cluster, first, [`${PROGRAMS}/postgres`, '-D', DATA, '-c', 'synchronous_standby_names=']);
  const isPromoted = async () =>
    cluster.ask<{ isOver: boolean }>(first, 'select not pg_is_in_recovery() as "isOver"').then(
      ([row]) => row?.isOver === true,
      () => false,
    );
  await until(isPromoted, 'the moment is reached', PATIENCE_MS);
  await run(cluster, first, [`${PROGRAMS}/pg_ctl`, '-D', DATA, '-m', 'fast', 'stop']);
  await server;
  cluster.startMember(first);
  await until(async () => (await cluster.leader()) === first, 'Patroni has taken it over', PATIENCE_MS);
  for (const machine of others) cluster.startMember(machine);
  await cluster.whole();
  return ((Date.now() - startedAt) / 1000).toFixed(1);
}

/** After `restore mark` each device waits for the authority's word; then it goes on, or waits for a person. */
async function isCompared({ database: { pool } }: ClusterSite): Promise<boolean> {
  const text = `select count(*)::integer as count from alerts where kind = 'Restored' and cleared_at is null`;
  const found = await pool.query<{ count: number }>(text).catch(() => undefined);
  return found?.rows[0]?.count === 0;
}

class Till {
  readonly #site: ClusterSite;
  readonly #sender: Sender;
  readonly #random: Random;
  #count = 0;

  constructor(site: ClusterSite, ledger: Ledger, random: Random) {
    this.#site = site;
    this.#sender = new Sender(ledger, site.instances, random);
    this.#random = random;
  }

  async sell(deviceIds: readonly number[], times: number): Promise<void> {
    for (let time = 0; time < times; time += 1)
      await Promise.all(deviceIds.map((deviceId) => this.#sellOne(deviceId, this.#reference())));
  }

  /** A device on hold is answered 503, which a till tries again: here, once. */
  async outcomeOf(deviceId: number): Promise<string> {
    this.#sender.giveUpAt(Date.now());
    const answer = await this.#sellOne(deviceId, `after-${deviceId}`);
    const alerts = await this.#site.admin.call<{ Alerts: { Kind: string; AuthorityDeviceId?: number }[] }>(
      'GET',
      'alerts',
    );
    const kinds = alerts.Alerts.filter((one) => one.AuthorityDeviceId === deviceId).map(({ Kind }) => Kind);
    return `device ${deviceId}: ${answer?.status === 200 ? 'sealed' : 'on hold'} (${kinds.join(', ') || 'no alert'})`;
  }

  #reference(): string {
    this.#count += 1;
    return `T-${this.#count}`;
  }

  #sellOne(deviceId: number, reference: string): Promise<Answer | undefined> {
    const sale = {
      deviceId,
      reference,
      type: 'FiscalInvoice',
      currency: 'USD',
      lines: randomLines(this.#random),
    } as const;
    const path = 'receipt/sign';
    const request = { act: 'sign', key: reference, method: 'POST', path, token: this.#site.shop.token } as const;
    return this.#sender.settle({ ...request, body: receiptBody(sale) });
  }
}

export function restoreReport(found: Found): string {
  const isRight = found.restored === found.before;
  return [
    `# Restored to a moment: ${isRight ? 'everything up to it, and nothing after' : 'FAILED'}`,
    '',
    `pgBackRest copied the running cluster in ${found.backupSeconds} s. At the moment there were ${found.before} receipts; ${found.after} more were sold and submitted after it.`,
    `All three members were lost. Restore, promotion, Patroni and two new standbys took ${found.restoreSeconds} s; ${found.restored} receipts were there.`,
    `\`tillseal restore mark\`: ${found.mark}`,
    '',
    ...found.outcomes.map((outcome) => `- ${outcome}`),
    '',
  ].join('\n');
}
