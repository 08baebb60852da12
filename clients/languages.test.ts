import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lackingFor } from './languages.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-languages-'));
  vi.stubEnv('PATH', folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test.each([
  ['php', 'php', 'php 8.1 or newer with curl and pdo_sqlite'],
  ['python', 'python3', 'python3 3.9 or newer with sqlite3'],
] as const)('a %s that has a version but not what its outbox needs is lacking', async (language, program, lacking) => {
  expect(lackingFor(language)).toBe(lacking);
  await writeFile(join(folder, program), '#!/bin/sh\n[ "$1" = --version ]\n', { mode: 0o755 });
  expect(lackingFor(language)).toBe(lacking);
  await writeFile(join(folder, program), '#!/bin/sh\n');
  expect(lackingFor(language)).toBeUndefined();
});

test('the language of the service is always here', () => {
  expect(lackingFor('typescript')).toBeUndefined();
});
