import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CONSOLE_HEADERS,
  cookieOf,
  logIn,
  type Method,
  makePerson,
  PASSWORD,
  withCookie,
} from '../../../test/support/people.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

let service: TestService;
let token: string;

beforeAll(async () => {
  service = await createTestService();
  token = (await issueToken(service.pool, { name: 'Root', scopes: ['admin'] })).token;
  await makePerson(service.pool, 'vimbai@example.com', 'viewer');
  await makePerson(service.pool, 'ota@example.com', 'operator');
  await makePerson(service.pool, 'ada@example.com', 'admin');
});
afterAll(() => service.close());

const call = (cookie: string, method: Method, path: string, body?: object, headers?: Record<string, string>) =>
  withCookie(service.app, cookie, method, `/api/admin${path}`, body, headers);
const whoIs = async (cookie: string) => (await call(cookie, 'GET', '/session')).json().Person;
const minutesLater = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);

describe('a session', () => {
  test('is a cookie that scripts cannot read and other sites cannot send', async () => {
    const answer = await logIn(service.app, ' ADA@example.com ');
    expect(answer.json().Person).toMatchObject({ Email: 'ada@example.com', Role: 'admin' });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^tillseal-session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(/^tillseal-browser=[\w-]{64}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(answer.body).not.toContain('password');
  });

  test('is over for the server after logging out, and others of the operator go on', async () => {
    const [one, two] = [await cookieOf(service.app, 'ota@example.com'), await cookieOf(service.app, 'ota@example.com')];
    expect((await call(one, 'DELETE', '/session')).json()).toEqual({ EndedSessions: 1 });
    expect(await whoIs(one)).toBeNull();
    expect(await whoIs(two)).toMatchObject({ Email: 'ota@example.com' });
    expect((await call(two, 'DELETE', '/session?Everywhere=true')).headers['set-cookie']).toContain('Max-Age=0');
    expect((await call(two, 'GET', '/devices')).statusCode).toBe(401);
  });

  test('ends when it is not used for two hours, and after twelve in any case', async () => {
    const cookie = await cookieOf(service.app, 'ota@example.com');
    try {
      for (let minutes = 100; minutes < 720; minutes += 100) {
        service.now = minutesLater(minutes);
        expect(await whoIs(cookie), `${minutes} minutes`).not.toBeNull();
      }
      service.now = minutesLater(721);
      expect(await whoIs(cookie)).toBeNull();
      const idle = await cookieOf(service.app, 'ota@example.com');
      service.now = minutesLater(721 + 121);
      expect(await whoIs(idle)).toBeNull();
    } finally {
      service.now = NOON;
    }
  });

  test('is kept only as a hash', async () => {
    const sessionId = (await cookieOf(service.app, 'ada@example.com')).split('=')[1] ?? '';
    const { rows } = await service.pool.query<{ text: string }>(
      "select string_agg(s::text, '') || (select string_agg(o::text, '') from people o) as text from sessions s",
    );
    expect(rows[0]?.text).not.toContain(sessionId);
    expect(rows[0]?.text).not.toContain(Buffer.from(sessionId, 'base64url').toString('hex'));
    expect(rows[0]?.text).toContain('$argon2id$');
  });
});

describe('wrong passwords', () => {
  test.each(['locked@example.com', 'nobody@example.com'])(
    'after five of them even the right one has to wait a quarter of an hour (%s)',
    async (email) => {
      const isKnown = email.startsWith('locked');
      if (isKnown) await makePerson(service.pool, email, 'viewer');
      const statuses = [];
      for (let attempt = 0; attempt < 5; attempt += 1) {
        statuses.push((await logIn(service.app, email, 'wrong')).statusCode);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 429]);
      const locked = await logIn(service.app, email);
      expect([locked.statusCode, locked.headers['retry-after']]).toEqual([429, '900']);
      try {
        service.now = minutesLater(14);
        expect((await logIn(service.app, email)).statusCode).toBe(429);
        service.now = minutesLater(15);
        expect((await logIn(service.app, email)).statusCode).toBe(isKnown ? 200 : 401);
      } finally {
        service.now = NOON;
      }
    },
  );

  test('sent all at once, no more than five are looked at', async () => {
    await makePerson(service.pool, 'hurried@example.com', 'viewer');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => logIn(service.app, 'hurried@example.com', 'no')),
    );
    expect(answers.filter((answer) => answer.statusCode === 401)).toHaveLength(4);
    expect((await logIn(service.app, 'hurried@example.com')).statusCode).toBe(429);
  });

  test('a right one forgets those before it', async () => {
    await makePerson(service.pool, 'clumsy@example.com', 'viewer');
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1) await logIn(service.app, 'clumsy@example.com', 'wrong');
      expect((await logIn(service.app, 'clumsy@example.com')).statusCode).toBe(200);
    }
  });

  test('an unknown email is answered like a wrong password', async () => {
    const [known, unknown] = [
      await logIn(service.app, 'ada@example.com', 'wrong'),
      await logIn(service.app, 'who@example.com', 'wrong'),
    ];
    const { requestId: _one, ...first } = known.json();
    const { requestId: _two, ...second } = unknown.json();
    expect(first).toEqual(second);
  });
});

