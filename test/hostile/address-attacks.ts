import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AttackedService,
  attackedService,
  expectRefused,
  expectSafe,
  expectSecurityHeaders,
  pathOf,
  type Share,
} from './attacked-service.ts';
import { PLAIN_BODY } from './hostile-bodies.ts';
import { inTurns } from './send.ts';

/** What can stand in place of a path parameter and names nothing. */
const HOSTILE_PARAMETERS = [
  '%zz',
  '%',
  '%E0%A4%A',
  '%C0%80',
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%2e%2e%2fetc%2fpasswd',
  '..%5c..',
  "1'%20or%20'1'='1",
  '__proto__',
  'constructor',
  '-1',
  '0',
  '1e400',
  '2147483648',
  '9'.repeat(300),
  'x'.repeat(513),
  'x'.repeat(10_000),
  ':parameter',
  '*',
  '(((((',
  '%F0%9F%92%A5',
  ';a=b',
  'null',
];

const HOSTILE_QUERIES = [
  '%zz=1',
  'Limit=%zz',
  'Limit=%00',
  '%00=1',
  'Reference=a%00b',
  'Reference=%ED%A0%80',
  'Limit=1e400',
  'Limit=-1',
  'Limit=1&Limit=2',
  'limit=1&limit=2',
  'after=1&after=2',
  'Cursor=1&Cursor=2',
  'TaxpayerId=a&TaxpayerId=b',
  'Cursor[a]=1',
  '__proto__=1',
  '__proto__[isAdmin]=1',
  'constructor=1',
  'constructor.prototype.x=1',
  'after=999999999999999999999',
  'after=-1',
  'wait=1e9',
  'Cursor=MDAwMC0wMC0wMFQwMDowMDowMC4wMDAwMDBafDF8MQ',
  'SealedFrom=0000-00-00T00:00:00Z',
  'SealedFrom=9999-12-31T23:59:60Z',
  `Cursor=${'x'.repeat(8000)}`,
  'a=1&'.repeat(2000),
  '&'.repeat(5000),
  `a${'[b]'.repeat(2000)}=1`,
  '=',
  '?',
];

/** Every attack on the addresses of those routes that `share` gives it. */
export function attackAddresses(share: Share): void {
  let attacked: AttackedService;
  beforeAll(async () => {
    attacked = await attackedService();
  });
  afterAll(() => attacked.close());

  test.each(HOSTILE_PARAMETERS.map((value, turn) => ({ value, turn })))(
    'a parameter of $value is refused or not found',
    async ({ value, turn }) => {
      await inTurns(share(attacked.routes, turn), async (route) => {
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
      await inTurns(share(attacked.routes, turn), async (route) => {
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
      await inTurns(share(attacked.routes, turn), async (route) => {
        const path = `${pathOf(route)}/${'x'.repeat(length)}`;
        expectRefused(await attacked.send({ method: route.method, path, token: attacked.tokenFor(route) }), route.name);
      });
    }
  });

  test('a method that an address does not take is 405 with what it takes', async () => {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];
    const taken = new Map<string, string[]>();
    for (const { template, method } of attacked.routes) {
      taken.set(template, [...(taken.get(template) ?? []), method]);
    }
    for (const [turn, method] of methods.entries()) {
      await inTurns(share(attacked.routes, turn), async (route) => {
        if (taken.get(route.template)?.includes(method)) return;
        // What is done to receipts has its own addresses below the one of receipts.
        if (/^\/api\/receipt\/(sign|check|calculate)$/.test(route.template) && method === 'GET') return;
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

  test('the news that never end have no HEAD, which would never be answered', async () => {
    const answer = await attacked.send({ method: 'HEAD', path: '/api/admin/live', token: attacked.operator });
    expect(answer.status).toBe(405);
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
}
