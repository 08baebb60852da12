import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** What starts services, browsers and tills, or waits for time to pass, comes first: the longest of it would otherwise run on alone when all else is done. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/(clients|proof|test|platform\/(database|http)|fdms\/gateway)\//.test(moduleId);
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer is no array
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Files with properties, which the proof tries with more random values. */
const PROPERTIES = globSync('src/**/*.test.ts').filter((file) => /property-runs/.test(readFileSync(file, 'utf8')));

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['src/**/*.test.ts', '{test,proof,clients,deploy}/**/*.test.ts'],
          provide: { isProof: false, isMutation: false },
        },
      },
      // Long, and rarely what a change breaks; CONTRIBUTING.md says what is in it.
      {
        extends: true,
        test: {
          name: 'proof',
          include: ['{test,proof,clients}/**/*.proof.ts', 'test/journeys/guide.test.ts', ...PROPERTIES],
          provide: { isProof: true, isMutation: false },
        },
      },
    ],
    globalSetup: ['test/support/global-setup.ts'],
    // Node reads TypeScript itself; nothing is mocked, which is what Vite would be needed for.
    experimental: { viteModuleRunner: false },
    // One database and one folder per test file keep them apart; loading the modules anew for each of 300 files takes longer
    // than running most of them.
    isolate: false,
    // Most files wait for processes, timers or a disk rather than for a core.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    // A busy machine takes its time; what is awaited comes at once on a quiet one.
    expect: { poll: { timeout: 50_000 } },
    hookTimeout: 180_000,
  },
});
