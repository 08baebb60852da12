import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const LOGGER = join(import.meta.dirname, 'logger.ts');
/** A device of Linux that answers every write as a full disk does. */
const FULL = '/dev/full';

const read = (output: Readable | null) => (output === null ? Promise.resolve('') : text(output));

/** A program that logs, to standard output, and tells its progress on standard error. */
function start(program: string, output: 'pipe' | number) {
  const words = ['--input-type=module', '-e', `import { createLogger } from ${JSON.stringify(LOGGER)};\n${program}`];
  const child = spawn(process.execPath, words, { stdio: ['ignore', output, 'pipe'] });
  return { child, ended: once(child, 'close'), stderr: read(child.stderr) };
}

test.skipIf(!existsSync(FULL))('a process whose log has no room goes on, and ends when it wants to', async () => {
  const output = await open(FULL, 'w');
  const program = `const log = createLogger('info');
    for (let count = 0; count < 50_000; count += 1) log.info({ count }, 'a line');
    setTimeout(() => { log.info({}, 'another'); console.error('at work'); process.exit(7); }, 1200);`;
  const { ended, stderr } = start(program, output.fd);
  expect(await ended).toEqual([7, null]);
  expect(await stderr).toBe('at work\n');
  await output.close();
});

test('every line arrives once and in order, the last before the end included', async () => {
  // A pipe takes all of it: of more, somebody who reads late gets only a part when the process ends.
  const program = `const log = createLogger('info');
    for (let count = 0; count < 1000; count += 1) log.info({ count }, 'a line — with a dash');
    setTimeout(() => { log.info({ count: 1000 }, 'the last'); process.exit(0); }, 100);`;
  const { child, ended } = start(program, 'pipe');
  const written = read(child.stdout);
  await ended;
  const counts = (await written)
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { count: number }).count);
  expect(counts).toEqual(Array.from({ length: 1001 }, (_, count) => count));
});
