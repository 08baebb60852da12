/**
 * Processes that are killed or stopped while they talk to the authority. Most of the time is spent waiting for leases to
 * run out, so the journeys run beside each other, each with an authority and a database of its own.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, test } from 'vitest';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import { lostSeals } from '../support/receipts/answered.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { Load, nowInvoice, post, type Seal } from '../support/receipts/load.ts';

const KILLS = 30;
/** After so many answers at the latest, and a moment more, an instance dies. */
const MAX_ANSWERS = 80;
const MOMENT_MS = 50;
const DEVICE = 31_001;
const DEVICES = Array.from({ length: 8 }, (_, index) => DEVICE + index);
/** Longer than a lease, so that another instance takes over meanwhile; shorter than what a call may take. */
const HANGING_MS = 14_000;
const TAKEOVER_MS = 15_000;

const worlds: AuthorityProcesses[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.end())));

async function newWorld(): Promise<AuthorityProcesses> {
  const world = await AuthorityProcesses.start();
  worlds.push(world);
  return world;
}

interface Survived {
  readonly seals: readonly Seal[];
  readonly unanswered: number;
}

/** Starts an instance, lets the tills sell through it, kills it, and so on: what they were answered. */
async function killAgainAndAgain(world: AuthorityProcesses, name: string, kills: number): Promise<Survived> {
  const seals: Seal[] = [];
  let unanswered = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const service = world.startService({ ROLES: 'fiscal,worker' });
    const till = { url: await service.ready, token: world.shop.token };
    const loads = DEVICES.map((deviceId) => new Load(till, deviceId, 1, `${name}-${kill}-${deviceId}`));
    const answers = randomInt(MAX_ANSWERS);
    const answered = () => loads.reduce((sum, load) => sum + load.seals.size, 0);
    await world.until(() => answered() >= answers, `${answers} receipts are answered`);
    // The moment is what is random here; nothing is waited for.
    await delay(randomInt(MOMENT_MS));
    await service.kill();
    await Promise.all(loads.map((load) => load.stop()));
    for (const load of loads) {
      seals.push(...load.seals.values());
      unanswered += load.unanswered;
    }
  }
  return { seals, unanswered };
}

/**
 * Two instances at a time, each killed at its own moments: one starts while the other works, dies while the other has a
 * receipt of the same device in its hands, and now and then both are dead.
 */
test.concurrent('kill -9 at random moments under load: the authority, the table and the answers hold the same', {
  timeout: 420_000,
}, async ({ expect }) => {
  const world = await newWorld();
  const first = world.startService();
  const url = await first.ready;
  await Promise.all(DEVICES.map((deviceId) => world.addDevice(url, deviceId)));
  process.kill(-first.id, 'SIGKILL');
  const survived = await Promise.all(['a', 'b'].map((name) => killAgainAndAgain(world, name, KILLS / 2)));
  await world.startService().ready;
  await world.until(async () => (await world.backlog()) === 0, 'everything is submitted');
  const seals = survived.flatMap((instance) => instance.seals);
  const unanswered = survived.reduce((sum, instance) => sum + instance.unanswered, 0);
  process.stdout.write(`${KILLS} kills: ${seals.length} answered, ${unanswered} cut off\n`);
  expect(seals.length).toBeGreaterThan(KILLS);
  expect(await lostSeals(world.pool, seals)).toEqual([]);
  for (const deviceId of DEVICES) {
    const table = await stored(world, deviceId);
    expect(table.filter((receipt) => receipt.state !== 'Submitted')).toEqual([]);
    const booked = await world.books.receipts(deviceId);
    expect(booked.map(({ invoiceNo, receiptGlobalNo, hash }) => [invoiceNo, receiptGlobalNo, hash])).toEqual(
      table.map(({ reference, number, hash }) => [reference, number, hash]),
    );
    expect(booked.filter((receipt) => receipt.colour === 'Red' || receipt.colour === 'Grey')).toEqual([]);
    expect(await proveChain(world.pool, deviceId)).toMatchObject({ holds: true });
  }
});

