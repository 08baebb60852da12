/** Run by proof/runs/mutation.ts, in the folder of the project; it says which files are mutated. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', './proof/mutation/messages.mjs'],
  vitest: { configFile: 'proof/mutation/vitest.config.ts' },
  ignorers: ['messages'],
  coverageAnalysis: 'perTest',
  // What runs once, when a module is loaded, would need a process of its own for each of its mutants.
  ignoreStatic: true,
  // A busy machine must not pass for a test that noticed.
  timeoutMS: 20_000,
  timeoutFactor: 2,
  dryRunTimeoutMinutes: 30,
  concurrency: 2,
  incremental: true,
  incrementalFile: 'reports/mutation/known.json',
  checkers: [],
  disableTypeChecks: false,
  // None: Stryker would read it with the compiler's old interface, which TypeScript 7 does not have.
  tsconfigFile: 'none.json',
  reporters: ['progress', 'json'],
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  ignorePatterns: [
    '/data',
    '/docs',
    '/web',
    '/proof/*',
    '!/proof/mutation',
    '/deploy',
    '/release',
    '/migrations',
    '/clients/{csharp,php,python}',
  ],
  allowEmpty: false,
};
