import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tillseal } from '../../../test/support/command-line.ts';
import { cookieOf, logIn } from '../../../test/support/people.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

let service: TestService;
let environment: Record<string, string>;

beforeAll(async () => {
  service = await createTestService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  const { token } = await issueToken(service.pool, { name: 'operator', scopes: ['admin'] });
  environment = { TILLSEAL_URL: `http://127.0.0.1:${port}`, TILLSEAL_OPERATOR_TOKEN: token };
});
afterAll(() => service.close());

test('an operator is added with a password that works once, can get another, and can be removed', async () => {
  const run = (...words: string[]) => tillseal(['operator', ...words], { environment });
  const added = await run('add', 'Tendai@example.com', '--name', 'Tendai Moyo', '--role', 'operator');
  expect(added.stderr).toContain('never shown again');
  const password = /^One-time password +(\S+)$/m.exec(added.stdout)?.[1] ?? '';
  expect((await logIn(service.app, 'tendai@example.com', password)).json().Person.Needs).toBe('Password');

  const reset = await run('reset-password', 'tendai@example.com', '--json');
  const { OneTimePassword } = JSON.parse(reset.stdout) as { OneTimePassword: string };
  expect((await logIn(service.app, 'tendai@example.com', password)).statusCode).toBe(401);
  expect(await cookieOf(service.app, 'tendai@example.com', OneTimePassword)).not.toBe('');

  expect((await run('list')).stdout).toMatch(/^tendai@example\.com +Tendai Moyo +operator /m);
  expect((await run('remove', 'tendai@example.com')).code).toBe(0);
  const gone = await run('remove', 'tendai@example.com');
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('There is no operator tendai@example.com')]);
});
