import { afterAll, beforeAll, expect, test } from 'vitest';
import { BILLER } from '../../test/support/billpay/billpay.ts';
import { createTestEndpoints, type TestEndpoints, verified } from '../../test/support/endpoints/endpoints.ts';
import { cookieOf, type Method, makePerson, withCookie } from '../../test/support/people.ts';
import { until } from '../../test/support/process.ts';
import { addBiller, changeVisibility } from '../billpay/index.ts';
import { BILLER_EVENTS } from '../contract/shared/values.ts';
import { inTransaction } from '../platform/database/database.ts';
import { type NewEvent, recordEvents } from '../platform/events/store.ts';

const ENDPOINTS = '/api/admin/endpoints';
const NOBODYS = { AlertId: '1', AuthorityDeviceId: null, TaxpayerId: null, TenantName: null, EndpointId: null };

let bench: TestEndpoints;
let vendor: Awaited<ReturnType<TestEndpoints['addVendor']>>;
let owner: string;
let ofVendor: string;
beforeAll(async () => {
  bench = await createTestEndpoints();
  vendor = await bench.addVendor();
  await inTransaction(bench.pool, async (tx) => {
    for (const Code of ['WATER', 'RATES', 'HIDDEN', 'TWICE']) {
      await addBiller(tx, { ...BILLER, Code, Name: Code }, bench.service.now);
      if (Code !== 'HIDDEN') await changeVisibility(tx, vendor.vendorId, Code, true, bench.service.now);
    }
  });
  owner = await logged('water@example.com', 'biller', 'WATER');
  ofVendor = await logged('vendor@example.com', 'vendor', vendor.vendorId);
});
afterAll(() => bench.close());

async function logged(email: string, kind: 'biller' | 'vendor', id: string) {
  await makePerson(bench.pool, email, 'owner', { tenant: { kind, id } });
  return cookieOf(bench.app, email);
}

const ask = async (cookie: string, method: Method, path = '', body?: object) => {
  const answer = await withCookie(bench.app, cookie, method, `${ENDPOINTS}${path}`, body);
  return { status: answer.statusCode, ...answer.json() };
};

function paymentOf(BillerCode: string, type: 'payment.paid' | 'payment.reversed' = 'payment.paid'): NewEvent {
  const at = bench.service.now;
  const data = { VendorReference: `${BillerCode}-1`, BillPayReference: `${BillerCode}-1`, BillerCode };
  const moment = at.toISOString();
  return type === 'payment.paid'
    ? { tenantId: vendor.vendorId, at, type, data: { ...data, PaidAt: moment } }
    : { tenantId: vendor.vendorId, at, type, data: { ...data, ReversedAt: moment } };
}

test('a biller is told of its own payments and of nothing else, and its cursor passes over the rest', async () => {
  const receiver = await bench.receive();
  const made = await ask(owner, 'POST', '', { Address: receiver.url, BatchSize: 9 });
  expect(made).toMatchObject({ status: 201, VendorId: vendor.vendorId, BillerCode: 'WATER', TaxpayerId: null });
  expect(made.EventTypes).toEqual(BILLER_EVENTS);
  // What its vendor was told before, of billers that it sees from now on.
  const before: number = made.LastNumber;
  const at = bench.service.now;
  const tenantId = vendor.vendorId;
  const alert = { ...NOBODYS, Kind: 'PaymentFlagged', Message: 'WATER', VendorId: tenantId } as const;
  await inTransaction(bench.pool, (tx) =>
    recordEvents(tx, [
      paymentOf('RATES'),
      paymentOf('WATER'),
      { tenantId, at, type: 'biller.changed', data: { BillerCode: 'WATER' } },
      { tenantId, at, type: 'alert.raised', data: { ...alert, RaisedAt: at.toISOString() } },
      paymentOf('WATER', 'payment.reversed'),
      paymentOf('RATES', 'payment.reversed'),
    ]),
  );
  bench.engine.poke();
  await until(async () => (await ask(owner, 'GET', `/${made.EndpointId}`)).LastNumber === before + 6, 'all are passed');
  const told = receiver.received.flatMap((one) => verified(made.Secret, one).Events);
  expect(
    told.map(({ Number: number, Type, Data }) => [number - before, Type, Reflect.get(Data, 'BillerCode')]),
  ).toEqual([
    [2, 'payment.paid', 'WATER'],
    [5, 'payment.reversed', 'WATER'],
  ]);
  const resend = (number: number) => ask(owner, 'POST', `/${made.EndpointId}/resend`, { Number: before + number });
  expect(await resend(2)).toMatchObject({ status: 200, Outcome: 'Taken' });
  for (const number of [1, 3, 4, 6]) expect(await resend(number)).toMatchObject({ status: 400 });
  expect(receiver.received.at(-1)?.body).not.toContain('RATES');
});

