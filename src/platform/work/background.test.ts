import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { BackgroundProcess, BackgroundThread } from './background.ts';

// Not in src, which other tests read meanwhile.
const folder = resolve(import.meta.dirname, '../../../.cache/programs');
const source = JSON.stringify(join(import.meta.dirname, 'background.ts'));
const file = join(folder, `background-${process.pid}.fixture.ts`);
writeFileSync(
  file,
  `import { getPriority } from 'node:os';
   import { answerJobs } from ${source};
   answerJobs((job) => {
     if (job === 'fail') throw new Error('it failed');
     if (job === 'hang') for (;;);
     if (job === 'eat') for (const held = [];;) held.push(new Array(100_000).fill(held.length));
     if (job === 'environment') return Object.keys(process.env);
     if (job === 'pid') return process.pid;
     return job === 'priority' ? getPriority() : job;
   });`,
);
afterAll(() => {
  rmSync(file);
  vi.unstubAllEnvs();
});

const KINDS = { thread: BackgroundThread<string, unknown>, process: BackgroundProcess<string, unknown> };

describe.each(['thread', 'process'] as const)('a %s behind all that answers', (kind) => {
  const open = (longestJobMs = 60_000) =>
    new KINDS[kind]({ file: pathToFileURL(file), longestJobMs, memoryMb: 64, idleMs: 60_000 });
  let helper = open();
  afterEach(() => helper.close());

  test('answers, tells what failed, and goes on', async () => {
    expect(await helper.run('one')).toBe('one');
    await expect(helper.run('fail')).rejects.toThrow('it failed');
    expect(await helper.run('two')).toBe('two');
  });

  test('gives up a job that hangs', async () => {
    // It keeps a core busy until then.
    helper = open(1000);
    await expect(helper.run('hang')).rejects.toThrow('not done within 1000 ms');
    expect(helper.isBusy).toBe(false);
  });

  test('goes down with a job that eats its memory, and the next one gets a new one', async () => {
    helper = open();
    await expect(helper.run('eat')).rejects.toThrow(/memory|its process ended/);
    expect(await helper.run('one')).toBe('one');
  });

  test.runIf(process.platform === 'linux')(
    'runs behind the threads that answer, which stay where they are',
    async () => {
      const own = getPriority();
      expect(await helper.run('priority')).toBe(Math.min(19, own + 10));
      expect(getPriority()).toBe(own);
    },
  );
});

const IDLE = 5;
test.runIf(existsSync('/usr/bin/chrt'))('a process beside this one works only while nobody else would', async () => {
  // The other tests do without.
  vi.stubEnv('PATH', '/usr/bin');
  const options = { file: pathToFileURL(file), longestJobMs: 60_000, memoryMb: 64, idleMs: 60_000 };
  const helper = new BackgroundProcess<string, number>(options);
  const pid = await helper.run('pid');
  const policy = () => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[38]);
  await expect.poll(policy).toBe(IDLE);
  await helper.close();
});

test('a process beside this one is given none of our secrets, and ends with us', async () => {
  vi.stubEnv('MASTER_KEY', 'secret');
  const helper = new BackgroundProcess<string, unknown>({
    file: pathToFileURL(file),
    longestJobMs: 60_000,
    memoryMb: 64,
    idleMs: 60_000,
  });
  expect(await helper.run('environment')).not.toContain('MASTER_KEY');
  const pid = Number(await helper.run('pid'));
  expect(pid).not.toBe(process.pid);
  await helper.close();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
