import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOSTILE_BODIES } from '../request/hostile-bodies.ts';
import { HOSTILE_TYPES } from '../request/mutate-headers.ts';
import {
  type AttackedService,
  attackedService,
  eighth,
  expectRefused,
  expectSafe,
  pathOf,
  type Route,
} from './attacked-service.ts';
import { inTurns, PLAIN_BODY } from './send.ts';

/** Signing gets all: most of them are receipts. */
const some = (routes: readonly Route[], turn: number) => [
  ...new Set([...routes.filter(({ name }) => name === 'POST /api/receipt/sign'), ...eighth(routes, turn)]),
];

let attacked: AttackedService;
beforeAll(async () => {
  attacked = await attackedService();
});
afterAll(() => attacked.close());

test.each(HOSTILE_BODIES.map((hostile, turn) => ({ ...hostile, turn })))(
  'no route takes, or fails on, a body of $name',
  async ({ name, body, turn }) => {
    await inTurns(some(attacked.routes, turn), async (route) => {
      const token = attacked.tokenFor(route);
      const answer = await attacked.send({ method: route.method, path: pathOf(route), token, body });
      const what = `${route.name}, ${name}`;
      if (route.hasBody) {
        expectRefused(answer, what);
        // All of it was read, so there is an answer.
        expect(answer.status, what).not.toBe('closed');
      } else expectSafe(answer, what);
    });
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  },
);

test.each(HOSTILE_TYPES.map((type, turn) => ({ type, turn })))(
  'no route with a body takes the content type $type',
  async ({ type, turn }) => {
    await inTurns(some(attacked.routes, turn), async (route) => {
      const token = attacked.tokenFor(route);
      const attempt = { method: route.method, path: pathOf(route), token, body: PLAIN_BODY, type };
      const answer = await attacked.send(attempt);
      if (route.hasBody) expectRefused(answer, `${route.name}, ${type}`);
      else expectSafe(answer, `${route.name}, ${type}`);
    });
  },
);

test('a body over the limit is refused on every route that reads one', async () => {
  const large = `{"Name":"${'x'.repeat(1_100_000)}"}`;
  await inTurns(
    attacked.routes.filter((route) => route.hasBody),
    async (route) => {
      const { method } = route;
      const attempt = { method, path: pathOf(route), token: attacked.tokenFor(route), body: large };
      const told = await attacked.send(attempt);
      expectRefused(told, route.name);
      // So many log-ins from one network are refused before their body is read.
      const early = route.name === 'POST /api/admin/session' ? [429] : [];
      expect([413, 'closed', ...early], route.name).toContain(told.status);
    },
  );
});
