import { afterEach, expect, test, vi } from 'vitest';
import { serviceOfFile } from '../../../test/support/service.ts';
import { newToken } from '../../platform/tokens/auth.ts';

const service = await serviceOfFile();
afterEach(() => vi.restoreAllMocks());

const ask = (token: string, remoteAddress: string) =>
  service.app.inject({
    url: '/api/receipt/NONE',
    headers: { authorization: `Bearer ${token}` },
    remoteAddress,
  });

/** How often the database was asked who holds a token. */
function questions() {
  const asked = vi.spyOn(service.pool, 'query');
  return () => asked.mock.calls.filter(([query]) => Object(query).name === 'find-identities').length;
}

test('a flood of invented tokens costs a bounded number of questions, whatever address of its network it comes from', async () => {
  const count = questions();
  const flood = Array.from({ length: 400 }, (_, index) => ask(newToken().token, `2001:db8:7:7::${index.toString(16)}`));
  const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode);
  expect(new Set(statuses)).toEqual(new Set([401]));
  // Twenty at once, and those that the time of the flood allows.
  expect(count()).toBeLessThan(60);
});

test('beside it, a token that was never seen comes in from the same network, and so does one that was', async () => {
  const [seen, fresh] = [await service.addTaxpayer(), await service.addTaxpayer()];
  expect((await ask(seen.token, '203.0.113.9')).statusCode).toBe(404);
  const flood = Array.from({ length: 400 }, () => ask(newToken().token, '203.0.113.9'));
  expect((await ask(fresh.token, '203.0.113.9')).statusCode).toBe(404);
  expect((await ask(seen.token, '203.0.113.9')).statusCode).toBe(404);
  await Promise.all(flood);
});

test('more than a thousand at once are told to come again', async () => {
  const flood = Array.from({ length: 1100 }, () => ask(newToken().token, '198.51.100.1'));
  const answers = await Promise.all(flood);
  const refused = answers.filter(({ statusCode }) => statusCode === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers['retry-after']).toBe('1');
  expect(answers.filter(({ statusCode }) => statusCode === 401).length).toBeGreaterThan(1000);
});
