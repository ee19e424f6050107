import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Code that Temporal replays, and the pure core: no clock, no randomness, no I/O (docs/design/architecture.md). */
const deterministic = {
  'no-restricted-globals': [
    'error',
    { name: 'Date', message: 'The only clock of the engine is the batch time.' },
    { name: 'setTimeout', message: 'Use a startTimer command.' },
    { name: 'setInterval', message: 'Use a startTimer command.' },
    { name: 'process', message: 'No process in replayed code.' },
    { name: 'fetch', message: 'No I/O in replayed code.' },
    { name: 'crypto', message: 'Randomness comes from the engine state.' },
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Math', property: 'random', message: 'Randomness comes from the engine state.' },
  ],
};

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', 'test/histories/**'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      // The compiler says it: noUnusedLocals, noUnusedParameters.
      '@typescript-eslint/no-unused-vars': 'off',
      'no-constant-condition': ['error', { checkLoops: false }],
      'no-control-regex': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always'],
    },
  },
  {
    files: ['src/**/*.ts', 'workflows/**/*.ts', 'activities/**/*.ts'],
    ignores: ['**/*.test.ts'],
    // Types are looked up only where a rule asks for them: it is half of what linting costs.
    languageOptions: {
      parserOptions: { project: 'tsconfig.build.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      // What is above these limits stands in eslint-suppressions.json, file by file, and may only shrink.
      complexity: ['error', 15],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
    },
  },
  {
    // Markup is long; what is decided in it is not.
    files: ['console/**/*.ts', 'console/**/*.tsx'],
    languageOptions: {
      parserOptions: { project: 'console/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      complexity: ['error', 15],
      'max-lines-per-function': ['error', { max: 90, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
    },
  },
  {
    files: ['src/engine/**/*.ts', 'src/plan/**/*.ts', 'src/template/**/*.ts', 'workflows/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: deterministic,
  },
  {
    // A union that grows is answered everywhere: an input, command or move that nobody handles does not compile.
    files: ['src/engine/**/*.ts', 'src/plan/**/*.ts', 'workflows/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    // Temporal's sandbox makes Date deterministic: it is the start of the workflow task.
    files: ['workflows/**/*.ts'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'max-lines': 'off', '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    files: ['**/*.{mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        require: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        Buffer: 'readonly',
      },
    },
    rules: {
      '@typescript-eslint/no-require-imports': 'off',
      'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
);
