import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AttackedService,
  attackedService,
  expectRefused,
  expectSafe,
  pathOf,
  type Share,
} from './attacked-service.ts';
import { HOSTILE_BODIES, PLAIN_BODY } from './hostile-bodies.ts';
import { inTurns } from './send.ts';

/** Every attack with a body on those routes that `share` gives it. */
export function attackBodies(share: Share): void {
  let attacked: AttackedService;
  beforeAll(async () => {
    attacked = await attackedService();
  });
  afterAll(() => attacked.close());

  test.each(HOSTILE_BODIES.map((hostile, turn) => ({ ...hostile, turn })))(
    'no route takes, or fails on, a body of $name',
    async ({ name, body, turn }) => {
      await inTurns(share(attacked.routes, turn), async (route) => {
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

  test.each(
    [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json-patch+json',
      'application/jsonp',
      'text/plain, application/json',
      '*/*',
      '/',
      ';',
      'application/json; charset="',
      `application/json; x=${'y'.repeat(8000)}`,
      'ünicode/jsön',
    ].map((type, turn) => ({ type, turn })),
  )('no route with a body takes the content type $type', async ({ type, turn }) => {
    await inTurns(share(attacked.routes, turn), async (route) => {
      const token = attacked.tokenFor(route);
      const attempt = { method: route.method, path: pathOf(route), token, body: PLAIN_BODY, type };
      const answer = await attacked.send(attempt);
      if (route.hasBody) expectRefused(answer, `${route.name}, ${type}`);
      else expectSafe(answer, `${route.name}, ${type}`);
    });
  });

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
}
