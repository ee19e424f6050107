import { CodedError, docsOf, EnvironmentError, hasCode, isExplained } from '.';

test('an error is named after its class, and carries what it was given', () => {
  class Refused extends CodedError<'NO'> {}
  const error = new Refused('NO', 'not this one', {
    at: [3, 7],
    retryable: true,
    details: { id: '1' },
    cause: 1,
  });
  expect({ ...error, message: error.message, cause: error.cause }).toEqual({
    name: 'Refused',
    code: 'NO',
    message: 'not this one',
    hint: [],
    at: [3, 7],
    retryable: true,
    details: { id: '1' },
    cause: 1,
  });
});

test('without parts nothing is said, and the same fails again', () => {
  const error = new EnvironmentError('AWAY', 'the server is away', ['Start it.']);
  expect(error).toMatchObject({ hint: ['Start it.'], retryable: false, details: {} });
  expect([error.at, error.cause]).toEqual([undefined, undefined]);
});

test('a code belongs to errors of ours only', () => {
  const theirs = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  expect(hasCode(theirs, 'ENOENT')).toBe(false);
  expect(hasCode(new CodedError('B', ''), 'A', 'B')).toBe(true);
  expect(hasCode(new CodedError('B', ''), 'A')).toBe(false);
});

test('codes of ours are explained on a page; those that other systems and playbooks choose are not', () => {
  expect(docsOf('NT3003')).toMatch(/\/reference\/diagnostics\.md#nt3003$/);
  expect(docsOf('RULE_FAIL')).toMatch(/\/reference\/errors\.md#rule_fail$/);
  const all = ['NT3003', 'PY_LOST', 'HTTP_404', 'SQLSTATE_23505', 'EXIT_1', 'PY_ValueError', '<a>'];
  expect(all.filter(isExplained)).toEqual(['NT3003', 'PY_LOST']);
});
