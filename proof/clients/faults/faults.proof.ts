import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LANGUAGES, missing } from '../../../clients/languages.ts';
import { copyDemo } from '../../../test/support/prepared-demo.ts';
import { runFaults } from './run.ts';
import type { Proof } from './till.ts';

describe('every sale is sealed once and in order, whatever disks, users, clocks and operators do', () => {
  let folder: string;
  let proofs: Map<string, Proof[]>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillseal-faults-'));
    await copyDemo(join(folder, 'data'));
    proofs = await runFaults({ folder, languages: LANGUAGES, diskFaults: 8, tell: () => {} });
  }, 1_200_000);
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

  test.each(LANGUAGES.filter((language) => missing(language).length === 0))('$name', ({ name }) => {
    expect(proofs.get(name)?.length).toBe(7);
    expect(proofs.get(name)?.flatMap(({ faults }) => faults)).toEqual([]);
  });
});
