import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cookieOf, type Method, makePerson, PASSWORD, withCookie } from '../../../../test/support/people.ts';
import { createTestService, NOON, type TestService } from '../../../../test/support/service.ts';
import { Authenticator } from '../../../../test/support/sign-in/authenticator.ts';
import { issueToken } from '../../../platform/tokens/issue-token.ts';

const ORIGIN = 'http://tillseal.test';
let service: TestService;

beforeAll(async () => {
  service = await createTestService();
});
afterAll(() => service.close());

const call = (cookie: string, method: Method | 'PUT', path: string, body?: object) =>
  withCookie(service.app, cookie, method as Method, `/api/admin${path}`, body);
const stateOf = async (cookie: string) => (await call(cookie, 'GET', '/session/second-factor')).json();
const isLetIn = async (cookie: string) => (await call(cookie, 'GET', '/devices')).statusCode === 200;

async function add(cookie: string, passkey: Authenticator, Name = 'Phone') {
  const begun = await call(cookie, 'POST', '/session/passkeys', { Password: PASSWORD });
  return call(cookie, 'PUT', '/session/passkeys', { Name, Passkey: passkey.make(begun.json().Options) });
}

/** Somebody with one passkey and nothing else. */
async function enrol(email: string) {
  await makePerson(service.pool, email, 'viewer');
  const cookie = await cookieOf(service.app, email);
  const passkey = new Authenticator(ORIGIN);
  const recovery: string[] = (await add(cookie, passkey)).json().RecoveryCodes;
  return { cookie, passkey, recovery };
}

const askedOf = async (cookie: string) => (await call(cookie, 'POST', '/session/second-factor/options')).json();
const give = (cookie: string, Passkey: object) => call(cookie, 'POST', '/session/second-factor', { Passkey });

