import { handPlan } from '../../../../test/support/plans';
import { START } from '../../../../test/support/simulator';
import { atRest, atWork } from './live-state';
import { Machine } from '../machine';
import { PlanIndex } from './plan-index';
import { type State } from './state';

const plan = handPlan([
  { name: 'start', tasks: [{ name: 'a' }], next: [{ step: 'end' }] },
  { name: 'end', tasks: [{ name: 'b' }] },
]);

/** In the middle of its second step, with work left over. */
function busy(): State {
  const machine = Machine.create(plan, '123456789012345678', START);
  machine.apply({ at: START, inputs: [{ type: 'started', payload: { a: 1 } }] });
  const outcome = { status: 'ok', result: 1, error: null, meta: {} } as const;
  machine.apply({ at: START + 1, inputs: [{ type: 'taskSettled', taskRunId: 'start#1.a~1@1', outcome }] });
  return { ...machine.state, work: [{ op: 'task', frame: 'end#1' }] };
}

describe('a state at work', () => {
  it('is the same JSON when it comes to rest', () => {
    const state = busy();
    expect(state).toMatchObject({ pending: { 'end#1.b~1@1': 'end#1' }, runCounts: { start: 1, end: 1 } });
    const text = JSON.stringify(state);
    const again = atRest(atWork(JSON.parse(text) as State, new PlanIndex(plan)));
    expect(JSON.stringify(again)).toBe(text);
  });

  it('comes to rest in a record of its own, which the machine does not change', () => {
    const live = atWork(busy(), new PlanIndex(plan));
    const before = atRest(live);
    const text = JSON.stringify(before);
    live.tokens.set('t9', { id: 't9', step: 'end', args: {}, forks: [], state: 'queued', parent: null });
    live.runCounts.set('end', 5);
    live.work.shift();
    expect(JSON.stringify(before)).toBe(text);
    expect(atRest(live)).not.toEqual(before);
  });
});
