import { expect, test } from 'vitest';
import { AuthorityBench, benchOfFile } from '../support/authority/authority.ts';
import { invoice } from '../support/receipts/receipts.ts';

const bench = await benchOfFile();

const BUYER = { BuyerName: 'Ruvimbo Trading', BuyerTIN: '2000000009' };

/** A device whose first receipt the authority refused, with two more behind it. */
async function refusedDevice(name: string, changes: object = {}): Promise<number> {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', deviceId, count: 1 });
  const first = await bench.sell(deviceId, `${name}-1`, changes);
  expect(first).toMatchObject({ SubmissionError: expect.stringMatching(/refused/), SubmissionState: 'Refused' });
  for (const count of [2, 3]) {
    const behind = await bench.sell(deviceId, `${name}-${count}`);
    expect(behind).toMatchObject({ SubmissionFailed: expect.any(String), SubmissionState: 'Pending', Remarks: [] });
  }
  expect(await bench.submissions(deviceId)).toEqual(['Refused', 'Pending', 'Pending']);
  expect(await bench.alerts()).toContainEqual(
    expect.objectContaining({ Kind: 'ReceiptRefused', Subject: `${name}-1` }),
  );
  return deviceId;
}

async function expectSettled(name: string): Promise<void> {
  expect((await bench.alerts()).filter(({ Subject }) => Subject === `${name}-1`)).toEqual([]);
}

test('a refused receipt stops its own lane and no other; a retry by hand lets it go on', async () => {
  const other = await bench.addDevice();
  const deviceId = await refusedDevice('retried');
  expect(await bench.sell(other, 'retried-other')).toMatchObject({ SubmissionFailed: null });
  expect(await bench.decide(deviceId, 2, 'retry')).toBe(404);
  expect(await bench.decide(deviceId, 1, 'retry')).toBe(202);
  await bench.untilSubmitted(deviceId);
  await expectSettled('retried');
});

test('closing the day of a stopped device waits for the decision, says so, and selling goes on until then', async () => {
  const deviceId = await refusedDevice('waiting');
  expect(await bench.requestDay(deviceId, 'close')).toMatchObject({ StoppedBy: 'waiting-1' });
  expect(await bench.dayOf(deviceId)).toEqual({ number: 1, state: 'Opened' });
  await bench.sell(deviceId, 'waiting-4');
  expect(await bench.decide(deviceId, 1, 'retry')).toBe(202);
  await bench.untilDay(deviceId, 'Closed', 1);
});

test('a refused receipt that is only resumed is sent again, and its alert ends', async () => {
  const deviceId = await refusedDevice('resumed');
  expect((await bench.admin('POST', `/api/admin/devices/${deviceId}/resume`, {})).statusCode).toBe(202);
  await bench.untilSubmitted(deviceId);
  await expectSettled('resumed');
});

interface Stand {
  readonly AuthorityDeviceId: number;
  readonly Submission: object;
}

test('a stopped device says so to its taxpayer and to operators: by which receipt, how many wait and since when', async () => {
  const deviceId = await refusedDevice('standing');
  const first = (await bench.admin('GET', `/api/admin/devices/${deviceId}/receipts/1`)).json<{ SealedAt: string }>();
  const stopped = {
    IsStopped: true,
    StoppedBy: { Reference: 'standing-1', GlobalCounter: 1 },
    WaitingReceipts: 3,
    WaitingSince: first.SealedAt,
    Error: expect.stringMatching(/^The authority refused standing-1: /),
  };
  expect((await bench.get(`/api/device/${deviceId}`)).json<Stand>().Submission).toEqual(stopped);
  expect((await bench.admin('GET', `/api/admin/devices/${deviceId}`)).json<Stand>().Submission).toEqual(stopped);
  const listed = async (query: string) =>
    (await bench.admin('GET', `/api/admin/devices?Limit=200${query}`)).json<{ Devices: Stand[] }>().Devices;
  const find = (devices: Stand[]) => devices.find((device) => device.AuthorityDeviceId === deviceId)?.Submission;
  expect(find(await listed(''))).toEqual(stopped);
  expect(find(await listed('&IsStopped=true'))).toEqual(stopped);
  expect(find(await listed('&IsStopped=false'))).toBeUndefined();
  const overview = (await bench.admin('GET', '/api/admin/overview')).json<{ Devices: object; Backlog: object }>();
  expect(overview).toMatchObject({
    Devices: { Stopped: 1, StoppedDayStates: { Opened: 1 } },
    Backlog: { Receipts: 3, BehindStop: 3 },
  });

  expect(await bench.decide(deviceId, 1, 'retry')).toBe(202);
  await bench.untilSubmitted(deviceId);
  const going = { IsStopped: false, StoppedBy: null, WaitingReceipts: 0, WaitingSince: null, Error: null };
  await bench.until(async () => {
    const device = (await bench.get(`/api/device/${deviceId}`)).json<Stand>();
    return JSON.stringify(device.Submission) === JSON.stringify(going);
  }, 'nothing waits');
  expect(await listed('&IsStopped=true')).toEqual([]);
});

