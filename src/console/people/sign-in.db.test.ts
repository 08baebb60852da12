import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MailServer } from '../../../test/support/mail-server.ts';
import {
  CONSOLE_HEADERS,
  cookieOf,
  logIn,
  type Method,
  makePerson,
  PASSWORD,
  withCookie,
} from '../../../test/support/people.ts';
import { createTestService, NOON, type TestService, type TestTaxpayer } from '../../../test/support/service.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';
import { stepOf, totp } from './core/totp.ts';

const mails = new MailServer();
let service: TestService;
let token: string;
let shop: TestTaxpayer;
let owner: string;

beforeAll(async () => {
  const mail = { url: `smtp://127.0.0.1:${await mails.listen()}`, from: 'tillseal@example.com' };
  service = await createTestService({ mail });
  token = (await issueToken(service.pool, { name: 'Root', scopes: ['admin'] })).token;
  shop = await service.addTaxpayer();
  await makePerson(service.pool, 'olivia@example.com', 'owner', { tenant: { kind: 'taxpayer', id: shop.taxpayerId } });
  owner = await cookieOf(service.app, 'olivia@example.com');
});
afterAll(async () => {
  await service.close();
  await mails.close();
});

const call = (cookie: string, method: Method | 'PUT', path: string, body?: object) =>
  withCookie(service.app, cookie, method as Method, `/api/admin${path}`, body);
/** Of somebody who is not logged in. */
const ask = (method: 'POST' | 'PUT', path: string, body: object, cookie = '') =>
  service.app.inject({
    method,
    url: `/api/admin${path}`,
    headers: { ...CONSOLE_HEADERS, 'content-type': 'application/json', ...(cookie === '' ? {} : { cookie }) },
    body: JSON.stringify(body),
  });
const needs = async (cookie: string) => (await call(cookie, 'GET', '/session')).json().Person.Needs;

/** The newest link that was mailed to the address. */
async function linkTo(address: string, count = 1): Promise<string> {
  const all = () => mails.messages.filter(({ to }) => to.includes(address));
  await expect.poll(() => all().length).toBe(count);
  const text = (all().at(-1)?.body ?? '').replaceAll('=\r\n', '');
  return /http:\/\/tillseal\.test\/console\/link#([\w-]{43})/.exec(text)?.[1] ?? text;
}

