import { looped } from '../../../../test/support/loops';
import { playbookOf, simulate } from '../../../../test/support/simulator';

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

  it.each([
    ['"load {{ workload.customer }}"', { customer: 'acme' }, 'load acme'],
    ['"{{ workload.n }}"', {}, '7'],
    ['plain', {}, 'plain'],
    ['"{{ workload.customer }}"', { customer: 'x\n'.repeat(300) }, `${'x '.repeat(99)}x…`],
    [
      '"{{ workload.customer }}"',
      { customer: `a\0b\ud800c${'😀'.repeat(300)}` },
      `a b c${'😀'.repeat(194)}…`,
    ],
    ['"{{ workload.nothing.deep }}"', {}, undefined],
    ['"{{ workload }}"', {}, undefined],
  ])('names the execution %s, if it can', (template, payload, name) => {
    const run = simulate(
      playbookOf(`\n- step: start\n  tool: {kind: noop}`, `workload: {customer: c, n: 7}`).replace(
        'path: test/test',
        `path: test/test, run_name: ${template}`,
      ),
      { payload },
    );
    const { payload: told } = run.events.find(({ event_type }) => event_type === 'playbook.started')!;
    expect([run.end, run.state.runName, told['run_name']]).toEqual(['complete', name, name]);
    expect((run.state.notes?.kept ?? []).map(({ code }) => code)).toEqual(name ? [] : ['RUN_UNNAMED']);
  });

  it('pause starts no new task until resume', () => {
    const run = simulate(three, { inject: { 1: [{ type: 'paused' }] } });
    expect(run.end).toBe('stuck');
    expect(run.calls).toHaveLength(1);
    const resumed = simulate(three, { inject: { 1: [{ type: 'paused' }, { type: 'resumed' }] } });
    expect(resumed.end).toBe('complete');
    expect(resumed.types).toEqual(expect.arrayContaining(['playbook.paused', 'playbook.resumed']));
  });

  it('a step that comes to its turn during a pause starts when that ends', () => {
    const at = (types: readonly string[], type: string): number => types.indexOf(type);
    const paused = simulate(three, { inject: { 1: [{ type: 'paused' }] } });
    expect(paused.events.filter(({ event_type }) => event_type === 'step.started')).toHaveLength(1);
    const messages = [{ after: 5000, input: { type: 'resumed' } as const }];
    const resumed = simulate(three, { inject: { 1: [{ type: 'paused' }] }, messages });
    expect([resumed.end, resumed.state.executed]).toEqual(['complete', ['start', 'b', 'end']]);
    const { types } = resumed;
    expect(types.lastIndexOf('token.claimed')).toBeGreaterThan(at(types, 'playbook.resumed'));
    expect(types.indexOf('step.started', at(types, 'step.done'))).toBeGreaterThan(
      at(types, 'playbook.resumed'),
    );
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

  it('steps, tasks and variables may carry the names of object members', () => {
    const run = simulate(
      playbookOf(
        `
- step: start
  tool: {kind: noop}
  set: {ctx.__proto__: {polluted: 1}, ctx.constructor: 3}
  next: {arcs: [{step: __proto__}]}
- step: __proto__
  tool: [{name: toString, kind: python, code: "result = 1"}, {name: valueOf, kind: python, code: "result = 2"}]
  next: {arcs: [{step: constructor}]}
- step: constructor
  loop: {in: [1, 2], iterator: hasOwnProperty}
  tool: {kind: python, input: {it: "{{ iter.hasOwnProperty }}"}, code: "result = 1"}`,
        'workload: {a: 1}',
      ),
      { payload: JSON.parse('{"__proto__": {"admin": true}}'), mocks: { valueOf: { n: 2 } }, persist: true },
    );
    expect(run.end).toBe('complete');
    expect(run.calls.map((call) => call.task_run_id)).toEqual([
      '__proto__#1.toString~1@1',
      '__proto__#1.valueOf~1@1',
      'constructor#1[0]~1@1',
      'constructor#1[1]~1@1',
    ]);
    expect(Object.keys(run.state.results)).toEqual(['start', '__proto__', 'constructor']);
    expect(Object.keys(run.state.ctx)).toEqual(['__proto__', 'constructor']);
    expect(run.result).toEqual(looped([{ it: 1 }, { it: 2 }]));
    expect(
      ({} as Record<string, unknown>)['polluted'] ?? ({} as Record<string, unknown>)['admin'],
    ).toBeUndefined();
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