interface Stored {
  readonly reference: string;
  readonly number: number;
  readonly hash: string;
  readonly state: string | null;
}

async function stored(world: AuthorityProcesses, deviceId: number): Promise<Stored[]> {
  const { rows } = await world.pool.query<Stored>(
    `select r.reference, r.global_counter as number, encode(r.hash, 'base64') as hash, s.state
       from receipts r left join submissions s using (taxpayer_id, device_id, global_counter)
      where r.device_id = $1 order by r.global_counter`,
    [deviceId],
  );
  return rows;
}

/** Two instances, of which the first has a submission under way whose answer takes longer than a lease; the other sleeps. */
async function hangingSubmission() {
  const world = await newWorld();
  const [first, second] = [world.startService(), world.startService()];
  const url = await first.ready;
  await second.ready;
  await world.addDevice(url, DEVICE);
  const sell = async (reference: string) => {
    const answer = await post({ url, token: world.shop.token }, nowInvoice(DEVICE, reference));
    if (answer.status !== 200) throw new Error(await answer.text());
  };
  await sell('before');
  await world.until(async () => (await world.backlog()) === 0, 'the first is submitted');
  // Only one of them is awake when the receipt comes, so that one takes the lane.
  process.kill(-second.id, 'SIGSTOP');
  const operation = 'SubmitReceipt';
  await world.books.fault({ kind: 'delay', operation, deviceId: DEVICE, delayMs: HANGING_MS, count: 1 });
  await sell('hanging');
  await world.until(
    async () => (await world.books.calls({ deviceId: DEVICE, operation })).length === 2,
    'the submission is under way',
  );
  return { world, first, second };
}

async function bookedNumbers(world: AuthorityProcesses): Promise<number[]> {
  return (await world.books.receipts(DEVICE)).map((receipt) => receipt.receiptGlobalNo);
}

test.concurrent('an instance killed in the middle of a submission: another takes over within 15 seconds, and each number is there once', {
  timeout: 120_000,
}, async ({ expect }) => {
  const { world, first, second } = await hangingSubmission();
  process.kill(-first.id, 'SIGKILL');
  const killedAt = performance.now();
  process.kill(-second.id, 'SIGCONT');
  await world.until(async () => (await world.backlog()) === 0, 'the other one takes over', TAKEOVER_MS);
  process.stdout.write(`taken over in ${Math.round(performance.now() - killedAt)} ms\n`);
  expect(await bookedNumbers(world)).toEqual([1, 2]);
  // The dead one's call is still open at the authority: it lasts longer than a lease, and nobody can take it back.
  expect(await world.books.mostInFlight('SubmitReceipt')).toBe(2);
});

test.concurrent('an instance that was stopped past its lease writes nothing any more when it wakes up', {
  timeout: 120_000,
}, async ({ expect }) => {
  const { world, first: sleeper, second } = await hangingSubmission();
  process.kill(-sleeper.id, 'SIGSTOP');
  process.kill(-second.id, 'SIGCONT');
  await world.until(async () => (await world.backlog()) === 0, 'the other instance submits it');
  const written = async () => {
    const { rows } = await world.pool.query(
      `select l.submitted_through, s.state, s.attempts, s.settled_at, s.authority_receipt_id
           from device_lanes l join submissions s using (taxpayer_id, device_id)
          where l.device_id = $1 order by s.global_counter`,
      [DEVICE],
    );
    return rows;
  };
  const before = await written();
  process.kill(-sleeper.id, 'SIGCONT');
  await world.until(() => /another instance took over/.test(sleeper.stdout()), 'the sleeper notices');
  expect(await written()).toEqual(before);
  expect(await bookedNumbers(world)).toEqual([1, 2]);
  expect(sleeper.child.exitCode).toBeNull();
});
