import type { LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MailServer } from '../../../../test/support/mail-server.ts';
import {
  CONSOLE_HEADERS,
  cookieOf,
  INSTALLATION,
  logIn,
  makePerson,
  PASSWORD,
} from '../../../../test/support/people.ts';
import {
  addInstance,
  createTestService,
  NOON,
  type TestService,
  type TestTaxpayer,
} from '../../../../test/support/service.ts';
import { OpenIdTestProvider, type ProvidersPerson } from '../../../../test/support/sign-in/openid-provider.ts';
import type { Role } from '../../../contract/shared/values.ts';
import type { Tenant } from '../core/tenant.ts';

const mails = new MailServer();
let provider: OpenIdTestProvider;
let service: TestService;
let shop: TestTaxpayer;
let tenant: Tenant;
let owner: string;

beforeAll(async () => {
  provider = await OpenIdTestProvider.start('http://tillseal.test/console/openid');
  const mail = { url: `smtp://127.0.0.1:${await mails.listen()}`, from: 'tillseal@example.com' };
  service = await createTestService({ mail, openId: provider.settings });
  shop = await service.addTaxpayer();
  tenant = { kind: 'taxpayer', id: shop.taxpayerId };
  await makePerson(service.pool, 'olivia@example.com', 'owner', { tenant });
  owner = await cookieOf(service.app, 'olivia@example.com');
});
afterEach(() => {
  service.now = NOON;
});
afterAll(async () => {
  await service.close();
  await provider.close();
  await mails.close();
});

type Asked = Pick<TestService, 'app'>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let asked = 0;

