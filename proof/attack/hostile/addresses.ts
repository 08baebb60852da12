import { expect, test } from 'vitest';
import { checkFrame } from '../answer/check-answer.ts';
import { type AttackedService, eighth, PLAIN_BODY, plain } from '../attacked-service.ts';
import { HOSTILE_QUERIES, HOSTILE_SEGMENTS } from '../request/hostile-addresses.ts';

export function hostileAddresses(attacked: AttackedService): void {
  const { operations, own } = attacked;
  const bodyOf = ({ bodySchema }: { readonly bodySchema?: object | undefined }) => bodySchema && PLAIN_BODY;

  test.each(HOSTILE_SEGMENTS.map((parameter, turn) => ({ parameter, turn })))(
    'a parameter of $parameter is refused or not found',
    async ({ parameter, turn }) => {
      const faults = await attacked.attack(eighth(operations, turn), (one) =>
        one.template.includes('{') ? { parameter, body: bodyOf(one), must: 'be refused' } : undefined,
      );
      expect(faults).toEqual([]);
    },
  );

  test.each(HOSTILE_QUERIES.map((query, turn) => ({ query, turn })))(
    'a query of $query fails no operation',
    async ({ query, turn }) => {
      const faults = await attacked.attack(eighth(operations, turn), (one) => ({
        tail: `?${query}`,
        body: bodyOf(one),
        must: one.bodySchema && 'be refused',
      }));
      expect(faults).toEqual([]);
    },
  );

  test.each(['Limit=1&Limit=2', 'Limit=1e400', 'Limit=0x10', 'Limit=Infinity', 'Limt=5', '__proto__=1', 'Limit=%00'])(
    'a query of %s is refused where parameters are read',
    async (query) => expect((await attacked.ask(`/api/receipt?${query}`, own.till)).status).toBe(400),
  );

  test.each(['//', '/api', '/api/', '/API/receipt', '/../etc/passwd', '/%2e%2e/', '/api/%2f', '/docs/../metrics'])(
    'an address of %s is not found',
    async (path) => {
      const attempt = plain(path, own.till);
      expect(attacked.faults(attempt, await attacked.send(attempt), 'be refused')).toEqual([]);
    },
  );

  test('a path of 15 kB is refused, and one longer than all headers may be is too', async () => {
    for (const [turn, length] of [15_000, 100_000].entries()) {
      const hostile = { tail: `/${'x'.repeat(length)}`, must: 'be refused' } as const;
      expect(await attacked.attack(eighth(operations, turn), () => hostile)).toEqual([]);
    }
  });

  test('a method that an address does not take is 405 with what it takes', async () => {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];
    const taken = Map.groupBy(operations, ({ template }) => template);
    for (const [turn, method] of methods.entries()) {
      // An address such as /api/receipt/sign is also one of /api/receipt/{reference}.
      const others = eighth(operations, turn).filter(
        ({ template }) => !operations.some((one) => one.method === method && covers(one.template, template)),
      );
      for (const operation of others) {
        const attempt = attacked.to(operation, { method });
        const answer = await attacked.send(attempt);
        expect(attacked.faults(attempt, answer, [405], operation)).toEqual([]);
        const allowed = (taken.get(operation.template) ?? []).map((one) => one.method);
        expect(answer.headers['allow']?.split(', ')).toEqual(expect.arrayContaining(allowed));
      }
    }
    expect(await attacked.attack(operations, () => ({ method: 'HEAD' }))).toEqual([]);
  });

  test('pages have a policy of their own that still loads nothing from elsewhere', async () => {
    for (const path of ['/docs', '/docs/errors']) {
      const answer = await attacked.ask(path);
      expect(answer.status, path).toBe(200);
      const policy = answer.headers['content-security-policy'] ?? '';
      expect(policy, path).toMatch(/frame-ancestors 'none'.*style-src 'self'/);
      expect(policy, path).not.toMatch(/https?:|\*|unsafe-eval/);
    }
    const others = ['/docs/', '/docs/reference.js', '/docs/icon.svg', '/openapi.json', '/docs/nothing'];
    for (const path of ['/docs', '/docs/errors', ...others])
      expect(checkFrame(await attacked.ask(path)), path).toEqual([]);
  });

  test('good answers have the headers too, of every operation that is asked without a body', async () => {
    const reading = operations.filter(({ method }) => method === 'GET');
    expect(await attacked.attack(reading, () => ({}))).toEqual([]);
  });
}

/** Whether an address of the second is one of the first, too. */
function covers(template: string, other: string): boolean {
  const [parts, others] = [template.split('/'), other.split('/')];
  return parts.length === others.length && parts.every((part, at) => part === others[at] || part.startsWith('{'));
}
