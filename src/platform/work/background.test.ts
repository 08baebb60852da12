import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
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

describe.runIf(existsSync('/usr/bin/setpriv'))('a patient process', () => {
  const PATIENT = { longestJobMs: 60_000, memoryMb: 64, idleMs: 60_000, isPatient: true };
  const RESTS = 'T';
  const RUNS = 'R';

  test('rests again and again while this one is busy, and runs on afterwards', async () => {
    const helper = new BackgroundProcess<string, unknown>({ file: pathToFileURL(file), ...PATIENT });
    const pid = Number(await helper.run('pid'));
    const hanging = expect(helper.run('hang')).rejects.toThrow('closed');
    for (const state of [RESTS, RUNS, RESTS]) {
      while (stateOf(pid) !== state) await busyTurn();
    }
    await expect.poll(() => stateOf(pid)).toBe(RUNS);
    await helper.close();
    await hanging;
  });

  test('ends with this one even while it rests', async () => {
    const parent = join(folder, `background-parent-${process.pid}.fixture.ts`);
    writeFileSync(
      parent,
      `import { BackgroundProcess } from ${source};
       const helper = new BackgroundProcess({ file: new URL(${JSON.stringify(pathToFileURL(file))}), ...${JSON.stringify(PATIENT)} });
       console.log(await helper.run('pid'));
       void helper.run('hang');
       setInterval(() => { for (const end = Date.now() + 9; Date.now() < end; ); }, 10);`,
    );
    try {
      const child = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
      const pid = await new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(text))));
      await expect.poll(() => stateOf(pid), { interval: 1 }).toBe(RESTS);
      child.kill('SIGKILL');
      await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    } finally {
      rmSync(parent);
    }
  });
});

function stateOf(pid: number): string | undefined {
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
}

async function busyTurn(): Promise<void> {
  for (const end = performance.now() + 5; performance.now() < end; );
  await nextTurn();
}
