import fs from 'node:fs';
import path from 'node:path';
import { run } from '../../../test/support/tool-call';
import { registry } from '../../registry';
import { toolPackage } from './optional-package';

const MANIFEST = path.resolve(__dirname, '../../../package.json');
const { optionalDependencies } = JSON.parse(fs.readFileSync(MANIFEST, 'utf8')) as {
  optionalDependencies: Record<string, string>;
};

/** As Node says it of an import. */
const missing = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });

test('a package that is not there is named with the command that adds the tested version', async () => {
  const loading = toolPackage('snowflake', 'snowflake-sdk', () => Promise.reject(missing('snowflake-sdk')));
  await expect(loading).rejects.toMatchObject({
    outcome: {
      error: {
        code: 'PACKAGE_MISSING',
        message: expect.stringContaining(
          `npm install snowflake-sdk@${optionalDependencies['snowflake-sdk']} `,
        ) as string,
        retryable: false,
      },
    },
  });
});

test('what is broken otherwise is told as it is', async () => {
  const other = missing('left-pad');
  await expect(toolPackage('x', 'snowflake-sdk', () => Promise.reject(other))).rejects.toBe(other);
  const broken = new TypeError('snowflake-sdk is broken');
  await expect(toolPackage('x', 'snowflake-sdk', () => Promise.reject(broken))).rejects.toBe(broken);
});

test('a kind whose code needs a missing package fails its task, not its worker', async () => {
  jest.doMock('../../kinds/duckdb/run', () => {
    throw missing('@duckdb/node-api');
  });
  const { error } = await run(registry.get('duckdb')!, { query: 'select 1' });
  expect(error).toMatchObject({ code: 'PACKAGE_MISSING' });
});
