const { ignored } = require('./test/support/nightly.cjs');

const swc = (parser) => [
  '@swc/jest',
  { jsc: { target: 'es2022', parser }, module: { type: 'commonjs' }, sourceMaps: true },
];
/** Packages that are or import ES modules: Node takes them as they are, jest has no modules of that sort. */
const ES_MODULES =
  '@kubernetes/client-node|@platformatic/(?:kafka|dynamic-buffer|wasm-utils)|scule|@noble/hashes|openid-client|oauth4webapi|jose|@opentelemetry/otlp-exporter-base';
const transform = {
  '^.+\\.ts$': swc({ syntax: 'typescript', decorators: true }),
  [`/node_modules/(${ES_MODULES})/.+\\.js$`]: swc({ syntax: 'ecmascript' }),
};
const common = {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  testMatch: ['**/*.test.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/patterns.cjs'],
  transform,
  transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES})/)`],
  testPathIgnorePatterns: ['/node_modules/', ...ignored],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // Commands load what they do on demand, by the name that it has in dist.
  moduleNameMapper: { '^(\\.{1,2}/.+)\\.js$': '$1' },
};

/** Three levels: unit (beside the sources, milliseconds), integration (a real Temporal server), e2e (playbooks/*). */
module.exports = {
  globalSetup: '<rootDir>/test/support/setup.cjs',
  // Means that it hangs, on a busy machine too.
  testTimeout: 120_000,
  // What runs at once in a file mostly waits.
  maxConcurrency: 16,
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  reporters: ['default', '<rootDir>/test/support/skipped-reporter.cjs'],
  projects: [
    {
      ...common,
      displayName: 'unit',
      setupFiles: ['<rootDir>/test/support/freeze.ts'],
      roots: [
        '<rootDir>/src',
        '<rootDir>/console',
        '<rootDir>/workflows',
        '<rootDir>/activities',
        '<rootDir>/test/spec',
      ],
    },
    { ...common, displayName: 'integration', roots: ['<rootDir>/test/integration'] },
    { ...common, displayName: 'e2e', roots: ['<rootDir>/test/e2e'] },
  ],
};
