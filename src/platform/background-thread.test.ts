import { rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { BackgroundThread } from './background-thread.ts';

const file = join(import.meta.dirname, `background-thread-${process.pid}.fixture.ts`);
writeFileSync(
  file,
  `import { getPriority } from 'node:os';
   import { answerJobs } from './background-thread.ts';
   answerJobs((job) => {
     if (job === 'fail') throw new Error('it failed');
     if (job === 'hang') for (;;);
     if (job === 'eat') for (const held = [];;) held.push(new Array(100_000).fill(held.length));
     return job === 'priority' ? getPriority() : job;
   });`,
);
afterAll(() => rmSync(file));

const open = (longestJobMs = 60_000) =>
  new BackgroundThread<string, string | number>({
    file: pathToFileURL(file),
    longestJobMs,
    memoryMb: 64,
    idleMs: 60_000,
  });
let thread = open();
afterEach(() => thread.close());

test('answers, tells what failed, and goes on', async () => {
  expect(await thread.run('one')).toBe('one');
  await expect(thread.run('fail')).rejects.toThrow('it failed');
  expect(await thread.run('two')).toBe('two');
});

test('gives up a job that hangs', async () => {
  thread = open(3000);
  await expect(thread.run('hang')).rejects.toThrow('not done within 3000 ms');
  expect(thread.isBusy).toBe(false);
});

test('one that eats its memory takes down its thread, and the next one gets a new thread', async () => {
  thread = open();
  await expect(thread.run('eat')).rejects.toThrow('memory');
  expect(await thread.run('one')).toBe('one');
});

test.runIf(process.platform === 'linux')('runs behind the threads that answer, which stay where they are', async () => {
  const own = getPriority();
  expect(await thread.run('priority')).toBe(Math.min(19, own + 10));
  expect(getPriority()).toBe(own);
});
