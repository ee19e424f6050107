/**
 * Mutation testing of the pure engine, run by hand (README.md beside this file).
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: ['src/engine/**/*.ts', '!src/engine/**/*.test.ts'],
  testRunner: 'mocha',
  mochaOptions: {
    // Not the properties over random plans: nearly every mutant would have to pass all of them.
    spec: ['src/engine/**/!(properties|random-plans).test.ts', 'src/history/rerun/*.test.ts'],
    require: ['./bench/mutation/mocha-setup.cjs'],
  },
  // swc reads none; named, Stryker would want a TypeScript of its own to rewrite it.
  tsconfigFile: 'none',
  coverageAnalysis: 'perTest',
  concurrency: 1,
  timeoutMS: 10000,
  dryRunTimeoutMinutes: 10,
  incremental: true,
  incrementalFile: 'coverage/mutation/incremental.json',
  tempDirName: 'coverage/mutation/sandbox',
  ignorePatterns: [
    '/dist',
    '/coverage',
    '/docs',
    '/docker',
    '/test/histories',
    '/test/stored-values',
    '/test/e2e',
    '/test/integration',
    '/playbooks',
    '/.noetl',
  ],
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'coverage/mutation/report.json' },
};
