/** The size of values as JSON, against JSON.stringify. */
import fc from 'fast-check';
import { cases } from '../../../test/support/properties';
import { EXPLODED_MS, processorMs } from '../../../test/support/processor-time';
import { excerpt, jsonSize, levelsOf, MAX_STATE_SIZE, rememberSize } from './json-size';

const repeated = <T>(value: T, times: number): T[] => Array.from({ length: times }, () => value);

it('is the length of the JSON, escapes included', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), (value) => {
      expect(jsonSize(value)).toBe(JSON.stringify(value).length);
    }),
    cases(2000),
  );
  for (const value of [
    -0,
    1e21,
    1.5,
    -17,
    NaN,
    Infinity,
    '\ud800',
    '"\n',
    [undefined],
    { a: undefined, b: 1 },
  ])
    expect(jsonSize(value)).toBe(JSON.stringify(value).length);
});

it('counts shared parts as often as they are written, also once it knows them', () => {
  const row = { id: 7, text: 'x'.repeat(600) };
  const page = repeated(row, 50);
  expect(jsonSize(page)).toBe(JSON.stringify(page).length);
  const book = { first: page, second: page, row };
  expect(jsonSize(book)).toBe(JSON.stringify(book).length);
  expect(jsonSize([book, page])).toBe(JSON.stringify([book, page]).length);
});

describe('a value that is huge as JSON', () => {
  const doubled = (times: number): unknown => {
    let value: unknown = [1];
    for (let index = 0; index < times; index++) value = [value, value];
    return value;
  };
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let index = 0; index < levels; index++) value = index % 2 ? [value] : { a: value };
    return value;
  };
  const different = (): string[] => Array.from({ length: 2000 }, (_, index) => 'x'.repeat(100_000 + index));

  it.each<[string, () => unknown]>([
    ['lists of lists of lists', () => repeated(repeated(repeated(1, 1000), 1000), 1000)],
    ['doubled sixty times', () => doubled(60)],
    ['doubled a thousand times', () => doubled(1000)],
    ['one long text, a million times', () => repeated(repeated('x'.repeat(100_000), 1000), 1000)],
    ['many long texts', different],
    [
      'long texts on every level',
      () => repeated('x'.repeat(1e6), 900).reduce<unknown>((sum, text) => [text, sum], 1),
    ],
    ['nested 100,000 levels deep', () => nested(100_000)],
  ])('%s: saturates, in no time', async (_, make) => {
    const value = make();
    const ms = await processorMs(() => expect(jsonSize(value)).toBe(MAX_STATE_SIZE));
    expect(ms).toBeLessThan(EXPLODED_MS);
    expect(jsonSize([value])).toBe(MAX_STATE_SIZE);
  });

  it('includes what is nested too deeply only together with what is around it', () => {
    const inner = [nested(700), 'x'.repeat(1000)];
    expect(jsonSize(inner)).toBe(JSON.stringify(inner).length);
    let outer: unknown = inner;
    for (let index = 0; index < 400; index++) outer = [outer];
    expect(jsonSize(outer)).toBe(MAX_STATE_SIZE);
  });
});

it('is remembered: what is measured once, is measured again for nothing', async () => {
  const rows = Array.from({ length: 80_000 }, (_, id) => ({ id, name: `customer ${id}`, active: true }));
  jsonSize(rows);
  const ms = await processorMs(() => {
    for (let index = 0; index < 1000; index++) jsonSize({ rows });
  });
  expect(ms).toBeLessThan(EXPLODED_MS);
});

it('may be told for a container whose parts are known', () => {
  const list = repeated('x'.repeat(100), 10);
  const levels = levelsOf(list);
  const longer = [...list, 'y'];
  rememberSize(longer, jsonSize(list) + jsonSize(['y']) - 1, levels);
  expect(jsonSize(longer)).toBe(JSON.stringify(longer).length);
});

it('an excerpt of a value is short', () => {
  const bomb = repeated(repeated(repeated(1, 1000), 1000), 1000);
  expect(excerpt(bomb)).toBe(`a list of ${MAX_STATE_SIZE} characters or more`);
  expect(excerpt('x'.repeat(1e6)).length).toBeLessThan(300);
  expect(excerpt({ a: [1, 'b'] })).toBe('{"a":[1,"b"]}');
});
