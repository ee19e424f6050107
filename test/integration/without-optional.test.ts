/** An install without optional dependencies runs what is left, and says what is missing where it is needed. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CLI, ROOT, start } from '../support/process';

const HIDE = path.join(ROOT, 'test/support/hide-optional.cjs');
const { optionalDependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  optionalDependencies: Record<string, string>;
};

let data: string;
beforeAll(() => (data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-slim-'))));
afterAll(() => fs.rmSync(data, { recursive: true, force: true }));

async function cli(...args: string[]) {
  return start(process.execPath, [CLI, ...args], { NODE_OPTIONS: `--require ${HIDE}` }).finished;
}

test('playbooks are validated and rehearsed', async () => {
  expect((await cli('validate', 'playbooks/hello_world.yaml', 'playbooks/tools/snowflake.yaml')).code).toBe(
    0,
  );
  expect((await cli('test', 'playbooks/tools/duckdb.rehearsal.yaml')).code).toBe(0);
});

test('hello_world runs', async () => {
  const { code, stdout } = await cli('run', 'playbooks/hello_world.yaml', '--data', data);
  expect({ code, answer: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0 });
});

test('a kind whose package is missing fails with the command that adds it', async () => {
  const { code, stdout } = await cli('run', 'playbooks/tools/duckdb.yaml', '--data', data, '--json');
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
  expect({ code, error: error.code }).toEqual({ code: 1, error: 'PACKAGE_MISSING' });
  expect(error.message).toContain(`npm install @duckdb/node-api@${optionalDependencies['@duckdb/node-api']}`);
});
