import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ran, tillseal } from '../../test/support/command-line.ts';
import { copyDemo } from '../../test/support/prepared-demo.ts';
import { COMPILE_CACHE, Machine, readDemoFile, type ServiceProcess } from '../../test/support/process.ts';

/** What a newcomer does: the demo in one terminal, the command line in another, without a flag. */
const machine = new Machine();
let folder: string;
let demo: ServiceProcess;

beforeAll(async () => {
  folder = await copyDemo(await machine.folder());
  demo = machine.start({ DATA_DIR: folder });
  await demo.ready;
});
afterAll(() => machine.end());

function run(words: readonly string[], input = ''): Promise<Ran> {
  return tillseal(words, { environment: { DATA_DIR: folder, XDG_CONFIG_HOME: folder }, input });
}

test('every command of the first minutes works without a flag', async () => {
  expect((await run(['device'])).stdout).toMatch(
    /^Device +1001 .*\nState +Active\n(Waiting .*\n)?Fiscal day +1, Opened since/,
  );
  const example = await run(['receipt', 'example']);
  const sealed = await run(['sign', '-'], example.stdout);
  expect(sealed.stdout).toMatch(/^Service +http:\S+ \(the demo\)$/m);
  const reference = /"Reference": "(\S+)"/.exec(example.stdout)?.[1] ?? '';
  expect((await run(['receipt', reference])).stdout).toMatch(/^White bread +19059010 +1 +2\.00 +0 % +2\.00$/m);
  expect((await run(['receipt', 'list'])).stdout).toContain(reference);
  for (const words of [
    ['taxpayer', 'list'],
    ['device', 'list'],
    ['token', 'list'],
    ['receipt', 'search'],
  ]) {
    expect(await run(words)).toMatchObject({ code: 0, stderr: '' });
  }
  expect((await run(['profile', 'list'])).stdout).toMatch(/^yes +demo +http:/m);
});

test('a master key is rotated to the last data key, and the device still seals', async () => {
  const rotated = await run(['keys', 'rotate-master']);
  expect(rotated.stderr).toBe('');
  expect(rotated.stdout).toMatch(/^Done: every data key is under the newest master key; rewrapped: 2\.$/m);
  expect((await run(['sign', '-'], (await run(['receipt', 'example'])).stdout)).code).toBe(0);
  expect((await run(['audit'])).stdout).toContain('master-key.rotated');
  const again = await run(['keys', 'rotate-master', '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ Remaining: 0 });
});

test('no token of the demo is ever printed', async () => {
  const { taxpayer } = await readDemoFile(folder);
  for (const words of [
    ['device', '--json'],
    ['token', 'list', '--json'],
    ['profile', 'list', '--json'],
    ['audit', '--json'],
  ]) {
    expect((await run(words)).stdout).not.toContain(taxpayer.token);
  }
});

/** A terminal for the child process, where the machine has the program that makes one. */
const hasScript = spawnSync('script', ['--version']).status === 0;
const main = resolve(import.meta.dirname, 'main.ts');
function onTerminal(command: string, environment: Record<string, string> = {}): string {
  const words = ['-qec', `"${process.execPath}" "${main}" ${command}`, '/dev/null'];
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    DATA_DIR: folder,
    XDG_CONFIG_HOME: folder,
    TERM: 'xterm',
    ...environment,
  };
  return spawnSync('script', words, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).stdout;
}

test.skipIf(!hasScript)('headers are dim on a terminal, and plain with NO_COLOR', () => {
  expect(onTerminal('receipt list')).toContain('\u001b[2mREFERENCE');
  expect(onTerminal('receipt list', { NO_COLOR: '1' })).not.toContain('\u001b[2m');
  expect(onTerminal('keys rotate-master')).toMatch(/\d+ of \d+ data keys rewrapped …/);
});

test('health says ready with 0, and unreachable with 3 once the service has stopped', async () => {
  const ready = await run(['health']);
  expect(ready.stdout).toMatch(/^Service +http:\S+ \(the demo\)\nLive +yes\nReady +yes\nDatabase +ok\n/);
  expect(ready.code).toBe(0);
  const asJson = await run(['health', '--json']);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ Live: { Status: 'live' }, Ready: { Status: 'ready' } });
  demo.child.kill('SIGTERM');
  await demo.ended;
  const gone = await run(['health']);
  expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('Is the demo running?')]);
});
