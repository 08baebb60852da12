import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { Cluster, PASSWORD } from './cluster.ts';
import type { Machine } from './machine.ts';
import type { Store } from './store.ts';

export interface Heal {
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  /** The old leader became the leader again at the heal, over the one that had taken its place. */
  readonly isTakenBack: boolean;
  /** Rows that were confirmed in this round, and of those of all rounds the ones that are gone since. */
  readonly confirmed: number;
  readonly lost: number;
  readonly isWhole: boolean;
}

const CUT_MS = 36_000;
const WHOLE_MS = 90_000;
const WRITE_MS = 3000;
const PAUSE_MS = 10;

/** Cuts off the leader again and again while one client writes, and looks after each heal for what was confirmed and is gone. */
export async function tryStore(
  folder: string,
  store: Store,
  heals: number,
  tell: (line: string) => void,
): Promise<Heal[]> {
  await mkdir(folder, { recursive: true });
  const startedAt = Date.now();
  const cluster = await Cluster.start({ folder, store, isSynchronous: true });
  tell(`${store}: the cluster is whole after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  await cluster.ask(await cluster.knownLeader(), 'create table written (id uuid primary key)');
  const writer = new Writer(cluster);
  const found: Heal[] = [];
  for (let count = 1; count <= heals; count += 1) {
    const heal = await cutAndHeal(cluster, writer);
    found.push(heal);
    const { from, to, seconds, isTakenBack, confirmed, lost, isWhole } = heal;
    const lock = isTakenBack ? `, which took its lock back` : '';
    tell(
      `${store} ${count}: ${from}${lock} → ${to} after ${seconds} s; ${confirmed} confirmed, ${lost} lost${isWhole ? '' : '; not whole again'}`,
    );
    if (!isWhole) await cluster.buildAnew();
  }
  writer.isStopping = true;
  return found;
}

async function cutAndHeal(cluster: Cluster, writer: Writer): Promise<Heal> {
  const old = await cluster.knownLeader();
  const before = writer.confirmed.size;
  const logged = old.log('patroni').length;
  const cutAt = Date.now();
  old.cut();
  const next = await cluster.successorOf(old);
  const seconds = Math.round((Date.now() - cutAt) / 100) / 10;
  await delay(CUT_MS - (Date.now() - cutAt));
  old.heal();
  // The lock is taken back within some seconds, or not at all.
  await delay(10_000);
  const isWhole = await cluster.whole(WHOLE_MS).then(
    () => true,
    () => false,
  );
  const leader = (await cluster.leader()) ?? next;
  const lost = await writer.countLost(leader);
  const isTakenBack = old.log('patroni').slice(logged).includes('because I had the session lock');
  return {
    from: old.name,
    to: next.name,
    seconds,
    isTakenBack,
    confirmed: writer.confirmed.size - before,
    lost,
    isWhole,
  };
}

/** One client that writes to whichever member takes writes. Each row has a key of its own: a number would be given again. */
class Writer {
  readonly confirmed = new Set<string>();
  isStopping = false;
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    void this.#write();
  }

  /** Of all that was ever confirmed; what is missing is counted once. */
  async countLost(leader: Machine): Promise<number> {
    const confirmed = [...this.confirmed];
    const rows = await this.#cluster.ask<{ id: string }>(leader, 'select id from written');
    const there = new Set(rows.map(({ id }) => id));
    const lost = confirmed.filter((id) => !there.has(id));
    for (const id of lost) this.confirmed.delete(id);
    return lost.length;
  }

  async #write(): Promise<void> {
    for (let turn = 0; !this.isStopping; turn += 1) {
      const machine = this.#cluster.machines[turn % 3];
      if (machine === undefined) return;
      const connection = { user: 'postgres', password: PASSWORD, database: 'postgres', ssl: false };
      const client = new Client({ host: machine.address, connectionTimeoutMillis: 1000, ...connection });
      client.on('error', () => {});
      await this.#writeOn(client).catch(() => delay(100));
      client.connection.stream.destroy();
    }
  }

  async #writeOn(client: Client): Promise<void> {
    await client.connect();
    while (!this.isStopping) {
      const id = randomUUID();
      const timer = setTimeout(() => client.connection.stream.destroy(), WRITE_MS);
      try {
        await client.query('insert into written (id) values ($1)', [id]);
        this.confirmed.add(id);
      } finally {
        clearTimeout(timer);
      }
      await delay(PAUSE_MS);
    }
  }
}

export function healsReport(store: Store, heals: readonly Heal[]): string {
  const bad = heals.filter(({ lost }) => lost > 0);
  const sum = (of: (heal: Heal) => number) => heals.reduce((total, heal) => total + of(heal), 0);
  return [
    `# ${heals.length} heals of a cut-off leader with ${store}: ${bad.length === 0 ? 'nothing lost' : `LOST in ${bad.length}`}`,
    '',
    `${sum(({ confirmed }) => confirmed)} rows confirmed, ${sum(({ lost }) => lost)} lost in ${bad.length} heals; the lock was taken back in ${heals.filter(({ isTakenBack }) => isTakenBack).length};`,
    `not whole again without help after ${heals.filter(({ isWhole }) => !isWhole).length}; another leader after ${Math.min(...heals.map(({ seconds }) => seconds))} to ${Math.max(...heals.map(({ seconds }) => seconds))} s.`,
    '',
  ].join('\n');
}
