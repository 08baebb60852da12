import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import type { ServiceProcess } from '../support/process.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

const DEVICES = [33_001, 33_002, 33_003];
const RECEIPTS = 24;
/** How long the authority takes for a submission. */
const DELAY_MS = 60;

let world: AuthorityProcesses;
let first: ServiceProcess;
let second: ServiceProcess;
let urls: readonly [string, string];
beforeAll(async () => {
  world = await AuthorityProcesses.start();
  [first, second] = [world.startService(), world.startService()];
  urls = await Promise.all([first.ready, second.ready]);
  await Promise.all(DEVICES.map((deviceId) => world.addDevice(urls[0], deviceId)));
  await world.books.fault({ kind: 'delay', operation: 'SubmitReceipt', delayMs: DELAY_MS });
  await world.books.control('DELETE', '/calls');
});
afterAll(() => world.end());

/** So many receipts for every device, all devices at once. */
async function sell(url: string, name: string, receipts: number): Promise<void> {
  await Promise.all(
    DEVICES.map(async (deviceId) => {
      for (let count = 1; count <= receipts; count += 1) {
        const receipt = nowInvoice(deviceId, `${name}-${deviceId}-${count}`);
        expect((await post({ url, token: world.shop.token }, receipt)).status).toBe(200);
      }
    }),
  );
}

async function untilSubmitted(): Promise<void> {
  await world.until(async () => (await world.backlog()) === 0, 'everything is submitted');
}

/** What the authority holds of each device: every number once, in the order in which it was submitted. */
async function expectEachOnceInOrder(): Promise<void> {
  for (const deviceId of DEVICES) {
    const booked = (await world.books.receipts(deviceId)).map((receipt) => receipt.receiptGlobalNo);
    expect(booked).toEqual(booked.map((_, index) => index + 1));
    const calls = await world.books.calls({ deviceId, operation: 'SubmitReceipt' });
    const sent = calls.map((call) => call.receiptGlobalNo ?? 0);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
  }
}

test('under load from two instances no device ever has two submissions under way', async () => {
  await Promise.all([sell(urls[0], 'first', RECEIPTS / 2), sell(urls[1], 'second', RECEIPTS / 2)]);
  await untilSubmitted();
  expect(await world.books.mostInFlight('SubmitReceipt')).toBe(1);
  await expectEachOnceInOrder();
  expect(await world.books.receipts(DEVICES[0] ?? 0)).toHaveLength(RECEIPTS);
});

/**
 * Also when one is killed: the other takes the lane only after the lease has run out, 10 seconds later, and by then the
 * dead one's call has ended at the authority. Only a call that takes the authority longer than a lease can still be open when
 * the other begins; killed.proof.ts provokes that, and the authority's idempotency by number and hash settles it.
 */
test('nor when one of the instances is killed in the middle of it', async () => {
  // Only one of them is awake when the receipts come, so that one holds the lanes when it is killed.
  process.kill(-second.id, 'SIGSTOP');
  await sell(urls[0], 'killed', 3);
  const isUnderWay = async () => (await world.books.calls({ operation: 'SubmitReceipt' })).some((call) => !call.status);
  await world.until(isUnderWay, 'a submission is under way');
  process.kill(-first.id, 'SIGKILL');
  process.kill(-second.id, 'SIGCONT');
  await sell(urls[1], 'survived', RECEIPTS);
  await untilSubmitted();
  expect(await world.books.mostInFlight('SubmitReceipt')).toBe(1);
  await expectEachOnceInOrder();
});
