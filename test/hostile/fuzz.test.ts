import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FuzzReport } from '../../fuzz/report.ts';
import { runFuzz } from '../../fuzz/run.ts';
import { COMPILE_CACHE } from '../support/process.ts';
import { type AttackedService, attackedService, expectSafe, pathOf } from './attacked-service.ts';
import { inTurns } from './send.ts';

const MOST_GROWTH_MB = 16;

/** The short form of `npm run fuzz`, on a process of its own. What fails is shown with the command that sends it again. */
async function fuzz(seed: number, requests: number): Promise<FuzzReport> {
  process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
  const report = await runFuzz({ seed, requests, say: () => {} });
  const again = `npm run fuzz -- --requests ${requests} --seed ${seed}`;
  expect(report.faults, again).toEqual([]);
  expect(report.failures, again).toEqual([]);
  return report;
}

test('requests of a known seed to every address are answered as the description of the API has it', async () => {
  const { statuses, neverGood, operations } = await fuzz(1, 1500);
  // Not all of it stopped at the door.
  for (const status of [200, 201, 400, 401, 403, 404, 405])
    expect(statuses.get(status) ?? 0, `${status}`).toBeGreaterThan(10);
  expect(neverGood.length, neverGood.join(', ')).toBeLessThan(operations / 4);
});

test('and so are those of another seed each time', async () => {
  await fuzz(Math.floor(Math.random() * 1_000_000), 600);
});

let attacked: AttackedService;
beforeAll(async () => {
  attacked = await attackedService();
});
afterAll(() => attacked.close());

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
