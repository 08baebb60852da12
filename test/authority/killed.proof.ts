/**
 * Processes that are killed or stopped while they talk to the authority. Most of the time is spent waiting for leases to
 * run out, so the journeys run beside each other, each with an authority and a database of its own.
 */
import { afterAll, test } from 'vitest';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

const DEVICE = 31_001;
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
