import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOTHING_SEEN, SEEN_FILE } from './choose-primary.ts';
import { addSeen, readSeen } from './seen-servers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-seen-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SOURCE = new URL('seen-servers.ts', import.meta.url).pathname;

test('processes that share the folder lose nothing of each other: the highest timeline stays', async () => {
  expect(readSeen(folder)).toEqual(NOTHING_SEEN);
  const write = (timelines: readonly number[]) =>
    promisify(execFile)(process.execPath, [
      '--input-type=module-typescript',
      '-e',
      `import { addSeen } from ${JSON.stringify(SOURCE)};
       for (const timeline of ${JSON.stringify(timelines)}) addSeen(${JSON.stringify(folder)}, { systemId: 'S' + (timeline % 3), timeline, markedAt: 0 });`,
    ]);
  const counted = Array.from({ length: 60 }, (_, index) => index + 1);
  await Promise.all([0, 1, 2, 3].map((own) => write(counted.filter((timeline) => timeline % 4 === own).toReversed())));
  expect(readSeen(folder).servers).toEqual({
    S0: { timeline: 60, markedAt: 0 },
    S1: { timeline: 58, markedAt: 0 },
    S2: { timeline: 59, markedAt: 0 },
  });
  expect((await readdir(folder)).toSorted()).toEqual([SEEN_FILE, 'database.lock']);
});

test('a record that cannot be read is refused, not taken for none', async () => {
  await writeFile(join(folder, SEEN_FILE), '{"servers":');
  expect(() => readSeen(folder)).toThrow(/database\.json cannot be read/);
  expect(() => addSeen(folder, { systemId: 'S', timeline: 1, markedAt: 0 })).toThrow(/cannot be read/);
});
