import { workerLog } from './log';

describe('the level of logs', () => {
  const before = process.env['NOETL_LOG_LEVEL'];
  afterEach(() => {
    if (before === undefined) delete process.env['NOETL_LOG_LEVEL'];
    else process.env['NOETL_LOG_LEVEL'] = before;
  });

  test.each([
    ['', 'error'],
    ['  ', 'error'],
    ['DEBUG', 'debug'],
    ['silent', 'silent'],
  ])('of NOETL_LOG_LEVEL=%j is %s', (setting, level) => {
    process.env['NOETL_LOG_LEVEL'] = setting;
    expect(workerLog('error').level).toBe(level);
  });

  test('that does not exist is refused, and names those that do', () => {
    process.env['NOETL_LOG_LEVEL'] = 'verbose';
    expect(() => workerLog()).toThrow(
      expect.objectContaining({
        code: 'LOG_LEVEL',
        hint: [expect.stringContaining('trace, debug, info, warn, error, fatal, silent')],
      }),
    );
  });
});