describe('a second factor', () => {
  const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const secretOf = (text: string) => {
    const bits = Array.from(text, (letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('');
    return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  };
  const codeAt = (secret: Buffer, seconds = 0) =>
    totp(secret, stepOf(new Date(service.now.getTime() + seconds * 1000)));

  async function enrol(email: string) {
    await makePerson(service.pool, email, 'clerk', { tenant: { kind: 'taxpayer', id: shop.taxpayerId } });
    const cookie = await cookieOf(service.app, email);
    const begun = await call(cookie, 'POST', '/session/totp', { Password: PASSWORD });
    const secret = secretOf(begun.json().Secret);
    const confirmed = await call(cookie, 'PUT', '/session/totp', { Code: codeAt(secret, -30) });
    return { cookie, secret, recovery: confirmed.json().RecoveryCodes as string[] };
  }
  const prove = (cookie: string, Code: string) => call(cookie, 'POST', '/session/second-factor', { Code });

  test('a session is not usable before it, for anything but giving it and logging out', async () => {
    const { cookie: first, secret } = await enrol('tariro@example.com');
    expect(await needs(first)).toBeNull();
    const cookie = await cookieOf(service.app, 'tariro@example.com');
    expect(await needs(cookie)).toBe('SecondFactor');
    for (const [method, path, body] of [
      ['GET', '/devices'],
      ['GET', '/sessions'],
      ['PATCH', '/session', {}],
      ['POST', '/session/password', { CurrentPassword: PASSWORD, NewPassword: 'green kettle over rain' }],
      ['POST', '/session/totp', { Password: PASSWORD }],
      ['DELETE', '/session/totp', { Password: PASSWORD }],
    ] as const) {
      expect((await call(cookie, method, path, body)).statusCode, path).toBe(403);
    }
    expect((await prove(cookie, '000000')).json().errors[0].Field).toBe('Code');
    expect((await prove(cookie, codeAt(secret))).statusCode).toBe(200);
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(200);
  });

  test('a code works once, and no code of another person does', async () => {
    const [one, two] = [await enrol('one@example.com'), await enrol('two@example.com')];
    const cookie = await cookieOf(service.app, 'one@example.com');
    expect((await prove(cookie, codeAt(two.secret))).statusCode).toBe(400);
    expect((await prove(cookie, two.recovery[0] ?? '')).statusCode).toBe(400);
    const code = codeAt(one.secret);
    expect((await prove(cookie, code)).statusCode).toBe(200);
    const again = await cookieOf(service.app, 'one@example.com');
    expect((await prove(again, code)).statusCode).toBe(400);
    // What it had begun with is not its code any more, either.
    expect((await prove(again, codeAt(one.secret, -30))).statusCode).toBe(400);
  });

  test('a recovery code works once', async () => {
    const { recovery } = await enrol('lost@example.com');
    expect(recovery).toHaveLength(10);
    const [first, second] = [
      await cookieOf(service.app, 'lost@example.com'),
      await cookieOf(service.app, 'lost@example.com'),
    ];
    expect((await prove(first, recovery[3] ?? '')).json()).toMatchObject({ Totp: true, RecoveryCodes: 9 });
    expect((await prove(second, recovery[3] ?? '')).statusCode).toBe(400);
    const { rows } = await service.pool.query<{ text: string }>('select p::text as text from people p');
    for (const { text } of rows) for (const code of recovery) expect(text).not.toContain(code);
  });

  test('after five wrong codes the right one has to wait, too', async () => {
    const { secret } = await enrol('guessed@example.com');
    const cookie = await cookieOf(service.app, 'guessed@example.com');
    const statuses = [];
    for (let turn = 0; turn < 5; turn += 1) statuses.push((await prove(cookie, '123456')).statusCode);
    expect(statuses).toEqual([400, 400, 400, 400, 429]);
    expect((await prove(cookie, codeAt(secret))).statusCode).toBe(429);
    try {
      service.now = new Date(NOON.getTime() + 15 * 60_000);
      expect((await prove(cookie, codeAt(secret))).statusCode).toBe(200);
    } finally {
      service.now = NOON;
    }
  });

  test('an owner requires it of all, who set it up before anything else', async () => {
    const { taxpayerId } = await service.addTaxpayer({ name: 'Careful shop' });
    await makePerson(service.pool, 'careful@example.com', 'owner', { tenant: { kind: 'taxpayer', id: taxpayerId } });
    const cookie = await cookieOf(service.app, 'careful@example.com');
    expect((await call(cookie, 'PUT', '/sign-in', { IsSecondFactorRequired: true })).statusCode).toBe(200);
    expect(await needs(cookie)).toBe('Enrolment');
    expect((await call(cookie, 'GET', '/devices')).json().detail).toContain('second factor is required');
    const begun = await call(cookie, 'POST', '/session/totp', { Password: PASSWORD });
    await call(cookie, 'PUT', '/session/totp', { Code: codeAt(secretOf(begun.json().Secret)) });
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(200);
    expect((await call(cookie, 'DELETE', '/session/totp', { Password: 'wrong' })).statusCode).toBe(400);
    expect((await call(cookie, 'DELETE', '/session/totp', { Password: PASSWORD })).json().Totp).toBe(false);
    expect(await needs(cookie)).toBe('Enrolment');
    expect((await call(owner, 'GET', '/sign-in')).json()).toEqual({
      IsSecondFactorRequired: false,
      IsRequiredOfAll: false,
    });
  });

  test('an admin takes it from who has lost it', async () => {
    const { cookie } = await enrol('phone@example.com');
    const { PersonId } = (await call(cookie, 'GET', '/session')).json().Person;
    expect((await call(owner, 'DELETE', `/people/${PersonId}/second-factor`)).statusCode).toBe(403);
    await service.call(token, 'DELETE', `/api/admin/people/${PersonId}/second-factor`);
    expect(await needs(await cookieOf(service.app, 'phone@example.com'))).toBeNull();
  });
});

describe('an invitation', () => {
  const invite = (Email: string, more: object = {}) =>
    call(owner, 'POST', '/invitations', { Email, Name: 'Rudo', Role: 'clerk', ...more });

  test('lets its address in, once, with the role it was given', async () => {
    expect((await invite('rudo@example.com')).statusCode).toBe(201);
    const Token = await linkTo('rudo@example.com');
    expect((await ask('POST', '/session/link', { Token })).json()).toMatchObject({
      Email: 'rudo@example.com',
      HasAccount: false,
    });
    expect((await ask('PUT', '/session/link', { Token, NewPassword: 'short' })).json().errors[0].Field).toBe(
      'NewPassword',
    );
    expect((await ask('PUT', '/session/link', { Token, Name: 'Rudo N.', NewPassword: PASSWORD })).statusCode).toBe(200);
    expect((await ask('PUT', '/session/link', { Token, NewPassword: PASSWORD })).statusCode).toBe(404);
    const person = (await logIn(service.app, 'rudo@example.com')).json().Person;
    expect(person).toMatchObject({ Name: 'Rudo N.', Role: 'clerk', Tenant: { Kind: 'taxpayer', Id: shop.taxpayerId } });
  });

  test('is not taken by another address, nor for an account without its session', async () => {
    const { taxpayerId } = await service.addTaxpayer({ name: 'Elsewhere' });
    const tenant = { kind: 'taxpayer', id: taxpayerId } as const;
    for (const email of ['known@example.com', 'thief@example.com'])
      await makePerson(service.pool, email, 'owner', { tenant });
    await invite('known@example.com');
    const Token = await linkTo('known@example.com');
    const thief = await cookieOf(service.app, 'thief@example.com');
    expect((await ask('PUT', '/session/link', { Token, NewPassword: PASSWORD }, thief)).json().detail).toContain(
      'another address',
    );
    expect((await ask('PUT', '/session/link', { Token, NewPassword: PASSWORD })).json().detail).toContain(
      'log in with it',
    );
    const known = await cookieOf(service.app, 'known@example.com');
    expect((await ask('PUT', '/session/link', { Token }, known)).statusCode).toBe(200);
    expect((await call(known, 'GET', '/session')).json().Person.Memberships).toHaveLength(2);
    await invite('new@example.com');
    const other = await linkTo('new@example.com');
    expect((await ask('PUT', '/session/link', { Token: other, NewPassword: PASSWORD }, thief)).statusCode).toBe(403);
    expect((await call(thief, 'GET', '/session')).json().Person.Memberships).toHaveLength(1);
  });

  test('ends when it is withdrawn, replaced or a week old, and raises nobody', async () => {
    const first = (await invite('slow@example.com')).json();
    const old = await linkTo('slow@example.com');
    await invite('slow@example.com');
    const Token = await linkTo('slow@example.com', 2);
    expect((await ask('POST', '/session/link', { Token: old })).statusCode).toBe(404);
    expect((await call(owner, 'DELETE', `/invitations/${first.InvitationId}`)).statusCode).toBe(404);
    try {
      service.now = new Date(NOON.getTime() + 7 * 24 * 3_600_000);
      expect((await ask('POST', '/session/link', { Token })).statusCode).toBe(404);
    } finally {
      service.now = NOON;
    }
    const { Invitations } = (await call(owner, 'GET', '/invitations')).json();
    const { InvitationId } = Invitations.find(({ Email }: { Email: string }) => Email === 'slow@example.com');
    expect((await call(owner, 'DELETE', `/invitations/${InvitationId}`)).statusCode).toBe(200);
    expect((await ask('POST', '/session/link', { Token })).statusCode).toBe(404);
    // A clerk cannot invite, and an invitation of oneself as an owner changes no role.
    const rudo = await cookieOf(service.app, 'rudo@example.com');
    expect(
      (await call(rudo, 'POST', '/invitations', { Email: 'rudo@example.com', Name: 'R', Role: 'owner' })).statusCode,
    ).toBe(403);
    await invite('rudo@example.com', { Role: 'owner' });
    await ask('PUT', '/session/link', { Token: await linkTo('rudo@example.com', 2) }, rudo);
    expect((await call(rudo, 'GET', '/session')).json().Person.Role).toBe('clerk');
  });
});

describe('a forgotten password', () => {
  test('is set anew by mail, once, ends all sessions, and leaves the second factor', async () => {
    await makePerson(service.pool, 'forgot@example.com', 'viewer');
    const before = await cookieOf(service.app, 'forgot@example.com');
    const answers = [
      await ask('POST', '/session/reset', { Email: 'Forgot@example.com' }),
      await ask('POST', '/session/reset', { Email: 'nobody@example.com' }),
      await ask('POST', '/session/reset', { Email: 'forgot@example.com' }),
    ];
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual(
      Array.from({ length: 3 }, () => [202, '{}']),
    );
    const Token = await linkTo('forgot@example.com');
    expect((await ask('PUT', '/session/link', { Token, NewPassword: 'green kettle over rain' })).statusCode).toBe(200);
    expect((await call(before, 'GET', '/devices')).statusCode).toBe(401);
    expect((await logIn(service.app, 'forgot@example.com')).statusCode).toBe(401);
    expect((await logIn(service.app, 'forgot@example.com', 'green kettle over rain')).statusCode).toBe(200);
    expect((await ask('PUT', '/session/link', { Token, NewPassword: PASSWORD })).statusCode).toBe(404);
    expect(mails.messages.filter(({ to }) => to.includes('nobody@example.com'))).toEqual([]);
    const { rows } = await service.pool.query("select from mailed_links where link_hash::text like '%' || $1", [Token]);
    expect(rows).toEqual([]);
  });
});

test('sessions are listed and ended by their owner alone', async () => {
  await makePerson(service.pool, 'several@example.com', 'viewer');
  const [one, two] = [
    await cookieOf(service.app, 'several@example.com'),
    await cookieOf(service.app, 'several@example.com'),
  ];
  const { Sessions } = (await call(one, 'GET', '/sessions')).json();
  expect(Sessions).toHaveLength(2);
  const { SessionId } = Sessions.find(({ IsThis }: { IsThis: boolean }) => !IsThis);
  expect((await call(owner, 'DELETE', `/sessions/${SessionId}`)).statusCode).toBe(404);
  expect((await call(one, 'DELETE', `/sessions/${SessionId}`)).json()).toEqual({ EndedSessions: 1 });
  expect((await call(two, 'GET', '/devices')).statusCode).toBe(401);
  expect((await call(one, 'GET', '/devices')).statusCode).toBe(200);
});
