import { afterAll, beforeAll, expect, test } from 'vitest';
import { BILLER, createTestBillpay, type TestBillpay, type TestVendor } from '../../../test/support/billpay/billpay.ts';

let billpay: TestBillpay;
let other: TestVendor;

beforeAll(async () => {
  billpay = await createTestBillpay();
  other = await billpay.addVendor();
});
afterAll(() => billpay.close());

interface Page {
  readonly Events: readonly { readonly Number: number; readonly Type: string; readonly Data: object }[];
  readonly LastNumber: number;
}

const events = (vendor: TestVendor, query: string) =>
  billpay.send('GET', `/api/events?${query}`, undefined, `Bearer ${vendor.token}`);

test('a vendor reads its own events in order and without gaps, and nobody else reads them', async () => {
  const shared = await billpay.addBiller({}, [billpay.vendor, other]);
  const own = await billpay.addBiller({}, [billpay.vendor]);
  await billpay.changeBiller({ ...BILLER, Code: shared, Name: 'Renamed' });
  await billpay.changeBiller({ ...BILLER, Code: shared, Name: 'Renamed' });
  await billpay.setVisible(other, shared, false);
  await billpay.changeBiller({ ...BILLER, Code: shared, Name: 'Renamed again' });
  const told = async (vendor: TestVendor) => (await events(vendor, 'after=0')).json<Page>();
  const ofCodes = (codes: string[]) =>
    codes.map((BillerCode, index) => ({ Number: index + 1, Type: 'biller.changed', Data: { BillerCode } }));
  expect((await told(billpay.vendor)).Events).toMatchObject(ofCodes([shared, own, shared, shared]));
  expect((await told(other)).Events).toMatchObject(ofCodes([shared, shared, shared]));
  expect((await events(other, 'after=2&limit=1')).json<Page>()).toMatchObject({ LastNumber: 3 });
});

test('a long poll answers as soon as something happened', async () => {
  const { LastNumber } = (await events(other, 'after=0')).json<Page>();
  const waiting = events(other, `after=${LastNumber}&wait=20`);
  const code = await billpay.addBiller({}, [other]);
  expect((await waiting).json<Page>().Events).toMatchObject([{ Number: LastNumber + 1, Data: { BillerCode: code } }]);
});

test('every form of a vendor’s credentials is taken, and a taxpayer’s token is none', async () => {
  const { token, vendorCode, vendorId } = other;
  const status = async (authorization: string) =>
    (await billpay.send('GET', '/api/events', undefined, authorization)).statusCode;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  expect(await status(`Bearer ${base64(`${token}:${vendorId}`)}`)).toBe(200);
  expect(await status(`Bearer ${base64(`${token}:${vendorCode}`)}`)).toBe(200);
  expect(await status(`Basic ${base64(`${vendorCode}:${token}`)}`)).toBe(200);
  expect(await status(`Basic ${base64(`${billpay.vendor.vendorCode}:${token}`)}`)).toBe(401);
  expect(await status(`Bearer ${base64(`${token}:${billpay.vendor.vendorId}`)}`)).toBe(401);
  expect(await status('Bearer tsk_unknown')).toBe(401);
});
