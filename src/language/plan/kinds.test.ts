import { startToClose, taskTimeout, timeoutOfKind } from './kinds';

const call = (config = {}, total?: number): Parameters<typeof taskTimeout>[0] => ({
  kind: 'http',
  config,
  timeout: { total },
});

test('the tool field wins over the spec, the spec over the default of the kind', () => {
  expect(taskTimeout(call())).toBe(timeoutOfKind('http'));
  expect(taskTimeout(call({}, 5))).toBe(5);
  expect(taskTimeout(call({ timeout: '7' }, 5))).toBe(7);
  expect(taskTimeout(call({ timeout: '2m' }, 5))).toBe(120);
  expect(taskTimeout(call({ timeout: 7, timeout_seconds: 8 }, 5))).toBe(8);
  expect(taskTimeout(call({ timeout: 'soon' }, 5))).toBe(5);
  expect(taskTimeout({ ...call(), kind: 'other' })).toBe(timeoutOfKind('other'));
});

test('the tool always gives up before Temporal does', () => {
  expect(startToClose(call({ timeout: 100 }))).toBe(120);
});
