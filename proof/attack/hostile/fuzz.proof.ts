import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILE_CACHE } from '../../../test/support/process.ts';
import { attackedService } from '../attacked-service.ts';
import { inTurns } from '../request/send.ts';
import { runFuzz } from '../run.ts';

const MAX_GROWTH_MB = 16;

/** The short form of `npm run proof -- attack`, on a process of its own. What fails is shown with the command that sends it again. */
test('requests of a known and of a new seed to every address are answered as the description of the API has it', async () => {
  process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
  const secondSeed = Math.floor(Math.random() * 1_000_000);
  const options = { seed: 1, secondSeed, requests: 4000, hasSlowSenders: false };
  let last = '';
  const say = (line: string) => {
    last = line;
  };
  const { faults, failures, statuses, neverGood, operations } = await runFuzz({ ...options, say });
  const again = `the new half again: npm run proof -- attack --seed ${secondSeed}; ${last}`;
  expect(faults, again).toEqual([]);
  expect(failures, again).toEqual([]);
  // Not all of it stopped at the door.
  for (const status of [200, 201, 400, 401, 403, 404, 405])
    expect(statuses.get(status) ?? 0, `${status}`).toBeGreaterThan(10);
  expect(neverGood.length, neverGood.join(', ')).toBeLessThan(operations / 4);
});

test('the largest bodies that are refused leave nothing behind', async () => {
  const large = [`[${'1,'.repeat(499_999)}1]`, `{"Name":"${'x'.repeat(1_000_000)}"}`, `{"${'k'.repeat(900_000)}":[]}`];
  const attacked = await attackedService();
  onTestFinished(() => attacked.close());
  const signing = attacked.operations.find(({ id }) => id === 'signReceipt');
  if (signing === undefined) throw new Error('nothing signs');
  const flood = (count: number) =>
    inTurns(
      Array.from({ length: count }, (_unused, turn) => large[turn % large.length] ?? ''),
      async (text) => {
        const attempt = attacked.to(signing, { body: text });
        expect(attacked.faults(attempt, await attacked.send(attempt), undefined, signing)).toEqual([]);
      },
    );
  await flood(12);
  const before = usedMemoryMb();
  await flood(60);
  expect(usedMemoryMb() - before).toBeLessThan(MAX_GROWTH_MB);
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
