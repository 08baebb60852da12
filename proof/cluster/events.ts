import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import { Impossible, type Step } from '../nemesis/step.ts';
import { type Machine, MEMBER, STORE } from './machine.ts';
import { type Scene, sealedSince, sealsAgain } from './scene.ts';

const PAST_THE_LOCK_MS = 25_000;
const COMMIT_PATIENCE_MS = 4000;
const DECIDE_MS = 60_000;

const seconds = (since: number) => ((Date.now() - since) / 1000).toFixed(1);

export const killLeader: Step<Scene> = {
  name: 'leader killed -9',
  run: async (scene) => {
    const { cluster } = scene;
    const old = await cluster.knownLeader();
    const killedAt = Date.now();
    const count = await old.kill(MEMBER);
    // Nobody, if by Patroni's record no standby was synchronous at that moment: it was just choosing another.
    const next = await cluster.successorOf(old, DECIDE_MS).catch(() => undefined);
    const outcome =
      next === undefined
        ? 'nobody was promoted, and it was started again'
        : `${next.name} was the leader after ${seconds(killedAt)} s`;
    if (next !== undefined) await sealsAgain(scene);
    cluster.startMember(old);
    await cluster.whole();
    return `${count} processes of ${old.name} killed, ${outcome}`;
  },
};

export const freezeLeader: Step<Scene> = {
  name: 'leader frozen, and thawed after another took over',
  run: async (scene) => {
    const { cluster, random } = scene;
    const old = await cluster.knownLeader();
    const frozenAt = Date.now();
    const count = await old.freeze();
    let next: Machine;
    let took: string;
    try {
      next = await cluster.successorOf(old);
      took = seconds(frozenAt);
      await sealsAgain(scene);
      await delay(random.between(1000, 6000));
    } finally {
      old.thaw();
    }
    await cluster.whole();
    return `${count} processes of ${old.name} in state T, ${next.name} was the leader after ${took} s`;
  },
};

/** Alone it must confirm no commit. Whether it knows is asked through its socket, which needs no network. */
export const cutLeader: Step<Scene> = {
  name: 'leader cut off from the store and from the others, and back',
  run: async (scene) => {
    const { cluster, random, violations } = scene;
    const old = await cluster.knownLeader();
    const cutAt = Date.now();
    old.cut();
    const probe = probeAlone(scene, old);
    let next: Machine;
    let took: string;
    try {
      next = await cluster.successorOf(old);
      took = seconds(cutAt);
      await sealsAgain(scene);
      await delay(random.between(1000, 6000));
    } finally {
      old.heal();
    }
    const { tries, confirmed } = await probe.end();
    if (confirmed > 0) violations.push(`${old.name} confirmed ${confirmed} commits while it was cut off`);
    await cluster.whole();
    return `${old.name} was cut off for ${seconds(cutAt)} s and confirmed ${confirmed} of ${tries} commits; ${next.name} was the leader after ${took} s`;
  },
};

function probeAlone({ cluster }: Scene, machine: Machine) {
  const counts = { tries: 0, confirmed: 0, isOver: false };
  const probing = (async () => {
    while (!counts.isOver) {
      counts.tries += 1;
      const text = "select pg_logical_emit_message(true, 'probe', '')";
      const isConfirmed = await cluster.ask(machine, text, 'postgres', COMMIT_PATIENCE_MS).then(
        () => !counts.isOver,
        () => false,
      );
      if (isConfirmed) counts.confirmed += 1;
      await delay(500);
    }
  })();
  const end = async () => {
    counts.isOver = true;
    await probing;
    return counts;
  };
  return { end };
}

export const loseStore: Step<Scene> = {
  name: 'a member of the store lost, and back',
  run: async (scene) => {
    const { cluster, random } = scene;
    const machine = random.pick(cluster.machines);
    const before = await cluster.knownLeader();
    const lostAt = Date.now();
    await machine.kill(STORE);
    await delay(PAST_THE_LOCK_MS);
    const sealed = sealedSince(scene, lostAt);
    cluster.startStore(machine);
    await cluster.whole();
    const after = await cluster.knownLeader();
    return `the one on ${machine.name} was away for ${seconds(lostAt)} s; ${sealed} receipts were sealed meanwhile; leader ${before.name}, then ${after.name}`;
  },
};

export const loseStandby: Step<Scene> = {
  name: 'synchronous standby lost, and back',
  run: async (scene) => {
    const { cluster } = scene;
    const { synchronous } = await cluster.standbys();
    const lostAt = Date.now();
    await synchronous.kill(MEMBER);
    const isReplaced = async () => (await cluster.standbys()).synchronous !== synchronous;
    await until(isReplaced, 'the other standby is synchronous');
    const took = seconds(lostAt);
    await sealsAgain(scene, 20);
    cluster.startMember(synchronous);
    await cluster.whole();
    return `${synchronous.name} was killed; the other one was synchronous after ${took} s`;
  },
};

export const switchOver: Step<Scene> = {
  name: 'switchover by hand',
  run: async (scene) => {
    const { cluster } = scene;
    const old = await cluster.knownLeader();
    let answer = '';
    // Who is synchronous may be changing just now.
    const isTaken = async () => {
      const { synchronous } = await cluster.standbys();
      const order = { leader: old.name, candidate: synchronous.name };
      answer = await cluster.order(old, 'switchover', order).catch(() => '');
      return answer !== '';
    };
    await until(isTaken, 'Patroni takes the order');
    await cluster.successorOf(old);
    await sealsAgain(scene);
    await cluster.whole();
    return `from ${old.name}: ${answer}`;
  },
};

export const killProxy: Step<Scene> = {
  name: 'proxy killed -9, and started again',
  run: async (scene) => {
    const { proxy, random } = scene;
    if (proxy === undefined) throw new Impossible('the instances know all members');
    const awayMs = random.between(1000, 4000);
    const how = await proxy.killAndStart(awayMs);
    await sealsAgain(scene, 20);
    return `HAProxy ended by ${how} and was away for ${awayMs} ms`;
  },
};
