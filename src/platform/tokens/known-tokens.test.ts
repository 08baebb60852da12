import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KnownTokens } from './known-tokens.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database of tokens, and how often it was asked. */
function store() {
  const holders = new Map([
    ['a', { name: 'A' }],
    ['b', { name: 'B' }],
  ]);
  const asked = { tokens: 0, changes: 0 };
  let changes = 0n;
  const tokens = new KnownTokens({
    find: (wanted) => {
      asked.tokens += 1;
      return Promise.resolve(new Map([...holders].filter(([token]) => wanted.includes(token))));
    },
    changes: () => {
      asked.changes += 1;
      return Promise.resolve(changes);
    },
  });
  const change = (token: string, holder: { name: string } | undefined) => {
    changes += 1n;
    if (holder === undefined) holders.delete(token);
    else holders.set(token, holder);
  };
  const nameOf = async (token: string) => (tokens.get(token) ?? (await tokens.find(token)))?.name;
  return { tokens, asked, change, nameOf };
}

test('a token is asked for once, and then only whether anything has changed', async () => {
  const { asked, nameOf } = store();
  for (let second = 0; second < 60; second += 1) {
    expect([await nameOf('a'), await nameOf('b')]).toEqual(['A', 'B']);
    vi.advanceTimersByTime(1001);
  }
  expect(asked).toEqual({ tokens: 2, changes: 60 });
});

test('nobody there: nothing is asked', async () => {
  const { asked, nameOf } = store();
  await nameOf('a');
  vi.advanceTimersByTime(3_600_000);
  expect(asked).toEqual({ tokens: 1, changes: 1 });
});

test('a change is felt after 3 s at the latest, however rarely the token is used', async () => {
  const { change, nameOf } = store();
  await nameOf('a');
  change('a', undefined);
  change('b', { name: 'another' });
  vi.advanceTimersByTime(3000);
  expect([await nameOf('a'), await nameOf('b')]).toEqual([undefined, 'another']);
});

test('a change is felt after a second when the token is in use', async () => {
  const { change, nameOf } = store();
  await nameOf('a');
  change('a', undefined);
  vi.advanceTimersByTime(1001);
  expect(await nameOf('a')).toBe('A'); // this one makes it look
  await Promise.resolve();
  expect(await nameOf('a')).toBeUndefined();
});

test('what was read before a change and arrives after it is not kept', async () => {
  let changes = 0n;
  const reads: ((name: string) => void)[] = [];
  const tokens = new KnownTokens<{ name: string }>({
    find: () => new Promise((resolve) => reads.push((name) => resolve(new Map([['a', { name }]])))),
    changes: () => Promise.resolve(changes),
  });
  const first = tokens.find('a');
  await expect.poll(() => reads.length).toBe(1);
  changes += 1n;
  vi.advanceTimersByTime(3000);
  const second = tokens.find('a');
  await expect.poll(() => reads.length).toBe(2);
  reads[0]?.('old');
  reads[1]?.('new');
  expect([await first, await second]).toEqual([{ name: 'old' }, { name: 'new' }]);
  expect(tokens.get('a')).toEqual({ name: 'new' });
});

test('an unknown token is asked for once until something changes, and many requests with one token ask once', async () => {
  const { asked, change, nameOf } = store();
  for (let turn = 0; turn < 3; turn += 1) expect(await nameOf('nobody')).toBeUndefined();
  expect(asked.tokens).toBe(1);
  await Promise.all(Array.from({ length: 20 }, () => nameOf('a')));
  expect(asked).toEqual({ tokens: 2, changes: 1 });
  change('nobody', { name: 'somebody' });
  vi.advanceTimersByTime(3000);
  expect(await nameOf('nobody')).toBe('somebody');
});

test('doubtful is only what nobody here has ever come in with', async () => {
  const { tokens, change, nameOf } = store();
  expect(tokens.isDoubtful('a')).toBe(true);
  await Promise.all([nameOf('a'), nameOf('nobody')]);
  expect([tokens.isDoubtful('a'), tokens.isDoubtful('nobody'), tokens.isDoubtful('other')]).toEqual([
    false,
    false,
    true,
  ]);
  // After a change everything is asked for anew, but who came in before is no stranger.
  change('b', undefined);
  vi.advanceTimersByTime(3000);
  await nameOf('b');
  expect([tokens.isDoubtful('a'), tokens.isDoubtful('nobody')]).toEqual([false, true]);
  change('a', undefined);
  vi.advanceTimersByTime(3000);
  await nameOf('a');
  change('b', { name: 'B' });
  vi.advanceTimersByTime(3000);
  await nameOf('b');
  expect(tokens.isDoubtful('a')).toBe(true);
});

test('what is gathered is one question, finds who is there, and takes no more than a thousand', async () => {
  const { tokens, asked } = store();
  const wanted = ['a', 'b', ...Array.from({ length: 998 }, (_, index) => `invented ${index}`)];
  const found = wanted.map(async (token) => tokens.findGathered(token, 'network'));
  expect(tokens.findGathered('one more', 'network')).toBeUndefined();
  const names = (await Promise.all(found)).map((holder) => holder?.name);
  expect(names.slice(0, 3)).toEqual(['A', 'B', undefined]);
  expect(asked).toEqual({ tokens: 1, changes: 1 });
  expect(await tokens.findGathered('a', 'network')).toEqual({ name: 'A' });
});

test('a network that fills a gathering keeps out no other one', async () => {
  const { tokens } = store();
  for (let count = 0; count < 1000; count += 1) void tokens.findGathered(`invented ${count}`, 'flood');
  expect(tokens.findGathered('one more', 'flood')).toBeUndefined();
  const others = Array.from({ length: 60 }, (_, number) =>
    tokens.findGathered(number === 0 ? 'a' : `b ${number}`, 'shop'),
  );
  expect(others.filter((found) => found !== undefined)).toHaveLength(20);
  expect(await others[0]).toEqual({ name: 'A' });
  const many = Array.from({ length: 3000 }, (_, number) => tokens.findGathered(`many ${number}`, `network ${number}`));
  expect(many.filter((found) => found !== undefined)).toHaveLength(2000);
});

test('the answers to a gathering leave room for what else there is to do', async () => {
  const { tokens } = store();
  let answered = 0;
  const all = Array.from({ length: 200 }, async (_, number) => {
    await tokens.findGathered(`invented ${number}`, 'flood');
    answered += 1;
  });
  await vi.waitUntil(() => answered > 0, { interval: 0, timeout: 50_000 });
  const seen = new Set<number>();
  while (answered < all.length) {
    seen.add(answered);
    await new Promise(setImmediate);
  }
  expect(seen.size).toBeGreaterThanOrEqual(5);
});

test('when nobody can tell of changes, what is known serves for 3 s and no longer', async () => {
  let isDown = false;
  const tokens = new KnownTokens({
    find: () => Promise.resolve(new Map([['a', { name: 'A' }]])),
    changes: () => (isDown ? Promise.reject(new Error('the database is down')) : Promise.resolve(0n)),
  });
  await tokens.find('a');
  isDown = true;
  vi.advanceTimersByTime(2999);
  expect(tokens.get('a')).toEqual({ name: 'A' });
  vi.advanceTimersByTime(1);
  expect(tokens.get('a')).toBeUndefined();
  await expect(tokens.find('a')).rejects.toThrow('the database is down');
  isDown = false;
  expect(await tokens.find('a')).toEqual({ name: 'A' });
});
