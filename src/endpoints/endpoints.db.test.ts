import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestEndpoints,
  numbersIn,
  type SentPage,
  type TestEndpoints,
  verified,
} from '../../test/support/endpoints/endpoints.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { until } from '../../test/support/process.ts';
import { inTransaction } from '../platform/database/database.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';
import { recordEvents } from '../platform/events/store.ts';
import { issueToken } from '../platform/tokens/issue-token.ts';
import { deleteOldAttempts } from './attempt-store.ts';

let bench: TestEndpoints;
beforeAll(async () => {
  bench = await createTestEndpoints({ senderAddresses: ['203.0.113.17'] });
});
afterAll(() => bench.close());

const ADDRESS = 'https://shop.example.com/hook';
const GOOD_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

interface Problem {
  readonly detail: string;
  readonly errors?: readonly { readonly Field: string; readonly Code: string; readonly Message: string }[];
}

async function refusal(token: string, body: object, path = '/api/endpoints', method: 'POST' | 'PATCH' = 'POST') {
  const answer = await bench.call(token, method, path, body);
  expect(answer.statusCode, answer.body).toBe(400);
  const { errors = [], detail } = answer.json<Problem>();
  const told = errors.filter(({ Field }) => Field !== '(body)').map(({ Field, Code }) => `${Field} ${Code}`);
  return told.join(', ') || detail;
}

