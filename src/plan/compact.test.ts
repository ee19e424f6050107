import { CodedError, compact } from '.';

test('compact drops what is undefined and nothing else, in the order given', () => {
  const made = compact({ a: undefined, b: null, c: 0, d: '', e: false });
  expect(Object.entries(made)).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
    ['e', false],
  ]);
});

test('a coded error is named after its class', () => {
  class Refused extends CodedError<'NO'> {}
  const error = new Refused('NO', 'not this one', { cause: 1 });
  expect([error.name, error.code, error.message, error.cause]).toEqual(['Refused', 'NO', 'not this one', 1]);
});
