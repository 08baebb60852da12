import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/index.ts';
import type { AttackedService } from '../attacked-service.ts';
import type { There } from '../authorisation/everything.ts';
import type { Operation } from '../world/document.ts';

interface Read {
  readonly items: readonly unknown[];
  readonly next: string | null;
}

/** Every operation whose answer has a NextCursor: one that is added is tried, too. */
const LISTS = new Set(
  OPERATIONS.filter(({ answer }) => 'NextCursor' in Object(Object(answer.schema).properties)).map(({ id }) => id),
);

export function paging(attacked: AttackedService, there: There): void {
  const { own, operator, operations } = attacked;
  const lists = operations.filter(({ id }) => LISTS.has(id));

  const read = async (operation: Operation, query: string): Promise<Read> => {
    const kind = operation.template.includes('/endpoints/') ? ' taxpayer' : '';
    const path = operation.template.replaceAll(
      /\{(\w+)\}/g,
      (_all, name: string) => there[name + kind] ?? there[name] ?? '',
    );
    const attempt = attacked.to(operation, { tail: `?${query}` });
    const answer = await attacked.send({ ...attempt, path: `${path}?${query}` });
    const { NextCursor: next, ...rest } = JSON.parse(answer.body.toString('utf8')) as { NextCursor: string | null };
    return { items: Object.values(rest).find(Array.isArray) as unknown[], next };
  };

  test('a page that is exactly full is the last one when nothing follows, in every list', async () => {
    // A name that leads inside: nothing is sent, and that is an attempt, too.
    const endpoint = { TaxpayerId: own.taxpayerId, Address: 'https://localhost:1/', Description: 'another' };
    const tests = `/api/admin/endpoints/${there['endpointId taxpayer']}/test`;
    const changes = [
      ['/api/admin/endpoints', endpoint],
      ['/api/admin/vendors', { Code: 'THIRD', Name: 'Third' }],
      [tests, {}],
      [tests, {}],
    ] as const;
    for (const [path, body] of changes) {
      const answer = await attacked.ask(path, operator, body);
      expect(answer.status, `${path}: ${answer.body.toString('utf8')}`).toBeLessThan(300);
    }
    let full = 0;
    for (const list of lists) {
      const { name } = list;
      const all = await read(list, 'Limit=200');
      expect(all.next, name).toBeNull();
      if (all.items.length === 0) continue;
      expect(await read(list, `Limit=${all.items.length}`), name).toEqual(all);
      if (all.items.length === 1) continue;
      const first = await read(list, `Limit=${all.items.length - 1}`);
      expect(first.items, name).toEqual(all.items.slice(0, -1));
      expect(first.next, name).not.toBeNull();
      const rest = await read(list, `Limit=1&Cursor=${first.next}`);
      expect(rest, name).toEqual({ items: all.items.slice(-1), next: null });
      full += 1;
    }
    expect(lists.length).toBeGreaterThanOrEqual(16);
    // The others have nothing in them here; they are cut by the same function.
    expect(full).toBeGreaterThanOrEqual(13);
  });
}
