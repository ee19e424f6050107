import { z } from 'zod';
import { parsed } from './parsed';

const schema = z.looseObject({});

test.each([
  { path: { toString: 1 } },
  { list: [{ valueOf: 1, toString: null }] },
  { list: [[{ toString: 1 }]] },
])('%j is read as any other value', (given) => {
  expect(parsed(schema, given, 'body.executions.0')).toEqual(given);
});

test.each([{ path: 'a\0b' }, { list: ['a', '\0'] }])('a text with NUL is refused', (given) => {
  expect(() => parsed(schema, given, 'body.executions.0')).toThrow(expect.objectContaining({ status: 422 }));
});