describe('an endpoint', () => {
  test('shows its secret once, where it is made, and takes one of its owner’s', async () => {
    const shop = await bench.addTaxpayer();
    const created = await bench.good(shop.token, 'POST', '/api/endpoints', { Address: ADDRESS, Secret: GOOD_SECRET });
    expect(created).toMatchObject({
      Address: ADDRESS,
      Secret: GOOD_SECRET,
      TaxpayerId: shop.taxpayerId,
      VendorId: null,
      State: 'Active',
      BatchSize: 1,
      HoldOnRefusal: false,
      SenderAddresses: ['203.0.113.17'],
    });
    const other = await bench.good(shop.token, 'POST', '/api/endpoints', { Address: ADDRESS });
    expect(Buffer.from(other.Secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const listed = await bench.call(shop.token, 'GET', '/api/endpoints');
    expect(listed.json<{ Endpoints: object[] }>().Endpoints).toHaveLength(2);
    const read = await bench.call(shop.token, 'GET', `/api/endpoints/${created.EndpointId}`);
    const { rows } = await bench.pool.query('select row_to_json(a)::text as text from audit_log a');
    expect(listed.body + read.body + JSON.stringify(rows)).not.toContain('whsec_');
  });

  test('is told of what comes after it, and its changes are in the audit log', async () => {
    const shop = await bench.addTaxpayer();
    await bench.happen(shop, 'ooo');
    const { EndpointId } = await bench.good(shop.token, 'POST', '/api/endpoints', { Address: ADDRESS });
    const path = `/api/endpoints/${EndpointId}`;
    const changed = { Description: 'New', BatchSize: 7, MaxPerSecond: 3, EventTypes: ['day.closed'] };
    expect(await bench.good(shop.token, 'PATCH', path, changed)).toMatchObject({ ...changed, LastNumber: 3 });
    expect(await bench.good(shop.token, 'PATCH', path, { MaxPerSecond: null })).toMatchObject({ MaxPerSecond: null });
    expect(await bench.good(shop.token, 'DELETE', path)).toMatchObject({ EndpointId });
    expect((await bench.call(shop.token, 'GET', path)).statusCode).toBe(404);
    const { rows } = await bench.pool.query<{ action: string; actor: string }>(
      'select action, actor from audit_log where subject = $1 and taxpayer_id = $2 order by audit_id',
      [`endpoint ${EndpointId}`, shop.taxpayerId],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'endpoint.created',
      'endpoint.changed',
      'endpoint.changed',
      'endpoint.deleted',
    ]);
    expect(rows[0]?.actor).toMatch(/^till \(token /);
  });

  test('is for other tenants not there', async () => {
    const [mine, theirs] = [await bench.addTaxpayer(), await bench.addTaxpayer()];
    const { EndpointId } = await bench.good(mine.token, 'POST', '/api/endpoints', { Address: ADDRESS });
    const path = `/api/endpoints/${EndpointId}`;
    const calls = [
      ['GET', path],
      ['PATCH', path, {}],
      ['DELETE', path],
      ['POST', `${path}/secret`, {}],
      ['POST', `${path}/test`],
      ['POST', `${path}/resume`, {}],
      ['POST', `${path}/resend`, { Number: 1 }],
      ['GET', `${path}/attempts`],
    ] as const;
    const vendor = await bench.addVendor();
    for (const token of [theirs.token, vendor.token]) {
      for (const [method, url, body] of calls) {
        expect((await bench.call(token, method, url, body)).statusCode, url).toBe(404);
      }
      expect((await bench.call(token, 'GET', '/api/endpoints')).json()).toEqual({ Endpoints: [], NextCursor: null });
    }
    expect(await bench.good(mine.token, 'GET', path)).toMatchObject({ State: 'Active', FailedAttempts: 0 });
  });

  test('is one of at most twenty, also of those that are made at the same time', async () => {
    const shop = await bench.addTaxpayer();
    const make = () => bench.call(shop.token, 'POST', '/api/endpoints', { Address: ADDRESS });
    const answers = await Promise.all(Array.from({ length: 25 }, make));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(20);
    expect(answers.find(({ statusCode }) => statusCode !== 201)?.json<Problem>().detail).toContain('20 endpoints');
  });

  test('needs a token of its own scope to be changed, and one that reads to be read: no till copies sales elsewhere', async () => {
    const { taxpayerId } = await bench.addTaxpayer();
    const issued = (scopes: ('sign' | 'read' | 'endpoints')[]) =>
      inTransaction(bench.pool, (tx) => issueToken(tx, { taxpayerId, name: 'till', scopes }));
    const [till, reads, registers] = [
      await issued(['sign', 'read']),
      await issued(['read']),
      await issued(['endpoints']),
    ];
    const refused = await bench.call(till.token, 'POST', '/api/endpoints', { Address: ADDRESS });
    expect(refused.statusCode).toBe(403);
    expect(refused.json<Problem>().detail).toBe('This token lacks the scope endpoints.');
    expect((await bench.call(registers.token, 'POST', '/api/endpoints', { Address: ADDRESS })).statusCode).toBe(201);
    expect((await bench.call(registers.token, 'GET', '/api/endpoints')).statusCode).toBe(403);
    expect((await bench.call(reads.token, 'GET', '/api/endpoints')).statusCode).toBe(200);
  });
});

test.each([
  [{ Address: 'ftp://shop.example.com/' }, 'Address AddressRefused'],
  [{ Address: 'https://user:password@shop.example.com/' }, 'Address AddressRefused'],
  [{ Address: 'https://169.254.169.254/latest' }, 'Address AddressRefused'],
  [{ Address: 'mailto:person@example.com' }, 'Address AddressRefused'],
  [{ Address: ADDRESS, Secret: 'whsec_' }, 'Secret Malformed'],
  [{ Address: ADDRESS, Secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa==' }, 'Secret Malformed'],
  [{ Address: ADDRESS, EventTypes: ['payment.paid'] }, 'EventTypes NotOneOf'],
  [{ Address: ADDRESS, EventTypes: [] }, 'EventTypes Malformed'],
  [{ Address: ADDRESS, Header: { Name: 'Webhook-Id', Value: '1' } }, 'Header.Name Malformed'],
  [{ Address: ADDRESS, Header: { Name: 'Content-Length', Value: '1' } }, 'Header.Name Malformed'],
  [{ Address: ADDRESS, Header: { Name: 'X', Value: 'a\r\nHost: b' } }, 'Header.Value Malformed'],
])('%j is refused: %s', async (body, expected) => {
  const shop = await bench.addTaxpayer();
  expect(await refusal(shop.token, body)).toBe(expected);
});

test('an address inside, or without TLS, is refused where private addresses are not allowed, also when its name leads there', async () => {
  const guarded = await createTestEndpoints({ webhookAllowsPrivate: false });
  const shop = await guarded.addTaxpayer();
  const inside = ['http://shop.example.com/', 'https://127.0.0.1/', 'https://10.0.0.1/', 'https://[::1]/'];
  for (const Address of inside) {
    const answer = await guarded.call(shop.token, 'POST', '/api/endpoints', { Address });
    expect([Address, answer.statusCode]).toEqual([Address, 400]);
  }
  const { EndpointId } = await guarded.good(shop.token, 'POST', '/api/endpoints', { Address: 'https://localhost:1/' });
  const tested = await guarded.good(shop.token, 'POST', `/api/endpoints/${EndpointId}/test`);
  expect(tested).toMatchObject({ Outcome: 'Failed', StatusCode: null });
  expect(tested['Error']).toBe('does not lead to a public address');
  await guarded.close();
});

test('a header is not sent to another place than the one that it was given for', async () => {
  const shop = await bench.addTaxpayer();
  const Header = { Name: 'Authorization', Value: 'Bearer x' };
  const { EndpointId } = await bench.good(shop.token, 'POST', '/api/endpoints', { Address: ADDRESS, Header });
  const path = `/api/endpoints/${EndpointId}`;
  const elsewhere = { Address: 'https://other.example.com/hook' };
  expect(await refusal(shop.token, elsewhere, path, 'PATCH')).toBe('Header Required');
  expect(await bench.good(shop.token, 'PATCH', path, { Address: `${ADDRESS}/2` })).toMatchObject({
    HeaderName: 'Authorization',
  });
  expect(await bench.good(shop.token, 'PATCH', path, { ...elsewhere, Header })).toMatchObject(elsewhere);
  expect(await bench.good(shop.token, 'PATCH', path, { Address: ADDRESS, Header: null })).toMatchObject({
    HeaderName: null,
  });
});

test('by mail a tenant’s token has nothing sent, and nobody has anything but alerts', async () => {
  const server = new MailServer();
  const settings = { url: `smtp://127.0.0.1:${await server.listen()}`, from: 'tillseal@example.com' };
  const mailing = await createTestEndpoints({ mail: settings });
  const shop = await mailing.addTaxpayer();
  const { taxpayerId: TaxpayerId } = shop;
  const person = { TaxpayerId, Address: 'mailto:person@example.com' };
  const { EndpointId } = await mailing.good(mailing.operator, 'POST', '/api/admin/endpoints', person);
  await mailing.happen(shop, 'o');
  const calls = [
    ['PATCH', '', { BatchSize: 100 }],
    ['POST', '/secret', {}],
    ['POST', '/test', undefined],
    ['POST', '/resume', {}],
    ['POST', '/resend', { Number: 1 }],
  ] as const;
  const path = `/api/endpoints/${EndpointId}`;
  for (const [method, what, body] of calls) {
    expect((await mailing.call(shop.token, method, path + what, body)).statusCode, what).toBe(403);
  }
  const asOperator = `/api/admin/endpoints/${EndpointId}`;
  const small = await mailing.call(mailing.operator, 'PATCH', asOperator, { BatchSize: 1 });
  const resent = await mailing.call(mailing.operator, 'POST', `${asOperator}/resend`, { Number: 1 });
  const fields = [small, resent].map((answer) => answer.json<Problem>().errors?.map(({ Field }) => Field));
  expect(fields).toEqual([['BatchSize'], ['Number']]);
  expect(server.messages).toEqual([]);
  expect(await mailing.good(mailing.operator, 'POST', `${asOperator}/test`)).toMatchObject({ Outcome: 'Taken' });
  expect(await mailing.good(shop.token, 'DELETE', path)).toMatchObject({ EndpointId, BatchSize: 100 });
  await mailing.close();
  await server.close();
});

describe('operators', () => {
  test('see the endpoints of all, and make those of the installation', async () => {
    const shop = await bench.addTaxpayer();
    const vendor = await bench.addVendor();
    const make = (body: object) =>
      bench.good(bench.operator, 'POST', '/api/admin/endpoints', { Address: ADDRESS, ...body });
    const made = [
      await make({ TaxpayerId: shop.taxpayerId }),
      await make({ VendorId: vendor.vendorId }),
      await make({ Description: 'On call' }),
    ];
    expect(made[1]?.['EventTypes']).toContain('payment.paid');
    expect(made[2]).toMatchObject({ TaxpayerId: null, VendorId: null, EventTypes: ['alert.raised', 'alert.solved'] });
    const found = await bench.call(bench.operator, 'GET', `/api/admin/endpoints?TaxpayerId=${shop.taxpayerId}`);
    expect(found.json()).toMatchObject({ Endpoints: [{ EndpointId: made[0]?.EndpointId }], NextCursor: null });
    const paged = await bench.call(bench.operator, 'GET', '/api/admin/endpoints?Limit=1&State=Active');
    expect(paged.json<{ NextCursor: string }>().NextCursor).not.toBeNull();
    const both = { TaxpayerId: shop.taxpayerId, VendorId: vendor.vendorId, Address: ADDRESS };
    expect(await refusal(bench.operator, both, '/api/admin/endpoints')).toContain('not both');
    const nobody = [
      { TaxpayerId: '00000000-0000-4000-8000-000000000000' },
      { TaxpayerId: INSTALLATION_ID },
      { TaxpayerId: vendor.vendorId },
      { VendorId: shop.taxpayerId },
    ];
    for (const owner of nobody) {
      const answer = await bench.call(bench.operator, 'POST', '/api/admin/endpoints', { Address: ADDRESS, ...owner });
      expect([answer.statusCode, answer.json<Problem>().detail]).toEqual([
        404,
        expect.stringContaining(Object.keys(owner).join()),
      ]);
    }
    const mail = { Address: 'mailto:person@example.com' };
    expect(await refusal(bench.operator, mail, '/api/admin/endpoints')).toBe('Address AddressRefused');
  });

  test('have an endpoint of the installation told of its alerts', async () => {
    const receiver = await bench.receive();
    const AlertKinds = ['ClockWrong'];
    const settings = { Address: receiver.url, BatchSize: 10, AlertKinds };
    const created = await bench.good(bench.operator, 'POST', '/api/admin/endpoints', settings);
    await inTransaction(bench.pool, async (tx) => {
      const kinds = ['TillBehind', 'ClockWrong'];
      await recordEvents(
        tx,
        kinds.map((Kind, place) => {
          const nobody = {
            AuthorityDeviceId: null,
            TaxpayerId: null,
            VendorId: null,
            TenantName: null,
            EndpointId: null,
          };
          const at = bench.service.now;
          const alert = { AlertId: String(place), Kind, Message: 'something', RaisedAt: at.toISOString() };
          return { tenantId: INSTALLATION_ID, type: 'alert.raised', at, data: { ...alert, ...nobody } };
        }),
      );
    });
    await until(() => receiver.received.length === 1, 'the alert');
    const [first] = receiver.received;
    const { Events }: SentPage = first ? verified(created.Secret, first) : { Events: [], LastNumber: 0 };
    expect(Events).toMatchObject([{ Type: 'alert.raised', Data: { Kind: 'ClockWrong' } }]);
  });
});

test('a test event says what came back, also while the endpoint is paused, and changes nothing else', async () => {
  const shop = await bench.addTaxpayer();
  const { receiver, path, created } = await bench.endpoint(shop, {}, 410);
  await bench.happen(shop, 'o');
  const state = async () => (await bench.good(shop.token, 'GET', path))['State'];
  await until(async () => (await state()) === 'Paused', 'it is paused');
  receiver.answer = (response) => response.writeHead(201).end('good\u001b[31m');
  const tested = await bench.good(shop.token, 'POST', `${path}/test`);
  expect(tested).toMatchObject({ Outcome: 'Taken', StatusCode: 201, Answer: 'good\u{FFFD}[31m', Error: null });
  const [, received] = receiver.received;
  if (received === undefined) throw new Error('nothing came');
  expect(received.headers['webhook-id']).toBe(tested['MessageId']);
  expect(verified(created.Secret, received).Events).toMatchObject([{ Number: 0, Type: 'endpoint.test', Data: {} }]);
  receiver.answer = 500;
  const again = await bench.good(shop.token, 'POST', `${path}/test`);
  expect(again).toMatchObject({ Outcome: 'Failed', StatusCode: 500, Error: 'answered 500' });
  expect(again['MessageId']).not.toBe(tested['MessageId']);
  expect(await bench.good(shop.token, 'GET', path)).toMatchObject({ State: 'Paused', LastNumber: 0 });
  expect(await refusal(shop.token, { Number: 99 }, `${path}/resend`)).toBe('Number OutOfRange');
});

test('a suspended taxpayer is sent nothing, and afterwards everything', async () => {
  const shop = await bench.addTaxpayer();
  const { receiver, created } = await bench.endpoint(shop, { BatchSize: 9 });
  const suspend = (suspended: boolean) =>
    bench.pool.query('update taxpayers set suspended_at = $2 where taxpayer_id = $1', [
      shop.taxpayerId,
      suspended ? new Date() : null,
    ]);
  await suspend(true);
  await bench.happen(shop, 'oo');
  const other = await bench.addTaxpayer();
  const healthy = await bench.endpoint(other);
  await bench.happen(other, 'o');
  await until(() => healthy.receiver.received.length === 1, 'another one');
  expect(receiver.received).toHaveLength(0);
  await suspend(false);
  bench.pass(0);
  await until(() => receiver.received.length === 1, 'it is no longer suspended');
  expect(numbersIn(created.Secret, receiver)).toEqual([[1, 2]]);
});

test('attempts are listed page by page, and for thirty days', async () => {
  const shop = await bench.addTaxpayer();
  const { path, created } = await bench.endpoint(shop);
  await bench.happen(shop, 'ooo');
  const last = async () => (await bench.good(shop.token, 'GET', path))['LastNumber'];
  await until(async () => (await last()) === 3, 'all three');
  const page = async (cursor = '') => {
    const answer = await bench.call(shop.token, 'GET', `${path}/attempts?Limit=2${cursor}`);
    return answer.json<{ Attempts: { FirstNumber: number }[]; NextCursor: string | null }>();
  };
  const first = await page();
  const second = await page(`&Cursor=${first.NextCursor}`);
  const all = [...first.Attempts, ...second.Attempts];
  expect([all.map((one) => one.FirstNumber), second.NextCursor]).toEqual([[3, 2, 1], null]);
  await bench.pool.query(
    `update endpoint_attempts set started_at = started_at - interval '30 days' where endpoint_id = $1 and first_number = 1`,
    [created.EndpointId],
  );
  expect((await page()).NextCursor).not.toBeNull();
  await deleteOldAttempts(bench.pool, new Date(Date.now() + 86_400_000));
  expect([(await page()).Attempts.length, (await page()).NextCursor]).toEqual([2, null]);
});
