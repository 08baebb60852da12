import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A mutant that a short file notices never comes to the long ones. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer is no array
    return (await super.sort(files)).toReversed();
  }
}

/** Only tests that need nothing but this process: they run thousands of times. */
export default defineConfig({
  test: {
    include: [
      'src/{kernel,verifier}/**/*.test.ts',
      'src/{fdms,fiscal,billpay,endpoints}/core/**/*.test.ts',
      'src/fiscal/signing/device-key.test.ts',
      'clients/typescript/test/{client,exact,outbox*}.test.ts',
    ],
    exclude: [...configDefaults.exclude, ...[process.env['TILLSEAL_MUTATION_WITHOUT'] ?? []].flat()],
    // As in vitest.config.ts: to load all modules anew for each mutant takes longer than to run its tests.
    isolate: false,
    sequence: { sequencer: ShortestFirst },
    provide: { isProof: false, isMutation: true },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
