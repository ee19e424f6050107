import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { without } from '../../../test/support/sandboxed';
import { call, run } from '../../../test/support/tool-call';
import { shell } from '../../kinds/shell/run';
import { levelOf } from './level';
import { programOf } from './programs';

const level = (asked: string | undefined, weakest: string | undefined): string =>
  levelOf(call('python', {}, { options: asked === undefined ? {} : { sandbox: asked } }), {
    NOETL_SANDBOX: weakest,
  });

test.each([
  [undefined, undefined, 'none'],
  [undefined, 'standard', 'standard'],
  ['strict', undefined, 'strict'],
  ['strict', 'standard', 'strict'],
  ['standard', 'standard', 'standard'],
  ['none', 'none', 'none'],
])('a task asks for %s, the worker requires %s: %s', (asked, weakest, expected) => {
  expect(level(asked, weakest)).toBe(expected);
});

test.each([
  ['none', 'standard', 'SANDBOX_REFUSED', 'nothing weaker than standard'],
  ['standard', 'strict', 'SANDBOX_REFUSED', 'nothing weaker than strict'],
  ['lax', undefined, 'SANDBOX_SETTING', 'spec.sandbox must be'],
  [
    undefined,
    'yes',
    'SANDBOX_SETTING',
    "NOETL_SANDBOX of the worker must be strict, standard or none, not 'yes'",
  ],
])('a task asks for %s, the worker requires %s: %s', (asked, weakest, code, message) => {
  expect(() => level(asked, weakest)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error,
  );
});

test('where the sandbox cannot be made, the command does not run', async () => {
  await without(['bwrap'], async () => {
    const outcome = await run(shell, { cmd: '/bin/echo ran' }, { options: { sandbox: 'standard' } });
    expect(outcome).toMatchObject({ status: 'error', result: null, error: { code: 'SANDBOX_UNAVAILABLE' } });
    expect(outcome.error!.message).toContain('bubblewrap is not installed');
  });
});

test('a folder of the PATH that cannot be looked at has no program', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-path-'));
  fs.symlinkSync(path.join(folder, 'loop'), path.join(folder, 'loop'));
  const env = { PATH: `${folder}/loop:${folder}/none:/usr/bin` };
  expect(path.isAbsolute(programOf('env', env))).toBe(true);
  expect(() => programOf('no-such-program', env)).toThrow('no-such-program is not installed');
  fs.rmSync(folder, { recursive: true });
});
