import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoice } from '../support/receipts.ts';
import { type AttackedService, attackedService, expectSafe, pathOf, type Route } from './attacked-service.ts';
import { type Attempt, inTurns } from './send.ts';

const SEED = 20_261_115;
const REQUESTS = 2500;
const MOST_GROWTH_MB = 16;

let attacked: AttackedService;
beforeAll(async () => {
  attacked = await attackedService();
});
afterAll(() => attacked.close());

const token = fc.oneof(
  { weight: 8, arbitrary: fc.constant('right') },
  { weight: 1, arbitrary: fc.constantFrom('wrong', 'none') },
);
const segment = fc.oneof(
  fc.constantFrom(undefined, '1', '999999', '%', '%00', '..', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 60 }).map(encodable),
  fc.string({ maxLength: 30 }).map((text) => text.replaceAll(/[\s#?]/g, '')),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .array(
      fc.tuple(
        fc.constantFrom('Limit', 'Cursor', 'after', 'TaxpayerId', 'Reference', 'SealedFrom', 'x'),
        fc.string({ unit: 'binary' }),
      ),
    )
    .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${encodable(value)}`).join('&')}`),
  fc.string({ maxLength: 80 }).map((text) => `?${text.replaceAll(/[\s#]/g, '')}`),
);
/** Receipts with something wrong inside, other JSON, and JSON with something wrong in its bytes. */
const body = fc.oneof(
  fc
    .record({ field: fc.constantFrom(...Object.keys(invoice(1, ''))), value: fc.jsonValue() })
    .map(({ field, value }) => JSON.stringify({ ...invoice(999_999, 'FUZZ'), [field]: value })),
  fc.json({ maxDepth: 6 }),
  fc.uint8Array({ maxLength: 200 }),
  fc.tuple(fc.nat(), fc.string({ unit: 'binary', maxLength: 3 })).map(([at, text]) => {
    const whole = JSON.stringify(invoice(999_999, 'FUZZ'));
    return whole.slice(0, at % whole.length) + text + whole.slice(at % whole.length);
  }),
);
const type = fc.oneof(
  { weight: 9, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'x', 'a/b; c') },
);
const plan = fc.record({ route: fc.nat(), token, segment, query, body, type });

function encodable(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function attemptOf(route: Route, parts: typeof plan extends fc.Arbitrary<infer Parts> ? Parts : never): Attempt {
  const attempt = { method: route.method, path: pathOf(route, parts.segment) + parts.query };
  return {
    ...attempt,
    ...(parts.token === 'none' ? {} : { token: parts.token === 'right' ? attacked.tokenFor(route) : 'tsk_wrong' }),
    ...(route.hasBody ? { body: parts.body, type: parts.type } : {}),
  };
}

async function attack(seed: number, count: number): Promise<Map<number | 'closed', number>> {
  const seen = new Map<number | 'closed', number>();
  await inTurns(fc.sample(plan, { seed, numRuns: count }), async (parts) => {
    const route = attacked.routes[parts.route % attacked.routes.length];
    if (route === undefined) return;
    const attempt = attemptOf(route, parts);
    const answer = await attacked.send(attempt);
    expectSafe(answer, `seed ${seed}: ${JSON.stringify(attempt).slice(0, 600)}`);
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
  });
  return seen;
}

test('thousands of random requests are answered without a failure, and memory stays flat', async () => {
  await attack(SEED, 500); // what is compiled and cached once
  const before = usedMemoryMb();
  const seen = await attack(SEED + 1, REQUESTS);
  const growth = usedMemoryMb() - before;
  expect(growth).toBeLessThan(MOST_GROWTH_MB);
  // Not all of it stopped at the door.
  for (const status of [200, 400, 401, 404]) expect(seen.get(status) ?? 0, `answers of ${status}`).toBeGreaterThan(20);
});

test('the largest bodies that are refused leave nothing behind', async () => {
  const large = [`[${'1,'.repeat(499_999)}1]`, `{"Name":"${'x'.repeat(1_000_000)}"}`, `{"${'k'.repeat(900_000)}":[]}`];
  const route = attacked.routes.find(({ template }) => template === '/api/receipt/sign');
  if (route === undefined) throw new Error('nothing signs');
  const flood = (count: number) =>
    inTurns(
      Array.from({ length: count }, (_unused, turn) => large[turn % large.length] ?? ''),
      async (text) => {
        const answer = await attacked.send({
          method: route.method,
          path: pathOf(route),
          token: attacked.shop.token,
          body: text,
        });
        expectSafe(answer, 'a large body');
      },
    );
  await flood(12);
  const before = usedMemoryMb();
  await flood(60);
  expect(usedMemoryMb() - before).toBeLessThan(MOST_GROWTH_MB);
});

/** After a collection, so that only what is held counts: the heap and the buffers beside it. */
function usedMemoryMb(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
