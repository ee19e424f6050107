import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../../test/support/until';
import { ToolError } from '../../framework/tool/outcome';
import { splitLibs, VirtualEnvironments } from './requirements';

test('requirements are told from aliases', () => {
  expect(splitLibs({ requirements: ['b==1', 'a', 'b==1'], j: 'json' })).toEqual({
    requirements: ['a', 'b==1'],
    libs: { j: 'json' },
  });
  expect(splitLibs({ requirements: '# all\nb>=1  # why\n\na==2\n' })).toEqual({
    requirements: ['a==2', 'b>=1'],
    libs: undefined,
  });
  expect(splitLibs({ requirements: 'yaml' })).toEqual({ requirements: [], libs: { requirements: 'yaml' } });
  expect(splitLibs(['json'])).toEqual({ requirements: [], libs: ['json'] });
  for (const wrong of ['--index-url=http://evil.test', 5]) {
    expect(() => splitLibs({ requirements: [wrong] })).toThrow(ToolError);
  }
});

test('nothing writes any more once it is closed, and nothing begins', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-venvs-'));
  const python = path.join(folder, 'python');
  const slow = `mkdir -p "$3"; touch ${folder}/begun; trap 'sleep 0.3; touch "$3/late"; exit 1' TERM; sleep 60 & wait`;
  fs.writeFileSync(python, `#!/bin/sh\n[ "$1" = -c ] && { echo "$0"; exit; }\n${slow}\n`, { mode: 0o755 });
  const root = path.join(folder, 'venvs');
  const all = new VirtualEnvironments({
    PATH: process.env['PATH'],
    NOETL_PYTHON: python,
    NOETL_PYTHON_VENVS: root,
  });
  const made = all.folderOf(['a']).catch((error: unknown) => error);
  await until(() => Promise.resolve(fs.existsSync(path.join(folder, 'begun'))));
  await all.close();
  expect(fs.readdirSync(root)).toEqual([]);
  expect(await made).toMatchObject({ code: 'REQUIREMENTS_FAILED' });
  await expect(all.folderOf(['b'])).rejects.toMatchObject({ code: 'REQUIREMENTS_FAILED' });
  expect(fs.readdirSync(root)).toEqual([]);
  fs.rmSync(folder, { recursive: true });
});

test.each([
  './here',
  'x @ file:///etc',
  'git+https://example.com/x',
  'x @ https://example.com/x.tar.gz',
  '/etc',
])('a sandboxed task installs nothing that would have to be built: %s', async (requirement) => {
  await expect(new VirtualEnvironments().folderOf([requirement], 'standard')).rejects.toMatchObject({
    code: 'INVALID_REQUIREMENTS',
    message: expect.stringContaining('not a package of the index') as string,
  });
});
