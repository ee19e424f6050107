import { paint } from './paint';
import { registeredText } from './register-text';

const REGISTERED = {
  file: 'load.yaml',
  status: 'registered' as const,
  path: 'jobs/load',
  version: 2,
  staged: false,
  catalog_id: '1',
  error: null,
  code: null,
  diagnostics: [],
  warnings: [],
};

test('a registered file is one line, and one for each schedule that will not start it', () => {
  expect(registeredText(REGISTERED, paint(false))).toBe('✓ jobs/load version 2 load.yaml');
  const warnings = ['schedule nightly will not start it: workload.region is required'];
  expect(registeredText({ ...REGISTERED, warnings }, paint(false)).split('\n')).toEqual([
    '✓ jobs/load version 2 load.yaml',
    '  warning: schedule nightly will not start it: workload.region is required',
  ]);
});
