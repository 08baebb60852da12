import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Language, missing } from '../../clients/languages.ts';
import { copyDemo } from '../../test/support/prepared-demo.ts';
import { type Report, runConformance } from './run.ts';

/** A short form of `npm run proof -- clients` with these languages. */
export function describeClients(languages: readonly Language[]): void {
  const skipped = languages.filter((language) => missing(language).length > 0).map(({ name }) => name);
  const line = skipped.length === 0 ? '' : `; skipped, because they are not on this machine: ${skipped.join(', ')}`;

  describe(`every sale is sealed once and in order, whatever is lost and killed${line}`, () => {
    let folder: string;
    let report: Report;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tillseal-clients-'));
      await copyDemo(join(folder, 'data'));
      report = await runConformance({
        folder,
        languages,
        seed: Date.now() % 1_000_000,
        tills: 3,
        salesPerTill: 5,
        killsPerTill: 1,
        drainMs: 2_000,
        offline: { sales: 20, kills: 1 },
        tillsAtOnce: 16,
        tell: () => {},
      });
    }, 300_000);
    afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

    test.each(languages.filter(({ name }) => !skipped.includes(name)))('$name', ({ name }) => {
      expect(report.faults.get(name)).toEqual([]);
      expect(report.sales.get(name)).toBeGreaterThan(0);
    });

    test('all languages together in one file', () => {
      expect(report.faults.get('together')).toEqual([]);
    });
  });
}
