import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import type { Step } from '../nemesis/step.ts';
import type { Cluster } from './cluster.ts';
import { type Machine, MEMBER, POSTGRES } from './machine.ts';
import { type Scene, sealedSince, sealsAgain } from './scene.ts';
import { allSubmitted } from './site.ts';

const ALONE_MS = 8000;
/** So long the lanes look at the restarted server and must not submit what they see: past the leases of before the crash. */
const SEEN_MS = 25_000;
const ASK_MS = 7000;
/** An asynchronous leader has many. */
const MAX_ASKED = 10;
/** Tills send again what is not answered, and more devices wait. */
const GATHER_MS = 6000;
const ENOUGH_SEALS = 20;
/** Longer than Patroni needs when it may decide. */
const DECIDE_MS = 35_000;

/** In strict mode without a standby `synchronous_standby_names` is `*`: whoever streams and confirms counts. */
export const receiveWal: Step<Scene> = {
  name: 'both standbys lost, pg_receivewal --synchronous attached',
  run: async (scene) => {
    const { cluster, folder } = scene;
    const leader = await cluster.knownLeader();
    const standbys = cluster.machines.filter((machine) => machine !== leader);
    for (const standby of standbys) await standby.kill(MEMBER);
    const names = async () => {
      const [row] = await cluster.ask<{ names: string }>(
        leader,
        "select current_setting('synchronous_standby_names') as names",
      );
      return row?.names;
    };
    await until(async () => (await names()) === '*', 'Patroni has no candidate');
    const aloneAt = Date.now();
    await delay(ALONE_MS);
    const alone = sealedSince(scene, aloneAt);
    const archive = join(folder, 'archive');
    mkdirSync(archive);
    const words = ['-h', leader.address, '-U', 'replicator', '-D', archive, '--synchronous', '--no-password'];
    const receiver = spawn('pg_receivewal', words, {
      env: { ...process.env, PGPASSWORD: 'change-me-2' },
      stdio: 'ignore',
    });
    const ended = once(receiver, 'exit');
    let sealed = 0;
    let state = '';
    try {
      const attachedAt = Date.now();
      await sealsAgain(scene, ENOUGH_SEALS, attachedAt);
      const [row] = await cluster.ask<{ state: string }>(
        leader,
        "select sync_state as state from pg_stat_replication where application_name = 'pg_receivewal'",
      );
      state = row?.state ?? 'gone';
      sealed = sealedSince(scene, attachedAt);
    } finally {
      receiver.kill('SIGTERM');
      await ended;
      rmSync(archive, { recursive: true });
      for (const standby of standbys) cluster.startMember(standby);
    }
    await cluster.whole();
    return `${alone} receipts were sealed in ${ALONE_MS / 1000} s without it; with it (sync_state ${state}) ${sealed}, which no standby had`;
  },
};

interface SeenReceipt {
  readonly reference: string;
  readonly device: number;
  readonly number: number;
  /** A till sends again what was lost, and it is sealed again: the same receipt under the same number with the same hash, but later. */
  readonly sealedAt: string;
}

/** A lane with nothing to submit would send at once what it sees; one that is behind would not come to it in time. */
export async function comeToRest({ driver, site }: Scene): Promise<void> {
  driver.hold(true);
  await allSubmitted(site);
}

/** How the server comes to show what only it has: Patroni restarts it on a new timeline, or it recovers without Patroni's help. */
const CRASHES = {
  "the leader's server killed and restarted in place": async (_cluster: Cluster, leader: Machine) => {
    await leader.kill(POSTGRES);
  },
  "a process of the leader's server killed, so that it recovers in place": async (
    cluster: Cluster,
    leader: Machine,
  ) => {
    const before = await checkpointer(cluster, leader);
    process.kill(before ?? Number.NaN, 'SIGKILL');
    // Every process is started anew when one is lost.
    const isNew = async () => ![before, undefined].includes(await checkpointer(cluster, leader));
    await until(isNew, 'it has recovered');
  },
};

/**
 * The case of the barrier. What waits for a standby becomes visible when the server has crashed and recovered, and only there. Then that
 * machine is lost, and a standby without it is promoted: nothing that was read in between may have left the service.
 */
