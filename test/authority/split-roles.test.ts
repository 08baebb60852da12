import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityProcesses } from '../support/authority/processes.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';

const DEVICE = 36_001;

let world: AuthorityProcesses;
beforeAll(async () => {
  world = await AuthorityProcesses.start();
});
afterAll(() => world.end());

async function leaseOf(deviceId: number): Promise<bigint | undefined> {
  const { rows } = await world.pool.query<{ token: bigint }>(
    'select fencing_token as token from device_lanes where device_id = $1',
    [deviceId],
  );
  return rows[0]?.token;
}

test('what is sealed where nobody talks to the authority is submitted by the instance that keeps the lane, while it keeps it', async () => {
  const wait = { SUBMISSION_WAIT_MS: '20000' };
  const [sealing, talking] = [
    world.startService({ ...wait, ROLES: 'fiscal' }),
    world.startService({ ...wait, ROLES: 'worker,console' }),
  ];
  const [url, consoleUrl] = await Promise.all([sealing.ready, talking.ready]);
  await world.addDevice(consoleUrl, DEVICE);
  const sell = async (count: number) => {
    const answer = await post({ url, token: world.shop.token }, nowInvoice(DEVICE, `split-${count}`));
    expect(await answer.json()).toMatchObject({ SubmissionState: 'Submitted' });
    return leaseOf(DEVICE);
  };
  const lease = await sell(1);
  // Without a word to its holder each of these would wait until the lane is released and taken again.
  for (const count of [2, 3, 4]) expect(await sell(count)).toBe(lease);
});