describe('a passkey', () => {
  test('is asked for after the password, and opens the session that asked', async () => {
    const { cookie: first, passkey, recovery } = await enrol('rudo@example.com');
    expect(recovery).toHaveLength(10);
    expect(await stateOf(first)).toMatchObject({
      Totp: false,
      Passkeys: [{ Name: 'Phone', LastUsedAt: null }],
      CanHavePasskeys: true,
      RecoveryCodes: 10,
    });
    const cookie = await cookieOf(service.app, 'rudo@example.com');
    expect((await call(cookie, 'GET', '/session')).json().Person).toMatchObject({
      Needs: 'SecondFactor',
      Memberships: [],
    });
    expect(await isLetIn(cookie)).toBe(false);
    const { Totp, Passkey } = await askedOf(cookie);
    expect([Totp, Passkey.rpId, Passkey.allowCredentials]).toEqual([
      false,
      'tillseal.test',
      [{ id: passkey.id, transports: ['internal'], type: 'public-key' }],
    ]);
    expect((await give(cookie, passkey.use(Passkey))).statusCode).toBe(200);
    expect(await isLetIn(cookie)).toBe(true);
    expect((await stateOf(cookie)).Passkeys[0].LastUsedAt).toBe(NOON.toISOString());
  });

  test('answers a challenge once, in the session that asked, and within five minutes', async () => {
    const { passkey } = await enrol('once@example.com');
    const [one, two] = [
      await cookieOf(service.app, 'once@example.com'),
      await cookieOf(service.app, 'once@example.com'),
    ];
    const [asked, other] = [await askedOf(one), await askedOf(two)];
    const answer = passkey.use(asked.Passkey);
    expect((await give(two, answer)).statusCode).toBe(400);
    // A wrong answer has used it up, too.
    expect((await give(two, passkey.use(other.Passkey))).statusCode).toBe(400);
    expect((await give(one, answer)).statusCode).toBe(200);
    expect((await give(one, answer)).statusCode).toBe(400);
    const late = await askedOf(two);
    try {
      service.now = new Date(NOON.getTime() + 5 * 60_000);
      expect((await give(two, passkey.use(late.Passkey))).statusCode).toBe(400);
    } finally {
      service.now = NOON;
    }
    expect(await isLetIn(two)).toBe(false);
  });

  test('of another person, another site or another name opens nothing', async () => {
    const [mine, theirs] = [await enrol('mine@example.com'), await enrol('theirs@example.com')];
    const cookie = await cookieOf(service.app, 'mine@example.com');
    const tries = [
      (options: Parameters<Authenticator['use']>[0]) => theirs.passkey.use(options),
      // Under an id that is known, signed with another key.
      (options: Parameters<Authenticator['use']>[0]) => ({
        ...theirs.passkey.use(options),
        id: mine.passkey.id,
        rawId: mine.passkey.id,
      }),
      (options: Parameters<Authenticator['use']>[0]) => mine.passkey.use({ ...options, rpId: 'evil.example' }),
      (options: Parameters<Authenticator['use']>[0]) => mine.passkey.at('http://evil.example').use(options),
    ];
    for (const answer of tries) {
      expect((await give(cookie, answer((await askedOf(cookie)).Passkey))).json().errors[0].Field).toBe('Passkey');
    }
    expect(await isLetIn(cookie)).toBe(false);
    // What another person has is not added a second time.
    expect((await add(mine.cookie, theirs.passkey)).statusCode).toBe(400);
    const { PasskeyId } = (await stateOf(theirs.cookie)).Passkeys[0];
    const removed = await call(mine.cookie, 'DELETE', `/session/passkeys/${PasskeyId}`, { Password: PASSWORD });
    expect(removed.statusCode).toBe(404);
  });

  test('whose counter does not rise is a copy', async () => {
    const { passkey } = await enrol('counts@example.com');
    const statuses = [];
    for (const counter of [7, 7, 6, 8]) {
      const cookie = await cookieOf(service.app, 'counts@example.com');
      passkey.counter = counter;
      statuses.push((await give(cookie, passkey.use((await askedOf(cookie)).Passkey))).statusCode);
    }
    expect(statuses).toEqual([200, 400, 400, 200]);
  });

  test('is given by one of two sessions that answer at the same moment, and guesses at once are five at most', async () => {
    const { passkey, recovery } = await enrol('hurried@example.com');
    const cookies = await Promise.all([1, 2, 3].map(() => cookieOf(service.app, 'hurried@example.com')));
    const [one = '', two = '', three = ''] = cookies;
    const prove = (cookie: string, Code: string) => call(cookie, 'POST', '/session/second-factor', { Code });
    const recovered = await Promise.all([one, two].map((cookie) => prove(cookie, recovery[0] ?? '')));
    expect(recovered.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    passkey.counter = 1;
    const answers = await Promise.all(cookies.map(async (cookie) => passkey.use((await askedOf(cookie)).Passkey)));
    const given = await Promise.all(answers.map((answer, index) => give(cookies[index] ?? '', answer)));
    expect(given.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    const guesses = await Promise.all(Array.from({ length: 20 }, () => prove(three, '123456')));
    expect(guesses.filter(({ statusCode }) => statusCode === 400).length).toBeLessThan(5);
    expect((await give(three, passkey.use((await askedOf(three)).Passkey))).statusCode).toBe(429);
  });

  test('is added only with the password, by a session that has given what there is', async () => {
    const { passkey } = await enrol('careful@example.com');
    const cookie = await cookieOf(service.app, 'careful@example.com');
    expect((await call(cookie, 'POST', '/session/passkeys', { Password: PASSWORD })).statusCode).toBe(403);
    const asked = await askedOf(cookie);
    const made = {
      Name: 'Second',
      Passkey: new Authenticator(ORIGIN).make({ ...asked.Passkey, rp: { id: 'tillseal.test' } }),
    };
    expect((await call(cookie, 'PUT', '/session/passkeys', made)).statusCode).toBe(403);
    await give(cookie, passkey.use(asked.Passkey));
    expect((await call(cookie, 'POST', '/session/passkeys', { Password: 'wrong' })).statusCode).toBe(400);
    // The challenge of a log-in, for which no password is asked, is not one to add a passkey with.
    const options = { ...(await askedOf(cookie)).Passkey, rp: { id: 'tillseal.test' } };
    const sneaked = { Name: 'Second', Passkey: new Authenticator(ORIGIN).make(options) };
    expect((await call(cookie, 'PUT', '/session/passkeys', sneaked)).statusCode).toBe(400);
    expect((await stateOf(cookie)).Passkeys).toHaveLength(1);
  });

  test('that is lost is replaced by a recovery code, also where there is no app', async () => {
    const { recovery } = await enrol('lost@example.com');
    const cookie = await cookieOf(service.app, 'lost@example.com');
    const code = { Code: recovery[0] };
    expect((await call(cookie, 'POST', '/session/second-factor', code)).json()).toMatchObject({ RecoveryCodes: 9 });
    const again = await cookieOf(service.app, 'lost@example.com');
    expect((await call(again, 'POST', '/session/second-factor', code)).statusCode).toBe(400);
    const { PasskeyId } = (await stateOf(cookie)).Passkeys[0];
    const remove = (Password: string) => call(cookie, 'DELETE', `/session/passkeys/${PasskeyId}`, { Password });
    expect((await remove('wrong')).statusCode).toBe(400);
    expect((await remove(PASSWORD)).json()).toMatchObject({ Passkeys: [], RecoveryCodes: 0 });
    expect(await isLetIn(again)).toBe(true);
  });

  test('stands beside an app: one set of recovery codes, which stays until the last of them goes', async () => {
    const { cookie, passkey } = await enrol('both@example.com');
    expect((await add(cookie, new Authenticator(ORIGIN), 'Key')).json()).toEqual({ RecoveryCodes: [] });
    // An app that was begun only is none: its code opens nothing.
    await call(cookie, 'POST', '/session/totp', { Password: PASSWORD });
    const other = await cookieOf(service.app, 'both@example.com');
    expect((await askedOf(other)).Totp).toBe(false);
    await give(other, passkey.use((await askedOf(other)).Passkey));
    const state = await stateOf(other);
    for (const [index, { PasskeyId }] of state.Passkeys.entries()) {
      const removed = await call(other, 'DELETE', `/session/passkeys/${PasskeyId}`, { Password: PASSWORD });
      expect(removed.json().RecoveryCodes).toBe(index === 0 ? 10 : 0);
    }
  });

  test('is taken with all others from who has lost it, by an admin', async () => {
    const { cookie } = await enrol('stolen@example.com');
    const { PersonId } = (await call(cookie, 'GET', '/session')).json().Person;
    const { token } = await issueToken(service.pool, { name: 'Root', scopes: ['admin'] });
    await service.call(token, 'DELETE', `/api/admin/people/${PersonId}/second-factor`);
    const next = await cookieOf(service.app, 'stolen@example.com');
    expect(await stateOf(next)).toMatchObject({ Passkeys: [], RecoveryCodes: 0 });
    expect(await isLetIn(next)).toBe(true);
  });
});

test.each([
  ['http://127.0.0.1:3000', false],
  ['http://[::1]:3000', false],
  ['https://tills.example', true],
])('at %s there are passkeys: %s', async (publicUrl, CanHavePasskeys) => {
  const other = await createTestService({ publicUrl });
  try {
    await makePerson(other.pool, 'a@example.com', 'viewer');
    const cookie = await cookieOf(other.app, 'a@example.com');
    const ask = (method: Method, path: string, body?: object) => withCookie(other.app, cookie, method, path, body);
    expect((await ask('GET', '/api/admin/session/second-factor')).json()).toMatchObject({ CanHavePasskeys });
    const begun = await ask('POST', '/api/admin/session/passkeys', { Password: PASSWORD });
    expect(begun.statusCode).toBe(CanHavePasskeys ? 200 : 400);
  } finally {
    await other.close();
  }
});