test('a red remark stands beside the acceptance wherever the receipt is told: signed, sent again, read, listed, as an event', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'remark', code: 'RCPT020', colour: 'Red', deviceId, count: 1 });
  const receipt = invoice(deviceId, 'marked-1', { Date: bench.now.toISOString() });
  const told = {
    SubmissionFailed: null,
    SubmissionError: null,
    SubmissionState: 'Submitted',
    Remarks: [{ Code: 'RCPT020', Colour: 'Red', Message: expect.stringMatching(/signature/) }],
  };
  expect((await bench.sign(receipt)).json()).toMatchObject(told);
  const again = await bench.sign(receipt);
  expect([again.headers['idempotent-replay'], again.json()]).toEqual(['true', expect.objectContaining(told)]);
  expect((await bench.get('/api/receipt/marked-1')).json()).toMatchObject(told);
  const listed = (await bench.get('/api/receipt?RemarkColour=Red')).json<{ Receipts: object[] }>();
  expect(listed.Receipts).toEqual([expect.objectContaining({ Reference: 'marked-1', ...told })]);
  const { Events } = (await bench.get('/api/events?after=0&limit=500')).json<{ Events: object[] }>();
  const Data = expect.objectContaining({ Reference: 'marked-1', Remarks: told.Remarks });
  expect(Events).toContainEqual(expect.objectContaining({ Type: 'receipt.submitted', Data }));
  expect(await bench.sell(deviceId, 'plain-1')).toMatchObject({ SubmissionState: 'Submitted', Remarks: [] });
});

test('a receipt that is refused with its buyer goes out once without, with the same seal, whatever the words; a second refusal stops the lane', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', deviceId, count: 1 });
  expect(await bench.sell(deviceId, 'buyer-1', BUYER)).toMatchObject({
    SubmissionState: 'Submitted',
    NotSent: ['BuyerTIN', 'BuyerName'],
    ...BUYER,
  });
  expect(await bench.sell(deviceId, 'buyer-2', BUYER)).toMatchObject({ SubmissionState: 'Submitted', NotSent: null });
  const [first, second] = await bench.books.receipts(deviceId);
  expect([first?.receipt.buyerData, first?.colour]).toEqual([undefined, null]);
  expect(second?.receipt.buyerData).toMatchObject({ buyerTIN: BUYER.BuyerTIN });
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', deviceId, count: 2 });
  expect(await bench.sell(deviceId, 'buyer-3', BUYER)).toMatchObject({ SubmissionState: 'Refused' });
});

test('a buyer without TIN is printed and told not to be sent; under the setting it is sent, until the authority marks the first', async () => {
  const walkIn = { BuyerName: 'Ruvimbo Trading', BuyerAddress: 'Main St, Harare' };
  const deviceId = await bench.addDevice();
  expect(await bench.sell(deviceId, 'walk-in', walkIn)).toMatchObject({
    Remarks: [],
    NotSent: ['BuyerName', 'BuyerAddress'],
  });
  const trusting = await AuthorityBench.start({
    beside: bench,
    settings: { sendsPartialBuyers: true, sendsCashier: true },
  });
  try {
    const other = await trusting.addDevice();
    const whole = { ...BUYER, BuyerAddress: 'Main St, Harare', Cashier: 'Rudo' };
    expect(await trusting.sell(other, 'whole', whole)).toMatchObject({ Remarks: [], NotSent: null });
    expect((await bench.books.receipts(other))[0]?.receipt).toMatchObject({
      buyerData: { buyerAddress: { street: 'Main St', city: 'Harare' } },
      userInfo: { username: 'Rudo', userFullName: 'Rudo' },
    });
    expect(await trusting.sell(other, 'marked', walkIn)).toMatchObject({
      Remarks: [expect.objectContaining({ Code: 'RCPT043' })],
    });
    expect(await trusting.alerts()).toContainEqual(expect.objectContaining({ Kind: 'BuyersNotTaken' }));
    expect(await trusting.sell(other, 'no longer sent', walkIn)).toMatchObject({
      Remarks: [],
      NotSent: ['BuyerName', 'BuyerAddress'],
    });
  } finally {
    await trusting.end();
  }
});

