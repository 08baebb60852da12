import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { letHelpersStepBack } from './helper-threads.ts';

test.runIf(process.platform === 'linux')('the threads that help V8 run behind all others', () => {
  const own = getPriority();
  const threads = readdirSync('/proc/self/task').map((id) => ({
    id: Number(id),
    name: readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim(),
  }));
  const helpers = threads.filter(({ name }) => name === 'V8Worker');
  // Other tests of this process may have left a thread that stepped back.
  const others = threads.filter(({ name }) => name !== 'V8Worker').map(({ id }) => ({ id, before: getPriority(id) }));
  expect(letHelpersStepBack()).toBe(helpers.length);
  expect(helpers.length).toBeGreaterThan(0);
  for (const { id } of helpers) expect(getPriority(id)).toBe(Math.min(19, own + 10));
  for (const { id, before } of others) expect(getPriority(id)).toBe(before);
  // Once more changes nothing: it counts from the process, not from where they are.
  letHelpersStepBack();
  for (const { id } of helpers) expect(getPriority(id)).toBe(Math.min(19, own + 10));
});

test('where priorities must not be changed the service starts all the same', () => {
  const forbidden = () => {
    throw new Error('EACCES: permission denied, setpriority');
  };
  expect(letHelpersStepBack(forbidden)).toBe(0);
});
