import type { LightMyRequestResponse } from 'fastify';
import { expect, test } from 'vitest';
import { CONSOLE_HEADERS, cookieOf, makePerson, PASSWORD } from '../support/people.ts';
import { createTestService } from '../support/service.ts';
import { Glewlwyd, HAS_GLEWLWYD } from '../support/sign-in/glewlwyd.ts';

const why = HAS_GLEWLWYD ? '' : ' (left out: apt-get install --no-install-recommends glewlwyd)';

test.skipIf(!HAS_GLEWLWYD)(
  `a provider of others is linked, logs in, grants by a claim, and takes no code twice${why}`,
  async () => {
    const provider = await Glewlwyd.start('http://tillseal.test/console/openid', {
      username: 'rudo',
      name: 'tillseal:viewer',
    });
    const service = await createTestService({ openId: provider.settings });
    try {
      const { taxpayerId: id } = await service.addTaxpayer();
      await makePerson(service.pool, 'rudo@example.com', 'clerk', { tenant: { kind: 'taxpayer', id } });
      const ask = (method: 'POST' | 'PUT', path: string, cookie: string, body?: object) =>
        service.app.inject({
          method,
          url: `/api/admin/session/${path}`,
          headers: {
            ...CONSOLE_HEADERS,
            cookie,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      const goThere = async (begun: LightMyRequestResponse) => {
        expect(begun.body).toContain('Address');
        const Answer = await provider.visit(begun.json().Address, 'rudo');
        return { Answer, cookie: String(begun.headers['set-cookie']).split(';', 1)[0] ?? '' };
      };
      const session = await cookieOf(service.app, 'rudo@example.com');
      const linking = await goThere(await ask('POST', 'identity', session, { Password: PASSWORD }));
      const linked = await ask('PUT', 'identity', `${session}; ${linking.cookie}`, { Answer: linking.Answer });
      expect(linked.json()).toEqual({ Provider: 'Glewlwyd', IsLinked: true });

      const { Answer, cookie } = await goThere(await ask('POST', 'openid', ''));
      const loggedIn = await ask('PUT', 'openid', cookie, { Answer });
      expect(loggedIn.json().Person).toMatchObject({
        Email: 'rudo@example.com',
        Role: 'viewer',
        Memberships: [
          { Kind: 'installation', Role: 'viewer' },
          { Id: id, Role: 'clerk' },
        ],
      });
      const again = await ask('PUT', 'openid', cookie, { Answer });
      expect([again.statusCode, again.json().detail]).toEqual([403, expect.stringContaining('begin again')]);
    } finally {
      await service.close();
      await provider.close();
    }
  },
  120_000,
);
