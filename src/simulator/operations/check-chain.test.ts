import { sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { control } from '../../../test/support/simulator/control.ts';
import {
  certificateRequest,
  deviceSubject,
  newKeys,
  registeredDevice,
  TestDevice,
} from '../../../test/support/simulator/device.ts';
import { signReceipt } from '../../../test/support/simulator/receipt.ts';
import { TestSimulator } from '../../../test/support/simulator/simulator.ts';

let world: TestSimulator;
beforeAll(async () => {
  world = await TestSimulator.start();
});
afterAll(() => world.end());

let lastId = 4000;
async function openTill(settings: object = {}): Promise<TestDevice> {
  lastId += 1;
  const device = await registeredDevice(world.simulator, { deviceId: lastId, ...settings });
  await device.openDay('2026-03-01T08:00:00');
  return device;
}

interface Held {
  readonly receiptGlobalNo: number;
  readonly receiptID: number;
  readonly colour: string | null;
  readonly remarks: readonly { readonly code: string; readonly colour: string }[];
}
const held = (device: TestDevice): Promise<Held[]> =>
  control(world.simulator, 'GET', `/devices/${device.deviceId}/receipts`);
const codesOf = (answer: { readonly body: { validationErrors?: { validationErrorCode: string }[] } }) =>
  (answer.body.validationErrors ?? []).map((error) => error.validationErrorCode);

describe('a missing receipt', () => {
  test('makes its successor grey in all rules of the chain, and what follows that one not', async () => {
    const device = await openTill();
    await device.submit();
    const missing = device.next();
    device.advance(missing);
    const third = device.next();
    const answer = await device.send(third);
    device.advance(third);
    expect(answer.body.validationErrors.map((e: object) => Object.values(e).slice(0, 2).join(' '))).toEqual([
      'RCPT011 Grey',
      'RCPT012 Grey',
      'RCPT020 Grey',
      'RCPT030 Grey',
    ]);
    expect(codesOf(await device.submit())).toEqual([]);
    expect((await held(device)).map(({ colour }) => colour)).toEqual([null, 'Grey', null]);

    expect(codesOf(await device.send(missing))).toEqual([]);
    expect((await held(device)).map(({ colour }) => colour)).toEqual([null, null, null, null]);
    expect(codesOf(await device.send(third))).toEqual([]);
  });

  test('turns what it does not fit red, and leaves other remarks alone', async () => {
    const device = await openTill();
    const missing = device.next({ receiptDate: '2026-03-01T10:00:00' });
    device.advance(missing);
    device.date -= 7200;
    await device.send(device.next({ receiptTotal: 10.01 }));
    await device.send(missing);
    const [successor] = await held(device);
    expect(successor?.remarks.map(({ code, colour }) => `${code} ${colour}`)).toEqual([
      'RCPT019 Red',
      'RCPT030 Red',
      'RCPT038 Red',
      'RCPT039 Red',
    ]);
  });
});

describe('numbers', () => {
  test('run on across days while counter and hash chain start anew', async () => {
    const device = await openTill();
    await device.submit();
    await control(world.simulator, 'POST', `/devices/${device.deviceId}/close-day`);
    await device.openDay('2026-03-01T09:00:00');
    expect(codesOf(await device.submit())).toEqual([]);
    expect(codesOf(await device.submit())).toEqual([]);
    expect((await device.get('GetStatus')).body).toMatchObject({ lastReceiptGlobalNo: 3, lastFiscalDayNo: 2 });
  });

  test('may start again at 1 with the first receipt of a day, not within one', async () => {
    const device = await openTill();
    await device.submit();
    await device.submit();
    const within = await device.submit({ receiptGlobalNo: 1 });
    expect(codesOf(within)).toEqual(['RCPT011', 'RCPT012', 'RCPT020']);
    await control(world.simulator, 'POST', `/devices/${device.deviceId}/close-day`);
    await device.openDay('2026-03-01T09:00:00');
    expect(codesOf(await device.submit({ receiptGlobalNo: 1 }))).toEqual([]);
    expect(codesOf(await device.submit())).toEqual([]);
    expect((await device.get('GetStatus')).body.lastReceiptGlobalNo).toBe(2);
  });

  test('used twice with another content are RCPT011 and RCPT012, and the chain goes on from either', async () => {
    const device = await openTill();
    await device.submit();
    const first = device.next();
    const second = device.next({ receiptTotal: 10, invoiceNo: 'FORK', receiptDate: '2026-03-01T08:30:00' });
    expect(codesOf(await device.send(first))).toEqual([]);
    expect(codesOf(await device.send(second))).toEqual(['RCPT011', 'RCPT012']);
    device.advance(second);
    expect(codesOf(await device.submit())).toEqual([]);
  });

  test('of a new day behind those of the day before are RCPT012', async () => {
    const device = await openTill();
    for (const _ of [1, 2, 3]) await device.submit();
    await control(world.simulator, 'POST', `/devices/${device.deviceId}/close-day`);
    await device.openDay('2026-03-01T09:00:00');
    expect(codesOf(await device.submit({ receiptGlobalNo: 2 }))).toEqual(['RCPT012']);
  });

  test('a gap across days is grey; a switch lets a closing by hand settle it', async () => {
    const device = await openTill();
    await device.submit();
    device.advance(device.next());
    await control(world.simulator, 'POST', `/devices/${device.deviceId}/close-day`);
    await device.openDay('2026-03-01T09:00:00');
    expect(codesOf(await device.submit())).toEqual(['RCPT011', 'RCPT012', 'RCPT020', 'RCPT030']);
    device.advance(device.next());
    await control(world.simulator, 'POST', `/devices/${device.deviceId}/close-day`);
    await device.openDay('2026-03-01T10:00:00');
    await control(world.simulator, 'PATCH', '/settings', { doesManualCloseSettleGaps: true });
    expect(codesOf(await device.submit())).toEqual([]);
    await control(world.simulator, 'PATCH', '/settings', { doesManualCloseSettleGaps: false });
  });

  test('a counter that skips is RCPT011 alone', async () => {
    const device = await openTill();
    await device.submit();
    expect(codesOf(await device.submit({ receiptCounter: 3 }))).toEqual(['RCPT011']);
  });

  test('GetStatus names the highest, or by a switch that of the latest date', async () => {
    const device = await openTill();
    await device.submit({ receiptDate: '2026-03-01T11:00:00' });
    await device.submit({ receiptDate: '2026-03-01T10:00:00' });
    expect((await device.get('GetStatus')).body.lastReceiptGlobalNo).toBe(2);
    await control(world.simulator, 'PATCH', '/settings', { hasLastNumberQuirk: true });
    expect((await device.get('GetStatus')).body.lastReceiptGlobalNo).toBe(1);
    await control(world.simulator, 'PATCH', '/settings', { hasLastNumberQuirk: false });
  });
});

describe('an identical resubmission', () => {
  test('is answered with the same id and signature and a new operation id, and stored once', async () => {
    const device = await openTill();
    const receipt = device.next();
    const [first, second] = [await device.send(receipt), await device.send(receipt)];
    const { operationID: firstOperation, ...firstBody } = first.body;
    const { operationID: secondOperation, ...secondBody } = second.body;
    expect(secondBody).toEqual(firstBody);
    expect(secondOperation).not.toBe(firstOperation);
    expect(await held(device)).toHaveLength(1);
  });

  test('at the same moment is stored once', async () => {
    const device = await openTill();
    const receipt = device.next();
    const answers = await Promise.all(Array.from({ length: 8 }, () => device.send(receipt)));
    expect(new Set(answers.map(({ body }) => body.receiptID)).size).toBe(1);
    expect(await held(device)).toHaveLength(1);
  });

  test('is recognised in a later day too', async () => {
    const device = await openTill();
    const receipt = device.next();
    const first = await device.send(receipt);
    device.advance(receipt);
    await control(world.simulator, 'POST', `/devices/${device.deviceId}/close-day`);
    expect((await device.send(receipt)).body.errorCode).toBe('RCPT01');
    await device.openDay('2026-03-01T09:00:00');
    expect((await device.send(receipt)).body.receiptID).toBe(first.body.receiptID);
  });
});

describe('RCPT020', () => {
  test('a hash of the server as previous hash, a changed amount, a missing tax code', async () => {
    const device = await openTill();
    const first = await device.submit();
    const own = device.previousHash;
    device.previousHash = first.body.receiptServerSignature.hash;
    expect(codesOf(await device.submit())).toEqual(['RCPT020']);
    expect(device.previousHash).not.toBe(own);
    // A red receipt still is the receipt before the next one.
    expect(codesOf(await device.submit())).toEqual([]);
    const signed = device.next();
    const changed = {
      ...signed,
      receiptTaxes: signed.receiptTaxes.map((tax) => ({ ...tax, taxCode: 'A' })),
      receiptLines: signed.receiptLines.map((line) => ({ ...line, taxCode: 'A' })),
    };
    expect(codesOf(await device.send(changed))).toEqual(['RCPT020']);
  });

  test('a signature in raw form, over the hash, or with another key', async () => {
    const device = await openTill();
    const receipt = device.next();
    const { hash } = receipt.receiptDeviceSignature;
    const text = Buffer.from(hash, 'base64');
    const raw = sign('sha256', text, { key: device.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64');
    const twice = sign('sha256', text, device.privateKey).toString('base64');
    const { key } = await newKeys();
    const stranger = new TestDevice(world.simulator, device.deviceId, device.credentials.cert, key);
    const foreign = signReceipt(device.deviceId, receipt, undefined, stranger.privateKey).signature;
    for (const signature of [raw, twice, foreign]) {
      const changed = device.next({ receiptDeviceSignature: { hash, signature } });
      const till = await openTill();
      const codes = codesOf(await till.send(till.next({ receiptDeviceSignature: changed.receiptDeviceSignature })));
      expect(codes).toEqual(['RCPT020']);
    }
  });

  test('the old key after a renewal with a new one', async () => {
    const device = await openTill();
    const { keys, key } = await newKeys();
    const pem = await certificateRequest(deviceSubject(device.deviceId), keys);
    const { body } = await device.post('IssueCertificate', { certificateRequest: pem });
    const renewed = new TestDevice(world.simulator, device.deviceId, body.certificate, key);
    const receipt = device.next();
    expect(codesOf(await renewed.send(receipt))).toEqual(['RCPT020']);
    renewed.advance(receipt);
    expect(codesOf(await renewed.submit())).toEqual([]);
  });
});
