import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { chooseBatch, isOneChoice, messageIdOf, readAtOnce } from './batch.ts';
import type { Endpoint } from './endpoint.ts';
import { type Attempt, afterAttempt, isFailing, outcomeOf, resumed, wishedSeconds } from './policy.ts';

const NOON = new Date('2026-11-15T10:00:00Z');

const ENDPOINT: Endpoint = {
  endpointId: '01a1dd05-c9e3-7404-b8f8-7224b360b6c8',
  tenantId: '0198b7e2-5a90-7c11-8f0e-6d3b2a917c54',
  taxpayerId: '0198b7e2-5a90-7c11-8f0e-6d3b2a917c54',
  vendorId: null,
  billerCode: null,
  address: 'https://shop.example.com/',
  description: '',
  eventTypes: ['wanted', 'alert.raised'],
  alertKinds: [],
  batchSize: 1,
  maxPerSecond: null,
  isHeldOnRefusal: false,
  headerName: null,
  headerValue: null,
  secret: null,
  oldSecret: null,
  oldSecretUntil: null,
  revision: 0,
  lockedUntil: null,
  createdAt: NOON,
  state: 'Active',
  pauseReason: null,
  pausedAt: null,
  cursor: 7n,
  batchLast: 8n,
  attempts: 0,
  refusals: 0,
  singlyUntil: null,
  setAsideInRow: 0,
  nextAttemptAt: NOON,
  lastTakenAt: null,
};

const attempt = (outcome: Attempt['outcome'], more: Partial<Attempt> = {}): Attempt => ({
  outcome,
  error: outcome === 'Taken' ? undefined : 'answered so',
  startedAt: NOON,
  endedAt: NOON,
  last: 8n,
  count: 1,
  ...more,
});
const judged = (endpoint: Partial<Endpoint>, made: Attempt, random = 0.5) =>
  afterAttempt({ ...ENDPOINT, ...endpoint }, made, random);
const waitSeconds = ({ nextAttemptAt }: Endpoint) => (nextAttemptAt.getTime() - NOON.getTime()) / 1000;

test.each([
  ...[200, 201, 202, 204, 299].map((status) => [status, 'Taken'] as const),
  ...[400, 409, 413, 415, 422].map((status) => [status, 'Refused'] as const),
  [410, 'Gone'] as const,
  ...[199, 300, 301, 302, 401, 402, 403, 404, 405, 408, 425, 429, 451, 500, 502, 503, 504].map(
    (s) => [s, 'Failed'] as const,
  ),
  [undefined, 'Failed'] as const,
])('%s means %s', (status, outcome) => expect(outcomeOf(status)).toBe(outcome));