test('a refused receipt that is given up is kept as undeliverable, those after it go out, and the day waits for a person', async () => {
  const deviceId = await refusedDevice('given-up');
  expect(await bench.decide(deviceId, 1, 'give-up')).toBe(202);
  await bench.until(
    async () => (await bench.submissions(deviceId)).join() === 'Undeliverable,Submitted,Submitted',
    'the rest is submitted',
  );
  await bench.requestDay(deviceId, 'close');
  await bench.untilDay(deviceId, 'CloseFailed', 1);
  const alert = (await bench.alerts()).find(
    ({ Kind, Subject }) => Kind === 'DayCloseFailed' && Subject.endsWith(`${deviceId}`),
  );
  expect(alert?.Message).toContain('MissingReceipts');
  await bench.books.closeByHand(deviceId);
  await bench.until(async () => (await bench.dayOf(deviceId)).number === 2, 'the next day', { stepSeconds: 60 });
  expect(await bench.submissions(deviceId)).toEqual(['Undeliverable', 'Submitted', 'Submitted']);
});

test('a day closed by a person at the authority is adopted: what was not sent is undeliverable, the next day opens', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'manual-1');
  await bench.books.fault({ kind: 'error-500', operation: 'SubmitReceipt', deviceId });
  await bench.sell(deviceId, 'manual-2');
  await bench.sell(deviceId, 'manual-3');
  await bench.books.closeByHand(deviceId);
  await bench.books.clearFaults();
  await bench.untilDay(deviceId, 'Opened', 2);
  expect(await bench.submissions(deviceId)).toEqual(['Submitted', 'Undeliverable', 'Undeliverable']);
  expect(await bench.books.day(deviceId, 1)).toMatchObject({ reconciliationMode: 'Manual' });
  const { ours, theirs } = await bench.counters(deviceId, 1);
  expect(ours).toEqual(theirs);
  expect(await bench.alerts()).toContainEqual(
    expect.objectContaining({ Kind: 'ReceiptUndeliverable', Subject: `day 1 of device ${deviceId}` }),
  );
  expect(await bench.get('/api/receipt/manual-3').then((answer) => answer.json())).toMatchObject({
    SubmissionError: expect.stringContaining('closed day 1 without this receipt'),
  });
  await bench.sell(deviceId, 'manual-4');
  expect((await bench.dayOf(deviceId)).number).toBe(2);
});

test('a day without anything to send that a person closed is seen by looking', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'seen-1');
  await bench.books.closeByHand(deviceId);
  await bench.until(async () => (await bench.dayOf(deviceId)).number === 2, 'the next day', { stepSeconds: 60 });
  await bench.untilDay(deviceId, 'Opened', 2);
});

test('a day closed by a person while its lane is stopped is adopted too, and the lane goes on', async () => {
  const deviceId = await refusedDevice('stopped');
  await bench.books.closeByHand(deviceId);
  await bench.until(async () => (await bench.dayOf(deviceId)).number === 2, 'the next day', { stepSeconds: 60 });
  expect(await bench.submissions(deviceId)).toEqual(['Undeliverable', 'Undeliverable', 'Undeliverable']);
  await expectSettled('stopped');
});

test('RCPT01 without end: the device asks again now and then instead of hammering, and condemns no receipt', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'refuse', code: 'RCPT01', deviceId });
  await bench.sell(deviceId, 'rcpt01-1');
  const startedAt = bench.now.getTime();
  await bench.until(() => bench.now.getTime() - startedAt > 60_000, 'a minute passes');
  expect((await bench.books.calls({ deviceId, operation: 'SubmitReceipt' })).length).toBeLessThan(40);
  expect(await bench.submissions(deviceId)).toEqual(['Pending']);
  await bench.books.clearFaults();
  await bench.untilSubmitted(deviceId);
});