/** As the console asks, with the cookies given; from a network of its own, since those that ask often are told to wait. */
const ask = (method: Method, path: string, cookie: string, body?: object, { app }: Asked = service) => {
  asked += 1;
  return app.inject({
    method,
    url: `/api/admin${path}`,
    remoteAddress: `10.7.${asked >> 8}.${asked & 255}`,
    headers: { ...CONSOLE_HEADERS, cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};
const cookiesIn = ({ headers }: LightMyRequestResponse) =>
  [headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0] ?? '');

/** There and back: what the provider answers, and the cookie with which that was asked. */
async function askProvider(person: ProvidersPerson | undefined, begun = ask('POST', '/session/openid', '')) {
  const answer = await begun;
  expect(answer.body).toContain('Address');
  provider.person = person;
  return { Answer: await provider.visit(answer.json().Address), cookie: cookiesIn(answer)[0] ?? '' };
}

async function logInAs(subject: string, { Token, groups }: { Token?: string; groups?: readonly string[] } = {}) {
  const { Answer, cookie } = await askProvider({ subject, claims: groups === undefined ? {} : { groups } });
  return ask('PUT', '/session/openid', cookie, { Answer, ...(Token === undefined ? {} : { Token }) });
}

async function link(subject: string, session: string) {
  const begun = ask('POST', '/session/identity', session, { Password: PASSWORD });
  const { Answer, cookie } = await askProvider({ subject }, begun);
  return ask('PUT', '/session/identity', `${session}; ${cookie}`, { Answer });
}

/** Somebody with a password, whom the provider knows as `subject`. */
async function linked(subject: string, role: Role = 'clerk', of: Tenant = tenant): Promise<string> {
  const email = `${subject}@example.com`;
  await makePerson(service.pool, email, role, { tenant: of });
  const session = await cookieOf(service.app, email);
  expect((await link(subject, session)).json()).toEqual({ Provider: 'Example ID', IsLinked: true });
  return session;
}

async function invite(Email: string, role: Role = 'clerk'): Promise<string> {
  expect((await ask('POST', '/invitations', owner, { Email, Name: 'Rudo', Role: role })).statusCode).toBe(201);
  const sent = () => mails.messages.filter(({ to }) => to.includes(Email));
  await expect.poll(() => sent().length).toBe(1);
  return /\/console\/link#([\w-]{43})/.exec((sent()[0]?.body ?? '').replaceAll('=\r\n', ''))?.[1] ?? '';
}

const sessionOf = (answer: LightMyRequestResponse) =>
  cookiesIn(answer).find((one) => one.startsWith('tillseal-session=')) ?? '';

describe('who is linked', () => {
  test('logs in, with what they may do here', async () => {
    await linked('tariro');
    const answer = await logInAs('tariro');
    expect(answer.json().Person).toMatchObject({ Email: 'tariro@example.com', Role: 'clerk', Needs: null });
    expect((await ask('GET', '/devices', sessionOf(answer))).statusCode).toBe(200);
  });

  test('still gives a second factor that they have set up', async () => {
    await linked('careful');
    await service.pool.query("update people set totp_confirmed_at = now() where email = 'careful@example.com'");
    const answer = await logInAs('careful');
    expect(answer.json().Person.Needs).toBe('SecondFactor');
    expect((await ask('GET', '/devices', sessionOf(answer))).statusCode).toBe(403);
  });

  test('is out when they are disabled here, and when they are unlinked', async () => {
    const session = await linked('leaving');
    await service.pool.query("update people set disabled_at = now() where email = 'leaving@example.com'");
    expect((await logInAs('leaving')).json().detail).toContain('disabled');
    await service.pool.query("update people set disabled_at = null where email = 'leaving@example.com'");
    const other = sessionOf(await logInAs('leaving'));
    expect((await ask('DELETE', '/session/identity', session, { Password: 'wrong' })).statusCode).toBe(400);
    expect((await ask('DELETE', '/session/identity', session, { Password: PASSWORD })).json().IsLinked).toBe(false);
    expect((await ask('GET', '/devices', other)).statusCode).toBe(401);
    expect((await ask('GET', '/devices', session)).statusCode).toBe(200);
    expect((await logInAs('leaving')).statusCode).toBe(403);
  });

  test('keeps nothing of a token: not in the database, not in what is answered', async () => {
    await linked('secretive');
    const { Answer, cookie } = await askProvider({ subject: 'secretive' });
    const answer = await ask('PUT', '/session/openid', cookie, { Answer });
    expect(answer.body).not.toMatch(/eyJ|access_token|id_token/);
    const { rows } = await service.pool.query<{ text: string }>(
      'select i::text as text from identities i union all select s::text from sessions s union all select a::text from audit_log a',
    );
    const code = new URLSearchParams(Answer).get('code') ?? '';
    expect(rows.filter(({ text }) => text.includes(code) || text.includes('eyJ'))).toEqual([]);
  });
});

describe('nobody is linked', () => {
  test('by an email that is the same, verified or not, and is told in words what to do', async () => {
    await makePerson(service.pool, 'same@example.com', 'owner', { tenant });
    for (const email_verified of [true, false]) {
      const { Answer, cookie } = await askProvider({
        subject: 'stranger',
        claims: { email: 'same@example.com', email_verified },
      });
      const answer = await ask('PUT', '/session/openid', cookie, { Answer });
      expect([answer.statusCode, sessionOf(answer)]).toEqual([403, '']);
      expect(answer.json().detail).toContain('Open the link of your invitation');
    }
  });

  test('from a session without its password, or from another session than the one that began', async () => {
    await makePerson(service.pool, 'victim@example.com', 'clerk', { tenant });
    const session = await cookieOf(service.app, 'victim@example.com');
    expect((await ask('POST', '/session/identity', session, { Password: 'wrong' })).statusCode).toBe(400);
    // A log-in that is finished as a link.
    const begun = await askProvider({ subject: 'attacker' });
    const asLink = await ask('PUT', '/session/identity', `${session}; ${begun.cookie}`, { Answer: begun.Answer });
    expect([asLink.statusCode, asLink.json().detail]).toEqual([403, expect.stringContaining('begin again')]);
    // A link that somebody else has begun.
    const theirs = await askProvider(
      { subject: 'attacker' },
      ask('POST', '/session/identity', owner, { Password: PASSWORD }),
    );
    const taken = await ask('PUT', '/session/identity', `${session}; ${theirs.cookie}`, { Answer: theirs.Answer });
    expect(taken.statusCode).toBe(403);
    expect((await ask('GET', '/session/identity', session)).json().IsLinked).toBe(false);
  });

  test('whom the provider has with another account', async () => {
    await linked('shared');
    await makePerson(service.pool, 'second@example.com', 'clerk', { tenant });
    const second = await link('shared', await cookieOf(service.app, 'second@example.com'));
    expect([second.statusCode, second.json().detail]).toEqual([403, expect.stringContaining('linked already')]);
    expect((await logInAs('shared')).json().Person.Email).toBe('shared@example.com');
  });
});

describe('an invitation', () => {
  test('is accepted with the provider in place of a password, once', async () => {
    const Token = await invite('rudo@example.com');
    const answer = await logInAs('rudo', { Token });
    expect(answer.json().Person).toMatchObject({ Email: 'rudo@example.com', Name: 'Rudo', Role: 'clerk' });
    expect((await logInAs('rudo')).json().Person.Tenant.Id).toBe(shop.taxpayerId);
    expect((await logInAs('another', { Token })).statusCode).toBe(404);
    // Nobody was given a password with it.
    expect((await logIn(service.app, 'rudo@example.com', '')).statusCode).toBe(400);
  });

  test('is not taken by who is linked with another address, nor for an account that exists', async () => {
    await linked('thief');
    const Token = await invite('wanted@example.com', 'owner');
    expect((await logInAs('thief', { Token })).json().detail).toContain('another address');
    await makePerson(service.pool, 'here@example.com', 'viewer');
    const other = await invite('here@example.com', 'owner');
    expect((await logInAs('not-linked', { Token: other })).json().detail).toContain('log in with it');
    expect((await logInAs('fresh', { Token })).json().Person.Role).toBe('owner');
  });
});

describe('an answer of the provider', () => {
  test('is good in the browser that asked, for ten minutes and once', async () => {
    await linked('punctual');
    const { Answer, cookie } = await askProvider({ subject: 'punctual' });
    const finish = (with_: string, given = Answer) => ask('PUT', '/session/openid', with_, { Answer: given });
    expect((await finish('')).json().detail).toContain('not begun in this browser');
    const another = cookiesIn(await ask('POST', '/session/openid', ''))[0] ?? '';
    expect((await finish(another)).statusCode).toBe(403);
    service.now = new Date(NOON.getTime() + 601_000);
    expect((await finish(cookie)).json().detail).toContain('ten minutes');
    service.now = NOON;
    const done = await finish(cookie);
    expect(done.statusCode).toBe(200);
    expect(cookiesIn(done)).not.toContain(cookie);
    // The code again, though the cookie was kept.
    const again = await finish(cookie);
    expect([again.statusCode, sessionOf(again)]).toEqual([403, '']);
    // A code that somebody else was given, with the state of this browser.
    const [mine, theirs] = [await askProvider({ subject: 'punctual' }), await askProvider({ subject: 'punctual' })];
    const mixed = new URLSearchParams(mine.Answer);
    mixed.set('code', new URLSearchParams(theirs.Answer).get('code') ?? '');
    expect((await finish(mine.cookie, `?${mixed.toString()}`)).statusCode).toBe(403);
  });

  test('that says no is told', async () => {
    const { Answer, cookie } = await askProvider(undefined);
    expect((await ask('PUT', '/session/openid', cookie, { Answer })).json().detail).toBe(
      'Example ID did not let you in: nobody is here',
    );
  });

  test('is needed from the console itself', async () => {
    const answer = await service.app.inject({ method: 'POST', url: '/api/admin/session/openid' });
    expect(answer.statusCode).toBe(403);
  });
});

describe('what a claim granted', () => {
  const roleIn = async (session: string, of: Tenant) => {
    const { Memberships } = (await ask('GET', '/session', session)).json().Person;
    return Memberships.find(({ Id }: { Id: string | null }) => (Id ?? '') === of.id)?.Role;
  };

  test('only a claim takes away, and what was given by hand no claim changes', async () => {
    const other = await service.addTaxpayer({ name: 'Granted' });
    const granted = { kind: 'taxpayer', id: other.taxpayerId } as const;
    await linked('grace', 'clerk');
    const groups = [
      'staff',
      `tillseal:taxpayer:${other.taxpayerId}:viewer`,
      `tillseal:taxpayer:${other.taxpayerId}:owner`,
      `tillseal:taxpayer:${shop.taxpayerId}:owner`,
      'tillseal:taxpayer:0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47:owner',
      'tillseal:taxpayer:x:admin',
      'tillseal:viewer',
    ];
    const session = sessionOf(await logInAs('grace', { groups }));
    expect([
      await roleIn(session, granted),
      await roleIn(session, tenant),
      await roleIn(session, INSTALLATION),
    ]).toEqual(['owner', 'clerk', 'viewer']);
    const switched = await ask('PATCH', '/session', session, { TaxpayerId: other.taxpayerId });
    expect(switched.json().Role).toBe('owner');
    // By hand it is neither changed nor ended.
    const token = await cookieOf(service.app, await admin());
    const { People } = (await ask('GET', `/people?TaxpayerId=${other.taxpayerId}`, token)).json();
    expect(People).toMatchObject([{ Email: 'grace@example.com', Role: 'owner', IsGranted: true }]);
    const path = `/people/${People[0].PersonId}?TaxpayerId=${other.taxpayerId}`;
    for (const [method, body] of [['PATCH', { Role: 'viewer' }], ['DELETE']] as const)
      expect((await ask(method, path, token, body)).json().detail).toContain('OpenID provider grants this');
    const later = sessionOf(await logInAs('grace', { groups: ['tillseal:operator'] }));
    expect([await roleIn(later, granted), await roleIn(later, tenant), await roleIn(later, INSTALLATION)]).toEqual([
      undefined,
      'clerk',
      'operator',
    ]);
    const last = sessionOf(await logInAs('grace'));
    expect((await ask('GET', '/devices', session)).statusCode).toBe(401);
    expect([await roleIn(last, INSTALLATION), await roleIn(last, tenant)]).toEqual([undefined, 'clerk']);
    const trail = await service.pool.query<{ line: string }>(
      "select action || coalesce(' ' || (after ->> 'Role'), '') as line from audit_log where subject = 'person grace@example.com' and action like 'membership%' order by audit_id",
    );
    expect(trail.rows.map(({ line }) => line).toSorted()).toEqual(
      ['membership.granted owner', 'membership.granted viewer', 'membership.taken owner']
        .concat(['membership.granted operator', 'membership.taken operator'].toSorted())
        .toSorted(),
    );
  });

  test('is good for log-ins by the provider alone: a password says nothing of a claim', async () => {
    const other = await service.addTaxpayer({ name: 'Only by the provider' });
    await linked('piet');
    const group = `tillseal:taxpayer:${other.taxpayerId}:owner`;
    const session = sessionOf(await logInAs('piet', { groups: [group] }));
    const granted = { kind: 'taxpayer', id: other.taxpayerId } as const;
    expect(await roleIn(session, granted)).toBe('owner');
    const byPassword = await cookieOf(service.app, 'piet@example.com');
    expect(await roleIn(byPassword, granted)).toBeUndefined();
    expect((await ask('PATCH', '/session', byPassword, { TaxpayerId: other.taxpayerId })).statusCode).toBe(404);
  });

  test('becomes what a person gave, once one gives it', async () => {
    const admins = await cookieOf(service.app, await admin());
    await linked('hand');
    const group = 'tillseal:admin';
    await logInAs('hand', { groups: [group] });
    const added = await ask('POST', '/people', admins, { Email: 'hand@example.com', Name: 'Hand', Role: 'viewer' });
    expect(added.statusCode).toBe(201);
    const session = sessionOf(await logInAs('hand', { groups: [group] }));
    expect(await roleIn(session, INSTALLATION)).toBe('viewer');
    expect(await roleIn(sessionOf(await logInAs('hand')), INSTALLATION)).toBe('viewer');
  });

  let count = 0;
  async function admin(): Promise<string> {
    count += 1;
    const email = `admin-${count}@example.com`;
    await makePerson(service.pool, email, 'admin');
    return email;
  }
});

describe('a provider that is not in use any more', () => {
  test.each([
    ['removed', undefined],
    [
      'replaced by another',
      { issuer: 'https://other.example.com', clientId: 'x', clientSecret: 'y', name: 'Other', rolesClaim: undefined },
    ],
  ] as const)('lets nobody in when it is %s, and its sessions end at their next request', async (name, openId) => {
    const subject = `late-${name.length}`;
    await linked(subject);
    const session = sessionOf(await logInAs(subject));
    const { Answer, cookie } = await askProvider({ subject });
    const after = await addInstance(service, { openId });
    try {
      expect((await ask('GET', '/devices', session)).statusCode).toBe(200);
      expect((await ask('GET', '/devices', session, undefined, after)).statusCode).toBe(401);
      expect((await ask('GET', '/session', session, undefined, after)).json().Person).toBeNull();
      const late = await ask('PUT', '/session/openid', cookie, { Answer }, after);
      expect(late.statusCode).toBeGreaterThanOrEqual(400);
      expect(sessionOf(late)).toBe('');
      const byPassword = await logIn(after.app, `${subject}@example.com`);
      expect(byPassword.statusCode).toBe(200);
      expect((await ask('GET', '/session/identity', cookiesIn(byPassword)[0] ?? '', undefined, after)).json()).toEqual({
        Provider: openId?.name ?? null,
        IsLinked: false,
      });
    } finally {
      await after.close();
    }
  });
});

test('while the provider is away this is told, passwords go on, and it is asked again as soon as it is back', async () => {
  const away = await OpenIdTestProvider.start('http://tillseal.test/console/openid');
  const instance = await addInstance(service, { openId: away.settings });
  const { port } = new URL(away.issuer);
  await away.close();
  try {
    const answer = await ask('POST', '/session/openid', '', undefined, instance);
    expect([answer.statusCode, answer.json().detail]).toEqual([
      503,
      expect.stringContaining('log in with your password'),
    ]);
    expect((await logIn(instance.app, 'olivia@example.com')).statusCode).toBe(200);
    const back = await OpenIdTestProvider.start('http://tillseal.test/console/openid', {}, Number(port));
    try {
      expect((await ask('POST', '/session/openid', '', undefined, instance)).statusCode).toBe(200);
    } finally {
      await back.close();
    }
  } finally {
    await instance.close();
  }
});
