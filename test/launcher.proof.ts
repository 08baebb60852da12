import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive } from './support/process.ts';

/**
 * The launcher in a project of its own, whose npm is a script that leaves the traces of an install: what is tested is what
 * the launcher does around it.
 */
let project: string;
let launched: ChildProcess[];

const fakeNpm = `
  const { appendFileSync, cpSync, existsSync, mkdirSync, rmSync } = require('node:fs');
  appendFileSync('installs', process.argv.slice(2).join(' ') + '\\n');
  rmSync('node_modules', { recursive: true, force: true });
  mkdirSync('node_modules');
  if (existsSync('npm-fails')) { console.error('npm error code E404'); process.exit(1); }
  cpSync('prepared', 'node_modules', { recursive: true, verbatimSymlinks: true });
  const finish = () => (existsSync('npm-hangs') ? setTimeout(finish, 20) : process.exit(0));
  setTimeout(finish, 200);
`;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'launcher-'));
  launched = [];
  await mkdir(join(project, 'bin'));
  for (const file of ['bin/launch.mjs', 'bin/run.mjs', 'bin/service-flags.json']) {
    await copyFile(resolve(import.meta.dirname, '..', file), join(project, file));
  }
  await put('package-lock.json', '{ "version": 1 }');
  await put('package.json', '{ "type": "commonjs" }');
  await put('npm-cli.js', fakeNpm);
  const node = join(project, 'prepared', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  await mkdir(dirname(node), { recursive: true });
  await symlink(process.execPath, node);
  await put('src/main.ts', 'process.exit(Number(process.argv[2] ?? 0));');
  await put('web/build.mjs', '');
  await put('clients/typescript/generate.ts', '');
});

afterEach(async () => {
  for (const child of launched) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(project, { recursive: true, force: true });
});

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(project, name)), { recursive: true });
  await writeFile(join(project, name), text);
}

interface Launched {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly code: Promise<number | null>;
}

