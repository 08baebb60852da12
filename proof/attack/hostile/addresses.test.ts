import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOSTILE_QUERIES, HOSTILE_SEGMENTS } from '../request/hostile-addresses.ts';
import {
  type AttackedService,
  attackedService,
  eighth,
  expectRefused,
  expectSafe,
  expectSecurityHeaders,
  pathOf,
} from './attacked-service.ts';
import { inTurns, PLAIN_BODY } from './send.ts';

let attacked: AttackedService;
beforeAll(async () => {
  attacked = await attackedService();
});
afterAll(() => attacked.close());

test.each(HOSTILE_SEGMENTS.map((value, turn) => ({ value, turn })))(
  'a parameter of $value is refused or not found',
  async ({ value, turn }) => {
    await inTurns(eighth(attacked.routes, turn), async (route) => {
      if (!route.template.includes('{')) return;
      const token = attacked.tokenFor(route);
      const body = route.hasBody ? PLAIN_BODY : undefined;
      const answer = await attacked.send({ method: route.method, path: pathOf(route, value), token, body });
      expectRefused(answer, `${route.name}, ${value.slice(0, 40)}`);
    });
  },
);

test.each(HOSTILE_QUERIES.map((query, turn) => ({ query, turn })))(
  'a query of $query fails no route',
  async ({ query, turn }) => {
    await inTurns(eighth(attacked.routes, turn), async (route) => {
      const token = attacked.tokenFor(route);
      const body = route.hasBody ? PLAIN_BODY : undefined;
      const answer = await attacked.send({ method: route.method, path: `${pathOf(route)}?${query}`, token, body });
      expectSafe(answer, `${route.name}?${query.slice(0, 40)}`);
      if (route.hasBody) expectRefused(answer, route.name);
    });
  },
);

test('a repeated or unknown parameter is refused where parameters are read', async () => {
  for (const query of [
    'Limit=1&Limit=2',
    'Limit=1e400',
    'Limit=0x10',
    'Limit=Infinity',
    'Limt=5',
    '__proto__=1',
    'Limit=%00',
  ]) {
    const { status } = await attacked.send({ path: `/api/receipt?${query}`, token: attacked.shop.token });
    expect(status, query).toBe(400);
  }
});

test.each(['//', '/api', '/api/', '/API/receipt', '/../etc/passwd', '/%2e%2e/', '/api/%2f', '/docs/../metrics'])(
  'an address of %s is not found',
  async (path) => {
    expectRefused(await attacked.send({ path, token: attacked.shop.token }), path);
  },
);

test('a path of 15 kB is refused, and one longer than all headers may be is too', async () => {
  for (const [turn, length] of [15_000, 100_000].entries()) {
    await inTurns(eighth(attacked.routes, turn), async (route) => {
      const path = `${pathOf(route)}/${'x'.repeat(length)}`;
      expectRefused(await attacked.send({ method: route.method, path, token: attacked.tokenFor(route) }), route.name);
    });
  }
});

/** Whether an address of the second is one of the first, too. */
function covers(template: string, other: string): boolean {
  const [parts, others] = [template.split('/'), other.split('/')];
  return parts.length === others.length && parts.every((part, at) => part === others[at] || /^[:{]/.test(part));
}

test('a method that an address does not take is 405 with what it takes', async () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];
  const taken = new Map<string, string[]>();
  for (const { template, method } of attacked.routes) {
    taken.set(template, [...(taken.get(template) ?? []), method]);
  }
  for (const [turn, method] of methods.entries()) {
    await inTurns(eighth(attacked.routes, turn), async (route) => {
      if (taken.get(route.template)?.includes(method)) return;
      // An address such as /api/receipt/sign is also one of /api/receipt/{reference}.
      if (attacked.routes.some((one) => one.method === method && covers(one.template, route.template))) return;
      const answer = await attacked.send({ method, path: pathOf(route), token: attacked.tokenFor(route) });
      expectRefused(answer, `${method} ${route.template}`);
      expect(answer.status, `${method} ${route.template}`).toBe(405);
      expect(answer.headers['allow']?.split(', ')).toEqual(expect.arrayContaining(taken.get(route.template) ?? []));
    });
  }
  await inTurns(attacked.routes, async (route) => {
    const headOnly = await attacked.send({ method: 'HEAD', path: pathOf(route), token: attacked.tokenFor(route) });
    expectSafe(headOnly, `HEAD ${route.template}`);
  });
});

test('pages have a policy of their own that still loads nothing from elsewhere', async () => {
  for (const path of ['/docs', '/docs/errors']) {
    const answer = await attacked.send({ path });
    expect(answer.status, path).toBe(200);
    expectSecurityHeaders(answer, path);
    const policy = answer.headers['content-security-policy'] ?? '';
    expect(policy, path).toContain("style-src 'self'");
    expect(policy, path).not.toMatch(/https?:|\*|unsafe-eval/);
  }
  for (const path of ['/docs/', '/docs/reference.js', '/docs/icon.svg', '/openapi.json', '/docs/nothing']) {
    expectSecurityHeaders(await attacked.send({ path }), path);
  }
});

test('good answers have the headers too, on every route that answers without a body', async () => {
  await inTurns(attacked.routes, async (route) => {
    if (route.method !== 'GET') return;
    expectSafe(await attacked.send({ path: pathOf(route), token: attacked.tokenFor(route) }), route.name);
  });
});
