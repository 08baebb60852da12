import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest';
import { logIn, makePerson, PASSWORD } from '../../../test/support/people.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { Refused } from '../../kernel/refusal.ts';
import { hashEmail } from './attempt-store.ts';
import { logIn as tryToLogIn } from './log-in.ts';

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});
afterAll(() => service.close());

const ATTACKER = '203.0.113.66';
const HOME = '198.51.100.7';
const attempt = async (email: string, password: string, remoteAddress: string, cookie = '') =>
  (await logIn(service.app, email, password, { remoteAddress, cookie })).statusCode;

/** The cookie that stays in the browser of who has logged in. */
async function browserOf(email: string, remoteAddress: string): Promise<string> {
  const { headers } = await logIn(service.app, email, PASSWORD, { remoteAddress });
  const cookies = Object(headers['set-cookie']) as string[];
  return cookies.find((cookie) => cookie.startsWith('tillseal-browser='))?.split(';', 1)[0] ?? '';
}

async function lockOut(email: string, remoteAddress: string): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await attempt(email, 'wrong', remoteAddress);
  expect(await attempt(email, PASSWORD, remoteAddress)).toBe(429);
}

describe('who knows the email of an operator', () => {
  test('locks out nobody but the own network', async () => {
    await makePerson(service.pool, 'known@example.com', 'viewer');
    await lockOut('known@example.com', ATTACKER);
    expect(await attempt('known@example.com', PASSWORD, HOME)).toBe(200);
    // The right password elsewhere does not let the attacker go on.
    expect(await attempt('known@example.com', 'wrong', ATTACKER)).toBe(429);
  });

  test('is one network, whatever address of an IPv6 network is used', async () => {
    await makePerson(service.pool, 'six@example.com', 'viewer');
    for (let turn = 0; turn < 5; turn += 1) await attempt('six@example.com', 'wrong', `2001:db8:6:${turn}::1`);
    expect(await attempt('six@example.com', PASSWORD, '2001:db8:6:6:ffff::1')).toBe(429);
    expect(await attempt('six@example.com', PASSWORD, '2001:db8:7:6::1')).toBe(200);
  });

  test('does not lock out a browser that has logged in before, even from the same network', async () => {
    await makePerson(service.pool, 'same@example.com', 'viewer');
    await makePerson(service.pool, 'other@example.com', 'viewer');
    const browser = await browserOf('same@example.com', ATTACKER);
    const others = await browserOf('other@example.com', ATTACKER);
    await lockOut('same@example.com', ATTACKER);
    expect(await attempt('same@example.com', PASSWORD, ATTACKER, browser)).toBe(200);
    expect(await attempt('same@example.com', PASSWORD, ATTACKER, others)).toBe(429);
    const forged = `${browser.slice(0, -2)}${browser.endsWith('AA') ? 'BB' : 'AA'}`;
    expect(await attempt('same@example.com', PASSWORD, ATTACKER, forged)).toBe(429);
    try {
      service.now = new Date(NOON.getTime() + 181 * 86_400_000);
      await lockOut('same@example.com', ATTACKER);
      expect(await attempt('same@example.com', PASSWORD, ATTACKER, browser)).toBe(429);
    } finally {
      service.now = NOON;
    }
  });

  test('guesses no more often with a browser that has logged in before', async () => {
    await makePerson(service.pool, 'stolen@example.com', 'viewer');
    const browser = await browserOf('stolen@example.com', HOME);
    const statuses = [];
    for (let turn = 0; turn < 6; turn += 1) {
      statuses.push(await attempt('stolen@example.com', 'wrong', `192.0.2.${turn}`, browser));
    }
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
  });
});

test('many networks together guess fifty times an hour, and never keep out a browser that has logged in before', async () => {
  const email = 'sought@example.com';
  await makePerson(service.pool, email, 'viewer');
  const from = async (network: string, password: string, isKnown = false, minutesLater = 0) => {
    const clock = () => new Date(NOON.getTime() + minutesLater * 60_000);
    const browser = isKnown ? { id: 'its browser', emailHash: hashEmail(email) } : undefined;
    const outcome = await tryToLogIn(
      { pool: service.pool, clock },
      { network, browser, browserName: undefined },
      email,
      password,
    );
    return outcome instanceof Refused ? outcome.refusal.code : 'in';
  };
  expect(await from('bot 0', 'wrong')).toBe('Unauthorized');
  // Each password that is looked at takes its time: these stand for forty-seven more.
  const counted = await service.pool.query(
    'update log_in_attempts set failures = failures + 47 where substr(email_hash, 1, $2) = $1',
    [hashEmail(email), hashEmail(email).length],
  );
  expect(counted.rowCount).toBe(2);
  expect(await from('bot 48', 'wrong')).toBe('Unauthorized');
  // A right one counts for nothing, neither for the bots nor against them.
  expect(await from('home', PASSWORD)).toBe('in');
  expect(await from('bot 49', 'wrong')).toBe('RateLimited');
  expect(await from('bot 50', PASSWORD)).toBe('RateLimited');
  expect(await from('home', PASSWORD)).toBe('RateLimited');
  expect(await from('home', PASSWORD, true)).toBe('in');
  expect(await from('home', PASSWORD, false, 61)).toBe('in');
});

const countedIn = (queries: MockInstance) =>
  queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('insert into log_in_attempts')).length;

test('sixty networks that log in at once are refused before anything is asked, but for those whose turn comes', async () => {
  const queries = vi.spyOn(service.pool, 'query');
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, turn) =>
      logIn(service.app, `guess-${turn}@example.com`, 'wrong', { remoteAddress: `192.0.2.${100 + turn}` }),
    ),
  );
  const tried = answers.filter(({ statusCode }) => statusCode === 401).length;
  expect(answers.filter(({ statusCode }) => statusCode === 503)).toHaveLength(60 - tried);
  // Five at once, eight that wait for their turn, and what the clock gives while they arrive.
  expect(tried).toBeLessThan(30);
  expect(countedIn(queries)).toBe(2 * tried);
  queries.mockRestore();
});

test('a network that tries too often is told before anything is asked or reckoned, and keeps out no one else', async () => {
  await makePerson(service.pool, 'busy@example.com', 'viewer');
  const browser = await browserOf('busy@example.com', '203.0.113.99');
  const queries = vi.spyOn(service.pool, 'query');
  const tries = Array.from({ length: 60 }, (_, turn) =>
    logIn(service.app, `guess-${turn}@example.com`, 'wrong', { remoteAddress: '203.0.113.99' }),
  );
  const meanwhile = [
    attempt('busy@example.com', PASSWORD, '203.0.113.99', browser),
    attempt('busy@example.com', PASSWORD, HOME),
  ];
  const answers = await Promise.all(tries);
  const refused = answers.filter(({ statusCode, body }) => statusCode === 429 && body.includes('from this address'));
  expect(refused.length).toBeGreaterThan(20);
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
  // Once for the place, and once for all strangers.
  const tried = answers.filter(({ statusCode }) => statusCode === 401).length;
  expect(countedIn(queries)).toBe(2 * tried + 1 + 2);
  queries.mockRestore();
  expect(await Promise.all(meanwhile)).toEqual([200, 200]);
});
