import { expect, test } from 'vitest';
import { until } from '../../../test/support/process.ts';
import { createLogger } from '../logging/logger.ts';
import { createRegularWork } from './regular-work.ts';

test('each is done again after its pause, whatever hangs or fails beside it', async () => {
  const lines: string[] = [];
  const log = createLogger('warn', { write: (line) => void lines.push(line) });
  const { promise: hangs, resolve } = Promise.withResolvers<void>();
  const counts = { hanging: 0, failing: 0, rare: 0, quick: 0 };
  const work = createRegularWork(
    [
      { name: 'hanging', everyMs: 1, run: () => hangs.finally(() => counts.hanging++) },
      { name: 'failing', everyMs: 1, run: () => Promise.reject(new Error(`failed ${++counts.failing}`)) },
      { name: 'rare', everyMs: 3_600_000, run: async () => counts.rare++ },
      { name: 'quick', everyMs: 1, run: async () => counts.quick++ },
    ],
    log,
  );
  work.start();
  await until(() => counts.quick >= 3 && counts.failing >= 3, 'three times');
  expect(counts).toMatchObject({ hanging: 0, rare: 1 });
  expect(lines.join('')).toContain('"work":"failing"');
  resolve();
  await work.stop();
  expect(counts.hanging).toBe(1);
});
