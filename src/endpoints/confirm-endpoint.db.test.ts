import { afterAll, beforeAll, expect, test } from 'vitest';
import { MailServer } from '../../test/support/mail-server.ts';
import { cookieOf, type Method, makePerson, withCookie } from '../../test/support/people.ts';
import { createTestService, type TestService, type TestTaxpayer } from '../../test/support/service.ts';

const mails = new MailServer();
let service: TestService;
let shop: TestTaxpayer;
let owner: string;
beforeAll(async () => {
  const mail = { url: `smtp://127.0.0.1:${await mails.listen()}`, from: 'tillseal@example.com' };
  service = await createTestService({ mail });
  shop = await service.addTaxpayer();
  await makePerson(service.pool, 'owner@example.com', 'owner', { tenant: { kind: 'taxpayer', id: shop.taxpayerId } });
  owner = await cookieOf(service.app, 'owner@example.com');
});
afterAll(async () => {
  await service.close();
  await mails.close();
});

const call = async (method: Method, path: string, body?: object) => {
  const answer = await withCookie(service.app, owner, method, `/api/admin/endpoints${path}`, body);
  return { status: answer.statusCode, ...answer.json() };
};
const confirm = async (Token: string) =>
  (await withCookie(service.app, '', 'POST', '/api/admin/endpoints/confirm', { Token })).statusCode;
const DAY_MS = 24 * 3_600_000;

/** What the newest mail to this address has behind the # of its link. */
function linkTo(address: string): string {
  const mail = mails.messages.findLast(({ to }) => to.includes(address));
  return /console\/confirm#(\S+)/.exec(mail?.body.replaceAll(/=\r\n/g, '') ?? '')?.[1] ?? '';
}

test('an address that an owner gives gets a link and nothing else, until its owner has opened it', async () => {
  const made = await call('POST', '', { Address: 'mailto:tendai@example.com', Description: 'Night shift' });
  expect(made).toMatchObject({ State: 'Unconfirmed', AlertKinds: ['DeviceStopped', 'ReportDue'], Secret: null });
  const at = `/${made.EndpointId}`;
  expect(mails.messages.map(({ to }) => to)).toEqual([['tendai@example.com']]);
  expect(await call('POST', `${at}/resume`, {})).toMatchObject({ status: 403 });
  expect(await call('POST', `${at}/resend`, { Number: 1 })).toMatchObject({ status: 403 });
  expect(await call('POST', `${at}/test`)).toMatchObject({ status: 429 });
  expect(mails.messages).toHaveLength(1);
  expect(await confirm(linkTo('tendai@example.com'))).toBe(200);
  expect(await call('GET', at)).toMatchObject({ State: 'Active' });
  expect(await confirm(linkTo('tendai@example.com'))).toBe(404);
  expect(await call('POST', `${at}/test`)).toMatchObject({ Outcome: 'Taken' });
  expect(mails.messages.at(-1)?.headers['subject']).toBe('Tillseal: test message');
  const log = await service.pool.query("select actor from audit_log where action = 'endpoint.confirmed'");
  expect(log.rows).toEqual([{ actor: 'tendai@example.com' }]);
});

test('a link is for its endpoint and its address, and ends after seven days', async () => {
  const first = await call('POST', '', { Address: 'mailto:first@example.com' });
  await call('POST', '', { Address: 'mailto:second@example.com' });
  const [one, two] = [linkTo('first@example.com'), linkTo('second@example.com')];
  expect(await confirm(`${one.split('.')[0]}.${two.split('.')[1]}`)).toBe(404);
  expect(await confirm('nonsense')).toBe(404);
  const { now } = service;
  service.now = new Date(now.getTime() + 7 * DAY_MS);
  owner = await cookieOf(service.app, 'owner@example.com');
  expect(await confirm(one)).toBe(404);
  expect(await call('POST', `/${first.EndpointId}/test`)).toMatchObject({ Outcome: 'Taken' });
  expect(await confirm(linkTo('first@example.com'))).toBe(200);
  // Another address has not said yes.
  expect(await call('PATCH', `/${first.EndpointId}`, { Address: 'mailto:third@example.com' })).toMatchObject({
    State: 'Unconfirmed',
  });
  expect(await confirm(linkTo('first@example.com'))).toBe(404);
});
