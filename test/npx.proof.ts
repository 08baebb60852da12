import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * `npx tillseal` in a clone, with the real npx: a project of the real package.json, bin and launcher, but with
 * one dependency that lies in it, so that setting it up needs no network. What is started tells what it was given.
 */
const ROOT = resolve(import.meta.dirname, '..');
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'tillseal-bin-'));
  await mkdir(join(project, 'src', 'cli'), { recursive: true });
  await mkdir(join(project, 'docs', 'deep'), { recursive: true });
  await mkdir(join(project, 'bin'));
  for (const file of ['bin/tillseal.mjs', 'bin/launch.mjs', 'bin/run.mjs']) {
    await copyFile(join(ROOT, file), join(project, file));
  }
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, type, bin, engines } = manifest;
  const own = { name, version, bin, engines, dependencies: { nothing: 'file:nothing' } };
  await writeFile(join(project, 'package.json'), JSON.stringify({ ...own, private: true, type }));
  const packages = {
    '': own,
    nothing: { version: '1.0.0' },
    'node_modules/nothing': { resolved: 'nothing', link: true },
  };
  await writeFile(join(project, 'package-lock.json'), JSON.stringify({ name, version, lockfileVersion: 3, packages }));
  await mkdir(join(project, 'nothing'));
  await writeFile(join(project, 'nothing', 'package.json'), '{ "name": "nothing", "version": "1.0.0" }');
  await writeFile(
    join(project, 'src', 'cli', 'main.ts'),
    `const chunks: string[] = [];
     for await (const chunk of process.stdin) chunks.push(String(chunk));
     console.log(JSON.stringify([process.argv.slice(2), process.cwd(), chunks.join('')]));
     process.exitCode = 4;`,
  );
});
afterAll(() => rm(project, { recursive: true, force: true }));

async function npx(folder: string, words: readonly string[], input: string) {
  const child = spawn('npx', ['--offline', 'tillseal', ...words], {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      HOME: project,
      npm_config_cache: join(project, '.npm'),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
}

test('a fresh clone sets itself up, then the command gets its words, folder, input and gives its exit code', async () => {
  const first = await npx(project, ['receipt', 'a b', '--help', '--json'], 'one');
  expect(first.stderr).toMatch(/Installing dependencies .*\ndone in \d+ s\n/);
  expect(JSON.parse(first.stdout)).toEqual([['receipt', 'a b', '--help', '--json'], project, 'one']);
  expect(first.code).toBe(4);

  const folder = join(project, 'docs', 'deep');
  const second = await npx(folder, ['sign', '-'], 'two');
  expect(second.stderr).not.toContain('Installing');
  expect(JSON.parse(second.stdout)).toEqual([['sign', '-'], folder, 'two']);
  expect(second.code).toBe(4);
});
