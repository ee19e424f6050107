import { playbookOf, simulate } from '../../test/support/simulator';

const three = playbookOf(`
- step: start
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: b}]}
- step: b
  tool: {kind: python, input: {v: "{{ vars.v | default('unset') }}"}, code: "result = 1"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {seen: "{{ b.v }}"}}`);

describe('control', () => {
  it('merges the payload over the rendered workload, keys seeing the ones before them', () => {
    const run = simulate(
      playbookOf(
        `\n- step: start\n  tool: {kind: noop, input: {url: "{{ workload.url }}", deep: "{{ deep }}", id: "{{ execution_id }}"}}`,
        `workload:\n  host: h\n  url: "http://{{ workload.host }}/x"\n  deep: {a: 1, b: 2}`,
      ),
      { payload: { host: 'other', deep: { b: 3 } } },
    );
    expect(run.result).toEqual({ url: 'http://other/x', deep: { a: 1, b: 3 }, id: '123456789012345678' });
  });

  it('pause starts no new task until resume', () => {
    const run = simulate(three, { inject: { 1: [{ type: 'paused' }] } });
    expect(run.end).toBe('stuck');
    expect(run.calls).toHaveLength(1);
    const resumed = simulate(three, { inject: { 1: [{ type: 'paused' }, { type: 'resumed' }] } });
    expect(resumed.end).toBe('complete');
    expect(resumed.types).toEqual(expect.arrayContaining(['playbook.paused', 'playbook.resumed']));
  });

  it('cancel stops running tasks and ends as cancelled, with the reason', () => {
    const run = simulate(three, { inject: { 1: [{ type: 'cancelRequested', reason: 'enough' }] } });
    expect(run.end).toBe('cancelled');
    expect(run.state.status).toBe('cancelled');
    expect(run.events.find((event) => event.event_type === 'playbook.cancelled')!.payload).toEqual({
      reason: 'enough',
    });
  });

  it('variables set from outside are read as vars and ctx, and deleted again', () => {
    const set = simulate(three, { inject: { 1: [{ type: 'variablesSet', variables: { v: 42 } }] } });
    expect(set.result).toEqual({ seen: 42 });
    const deleted = simulate(three, {
      inject: {
        1: [
          { type: 'variablesSet', variables: { v: 42 } },
          { type: 'variablesDeleted', names: ['v'] },
        ],
      },
    });
    expect(deleted.result).toEqual({ seen: 'unset' });
  });

  it('emits every event type of S3 section 9 for a run with a loop', () => {
    const run = simulate(
      playbookOf(`
- step: start
  loop: {in: [1], iterator: n}
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop}`),
    );
    expect(run.types).toEqual(
      expect.arrayContaining([
        'playbook.execution.requested',
        'playbook.request.evaluated',
        'playbook.started',
        'workflow.started',
        'token.created',
        'token.enqueued',
        'token.claimed',
        'step.scheduled',
        'step.started',
        'loop.started',
        'loop.iteration.started',
        'task.started',
        'task.done',
        'loop.iteration.done',
        'loop.done',
        'step.done',
        'next.selected',
        'next.enqueued',
        'workflow.finished',
        'playbook.processed',
      ]),
    );
  });
});
