import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import { countOf, Impossible, type Step } from './step.ts';

/** Leases last 10 s. */
const PAST_A_LEASE_MS = 10_500;
const PATIENCE_MS = 90_000;

export const killInstance: Step = {
  name: 'kill -9 an instance',
  run: (stage) =>
    stage.withPost(async ({ instance }) => {
      const { processId } = instance;
      const inFlight = stage.driver.inFlight;
      const how = await instance.kill();
      if (how !== 'SIGKILL') throw new Error(`it ended with ${how}`);
      const killedAt = performance.now();
      await instance.start();
      const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
      return `instance ${instance.name} (process ${processId}) ended by ${how} with ${inFlight} requests under way; ready again in ${seconds} s`;
    }),
};

/** Past its leases, so that others take over what it held; then it wakes up and believes that nothing has happened. */
export const pauseInstance: Step = {
  name: 'SIGSTOP an instance past its leases',
  run: (stage) =>
    stage.withPost(async ({ instance }) => {
      const tookOver = () => countOf(instance.logs(), 'another instance took over');
      const before = tookOver();
      const startedAt = performance.now();
      instance.signal('SIGSTOP');
      try {
        await until(() => instance.state() === 'T', 'it is stopped');
        await delay(PAST_A_LEASE_MS + stage.random.between(0, stage.isShort ? 0 : 6000));
        const state = instance.state();
        if (state !== 'T') throw new Error(`its state was ${state}`);
      } finally {
        instance.signal('SIGCONT');
      }
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      await until(async () => instance.state() !== 'T', 'it goes on');
      await until(() => isReady(instance.url), 'it answers again', PATIENCE_MS);
      return `instance ${instance.name} had state T for ${seconds} s; afterwards it found ${tookOver() - before} devices taken over`;
    }),
};

export const killDatabase: Step = {
  name: 'kill -9 PostgreSQL, all its processes',
  run: async ({ world: { database } }) => {
    const recoveries = async () => countOf(await database.log(), 'automatic recovery in progress');
    const before = await recoveries();
    const { postmaster, children } = await database.killAll();
    const how = database.ends.at(-1);
    if (how !== 'SIGKILL') throw new Error(`it ended with ${how}`);
    const killedAt = performance.now();
    await until(() => database.answers(), 'the database answers again', PATIENCE_MS);
    if ((await recoveries()) <= before) throw new Error('its log tells of no recovery');
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
    return `postmaster ${postmaster} ended by ${how}, ${children} children killed; its log tells of a recovery; back in ${seconds} s`;
  },
};

export const fillDisk: Step = {
  name: "disk full for the database's folder",
  run: async ({ world: { database, disk }, isShort }) => {
    if (disk.whyNot !== undefined) throw new Impossible(disk.whyNot);
    const complaints = async () => countOf(await database.log(), 'No space left on device');
    const before = await complaints();
    try {
      const { bytes, freeBytes } = await disk.fill();
      await until(async () => (await complaints()) > before, 'the server complains', PATIENCE_MS);
      await delay(isShort ? 500 : 4000);
      const count = (await complaints()) - before;
      const megabytes = Math.round(bytes / 1e6);
      return `${megabytes} MB of ballast left ${freeBytes} bytes free; the server logged "No space left on device" ${count} times`;
    } finally {
      await disk.empty();
      await until(() => database.answers(), 'the database answers again', PATIENCE_MS);
    }
  },
};

export async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2000) }).then(
    (answer) => answer.ok,
    () => false,
  );
}
