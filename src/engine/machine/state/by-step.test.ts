import { handPlan } from '../../../../test/support/plans';
import { ByStep } from './by-step';
import { PlanIndex } from './plan-index';

const NAMES = ['start', 'constructor', '__proto__', 'last'];
const index = (): PlanIndex => new PlanIndex(handPlan(NAMES.map((name) => ({ name, tasks: [] }))));

describe('a table by step', () => {
  it('has what was set, whatever the name, in the order in which steps got their first value', () => {
    const table = new ByStep<number>(index(), {});
    expect(NAMES.filter((name) => table.has(name))).toEqual([]);
    for (const [value, name] of ['last', '__proto__', 'start', 'last'].entries()) table.set(name, value);
    expect(NAMES.map((name) => table.get(name))).toEqual([2, undefined, 1, 3]);
    expect(table.names()).toEqual(['last', '__proto__', 'start']);
    expect(Object.entries(table.toRecord())).toEqual([
      ['last', 3],
      ['__proto__', 1],
      ['start', 2],
    ]);
  });

  it('keeps what it was given of steps that the plan does not have', () => {
    const table = new ByStep(index(), { gone: 1, start: 2 });
    table.set('gone', 3);
    expect([table.get('gone'), table.has('gone'), table.get('never')]).toEqual([3, true, undefined]);
    expect(table.toRecord()).toEqual({ gone: 3, start: 2 });
  });
});

describe('steps of a plan by name', () => {
  it('are found in whatever order they are asked for', () => {
    const sought = index();
    const there = NAMES.flatMap((name) => [...NAMES, name]);
    for (const name of [...there, ...there.reverse()]) {
      expect(sought.positionOf(name)).toBe(NAMES.indexOf(name));
      expect(sought.step(name).name).toBe(name);
    }
    expect(sought.positionOf('toString')).toBeUndefined();
  });
});
