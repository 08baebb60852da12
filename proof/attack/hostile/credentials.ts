import { expect, test } from 'vitest';
import { type AttackedService, plain } from '../attacked-service.ts';
import type { Credentials } from '../world/credentials.ts';

export function hostileCredentials(attacked: AttackedService, { wrong, headersOf }: Credentials): void {
  const closed = attacked.operations.filter(({ access }) => access !== 'anybody');

  test('wrong credentials of every kind are 401 that says how to authenticate, on every operation but the public ones', async () => {
    expect(wrong.length).toBeGreaterThan(15);
    for (const [turn, kind] of wrong.entries()) {
      const credentials = await headersOf(kind);
      // The matrix tries the most usual ones with every operation.
      for (const operation of closed.filter((_operation, index) => index % 4 === turn % 4)) {
        // Nobody gets as far as the body.
        const attempt = attacked.to(operation, { credentials, body: operation.bodySchema && '{{{' });
        const answer = await attacked.send(attempt);
        expect(attacked.faults(attempt, answer, [401], operation), kind).toEqual([]);
        expect(answer.headers['www-authenticate'], kind).toBe('Bearer realm="tillseal"');
        expect(JSON.parse(answer.body.toString('utf8')), kind).toMatchObject({ Code: 'Unauthorized' });
      }
    }
  });

  test('what is wrong with a token is not told: unknown, expired, revoked and of another taxpayer are the same', async () => {
    const details = new Set<unknown>();
    for (const kind of ['unknown', 'expired till', 'revoked till', "with another taxpayer's id"]) {
      const { body } = await attacked.send({ ...plain('/api/receipt'), headers: await headersOf(kind) });
      details.add((JSON.parse(body.toString('utf8')) as { detail: string }).detail);
    }
    expect(details.size).toBe(1);
  });

  test('only what is meant to be public is', () => {
    const open = attacked.operations.filter(({ access }) => access === 'anybody').map(({ template }) => template);
    // Who is not logged in yet has to log in somewhere, may ask whether he is, and comes with what was mailed to him.
    expect([...new Set(open)].toSorted()).toEqual([
      '/api/admin/endpoints/confirm',
      '/api/admin/session',
      '/api/admin/session/link',
      '/api/admin/session/openid',
      '/api/admin/session/reset',
      '/health/live',
      '/health/ready',
      '/metrics',
      '/version',
    ]);
  });
}