test("a biller's owner looks after its endpoints, and neither sees nor changes any other of the vendor", async () => {
  const theirs = await ask(ofVendor, 'POST', '', { Address: 'https://vendor.example.com/' });
  const rates = await ask(ofVendor, 'POST', '', { Address: 'https://rates.example.com/', BillerCode: 'RATES' });
  const mine = await ask(owner, 'POST', '', { Address: 'https://water.example.com/' });
  expect([theirs.status, rates.status, mine.status]).toEqual([201, 201, 201]);
  const calls = [
    ['GET', ''],
    ['PATCH', '', { Description: 'x' }],
    ['POST', '/secret', {}],
    ['POST', '/test'],
    ['POST', '/resume', {}],
    ['POST', '/resend', { Number: 1 }],
    ['GET', '/attempts'],
    ['DELETE', ''],
  ] as const;
  for (const { EndpointId } of [theirs, rates]) {
    for (const [method, path, body] of calls) {
      expect((await ask(owner, method, `/${EndpointId}${path}`, body)).status, `${method} ${path}`).toBe(404);
    }
  }
  const idsFor = async (cookie: string, query = '') =>
    (await ask(cookie, 'GET', query)).Endpoints.map((one: { EndpointId: string }) => one.EndpointId);
  const seen = await idsFor(owner);
  expect(seen).toContain(mine.EndpointId);
  expect([seen.includes(theirs.EndpointId), seen.includes(rates.EndpointId)]).toEqual([false, false]);
  expect((await ask(owner, 'GET', '?BillerCode=RATES')).status).toBe(404);
  expect(await idsFor(ofVendor)).toEqual(
    expect.arrayContaining([theirs.EndpointId, rates.EndpointId, mine.EndpointId]),
  );
  expect(await idsFor(ofVendor, '?BillerCode=RATES')).toEqual([rates.EndpointId]);
  expect(await ask(owner, 'PATCH', `/${mine.EndpointId}`, { Description: 'Ours' })).toMatchObject({ status: 200 });
  expect(await ask(owner, 'DELETE', `/${mine.EndpointId}`)).toMatchObject({ status: 200 });
});

test('a biller chooses among its payments only, over https, through a vendor that it is paid through', async () => {
  const Address = 'https://water.example.com/';
  const firstOf = async (body: object, cookie = owner) => {
    const { status, detail, errors = [] } = await ask(cookie, 'POST', '', body);
    return [status, errors[0]?.Field ?? detail, errors[0]?.Message];
  };
  for (const type of ['alert.raised', 'biller.changed', 'payment.fiscalised', 'receipt.signed']) {
    expect((await firstOf({ Address, EventTypes: [type] })).slice(0, 2), type).toEqual([400, 'EventTypes']);
  }
  const { EndpointId } = await ask(owner, 'POST', '', { Address, EventTypes: ['payment.paid'] });
  const changed = await ask(owner, 'PATCH', `/${EndpointId}`, { EventTypes: ['payment.paid', 'alert.raised'] });
  expect(changed).toMatchObject({ status: 400, errors: [{ Field: 'EventTypes' }] });
  expect(await firstOf({ Address: 'mailto:a@example.com' })).toEqual([
    400,
    'Address',
    expect.stringContaining('use an https address'),
  ]);
  const other = await bench.addVendor();
  expect((await firstOf({ Address, VendorId: other.vendorId }))[0]).toBe(404);
  expect((await firstOf({ Address, BillerCode: 'RATES' }))[0]).toBe(404);
  expect((await firstOf({ Address, BillerCode: 'HIDDEN' }, ofVendor))[0]).toBe(404);
  const taxpayer = await bench.addTaxpayer();
  expect((await firstOf({ Address, TaxpayerId: taxpayer.taxpayerId }))[0]).toBe(400);
  await inTransaction(bench.pool, (tx) => changeVisibility(tx, other.vendorId, 'TWICE', true, bench.service.now));
  const twice = await logged('twice@example.com', 'biller', 'TWICE');
  const [status, field, message] = await firstOf({ Address }, twice);
  expect([status, field]).toEqual([400, 'VendorId']);
  expect(message).toContain(other.vendorId);
  expect(await firstOf({ Address, VendorId: other.vendorId }, twice)).toEqual([201, undefined, undefined]);
});

test('a biller cannot use up the endpoints of its vendor', async () => {
  const rates = await logged('rates@example.com', 'biller', 'RATES');
  const add = async (cookie: string) =>
    (await ask(cookie, 'POST', '', { Address: 'https://rates.example.com/hook' })).status;
  let statuses: number[] = [];
  do statuses = [...statuses, await add(rates)];
  while (statuses.at(-1) === 201 && statuses.length < 30);
  expect(statuses.at(-1)).toBe(400);
  expect(await add(ofVendor)).toBe(201);
});
