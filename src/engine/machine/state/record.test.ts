/** Records keyed by names that playbooks choose. */
import { defineMember, isEmpty, ownValue, placeAt, table } from './record';

it.each(['plain', '__proto__', 'constructor'])(
  'a key %s is an own key: written, read, listed, taken away',
  (key) => {
    const record: Record<string, number> = {};
    expect(ownValue(record, key)).toBeUndefined();
    defineMember(record, key, 1);
    defineMember(record, key, 2);
    expect([ownValue(record, key), Object.keys(record), JSON.stringify(record)]).toEqual([
      2,
      [key],
      `{"${key}":2}`,
    ]);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect([delete record[key], isEmpty(record)]).toEqual([true, true]);
  },
);

it('is empty when it has no key of its own', () => {
  expect([
    isEmpty({}),
    isEmpty(table()),
    isEmpty(Object.create({ inherited: 1 }) as Record<string, unknown>),
    isEmpty({ a: 0 }),
  ]).toEqual([true, true, true, false]);
});

it('a list has null where nothing was put yet, never a hole', () => {
  const list: (string | null)[] = [];
  placeAt(list, 2, 'c');
  placeAt(list, 0, 'a');
  placeAt(list, 3, null);
  expect(JSON.stringify(list)).toBe('["a",null,"c",null]');
});
