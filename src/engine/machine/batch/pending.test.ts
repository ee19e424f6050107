import { type Outcome } from '../../../language/plan';
import { planOf, playbookOf, START } from '../../../../test/support/simulator';
import { Machine } from '../machine';
import { type Applied } from './observer';
import { type Input } from './inputs';
import { type State } from '../state/state';

const yaml = (timeout: number): string =>
  playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["sleep 1"], spec: {timeout: {total: ${timeout}}}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {code: "{{ start.returncode }}"}}`);

const ID = 'start#1~1@1';
const ok: Outcome = { status: 'ok', result: { returncode: 0 }, error: null, meta: {} };

/** A machine whose one task runs, and which is asked for a fresh history. */
function draining(timeout: number): { machine: Machine; first: Applied; asked: Applied } {
  const machine = Machine.create(planOf(yaml(timeout)), '123456789012345678', START);
  const first = machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
  const asked = machine.apply({ at: START + 1, inputs: [], continueAsNewSuggested: true });
  return { machine, first, asked };
}

/** The same execution in its next Temporal run. */
function continued(
  { machine }: { machine: Machine },
  ...inputs: Input[]
): { machine: Machine; last: Applied } {
  const next = Machine.from(machine.plan, JSON.parse(JSON.stringify(machine.state)) as State);
  const last = next.apply({ at: START + 2, inputs: [{ type: 'continued' }, ...inputs] });
  return { machine: next, last };
}

const settled = (outcome: Outcome): Input => ({ type: 'taskSettled', taskRunId: ID, outcome });

describe('a task allowed to run longer than ten minutes', () => {
  it('is asked for as long, and no continuation as new waits for it; its outcome finds the next run', () => {
    const run = draining(3600);
    expect(run.first.commands).toMatchObject([{ type: 'runTask', long: true }]);
    expect(run.asked.commands).toEqual([{ type: 'continueAsNew' }]);
    const { machine, last } = continued(run, settled(ok));
    expect(last.commands).toEqual([{ type: 'complete', result: { code: 0 } }]);
    expect(machine.state).toMatchObject({ longTasks: {}, pending: {} });
  });

  it('is cancelled in the next run, which ends when it has settled', () => {
    const { machine, last } = continued(draining(3600), { type: 'cancelRequested', reason: 'enough' });
    expect(last.commands).toEqual([{ type: 'cancelTask', taskRunId: ID, long: true }]);
    const error = { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled', retryable: false } as const;
    const end = machine.apply({
      at: START + 3,
      inputs: [settled({ ...ok, status: 'error', result: null, error })],
    });
    expect(end.commands).toEqual([{ type: 'cancelled', reason: 'enough' }]);
  });

  it('is an ordinary task below the limit: the run waits for it', () => {
    const { first, asked, machine } = draining(600);
    expect(first.commands).not.toMatchObject([{ long: true }]);
    expect(asked.commands).toEqual([]);
    expect(Object.keys(machine.state.pending)).toHaveLength(1);
    expect(machine.state.longTasks).toEqual({});
  });

  it('that one batch both asks for and cancels is never asked for', () => {
    const machine = Machine.create(planOf(yaml(3600)), '123456789012345678', START);
    const inputs: Input[] = [{ type: 'started', payload: {} }, { type: 'paused' }];
    machine.apply({ at: START, inputs });
    const both: Input[] = [{ type: 'resumed' }, { type: 'cancelRequested' }];
    const { commands } = machine.apply({ at: START + 1, inputs: both });
    expect(commands.filter(({ type }) => type === 'runTask')).toEqual([]);
    expect(machine.state).toMatchObject({ status: 'cancelled', longTasks: {} });
  });
});