export const barrierEvents: readonly Step<Scene>[] = Object.entries(CRASHES).map(([words, crash]) => ({
  name: `standbys away, commits waiting, ${words}, then its machine lost`,
  run: async (scene) => {
    const { cluster, driver, violations } = scene;
    const leader = await cluster.knownLeader();
    const { synchronous, other } = await cluster.standbys();
    const before = new Set((await readReceipts(cluster, leader)).map(keyOf));
    // The asynchronous one first: it never has more than the other.
    await other.kill(MEMBER);
    const killed = synchronous.kill(MEMBER);
    // Before the service has seen another commit wait: then no receipt would be begun.
    driver.hold(false);
    await killed;
    await (cluster.isSynchronous ? commitsWait(cluster, leader) : sealsAgain(scene, ENOUGH_SEALS));
    await crash(cluster, leader);
    await until(() => takesWrites(cluster, leader), 'it has recovered');
    const seen = await readReceipts(cluster, leader);
    const shown = await askTenants(
      scene,
      seen.filter((receipt) => !before.has(keyOf(receipt))),
    );
    leader.cut();
    await leader.kill();
    for (const standby of [synchronous, other]) cluster.startMember(standby);
    const decided = await promote(scene, leader, synchronous);
    const next = await cluster.knownLeader();
    const there = new Set((await readReceipts(cluster, next)).map(keyOf));
    const lost = seen.filter((receipt) => !there.has(keyOf(receipt)));
    for (const receipt of lost.filter((one) => shown.has(one)))
      violations.push(`${receipt.reference} (${receipt.device}/${receipt.number}) was shown to its tenant and is gone`);
    // Where answered receipts were lost, their devices are on hold.
    if (cluster.isSynchronous) await sealsAgain(scene);
    // It comes back as a new machine, with no database.
    rmSync(join(leader.folder, 'lib', 'postgresql', '15'), { recursive: true });
    leader.heal();
    cluster.startStore(leader);
    cluster.startMember(leader);
    await cluster.whole();
    if (lost.length === 0) throw new Error(`everything that was seen on ${leader.name} was on ${next.name}, too`);
    return `${lost.length} receipts were visible on ${leader.name} after its restart and are not on ${next.name}, promoted ${decided}; ${shown.size} of all that was new there was shown to tenants`;
  },
}));

/** Asks each instance for what only this server has, for as long as the lanes look at it, too. Returns what was shown. */
async function askTenants({ site }: Scene, receipts: readonly SeenReceipt[]): Promise<ReadonlySet<SeenReceipt>> {
  const shown = new Set<SeenReceipt>();
  for (const deadline = Date.now() + SEEN_MS; Date.now() < deadline; await delay(1000)) {
    for (const receipt of receipts.slice(0, MAX_ASKED)) {
      const asked = site.instances.map(({ url }) =>
        fetch(`${url}/api/receipt/${receipt.reference}`, {
          headers: { authorization: `Bearer ${site.shop.token}` },
          signal: AbortSignal.timeout(ASK_MS),
        }).then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
      if ((await Promise.all(asked)).includes(true)) shown.add(receipt);
    }
  }
  return shown;
}

/** The commits of receipts: whoever waits with one still has its lock on the table. */
const WAITING = `
  select a.pid as id from pg_locks l join pg_stat_activity a using (pid)
   where l.relation = 'receipts'::regclass and l.mode = 'RowExclusiveLock' and a.wait_event = 'SyncRep'`;

async function commitsWait(cluster: Cluster, leader: Machine): Promise<void> {
  const doWait = async () => (await cluster.ask(leader, WAITING, 'tillseal')).length > 0;
  await until(doWait, 'commits wait');
  await delay(GATHER_MS);
}

async function checkpointer(cluster: Cluster, leader: Machine): Promise<number | undefined> {
  const text = "select pid as id from pg_stat_activity where backend_type = 'checkpointer'";
  const rows = await cluster.ask<{ id: number }>(leader, text).catch(() => []);
  return rows[0]?.id;
}

async function takesWrites(cluster: Cluster, machine: Machine): Promise<boolean> {
  return cluster.ask<{ standby: boolean }>(machine, 'select pg_is_in_recovery() as standby').then(
    ([row]) => row?.standby === false,
    () => false,
  );
}

function readReceipts(cluster: Cluster, machine: Machine): Promise<SeenReceipt[]> {
  const text = `select reference, device_id as device, global_counter as number, sealed_at::text as "sealedAt" from receipts`;
  return cluster.ask<SeenReceipt>(machine, text, 'tillseal');
}

const keyOf = ({ device, number, sealedAt }: SeenReceipt) => `${device} ${number} ${sealedAt}`;

/** Patroni promotes only who it knows to be synchronous; after the restart that is nobody, and an operator decides. */
async function promote({ cluster }: Scene, old: Machine, candidate: Machine): Promise<string> {
  const isDecided = await cluster.successorOf(old, DECIDE_MS).then(
    () => true,
    () => false,
  );
  if (isDecided) return 'by Patroni';
  const isOrdered = () =>
    cluster.order(candidate, 'failover', { candidate: candidate.name }).then(
      () => true,
      () => false,
    );
  await until(isOrdered, `${candidate.name} is promoted`);
  await cluster.successorOf(old);
  return `by hand, as Patroni did not within ${DECIDE_MS / 1000} s`;
}
