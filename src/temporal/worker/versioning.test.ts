import { deploymentOptions } from './versioning';

test('without a build id workers have no versions', () => {
  expect(deploymentOptions({}, {})).toBeUndefined();
  expect(
    deploymentOptions({}, { NOETL_BUILD_ID: '', NOETL_DEPLOYMENT: 'x', NOETL_VERSIONING: '' }),
  ).toBeUndefined();
});

test('options win over the environment, which wins over the defaults', () => {
  expect(deploymentOptions({ buildId: '7' }, {})).toEqual({
    version: { deploymentName: 'noetl', buildId: '7' },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  });
  const env = { NOETL_BUILD_ID: '8', NOETL_DEPLOYMENT: 'prod', NOETL_VERSIONING: 'pinned' };
  expect(deploymentOptions({}, env)).toMatchObject({
    version: { deploymentName: 'prod', buildId: '8' },
    defaultVersioningBehavior: 'PINNED',
  });
  expect(
    deploymentOptions({ buildId: '9', deployment: 'test', behavior: 'auto-upgrade' }, env),
  ).toMatchObject({
    version: { deploymentName: 'test', buildId: '9' },
    defaultVersioningBehavior: 'AUTO_UPGRADE',
  });
});

test.each([
  [{ behavior: 'pinned' }, 'versioning pinned needs a build id'],
  [{ behavior: 'sticky', buildId: '1' }, 'there is no versioning sticky'],
])('%j: %s', (given, message) => {
  expect(() => deploymentOptions(given, {})).toThrow(message);
});
