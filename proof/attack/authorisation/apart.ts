import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/index.ts';
import { peopleAccess } from '../../../src/contract/shared/access.ts';
import { TENANT_ROLES } from '../../../src/contract/shared/values.ts';
import type { AttackedService } from '../attacked-service.ts';
import type { Credentials } from '../world/credentials.ts';
import { type Tenants, tenantOf } from '../world/tenants.ts';
import type { There } from './everything.ts';

/** One of every tenant, with a row of everything, in each of which its word stands. */
export interface World {
  readonly word: string;
  /** How its people are called in the credentials: `owner of taxpayer`, `owner of another taxpayer`. */
  readonly prefix: '' | 'another ';
  readonly tenants: Tenants;
  readonly there: There;
}

type Kind = 'taxpayer' | 'vendor' | 'biller' | 'practice';

/** The address with what it names in that world. */
function addressIn({ there }: World, path: string, kind: Kind): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => {
    const value = there[name] ?? there[`${name} ${kind}`];
    if (value === undefined) throw new Error(`no world has a ${name}: give it one`);
    return value;
  });
}

const readBy = (kind: Kind) =>
  OPERATIONS.filter(({ method, access }) => method === 'GET' && peopleAccess(access)?.[kind] !== undefined);

/** Says nothing of whose it is: rules, sums, attempts that there were none of, and documents that are compressed. */
const WITHOUT_A_WORD = ['/sign-in', '/target', '/attempts', '/print', '/report', '/days', '/export', '/months/'];

export function tenantsApart(attacked: AttackedService, worlds: readonly [World, World], people: Credentials): void {
  const { app } = attacked.service;

  test.each(['taxpayer', 'vendor', 'biller', 'practice'] as const)(
    "nothing of another %s is in any answer to one's people, and what is another's is not there",
    async (kind) => {
      for (const [own, other] of [worlds, worlds.toReversed() as [World, World]] as const) {
        const foreign = new RegExp(
          [other.word, ...Object.values(other.there).filter((value) => value.length > 10)].join('|'),
          'i',
        );
        const isOwn = new RegExp(`${own.word}|${tenantOf(own.tenants, kind).id}`, 'i');
        for (const role of TENANT_ROLES) {
          const headers = Object.fromEntries(await people.headersOf(`${role} of ${own.prefix}${kind}`));
          const ask = (url: string) => app.inject({ url, headers });
          for (const { path } of readBy(kind)) {
            const answer = await ask(addressIn(own, path, kind));
            expect([200, ...(role === 'owner' ? [] : [403])], `${role}: ${path}`).toContain(answer.statusCode);
            expect(answer.body, `${role}: ${path}`).not.toMatch(foreign);
            const isTold = answer.statusCode === 200 && !WITHOUT_A_WORD.some((part) => path.includes(part));
            if (isTold) expect(answer.body, `${role}: ${path} shows what is theirs`).toMatch(isOwn);
            if (!path.includes(':')) continue;
            const theirs = await ask(addressIn(other, path, kind));
            expect([404, ...(role === 'owner' ? [] : [403])], `${role}: ${path}`).toContain(theirs.statusCode);
            expect(theirs.body.replaceAll(new RegExp(other.word, 'gi'), ''), `${role}: ${path}`).not.toMatch(foreign);
          }
        }
      }
    },
  );

  test("a practice that acts for its taxpayer is told nothing of another's", async () => {
    const [own, other] = worlds;
    const headers = Object.fromEntries(await people.headersOf('owner of practice'));
    const act = (TaxpayerId = '') =>
      app.inject({ method: 'PATCH', url: '/api/admin/session', headers, payload: { TaxpayerId } });
    expect((await act(other.there['taxpayerId'])).statusCode).toBe(404);
    expect((await act(own.there['taxpayerId'])).statusCode).toBe(200);
    for (const { path } of readBy('taxpayer')) {
      const answer = await app.inject({ url: addressIn(own, path, 'taxpayer'), headers });
      expect([answer.statusCode, answer.body.includes(other.word)], path).toEqual([200, false]);
    }
  });
}
