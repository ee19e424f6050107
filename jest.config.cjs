const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
    },
  ],
};
const common = {
  testEnvironment: 'node',
  testMatch: ['**/*.test.ts'],
  transform,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

/** Three levels: unit (beside the sources, milliseconds), integration (a real Temporal server), e2e (playbooks/*). */
module.exports = {
  testTimeout: 60_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      roots: ['<rootDir>/src', '<rootDir>/workflows', '<rootDir>/activities', '<rootDir>/test/spec'],
    },
    { ...common, displayName: 'integration', roots: ['<rootDir>/test/integration'] },
    { ...common, displayName: 'e2e', roots: ['<rootDir>/test/e2e'] },
  ],
};
