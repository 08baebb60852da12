/**
 * How a program is run as a child, by the launcher of a clone and by the command of the installed package alike: signals are passed
 * on, and an end of npm ends it, too. Runs on Node 20 or newer, without dependencies.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

/** A line to the person at the terminal; standard output belongs to the program that is started. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

let child;
let stopSignal;
const forwardedAt = new Map();

/** Once a stop was asked for: the exit code that says so. */
export const stopCode = () => (stopSignal === undefined ? undefined : 128 + constants.signals[stopSignal]);

/**
 * The child stays in our process group, so that a signal to the group reaches it even when we are killed first. Ctrl-C
 * therefore arrives there twice, once from the terminal and once from us, and npm adds a third; we pass on each
 * once a second, and the service counts what comes within a second as one. Not forwarding SIGINT would lose a plain `kill -INT` of this process.
 */
function forward(signal) {
  stopSignal ??= signal;
  if (Date.now() - (forwardedAt.get(signal) ?? 0) < 1_000) return;
  forwardedAt.set(signal, Date.now());
  child?.kill(signal);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // On Windows a console tells all its programs, and what looks like a signal to another process ends it at once.
  process.on(signal, () => (process.platform === 'win32' ? undefined : forward(signal)));
}

/**
 * A SIGTERM to npm ends npm and its shell, and the shell passes nothing on. Only under npm: a program that was started directly may
 * well outlive the terminal it was started in.
 */
const parent = process.ppid;
if (/\b(launch\.mjs|tillseal)\b/.test(process.env.npm_lifecycle_script ?? '')) {
  const watch = () => (process.ppid === parent && isAlive(parent) ? undefined : forward('SIGTERM'));
  setInterval(watch, 500).unref();
}

export function isAlive(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs a program to its end and resolves with its exit code, as a shell would give it. */
export function run(program, words, options) {
  if (stopSignal !== undefined) return Promise.resolve(stopCode());
  return new Promise((resolve, reject) => {
    child = spawn(program, words, options);
    options.onStart?.(child);
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/**
 * Receipts live for milliseconds. A young generation that holds all that are in flight lets them die there; the old one then
 * grows slowly, and is swept before it has doubled. Measured in docs/decisions/0010; benchmark and fuzzer read the same file.
 */
export const serviceFlags = (root) => JSON.parse(readFileSync(join(root, 'bin', 'service-flags.json'), 'utf8'));

export const serviceEnvironment = (root) => ({
  ...process.env,
  // Keeps what Node made of the sources: later starts are quicker and take 20 MB less.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compiled'),
  // glibc gives every thread its own memory to free into; two are enough, and take 10 MB less with 10,000 devices.
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
});
