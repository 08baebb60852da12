import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuthorityBench } from '../../test/support/authority/authority.ts';
import { verifyExport } from '../verifier/index.ts';
import { proveStored } from './prove-stored.ts';

/** Histories that are not the plain one: paged, without certificates, closed by a person, adopted, and still queued. */
let bench: AuthorityBench;
beforeAll(async () => {
  bench = await AuthorityBench.start({ submissionWaitMs: 300 });
});
afterAll(() => bench.end());

const prove = (deviceId: number, fromDay = 1, budgetMs = 60_000) =>
  proveStored(bench.pool, { taxpayerId: bench.shop.taxpayerId, deviceId, fromDay, at: bench.now, budgetMs });

async function expectProven(deviceId: number, counts: object): Promise<void> {
  expect(await prove(deviceId)).toMatchObject({ Holds: true, Fault: null, NextDay: null, ...counts });
  const answer = await bench.admin('GET', `/api/admin/devices/${deviceId}/export`);
  expect(await verifyExport(Readable.from([Buffer.from(answer.body)]))).toMatchObject({ holds: true });
}

async function closeAndReopen(deviceId: number, day: number): Promise<void> {
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'Closed', day);
  await bench.requestDay(deviceId, 'open');
  await bench.untilDay(deviceId, 'Opened', day + 1);
}

test('a long history is proven in parts, each going on after the day before', async () => {
  const deviceId = await bench.addDevice();
  for (const day of [1, 2]) {
    await bench.sell(deviceId, `PART-${day}`);
    await bench.untilSubmitted(deviceId);
    await closeAndReopen(deviceId, day);
  }
  const first = await prove(deviceId, 1, 0);
  expect(first).toMatchObject({ Holds: true, Receipts: 1, ClosedDays: 1, OpenDays: 0, NextDay: 2 });
  const second = await prove(deviceId, 2, 0);
  expect(second).toMatchObject({ Holds: true, Receipts: 1, ClosedDays: 1, NextDay: 3 });
  expect(await prove(deviceId, 3, 0)).toMatchObject({ Holds: true, Receipts: 0, OpenDays: 1, NextDay: null });
  await expectProven(deviceId, { Receipts: 2, ClosedDays: 2, OpenDays: 1 });
});

test('without its certificate a signature of the authority is unproven, and everything else holds', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'CERTIFICATE-1');
  await bench.untilSubmitted(deviceId);
  const takeAway = () => bench.pool.query('delete from authority_certificates returning *');
  let taken = await takeAway();
  await bench.until(async () => {
    if (taken.rowCount === 0) taken = await takeAway();
    return taken.rowCount === 1;
  }, 'it was kept');
  await expectProven(deviceId, { AuthoritySignatures: 0, UnprovenSignatures: 1 });
  await bench.pool.query(
    'insert into authority_certificates select * from json_populate_recordset(null::authority_certificates, $1)',
    [JSON.stringify(taken.rows)],
  );
  await expectProven(deviceId, { AuthoritySignatures: 1, UnprovenSignatures: 0 });
});

test('a day that a person closed at the authority holds, with its undelivered receipt', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'MANUAL-1');
  await bench.untilSubmitted(deviceId);
  await bench.books.fault({ kind: 'outage', deviceId });
  await bench.sell(deviceId, 'MANUAL-2');
  await expectProven(deviceId, { Receipts: 2, AuthoritySignatures: 1 });
  await bench.books.closeByHand(deviceId);
  await bench.books.clearFaults();
  await bench.until(async () => (await bench.stateOf('MANUAL-2')) === 'Undeliverable', 'MANUAL-2 is undeliverable');
  await bench.untilDay(deviceId, 'Opened', 2);
  await bench.sell(deviceId, 'MANUAL-3');
  await expectProven(deviceId, { Receipts: 3, ClosedDays: 1, OpenDays: 1 });
  const report = await bench.admin('GET', `/api/admin/devices/${deviceId}/days/1/report`);
  expect(report.json()).toMatchObject({ Kind: 'Z', Reconciliation: 'Manual', Currencies: [{ TotalGross: 115.5 }] });
});

test('a device with a history of its own begins after it', async () => {
  const deviceId = await bench.addDevice({ registration: { LastGlobalCounter: 41 } });
  expect(await bench.sell(deviceId, 'ADOPTED-42')).toMatchObject({ GlobalCounter: 42 });
  await expectProven(deviceId, { Receipts: 1, LastGlobalCounter: 42 });
});

test('a device without a receipt, and one without a day, hold', async () => {
  const deviceId = await bench.addDevice();
  await expectProven(deviceId, { Receipts: 0, OpenDays: 1, LastGlobalCounter: null });
  await closeAndReopen(deviceId, 1);
  await expectProven(deviceId, { Receipts: 0, ClosedDays: 1, OpenDays: 1 });
});
