/**
 * What `npm start` and `npm test` run, on whatever Node (20 or newer) the machine has: it installs the dependencies when
 * they are missing or not those of the lockfile, then hands over to the pinned Node 24 among them. No dependency of its
 * own, and nothing is asked.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive, run, say, serviceEnvironment, serviceFlags, stopCode } from './run.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.tillseal-installed');
const lockFolder = join(root, '.cache', 'install-lock');
const lockOwners = join(lockFolder, 'processes');

// Installing.

/** The stamp is written after an install has succeeded: one that was killed half way has none. */
function expectedStamp() {
  const lockfile = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lockfile).digest('hex')} ${process.platform}-${process.arch}\n`;
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === expectedStamp();
}

async function ensureInstalled() {
  if (isInstalled()) return 0;
  for (let hasSaid = false; !(await tryInstallLock()); hasSaid = true) {
    if (stopCode() !== undefined) return stopCode();
    if (!hasSaid) say('Another process is installing the dependencies: waiting for it …');
    await delay(250);
  }
  const heartbeat = setInterval(() => utimesSync(lockFolder, new Date(), new Date()), 5_000);
  try {
    // Another launcher may have done it while this one waited.
    return isInstalled() ? 0 : await install();
  } finally {
    clearInterval(heartbeat);
    rmSync(lockFolder, { recursive: true, force: true });
  }
}

async function install() {
  say('Installing dependencies (about a minute, once) …');
  const startedAt = Date.now();
  rmSync(stampFile, { force: true });
  // Spelled out, because the environment or the user's settings of npm may say otherwise (NODE_ENV=production, for example).
  const words = ['ci', '--include=dev', '--include=optional', '--ignore-scripts=false', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const [program, first] = npm && basename(npm) === 'npm-cli.js' ? [process.execPath, [npm]] : ['npm', []];
  let output = '';
  const collect = (chunk) => {
    output += chunk;
  };
  const code = await run(program, [...first, ...words, '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    onStart: (started) => {
      writeFileSync(lockOwners, `${process.pid} ${started.pid}`);
      started.stdout.on('data', collect);
      started.stderr.on('data', collect);
    },
  }).catch((error) => {
    output += error.message;
    return 1;
  });
  if (code === 0) {
    writeFileSync(stampFile, expectedStamp());
    say(`done in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  } else if (stopCode() === undefined) {
    say(output.trim().split('\n').slice(-20).join('\n'));
    say('The dependencies could not be installed: check the network and the registry npm uses, then run this again.');
  }
  return code;
}

/** Two installs at once would tear down each other's files. */
async function tryInstallLock() {
  mkdirSync(dirname(lockFolder), { recursive: true });
  if (isLockStale()) removeStaleLock();
  try {
    mkdirSync(lockFolder);
    writeFileSync(lockOwners, String(process.pid));
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw error;
  }
  // A launcher that removed a stale lock at the same moment may have removed this one instead: only the one still named in it goes on.
  await delay(100);
  return readLockOwners()[0] === process.pid;
}

function readLockOwners() {
  try {
    return readFileSync(lockOwners, 'utf8').split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Its launcher and npm have both ended; or neither has shown a sign of life, and other processes may have their ids by now. */
function isLockStale() {
  try {
    const ageMs = Date.now() - statSync(lockFolder).mtimeMs;
    const owners = readLockOwners();
    return ageMs > 300_000 || (ageMs > 1_000 && !owners.some(isAlive));
  } catch {
    return false;
  }
}

function removeStaleLock() {
  const aside = `${lockFolder}-stale-${process.pid}`;
  try {
    renameSync(lockFolder, aside);
    rmSync(aside, { recursive: true, force: true });
  } catch {
    // Somebody else removed it.
  }
}

// Running.

/** The pinned Node by its path: `node` in a shell may remember the old one. Elsewhere the one that runs this, if it will do. */
function findNode() {
  const pinned = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(pinned) && spawnSync(pinned, ['--version']).status === 0) return pinned;
  return Number.parseInt(process.versions.node, 10) >= 24 ? process.execPath : undefined;
}

const tests = { headline: 'Tests', program: 'vitest/vitest.mjs', words: ['run', '--project', 'tests'] };
const checks = [
  { headline: 'Format and lint', program: '@biomejs/biome/bin/biome', words: ['check', '.'] },
  // The compiler itself would work out all types once more, for the same errors.
  { headline: 'Lint and types', program: 'oxlint/bin/oxlint', words: ['--type-aware', '--type-check'] },
];

/** All checks, up to the first that fails. Words after `npm test --` are for the last one. */
async function test(all, node, words, environment) {
  for (const check of all) {
    say(`\n== ${check.headline}`);
    const ownWords = check === all.at(-1) ? [...check.words, ...words] : check.words;
    const code = await run(node, [join(modules, check.program), ...ownWords], {
      cwd: root,
      stdio: 'inherit',
      env: environment,
    });
    if (code !== 0) {
      say(`\n${check.headline}: failed`);
      return code;
    }
  }
  return 0;
}

/**
 * The load generator shares the machine with what it measures. It has little that lives long, and by default sweeps it twice a
 * second: a tenth of its time and 25 µs of another core for every receipt, in bursts that the service's tail was blamed for.
 */
const generatorFlags = ['--heap-growing-percent=1000'];

async function launch([command = '', ...words]) {
  const mains = {
    start: 'src/main.ts',
    bench: 'proof/bench/main.ts',
    proof: 'proof/main.ts',
    release: 'deploy/release/main.ts',
  };
  const main = join(root, mains[command] ?? join('src', command, 'main.ts'));
  const suite = command === 'test' ? [...checks, tests] : undefined;
  if (suite === undefined && (!/^[a-z-]+$/.test(command) || !existsSync(main))) {
    say(`Usage: node bin/launch.mjs test | ${Object.keys(mains).join(' | ')} [arguments]`);
    return 2;
  }
  const installCode = await ensureInstalled();
  if (installCode !== 0) return installCode;
  const node = findNode();
  if (node === undefined) {
    say(`Tillseal needs Node 24 here, and this is ${process.version}: install Node 24 or newer and run this again.`);
    return 1;
  }
  const path = [join(modules, '.bin'), dirname(node), process.env.PATH].join(delimiter);
  const environment = { ...serviceEnvironment(root), PATH: path };
  const made = [
    { by: 'web/build.mjs', before: ['start', 'test', 'proof', 'release'] },
    { by: 'clients/typescript/generate.ts', before: ['test', 'proof'] },
  ];
  for (const { by, before } of made) {
    if (!before.includes(command)) continue;
    const madeCode = await run(node, [join(root, by)], { cwd: root, stdio: 'inherit', env: environment });
    if (madeCode !== 0) return madeCode;
  }
  if (suite !== undefined) return test(suite, node, words, environment);
  // The service's folders are relative to the project; files named on a command line to where the person is.
  const cwd = command === 'start' ? root : process.cwd();
  const flags = command === 'start' ? serviceFlags(root) : command === 'bench' ? generatorFlags : [];
  return run(node, [...flags, main, ...words], { cwd, stdio: 'inherit', env: environment });
}

process.exitCode = await launch(process.argv.slice(2)).catch((error) => {
  say(`Tillseal cannot be started: ${error.message}`);
  return 1;
});
