import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { until } from '../../test/support/process.ts';
import { connectMachines, Machine, MEMBER, PATRONI, STORE } from './machine.ts';

const CONFIGURATION = resolve(import.meta.dirname, '../../deploy/cluster');
/** Of the superuser, as in deploy/cluster. */
const PASSWORD = 'change-me-1';
const START_MS = 180_000;
const WHOLE_MS = 180_000;
const ASK_MS = 2000;
const ASK_DATABASE_MS = 20_000;
const STREAMS = "select application_name as name from pg_stat_replication where state = 'streaming'";

/** A member as Patroni tells it. */
interface Member {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
}

export interface ClusterOptions {
  readonly folder: string;
  /** Otherwise commits do not wait for a standby: a control. */
  readonly isSynchronous: boolean;
}

/** Three machines with PostgreSQL, Patroni and its store, started with the files of deploy/cluster. */
export class Cluster {
  readonly machines: readonly Machine[];
  readonly isSynchronous: boolean;

  private constructor(machines: readonly Machine[], { isSynchronous }: ClusterOptions) {
    this.machines = machines;
    this.isSynchronous = isSynchronous;
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    connectMachines();
    const machines = [1, 2, 3].map((number) => new Machine(options.folder, number));
    const cluster = new Cluster(machines, options);
    for (const machine of machines) {
      cluster.#configure(machine);
      cluster.startStore(machine);
    }
    for (const machine of machines) cluster.startMember(machine);
    await cluster.whole(START_MS);
    return cluster;
  }

  startStore(machine: Machine): void {
    this.start(machine, ['etcd']);
  }

  startMember(machine: Machine): void {
    this.start(machine, ['patroni', join(machine.folder, 'etc', 'patroni.yml')]);
  }

  start(machine: Machine, words: readonly string[]): ChildProcess {
    return machine.start(words, this.#environmentOf(machine));
  }

  /** As the first one that answers tells it; empty when none does. */
  async members(): Promise<readonly Member[]> {
    const answers = this.machines.map(async ({ address }) => {
      const response = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(ASK_MS) });
      return ((await response.json()) as { members: Member[] }).members;
    });
    return Promise.any(answers).catch(() => []);
  }

  /** The leader, if it is one and says so itself. */
  async leader(): Promise<Machine | undefined> {
    const found = (await this.members()).find(({ role, state }) => role === 'leader' && state === 'running');
    const machine = this.machines.find(({ name }) => name === found?.name);
    const isPrimary = machine !== undefined && (await this.#isPrimary(machine));
    return isPrimary ? machine : undefined;
  }

  /** Waits until there is one. */
  knownLeader(): Promise<Machine> {
    return this.successorOf(undefined);
  }

  /** Waits until another one is the leader. */
  async successorOf(old: Machine | undefined, patienceMs = WHOLE_MS): Promise<Machine> {
    for (const deadline = Date.now() + patienceMs; ; await delay(100)) {
      const next = await this.leader();
      if (next !== undefined && next !== old) return next;
      if (Date.now() > deadline) throw new Error(`waited in vain: another than ${old?.name ?? 'nobody'} is the leader`);
    }
  }

  async standbys(): Promise<{ readonly synchronous: Machine; readonly other: Machine }> {
    const members = await this.members();
    const roleOf = ({ name }: Machine) => members.find((member) => member.name === name)?.role ?? 'leader';
    const standbys = this.machines.filter((machine) => roleOf(machine) !== 'leader');
    const synchronous = standbys.find((machine) => roleOf(machine) === 'sync_standby') ?? standbys[0];
    const other = standbys.find((machine) => machine !== synchronous) ?? synchronous;
    if (synchronous === undefined || other === undefined) throw new Error('there is no standby');
    return { synchronous, other };
  }

  /** A leader and two standbys that follow it, one of them synchronous. */
  async whole(patienceMs = WHOLE_MS): Promise<void> {
    const isWhole = async () => {
      const leader = await this.leader();
      if (leader === undefined) return false;
      // Asked of PostgreSQL: to Patroni a member runs while it is being rewound.
      const streams = await this.ask<{ name: string }>(leader, STREAMS).catch(() => []);
      const follow = this.machines.filter((machine) => streams.some(({ name }) => name === machine.name));
      const hasStandby = !this.isSynchronous || (await this.members()).some(({ role }) => role === 'sync_standby');
      return follow.length === 2 && hasStandby;
    };
    await until(isWhole, 'the cluster is whole', patienceMs);
  }

  /** As an operator would: the standbys that cannot follow are made again from the leader. */
  async buildAnew(): Promise<void> {
    const leader = await this.knownLeader();
    for (const machine of this.machines.filter((one) => one !== leader)) {
      await machine.kill(MEMBER);
      rmSync(join(machine.folder, 'lib', 'postgresql', '15'), { recursive: true, force: true });
      this.startMember(machine);
    }
    await this.whole();
  }

  /** Starts what an event that failed has left stopped. */
  async repair(): Promise<void> {
    for (const machine of this.machines) {
      machine.heal();
      machine.thaw();
      if (machine.count(STORE) === 0) this.startStore(machine);
      if (machine.count(PATRONI) === 0) this.startMember(machine);
    }
    await this.whole();
  }

  /** As superuser, through the machine's socket: the network may be down. */
  async ask<Row>(machine: Machine, text: string, database = 'postgres', patienceMs = ASK_DATABASE_MS): Promise<Row[]> {
    const client = new Client({ host: machine.socketFolder, user: 'postgres', password: PASSWORD, database });
    client.on('error', () => {});
    // Destroyed, never cancelled: a commit whose wait is cancelled counts as done.
    const timer = setTimeout(() => client.connection.stream.destroy(), patienceMs);
    try {
      await client.connect();
      return (await client.query(text)).rows as Row[];
    } finally {
      clearTimeout(timer);
      client.end().catch(() => {});
    }
  }

  async order(machine: Machine, what: 'switchover' | 'failover', body: object): Promise<string> {
    const response = await fetch(`http://${machine.address}:8008/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${what}: ${response.status} ${text}`);
    return text;
  }

  async #isPrimary({ address }: Machine): Promise<boolean> {
    return fetch(`http://${address}:8008/primary`, { signal: AbortSignal.timeout(ASK_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  #configure(machine: Machine): void {
    const folder = join(machine.folder, 'etc');
    mkdirSync(folder);
    cpSync(CONFIGURATION, folder, { recursive: true });
    const file = join(folder, 'patroni.yml');
    let text = readFileSync(file, 'utf8');
    if (!this.isSynchronous) text = text.replaceAll(/(synchronous_mode(_strict)?): true/g, '$1: false');
    writeFileSync(file, text);
    const passwords = join(machine.folder, 'lib', 'postgresql', '.pgpass');
    writeFileSync(passwords, `*:*:*:postgres:${PASSWORD}\n`, { mode: 0o600 });
    machine.own(passwords);
  }

  #environmentOf(machine: Machine): Record<string, string> {
    const lines = ['etcd.env', `${machine.name}.env`].flatMap((name) =>
      readFileSync(join(CONFIGURATION, name), 'utf8').split('\n'),
    );
    return Object.fromEntries(
      lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    );
  }
}
