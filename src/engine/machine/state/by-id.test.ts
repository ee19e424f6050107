import fc from 'fast-check';
import { ById } from './by-id';

const ids = Array.from({ length: 30 }, (_, index) => `t${index}`);
const steps = fc.array(
  fc.record({ act: fc.constantFrom('set', 'set', 'delete', 'take', 'get'), id: fc.constantFrom(...ids) }),
  { maxLength: 120 },
);

describe('a table by id', () => {
  it('is a Map, with few entries and with many', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const table = new ById<number>({});
        const map = new Map<string, number>();
        for (const [position, { act, id }] of taken.entries()) {
          if (act === 'take') expect(table.take(id)).toBe(map.get(id));
          if (act === 'take' || act === 'delete') {
            table.delete(id);
            map.delete(id);
          }
          if (act === 'set') {
            table.set(id, position);
            map.set(id, position);
          }
          expect([table.get(id), table.has(id), table.size]).toEqual([map.get(id), map.has(id), map.size]);
        }
        expect([...table.keys()]).toEqual([...map.keys()]);
        expect([...table.values()]).toEqual([...map.values()]);
        expect(Object.entries(table.toRecord())).toEqual([...map]);
      }),
    );
  });

  it('holds a thousand as it holds one, and is empty again behind them', () => {
    const thousand = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`t${index}`, index]));
    const table = new ById(thousand);
    expect(table.toRecord()).toEqual(thousand);
    for (const id of Object.keys(thousand)) expect(table.take(id)).toBe(thousand[id]);
    table.set('late', 1);
    expect([table.size, table.toRecord()]).toEqual([1, { late: 1 }]);
  });

  it('keeps an own key for an id like __proto__', () => {
    const table = new ById<number>({});
    expect([table.get('__proto__'), table.has('constructor')]).toEqual([undefined, false]);
    table.set('__proto__', 1);
    expect(Object.entries(table.toRecord())).toEqual([['__proto__', 1]]);
  });
});