describe('another site', () => {
  test.each([
    ['without the header', {}],
    ['across sites', { ...CONSOLE_HEADERS, 'sec-fetch-site': 'cross-site' }],
    ['from another origin', { ...CONSOLE_HEADERS, origin: 'https://evil.example' }],
    ['under a name made to lead here', { ...CONSOLE_HEADERS, host: 'evil.example', origin: 'http://evil.example' }],
  ])('%s can change nothing with the cookie of an operator', async (_name, headers: Record<string, string>) => {
    const cookie = await cookieOf(service.app, 'ada@example.com');
    const answer = await call(cookie, 'POST', '/taxpayers', { Name: 'Evil', TIN: '2000000009' }, headers);
    expect(answer.statusCode).toBe(403);
    const { rows } = await service.pool.query("select 1 from taxpayers where name = 'Evil'");
    expect(rows).toEqual([]);
  });

  test('cannot log anybody in', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/admin/session',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Email: 'ada@example.com', Password: PASSWORD }),
    });
    expect(answer.statusCode).toBe(403);
  });
});

describe('operators', () => {
  const admin = (method: Method, path: string, body?: object) => service.call(token, method, `/api/admin${path}`, body);

  test('a new one can do nothing before choosing a password', async () => {
    const added = await admin('POST', '/people', { Email: 'New@Example.com', Name: 'New', Role: 'operator' });
    expect(added.json()).toMatchObject({ Email: 'new@example.com', MustChangePassword: true });
    const password: string = added.json().OneTimePassword;
    const cookie = await cookieOf(service.app, 'new@example.com', password);
    const refused = await call(cookie, 'GET', '/devices');
    expect([refused.statusCode, refused.json().detail]).toEqual([403, expect.stringContaining('choose your own')]);
    const weak = await call(cookie, 'POST', '/session/password', { CurrentPassword: password, NewPassword: 'short' });
    expect(weak.json().errors[0].Field).toBe('NewPassword');
    const change = { CurrentPassword: password, NewPassword: 'green kettle over rain' };
    const other = await cookieOf(service.app, 'new@example.com', password);
    expect((await call(cookie, 'POST', '/session/password', change)).json()).toEqual({ EndedSessions: 1 });
    expect(await whoIs(other)).toBeNull();
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(200);
    expect((await logIn(service.app, 'new@example.com', password)).statusCode).toBe(401);
  });

  test('a disabled one is out at once, and a reset password lets a locked-out one in', async () => {
    await makePerson(service.pool, 'gone@example.com', 'operator');
    const cookie = await cookieOf(service.app, 'gone@example.com');
    const { PersonId: id } = await whoIs(cookie);
    await admin('PATCH', `/people/${id}`, { Disabled: true });
    expect((await call(cookie, 'GET', '/devices')).statusCode).toBe(401);
    expect((await logIn(service.app, 'gone@example.com')).statusCode).toBe(401);
    await admin('PATCH', `/people/${id}`, { Disabled: false });
    for (let attempt = 0; attempt < 5; attempt += 1) await logIn(service.app, 'gone@example.com', 'wrong');
    const reset = await admin('POST', `/people/${id}/password`);
    expect((await logIn(service.app, 'gone@example.com', reset.json().OneTimePassword)).statusCode).toBe(200);
    expect((await admin('DELETE', `/people/${id}`)).statusCode).toBe(200);
    expect((await admin('DELETE', `/people/${id}`)).statusCode).toBe(404);
  });

  test('nobody demotes, disables or removes themselves', async () => {
    const cookie = await cookieOf(service.app, 'ada@example.com');
    const { PersonId: id } = await whoIs(cookie);
    for (const [method, body] of [
      ['PATCH', { Role: 'viewer' }],
      ['PATCH', { Disabled: true }],
      ['DELETE', undefined],
    ] as const) {
      expect((await call(cookie, method, `/people/${id}`, body)).statusCode).toBe(400);
    }
    expect(await whoIs(cookie)).toMatchObject({ Role: 'admin' });
    expect((await call(cookie, 'PATCH', `/people/${id}`, { Name: 'Ada L.' })).json().Name).toBe('Ada L.');
  });

  test('an email is taken once, and must be one', async () => {
    const body = { Name: 'X', Role: 'viewer' };
    expect((await admin('POST', '/people', { ...body, Email: 'ADA@example.com' })).json().errors[0].Field).toBe(
      'Email',
    );
    expect((await admin('POST', '/people', { ...body, Email: 'ada' })).json().errors[0].Field).toBe('Email');
  });

  test('what they do stands in the audit log under their email', async () => {
    const cookie = await cookieOf(service.app, 'ada@example.com');
    const added = await call(cookie, 'POST', '/taxpayers', { Name: 'By Ada', TIN: '2000000009' });
    expect(added.statusCode).toBe(201);
    const { Entries } = (await call(cookie, 'GET', '/audit?Action=taxpayer.added&Limit=1')).json();
    expect(Entries[0]).toMatchObject({ Actor: 'ada@example.com', After: { Name: 'By Ada' } });
    const started = (await call(cookie, 'GET', '/audit?Action=session.started&Limit=1')).json().Entries[0];
    expect(started).toMatchObject({ Subject: 'person ada@example.com' });
  });
});
