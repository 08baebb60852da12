import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../support/authority/authority.ts';
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts';
import { until } from '../support/process.ts';

let proxy: CuttingProxy;
let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start({
    isProcess: true,
    reach: async ({ connection: { host, port, user, database } }) => {
      proxy = await startCuttingProxy(`unix:${host}/.s.PGSQL.${port}`);
      return `postgresql://${user}@127.0.0.1:${new URL(proxy.url).port}/${database}`;
    },
  });
});
afterAll(async () => {
  await bench.end();
  await proxy.close();
});

const underWay = async (deviceId: number) =>
  (await bench.books.calls({ deviceId, operation: 'SubmitReceipt' })).filter(({ status }) => status === undefined);

test('a device whose lane is released too late, and was taken anew by then, never has two calls under way', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'late-1');
  proxy.holdsBack = 'release-leases';
  await until(() => proxy.held.length > 0, 'the lane has rested, and its release is on its way');
  await bench.books.fault({ kind: 'delay', operation: 'SubmitReceipt', deviceId, delayMs: 2000 });
  const selling = bench.sell(deviceId, 'late-2');
  await until(async () => (await underWay(deviceId)).length > 0, 'its lease has ended, and its lane was taken anew');
  proxy.holdsBack = undefined;
  for (const letGo of proxy.held.splice(0)) letGo();
  await selling;
  await bench.untilSubmitted(deviceId);
  expect(await bench.sell(deviceId, 'late-3')).toMatchObject({ SubmissionState: 'Submitted' });
  expect(await bench.books.mostInFlight('SubmitReceipt')).toBe(1);
});
