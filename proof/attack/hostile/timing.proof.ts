import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addBiller, addVendor, changeVisibility } from '../../../src/billpay/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { BILLER } from '../../../test/support/billpay/billpay.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { type AttackedService, attackedService } from './attacked-service.ts';
import { deviationOfShare, shareAbove } from './rank-test.ts';
import type { Attempt } from './send.ts';

let attacked: AttackedService;
let tokens: { taxpayer: string; vendor: string };
let theirDevice: number;
let theirPayment: string;

beforeAll(async () => {
  attacked = await attackedService();
  const { service, shop, vendorId } = attacked;
  const { pool, now, masterKeys } = service;
  const mallory = await service.addTaxpayer({ name: 'Curious shop' });
  await service.addDevice(mallory.taxpayerId);
  theirDevice = await service.addDevice(shop.taxpayerId);
  expect((await service.sign(shop.token, invoice(theirDevice, 'INV-1'))).statusCode).toBe(200);
  const curious = newId();
  const issued = await inTransaction(pool, async (tx) => {
    await addBiller(tx, { ...BILLER, Code: 'PLAIN' }, now);
    await changeVisibility(tx, vendorId, 'PLAIN', true, now);
    await addVendor(tx, masterKeys, { vendorId: curious, vendorCode: 'CURIOUS', name: 'Curious vendor' }, now);
    await changeVisibility(tx, curious, 'PLAIN', true, now);
    return issueToken(tx, { vendorId: curious, name: 'app', scopes: ['pay', 'read'] });
  });
  tokens = { taxpayer: mallory.token, vendor: issued.token };
  theirPayment = await payTheirs();
});
afterAll(() => attacked.close());

async function payTheirs(): Promise<string> {
  const route = attacked.routes.find(({ template }) => template === '/api/payment/pay');
  if (route === undefined) throw new Error('nothing pays');
  const body = { VendorReference: 'V-1', BillerCode: 'PLAIN', MemberNumber: '1', Currency: 'USD', Amount: 5 };
  const sent = {
    method: 'POST',
    path: '/api/payment/pay',
    token: attacked.tokenFor(route),
    body: JSON.stringify(body),
  };
  const answer = await attacked.send(sent);
  return (JSON.parse(answer.body) as { BillPayReference: string }).BillPayReference;
}

const NOWHERE = 2_000_000_000;
const get = (path: string): Attempt => ({ path, token: tokens.taxpayer });
const ofVendor = (path: string): Attempt => ({ path, token: tokens.vendor });
const reverse = (name: object): Attempt => ({
  ...ofVendor('/api/payment/reverse'),
  method: 'POST',
  body: JSON.stringify(name),
});
/** A reference of the same form that nobody has. */
const unused = () => `${theirPayment.slice(0, -4)}ZZZZ`;
let count = 0;
const sign = (deviceId: number): Attempt => {
  count += 1;
  return { ...get('/api/receipt/sign'), method: 'POST', body: JSON.stringify(invoice(deviceId, `MINE-${count}`)) };
};

/** Each time what is another's, and what is nobody's. */
const PAIRS: readonly (readonly [string, () => Attempt, () => Attempt])[] = [
  ['a receipt', () => get('/api/receipt/INV-1'), () => get('/api/receipt/INV-X')],
  ['a printed receipt', () => get('/api/receipt/INV-1/print'), () => get('/api/receipt/INV-X/print')],
  ['a receipt in the list', () => get('/api/receipt?Reference=INV-1'), () => get('/api/receipt?Reference=INV-X')],
  ['a device', () => get(`/api/device/${theirDevice}`), () => get(`/api/device/${NOWHERE}`)],
  [
    'a fiscal day',
    () => get(`/api/device/${theirDevice}/day/1/report`),
    () => get(`/api/device/${NOWHERE}/day/1/report`),
  ],
  ['a device to sign on', () => sign(theirDevice), () => sign(NOWHERE)],
  [
    'the status of a payment, by the name of its vendor',
    () => ofVendor('/api/payment/status?vendorReference=V-1'),
    () => ofVendor('/api/payment/status?vendorReference=V-X'),
  ],
  [
    'the status of a payment, by our name',
    () => ofVendor(`/api/payment/status?billPayReference=${theirPayment}`),
    () => ofVendor(`/api/payment/status?billPayReference=${unused()}`),
  ],
  [
    'a payment to reverse, by the name of its vendor',
    () => reverse({ VendorReference: 'V-1' }),
    () => reverse({ VendorReference: 'V-X' }),
  ],
  [
    'a payment to reverse, by our name',
    () => reverse({ BillPayReference: theirPayment }),
    () => reverse({ BillPayReference: unused() }),
  ],
];

const ROUNDS = 60;
const WARM_UP = 6;
/** Five standard deviations of what chance alone does. Work that is done for the one and not the other shows as 0.9 and more. */
const MAX_DISTANCE = 5 * deviationOfShare(ROUNDS, ROUNDS);

describe("another's takes as long as nobody's", () => {
  test.each(PAIRS)('%s', async (_name, another, nobodys) => {
    // Again when the machine was too busy to tell: what really takes longer does so every time.
    let share = 0;
    for (let attempt = 0; attempt < 4; attempt += 1) {
      share = await measure(another, nobodys);
      if (Math.abs(share - 0.5) < MAX_DISTANCE) return;
    }
    expect(share, 'share of pairs in which the one of another took longer').toBe(0.5);
  });

  test('and what is read for the one and not for the other would be seen', async () => {
    const { service, shop } = attacked;
    for (let turn = 0; turn < 50; turn += 1) await service.sign(shop.token, invoice(theirDevice, `LIST-${turn}`));
    let share = 0;
    for (let attempt = 0; attempt < 4 && share - 0.5 < MAX_DISTANCE; attempt += 1) {
      share = await measure(
        () => ({ path: '/api/receipt?Limit=50', token: shop.token }),
        () => ({ path: '/api/receipt/NONE', token: shop.token }),
      );
    }
    expect(share - 0.5).toBeGreaterThan(MAX_DISTANCE);
  });
});

/** Interleaved and in changing order, so that whatever else the machine does falls on both. */
async function measure(another: () => Attempt, nobodys: () => Attempt): Promise<number> {
  const times: readonly [number[], number[]] = [[], []];
  const kinds = [another, nobodys] as const;
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    for (const kind of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { durationMs, status } = await attacked.send(kinds[kind]());
      expect(status).not.toBe('closed');
      if (round >= WARM_UP) times[kind].push(durationMs);
    }
  }
  return shareAbove(...times);
}
