import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/process.ts';
import type { ChaosDatabase } from '../world/database.ts';
import { countOf, Impossible, type Step } from './step.ts';

/** Leases last 10 s. */
const PAST_A_LEASE_MS = 10_500;
const STUCK_MS = 700;
const PATIENCE_MS = 120_000;

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

/**
 * It sleeps past its leases, so that others take over what it held, and wakes up as if nothing had happened. Its connection to
 * the authority is frozen until a call of a lane that it holds is stuck, so that it falls asleep during that call; when it wakes,
 * the first thing it reads are answers to calls that are no longer its own.
 */
export const pauseInstance: Step = {
  name: 'SIGSTOP an instance past its leases',
  run: (stage) =>
    stage.withPost(async ({ instance, toAuthority }) => {
      const { database } = stage.world;
      let held: StuckLane[] = [];
      toAuthority.freeze();
      try {
        await until(
          async () => {
            held = await stuckLanes(database);
            return held.length > 0;
          },
          'a lease is stuck',
          PATIENCE_MS,
        );
        instance.signal('SIGSTOP');
      } finally {
        toAuthority.pass();
      }
      const startedAt = performance.now();
      try {
        await until(() => instance.state() === 'T', 'it is stopped');
        await delay(PAST_A_LEASE_MS + stage.random.between(0, stage.isShort ? 0 : 6000));
        const state = instance.state();
        if (state !== 'T') throw new Error(`its state was ${state}`);
      } finally {
        instance.signal('SIGCONT');
      }
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const now = await readTokens(database);
      const taken = held.filter((lane) => now.some((one) => one.device === lane.device && one.token !== lane.token));
      await until(() => isReady(instance.url), 'it answers again', PATIENCE_MS);
      return `instance ${instance.name} had state T for ${seconds} s while ${held.length} leases were stuck; ${taken.length} of them were taken over before it woke`;
    }),
};

interface StuckLane {
  readonly device: number;
  readonly token: string;
  readonly through: number;
}

/** Lanes that are held, have something waiting and did not move for a moment. */
async function stuckLanes(database: ChaosDatabase): Promise<StuckLane[]> {
  const before = await readLanes(database);
  await delay(STUCK_MS);
  const after = await readLanes(database);
  return after.filter((lane) => before.some((one) => one.token === lane.token && one.through === lane.through));
}

/** Who has each lane now, or had it last. */
async function readTokens({ pool }: ChaosDatabase): Promise<Pick<StuckLane, 'device' | 'token'>[]> {
  const text = 'select device_id as device, fencing_token::text as token from device_lanes';
  const found = await pool.query<Pick<StuckLane, 'device' | 'token'>>(text).catch(() => ({ rows: [] }));
  return found.rows;
}

async function readLanes({ pool }: ChaosDatabase): Promise<StuckLane[]> {
  const found = await pool
    .query<StuckLane>(
      `select l.device_id as device, l.fencing_token::text as token, l.submitted_through as through
         from device_lanes l join device_heads h using (taxpayer_id, device_id)
        where l.locked_until > clock_timestamp() and h.global_counter > l.submitted_through`,
    )
    .catch(() => ({ rows: [] }));
  return found.rows;
}

export const killDatabase: Step = {
  name: 'kill -9 PostgreSQL, all its processes',
  run: async ({ world: { database } }) => {
    await database.forgetLog();
    const { postmaster, children } = await database.killAll();
    const how = database.ends.at(-1);
    if (how !== 'SIGKILL') throw new Error(`it ended with ${how}`);
    const killedAt = performance.now();
    await until(() => database.answers(), 'the database answers again', PATIENCE_MS);
    if (!(await database.log()).includes('automatic recovery in progress'))
      throw new Error('its log tells of no recovery');
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
    return `postmaster ${postmaster} ended by ${how}, ${children} children killed; its log tells of a recovery; back in ${seconds} s`;
  },
};

export const fillDisk: Step = {
  name: "disk full for the database's folder",
  run: async ({ world: { database, disk }, isShort }) => {
    if (disk.whyNot !== undefined) throw new Impossible(disk.whyNot);
    const complaints = async () => countOf(await database.log(), 'No space left on device');
    await database.forgetLog();
    try {
      const { bytes, freeBytes } = await disk.fill();
      await until(async () => (await complaints()) > 0, 'the server complains', PATIENCE_MS);
      await delay(isShort ? 500 : 4000);
      const count = await complaints();
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