test.each([
  [undefined, undefined],
  ['120', 120],
  ['0', 0],
  ['Sun, 15 Nov 2026 10:01:30 GMT', 90],
  ['Sun, 15 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  ['1234567890', undefined],
])('Retry-After: %s wishes for %s seconds', (text, seconds) => expect(wishedSeconds(text, NOON)).toBe(seconds));

describe('what holds the line', () => {
  test('is tried ten times in three days, each pause a fifth longer or shorter, and then pauses the endpoint', () => {
    const pauses = (random: number) => {
      const found: number[] = [];
      let endpoint = ENDPOINT;
      while (endpoint.state === 'Active') {
        ({ endpoint } = afterAttempt(endpoint, attempt('Failed'), random));
        if (endpoint.state === 'Active') found.push(waitSeconds(endpoint));
      }
      expect(endpoint).toMatchObject({ attempts: 10, cursor: 7n, batchLast: 8n, pausedAt: NOON });
      expect(endpoint.pauseReason).toBe('It failed 10 times in three days; of the last time: answered so');
      return found;
    };
    const regular = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(pauses(0.5)).toEqual(regular);
    expect(pauses(0).map(Math.round)).toEqual(regular.map((seconds) => seconds * 0.8));
    expect(pauses(1).map(Math.round)).toEqual(regular.map((seconds) => seconds * 1.2));
  });

  test('waits as long as it is asked to, up to an hour, and never shorter than it would', () => {
    const wait = (attempts: number, retryAfterSeconds: number) =>
      waitSeconds(judged({ attempts }, attempt('Failed', { retryAfterSeconds })).endpoint);
    expect(wait(0, 120)).toBe(120);
    expect(wait(0, 1)).toBe(5);
    expect(wait(0, 90_000)).toBe(3600);
    expect(wait(3, 3600)).toBe(7200);
  });

  test('is also a refusal, where the endpoint holds always', () => {
    const { endpoint, isSetAside } = judged({ isHeldOnRefusal: true, attempts: 5, refusals: 5 }, attempt('Refused'));
    expect([endpoint.cursor, endpoint.batchLast, isSetAside]).toEqual([7n, 8n, false]);
    const last = judged({ isHeldOnRefusal: true, attempts: 9, refusals: 9 }, attempt('Refused'));
    expect([last.endpoint.state, last.isSetAside]).toEqual(['Paused', false]);
  });
});

test('410 pauses at once, with the batch that was not taken', () => {
  const { endpoint } = judged({}, attempt('Gone'));
  expect(endpoint).toMatchObject({ state: 'Paused', cursor: 7n, batchLast: 8n, pausedAt: NOON });
});

describe('a refusal', () => {
  test('twice is tried again like everything else', () => {
    const { endpoint, isSetAside } = judged({ attempts: 1, refusals: 1 }, attempt('Refused'));
    expect(endpoint).toMatchObject({ state: 'Active', attempts: 2, refusals: 2, batchLast: 8n });
    expect([waitSeconds(endpoint), isSetAside]).toEqual([300, false]);
  });

  test('three times of several events sends them singly', () => {
    const { endpoint, isSetAside } = judged({ attempts: 4, refusals: 2 }, attempt('Refused', { last: 12n, count: 5 }));
    expect(endpoint).toMatchObject({ cursor: 7n, batchLast: null, singlyUntil: 12n, attempts: 0, refusals: 0 });
    expect([waitSeconds(endpoint), isSetAside]).toEqual([0, false]);
  });

  test('three times of one event sets it aside, and the next goes at once', () => {
    const { endpoint, isSetAside } = judged({ attempts: 2, refusals: 2, singlyUntil: 9n }, attempt('Refused'));
    const goesOn = { state: 'Active', cursor: 8n, batchLast: null, attempts: 0, setAsideInRow: 1, singlyUntil: 9n };
    expect(endpoint).toMatchObject(goesOn);
    expect([waitSeconds(endpoint), isSetAside]).toEqual([0, true]);
  });

  test('of the fifth event in a row pauses, and one that is taken between them does not', () => {
    const { endpoint, isSetAside } = judged({ refusals: 2, setAsideInRow: 4 }, attempt('Refused'));
    expect(endpoint).toMatchObject({ state: 'Paused', cursor: 8n });
    expect(isSetAside).toBe(true);
    expect(judged({ setAsideInRow: 4 }, attempt('Taken')).endpoint).toMatchObject({
      state: 'Active',
      setAsideInRow: 0,
    });
  });
});

test.each([
  [{ attempts: 2 }, false],
  [{ attempts: 3 }, true],
  [{ attempts: 10, state: 'Paused' }, false],
  [{ attempts: 1, address: 'mailto:person@example.com' }, false],
  [{ attempts: 2, address: 'mailto:person@example.com' }, true],
] as const)('of %j somebody has to know: %s', (endpoint, expected) => {
  expect(isFailing({ ...ENDPOINT, ...endpoint })).toBe(expected);
});

test('what is taken moves the cursor, and the next request waits as long as MaxPerSecond asks', () => {
  const { endpoint } = judged({ attempts: 3, singlyUntil: 8n, maxPerSecond: 3 }, attempt('Taken'));
  expect(endpoint).toMatchObject({ cursor: 8n, batchLast: null, attempts: 0, singlyUntil: null });
  expect(waitSeconds(endpoint)).toBe(0.334);
  expect(waitSeconds(judged({}, attempt('Taken')).endpoint)).toBe(0);
});

test('what is resumed goes on where it stopped, or after a number', () => {
  const stopped = { ...ENDPOINT, state: 'Paused', attempts: 10, singlyUntil: 9n } as const;
  expect(resumed(stopped, NOON, undefined)).toEqual({ ...ENDPOINT, singlyUntil: 9n });
  expect(resumed(stopped, NOON, 20n)).toEqual({ ...ENDPOINT, cursor: 20n, batchLast: null });
});

describe('a batch', () => {
  const events = (types: string, data = '{}') =>
    types.split('').map((letter, place) => ({ number: BigInt(8 + place), type: TYPES[letter] ?? '', at: NOON, data }));
  const TYPES: Readonly<Record<string, string>> = { w: 'wanted', u: 'unwanted', a: 'alert.raised' };
  const chosen = (endpoint: Partial<Endpoint>, read: ReturnType<typeof events>) => {
    const batch = chooseBatch({ ...ENDPOINT, batchLast: null, ...endpoint }, read);
    return [batch.cursor, batch.events.map(({ number }) => number)];
  };

  test('passes over what is not wanted, before it and within', () => {
    expect(chosen({ batchSize: 3 }, events('uuwuwww'))).toEqual([9n, [10n, 12n, 13n]]);
    expect(chosen({}, events('uuu'))).toEqual([10n, []]);
    expect(chosen({}, [])).toEqual([7n, []]);
  });

  test('that is being tried ends where it ended, though more is there by now', () => {
    expect(chosen({ batchSize: 1, batchLast: 10n }, events('wuwww'))).toEqual([7n, [8n, 10n]]);
  });

  test('is the same for everybody when it is of one event or its end is known', () => {
    const given = [{ batchSize: 1 }, { batchSize: 2 }, { batchSize: 2, batchLast: 8n }];
    const choices = given.map((one) => isOneChoice({ ...ENDPOINT, batchLast: null, ...one }));
    expect(choices).toEqual([true, false, true]);
  });

  test('is of one event as long as some are sent singly', () => {
    expect(chosen({ batchSize: 100, singlyUntil: 8n }, events('www'))).toEqual([7n, [8n]]);
    expect(chosen({ batchSize: 100, singlyUntil: 7n }, events('www'))).toEqual([7n, [8n, 9n, 10n]]);
  });

  test('has 256 kB at most, and never less than one event', () => {
    const read = events('wwww', `"${'x'.repeat(100_000)}"`);
    expect(chosen({ batchSize: 100 }, read)).toEqual([7n, [8n, 9n]]);
    expect(chosen({ batchSize: 1 }, read)).toEqual([7n, [8n]]);
    expect(chosen({ batchSize: 2 }, events('ww', `"${'x'.repeat(127_998)}"`))).toEqual([7n, [8n, 9n]]);
    expect(chosen({ batchSize: 100 }, events('ww', `"${'x'.repeat(300_000)}"`))).toEqual([7n, [8n]]);
  });

  test('of one biller has what its payments do, and nothing else', () => {
    const payments = ['CITY', 'WATER', 'CITY'].map((BillerCode, place) => ({
      number: BigInt(8 + place),
      type: place === 2 ? 'wanted' : 'payment.reversed',
      at: NOON,
      data: JSON.stringify({ BillerCode }),
    }));
    const eventTypes = ['wanted', 'payment.reversed'];
    expect(chosen({ batchSize: 9, eventTypes, billerCode: 'CITY' }, payments)).toEqual([7n, [8n]]);
    expect(chosen({ batchSize: 9, eventTypes, billerCode: null }, payments)).toEqual([7n, [8n, 9n, 10n]]);
  });

  test('is chosen from 500 events, that of a mail from 5000', () => {
    expect([readAtOnce(ENDPOINT), readAtOnce({ ...ENDPOINT, address: 'mailto:rudo@example.com' })]).toEqual([
      500, 5000,
    ]);
  });

  test('has of alerts only the kinds that are wanted, and none about the endpoint itself', () => {
    const alerts = ['TillBehind', 'ClockWrong'].map((Kind, place) => ({
      number: BigInt(8 + place),
      type: 'alert.raised',
      at: NOON,
      data: JSON.stringify({ Kind }),
    }));
    expect(chosen({ batchSize: 9, alertKinds: ['ClockWrong'] }, alerts)).toEqual([8n, [9n]]);
    expect(chosen({ batchSize: 9, alertKinds: ['ClockWrong', 'TillBehind'] }, alerts)).toEqual([7n, [8n, 9n]]);
    expect(chosen({ batchSize: 9, alertKinds: ['ClockWrong'] }, events('ww'))).toEqual([7n, [8n, 9n]]);
    expect(chosen({ batchSize: 9 }, alerts)).toEqual([7n, [8n, 9n]]);
    const own = {
      number: 10n,
      type: 'alert.raised',
      at: NOON,
      data: JSON.stringify({ EndpointId: ENDPOINT.endpointId }),
    };
    expect(chosen({ batchSize: 9 }, [...alerts, own])).toEqual([7n, [8n, 9n]]);
  });

  test('is known by its endpoint and its events', () => {
    const id = messageIdOf('one', events('ww'));
    expect(id).toMatch(/^msg_[\w-]{27}$/);
    expect(messageIdOf('one', events('ww'))).toBe(id);
    const later = events('ww').map((event) => ({ ...event, at: new Date(NOON.getTime() + 1) }));
    // A number is given again after a restore: another event is another message.
    const moved = events('ww').map((event) => ({ ...event, number: event.number + 1n }));
    for (const other of [events('w'), events('wa'), events('ww', '{"A":1}'), later, moved]) {
      expect([messageIdOf('two', events('ww')), messageIdOf('one', other)]).not.toContain(id);
    }
  });
});

const outcome = fc.oneof(
  { weight: 5, arbitrary: fc.constant('Taken' as const) },
  { weight: 5, arbitrary: fc.constant('Refused' as const) },
  { weight: 2, arbitrary: fc.constant('Failed' as const) },
  { weight: 1, arbitrary: fc.constant('Gone' as const) },
);

test('whatever is answered, every event is taken, set aside or still ahead, in order and none twice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }),
      fc.array(outcome, { minLength: 1, maxLength: 400 }),
      fc.integer({ min: 1, max: 10 }),
      fc.boolean(),
      (wanted, answers, batchSize, isHeldOnRefusal) => {
        const feed = wanted.map((isWanted, place) => ({
          number: BigInt(place + 1),
          type: isWanted ? 'wanted' : 'unwanted',
          at: NOON,
          data: '{}',
        }));
        let endpoint: Endpoint = { ...ENDPOINT, cursor: 0n, batchLast: null, batchSize, isHeldOnRefusal };
        const dealtWith: bigint[] = [];
        let tried: bigint[] = [];
        for (const answer of answers) {
          if (endpoint.state === 'Paused') endpoint = resumed(endpoint, NOON, undefined);
          const isRetry = endpoint.batchLast !== null;
          const read = feed.filter(({ number }) => number > endpoint.cursor).slice(0, readAtOnce(endpoint));
          const { cursor, events } = chooseBatch(endpoint, read);
          const numbers = events.map(({ number }) => number);
          if (isRetry) expect(numbers).toEqual(tried);
          tried = numbers;
          endpoint = { ...endpoint, cursor, batchLast: numbers.at(-1) ?? null };
          if (endpoint.batchLast === null) break;
          const made = attempt(answer, { last: endpoint.batchLast, count: numbers.length });
          const verdict = afterAttempt(endpoint, made, 0.5);
          if (verdict.isSetAside) expect([numbers.length, answer, isHeldOnRefusal]).toEqual([1, 'Refused', false]);
          if (answer === 'Taken' || verdict.isSetAside) dealtWith.push(...numbers);
          ({ endpoint } = verdict);
        }
        const behind = feed.filter(({ number, type }) => type === 'wanted' && number <= endpoint.cursor);
        expect(dealtWith).toEqual(behind.map(({ number }) => number));
      },
    ),
    runs(2000),
  );
});
