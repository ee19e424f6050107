import fs from 'node:fs';
import path from 'node:path';
import { checkNumberSettings, numberSetting } from './number-settings';

test.each([
  ['1000', 1000],
  [' 7 ', 7],
  ['0', 0],
  ['1e3', 1000],
  ['', undefined],
  ['  ', undefined],
  [undefined, undefined],
])('NOETL_SCHEDULES=%j is %j', (text, value) => {
  expect(numberSetting('NOETL_SCHEDULES', { NOETL_SCHEDULES: text })).toBe(value);
});

test.each(['x', '1O', '-1', '1.5', 'Infinity', 'NaN', '10 MB', '1,000', '0x'])(
  'NOETL_SCHEDULES=%s is an error',
  (text) => {
    expect(() => checkNumberSettings({ NOETL_SCHEDULES: text })).toThrow(
      expect.objectContaining({
        code: 'SETTING_INVALID',
        message: `NOETL_SCHEDULES is "${text}", not a whole number of 0 or more`,
      }),
    );
  },
);

test('words count where they mean something, parts of a number where it may have some', () => {
  const env = { NOETL_TASK_LOGS: 'off', NOETL_CATALOG_MB: '0.5' };
  expect([numberSetting('NOETL_TASK_LOGS', env), numberSetting('NOETL_CATALOG_MB', env)]).toEqual([
    undefined,
    0.5,
  ]);
  expect(() => numberSetting('NOETL_SANDBOX_TMP_MB', { NOETL_SANDBOX_TMP_MB: 'off' })).toThrow(
    'not a number of 1 or more',
  );
});

test('no other code reads a number from the environment', () => {
  const files = ['src', 'activities', 'workflows'].flatMap((root) =>
    fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => path.join(root, file)),
  );
  const readers = files.filter(
    (file) =>
      /(?<!\.test)\.ts$/.test(file) &&
      /Number(\.parse\w+)?\((process\.)?env[.[]|parse(Int|Float)\((process\.)?env[.[]/.test(
        fs.readFileSync(file, 'utf8'),
      ),
  );
  expect(readers).toEqual([]);
});