function launch(...words: string[]): Launched {
  const child = spawn(process.execPath, [join(project, 'bin', 'launch.mjs'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A user's own npm settings must not matter here.
    env: { PATH: '/usr/bin:/bin', npm_execpath: join(project, 'npm-cli.js') },
  });
  launched.push(child);
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return { child, output: () => output, code: once(child, 'close').then(([code]) => code) };
}

async function installs(): Promise<number> {
  const text = await readFile(join(project, 'installs'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line.startsWith('ci ')).length;
}

test('the first start installs with a line of progress, the next one does not', async () => {
  const first = launch('start');
  expect(await first.code).toBe(0);
  expect(first.output()).toMatch(/Installing dependencies .*\ndone in \d+ s\n/);
  const second = launch('start');
  expect(await second.code).toBe(0);
  expect(second.output()).toBe('');
  expect(await installs()).toBe(1);
});

test('a changed lockfile installs again', async () => {
  await launch('start').code;
  await put('package-lock.json', '{ "version": 2 }');
  await launch('start').code;
  expect(await installs()).toBe(2);
});

test('an install whose launcher was killed is waited for, not run into, and repeated', async () => {
  await put('npm-hangs', '');
  const killed = launch('start');
  await expect.poll(installs).toBe(1);
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');

  const next = launch('start');
  await expect.poll(next.output).toContain('waiting for it');
  expect(await installs()).toBe(1);
  await rm(join(project, 'npm-hangs'));
  expect(await next.code).toBe(0);
  expect(await installs()).toBe(2);
});

test('a signal during the install ends npm and starts nothing', async () => {
  await put('npm-hangs', '');
  const stopped = launch('start');
  await expect.poll(installs).toBe(1);
  stopped.child.kill('SIGTERM');
  expect(await stopped.code).toBe(128 + 15);
  await rm(join(project, 'npm-hangs'));
  expect(await launch('start').code).toBe(0);
  expect(await installs()).toBe(2);
});

test('launchers that start together install once and all go on', async () => {
  const all = [launch('start', '7'), launch('start', '8'), launch('start', '9')];
  expect(await Promise.all(all.map((one) => one.code))).toEqual([7, 8, 9]);
  expect(await installs()).toBe(1);
});

test('the lock of a launcher that no longer lives does not hold up the next', async () => {
  const ended = spawn(process.execPath, ['-e', '']);
  await once(ended, 'exit');
  await put('.cache/install-lock/processes', String(ended.pid));
  const past = new Date(Date.now() - 5_000);
  await utimes(join(project, '.cache/install-lock'), past, past);
  expect(await launch('start').code).toBe(0);
  expect(await installs()).toBe(1);
});

test('a failed install shows the end of what npm said and what to do, and starts nothing', async () => {
  await put('npm-fails', '');
  const failed = launch('start', '0');
  expect(await failed.code).toBe(1);
  expect(failed.output()).toMatch(/npm error code E404\nThe dependencies could not be installed: check the network/);
});

test('the console is built before the service starts, and a failed build starts nothing', async () => {
  await put('web/build.mjs', "console.log('built');");
  await put('src/main.ts', "console.log('started');");
  const good = launch('start');
  expect([await good.code, good.output().match(/built|started/g)]).toEqual([0, ['built', 'started']]);
  await put('web/build.mjs', 'process.exit(3);');
  const bad = launch('start');
  expect(await bad.code).toBe(3);
  expect(bad.output()).not.toContain('started');
});

test('the exit code of the service is that of the launcher', async () => {
  expect(await launch('start', '42').code).toBe(42);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s to the launcher lets the service finish', async (signal) => {
  await put(
    'src/main.ts',
    `setInterval(() => {}, 1000); process.on('${signal}', () => { console.log('drained'); process.exit(5); }); console.log('ready');`,
  );
  const service = launch('start');
  await expect.poll(service.output).toContain('ready');
  service.child.kill(signal);
  expect(await service.code).toBe(5);
  expect(service.output()).toContain('drained');
});

test('a service that a signal ended gives 128 and the signal', async () => {
  await put('src/main.ts', "process.kill(process.pid, 'SIGKILL');");
  expect(await launch('start').code).toBe(128 + 9);
});

test('a command of its own is found by its folder, on the pinned Node, and gets its arguments', async () => {
  await put('src/simulator/main.ts', 'console.log(process.env.PATH.split(":").slice(0, 2), process.argv.slice(2));');
  const simulator = launch('simulator', 'a b', '--c');
  expect(await simulator.code).toBe(0);
  expect(simulator.output()).toContain("[ 'a b', '--c' ]");
  expect(simulator.output()).toContain(`node-${process.platform}-${process.arch}/bin`);
});

test('the service runs with the flags of service-flags.json, a command of its own without', async () => {
  await put('bin/service-flags.json', '["--max-semi-space-size=3"]');
  await put('src/main.ts', 'console.log("service", process.execArgv);');
  await put('src/simulator/main.ts', 'console.log("command", process.execArgv);');
  const service = launch('start');
  expect(await service.code).toBe(0);
  expect(service.output()).toContain("service [ '--max-semi-space-size=3' ]");
  const command = launch('simulator');
  expect(await command.code).toBe(0);
  expect(command.output()).toContain('command []');
});

test('an unknown command is answered with the usage and installs nothing', async () => {
  const unknown = launch('../main');
  expect(await unknown.code).toBe(2);
  expect(unknown.output()).toContain('Usage');
  expect(await installs()).toBe(0);
});

test('the checks run one after the other and stop at the first that fails; arguments go to the tests', async () => {
  const print = 'console.log(__filename.split("/").at(-1), ...process.argv.slice(2));';
  await put('prepared/@biomejs/biome/bin/biome', print);
  await put('prepared/oxlint/bin/oxlint', print);
  await put('prepared/vitest/vitest.mjs', 'console.log("vitest", ...process.argv.slice(2));');
  const passed = launch('test', 'src/kernel');
  expect(await passed.code).toBe(0);
  expect(passed.output()).toMatch(
    /biome check \..*oxlint --type-aware --type-check\n.*vitest run --project tests src\/kernel/s,
  );

  await put('node_modules/oxlint/bin/oxlint', 'process.exit(2);');
  const failed = launch('test');
  expect(await failed.code).toBe(2);
  expect(failed.output()).toContain('Lint and types: failed');
  expect(failed.output()).not.toContain('vitest');
});

test('a SIGTERM to npm alone, which takes its shell along, lets the service finish and leaves nothing behind', async () => {
  const { scripts } = JSON.parse(await readFile(resolve(import.meta.dirname, '../package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  await put('package.json', JSON.stringify({ type: 'commonjs', scripts: { start: scripts.start } }));
  await put(
    'src/main.ts',
    `setInterval(() => {}, 1000);
     process.on('SIGTERM', () => { require('node:fs').writeFileSync('drained', ''); process.exit(0); });
     console.log('ready', process.pid, process.ppid);`,
  );
  // Installed by the launcher alone, so that npm itself has nothing to do but to run the script.
  const first = launch('start');
  await expect.poll(first.output).toContain('ready');
  first.child.kill('SIGTERM');
  await first.code;
  await rm(join(project, 'drained'));

  const npm = spawn('npm', ['start'], {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: project },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  launched.push(npm);
  let output = '';
  npm.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await expect.poll(() => output).toMatch(/ready \d+ \d+/);
  const processes = (/ready (\d+) (\d+)/.exec(output) ?? []).slice(1).map(Number);
  npm.kill('SIGTERM');
  await expect.poll(() => processes.filter(isAlive)).toEqual([]);
  expect(existsSync(join(project, 'drained'))).toBe(true);
});
