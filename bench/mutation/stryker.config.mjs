import path from 'node:path';

/**
 * Mutation testing of the pure engine, run manually (README.md beside this file) in slices, by run.mjs.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [process.env.MUTATE ?? 'src/engine/machine/**/*.ts', '!src/engine/machine/**/*.test.ts'],
  testRunner: 'mocha',
  appendPlugins: [path.join(import.meta.dirname, 'slice.mjs')],
  checkers: ['slice'],
  mochaOptions: {
    // In execution order: the recorded traces are fast and kill most. Without the properties over random plans,
    // because nearly every mutant would have to pass all of them.
    spec: [
      'src/engine/machine/traces.test.ts',
      'src/engine/machine/!(traces|properties|random-plans*|differential|lease).test.ts',
      'src/engine/machine/*/*.test.ts',
      'src/history/rerun/*.test.ts',
      // Joins and rules in playbooks of a few steps; its random ones are few here.
      'test/spec/oracle.test.ts',
    ],
    require: ['./bench/mutation/mocha-setup.cjs'],
  },
  // swc reads none; with a file, Stryker would need its own TypeScript to rewrite it.
  tsconfigFile: 'none',
  coverageAnalysis: 'perTest',
  // Mutants of constants, each of which runs every test in a fresh process and which take two thirds of the time.
  ignoreStatic: true,
  concurrency: 2,
  // The dry run's time includes measuring the coverage of each test, which a mutant's run does not.
  timeoutFactor: 0.5,
  timeoutMS: 5000,
  dryRunTimeoutMinutes: 10,
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
  reporters: ['notes', 'progress-append-only'],
};
