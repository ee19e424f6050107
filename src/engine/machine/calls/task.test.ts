/** What a task is asked, and what happens to those that cannot be asked. */
import { handPlan, taskPlan, type TaskSketch } from '../../../../test/support/plans';
import { EXPLODED_MS } from '../../../../test/support/processor-time';
import { httpError, simulate, type Simulation } from '../../../../test/support/simulator';
import { type Json, type JsonObject, type Plan, type TaskPlan } from '../../../language/plan';

/** A plan of one step with one task, changed by hand. */
function one(task: TaskSketch, change: Partial<TaskPlan>): Plan {
  const plan = handPlan([{ name: 'start', tasks: [] }]);
  return { ...plan, steps: [{ ...plan.steps[0]!, tasks: [{ ...taskPlan(task), ...change }] }] };
}

const spec = { delivery: 'at_least_once', options: { const: {} } } as const;

describe('a task', () => {
  it('gets its time limits in seconds', () => {
    const timeout = { connect: { const: '1500ms' }, total: { const: 60 } };
    const run = simulate(one({ name: 'a' }, { spec: { ...spec, timeout } }));
    expect(run.calls[0]!.timeout).toEqual({ connect: 1.5, total: 60 });
  });

  it.each([0, -1, 'soon'])('with a time limit of %p fails as TIMEOUT_NUMBER before it runs', (total) => {
    const run = simulate(one({ name: 'a' }, { spec: { ...spec, timeout: { total: { const: total } } } }));
    expect([run.error!.code, run.calls]).toEqual(['TIMEOUT_NUMBER', []]);
    expect(run.error!.message).toMatch(/timeout\.total must be a number of seconds above 0/);
  });

  it.each<[string, Json]>([
    ['timeout', 0],
    ['timeout', -5],
    ['timeout_seconds', '0'],
    ['timeout', 'soon'],
    ['timeout_seconds', '-1m'],
    ['timeout', true],
  ])('whose own %s is %p fails as TIMEOUT_NUMBER before it runs', (field, value) => {
    for (const kind of ['http', 'playbook', 'of_an_extension']) {
      const run = simulate(one({ name: 'a', kind }, { config: { const: { path: 'x', [field]: value } } }));
      expect([kind, run.error!.code, run.calls]).toEqual([kind, 'TIMEOUT_NUMBER', []]);
      expect(run.error!.message).toMatch(`task a: ${field} must be a number of seconds above 0`);
    }
  });

  it.each<[string, JsonObject]>([
    ['no limit of its own', { timeout: null }],
    ['a duration', { timeout: '1m30s' }],
    ['something else that an extension calls so', { timeout: { idle: 0 } }],
  ])('may have %s', (_what, config) => {
    expect(simulate(one({ name: 'a' }, { config: { const: config } })).calls[0]!.config).toEqual(config);
  });

  it('that answers itself evaluates its input once: what its start says is what it comes to', () => {
    const input = { id: '{{ uuid() }}', pick: '{{ [1, 2, 3, 4, 5, 6, 7, 8, 9] | random }}' };
    const run = simulate(handPlan([{ name: 'start', tasks: [{ name: 'a', kind: 'noop', input }] }]));
    const started = run.events.find(({ event_type }) => event_type === 'task.started')!;
    expect(run.result).toEqual(started.payload['input']);
    expect(run.result).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
  });

  it('of a kind that no worker runs fails at once, naming it', () => {
    const run = simulate(one({ name: 'a', kind: 'quantum' }, { unavailable: true }));
    expect(run.error).toMatchObject({ code: 'KIND_UNAVAILABLE', task: 'a' });
    expect(run.error!.message).toMatch(/kind quantum/);
  });

  it('that reads `context` gets workload, ctx and the plain results so far, of the pipelines around it as well', () => {
    const deep: TaskPlan = { ...taskPlan({ name: 'deep' }), needsContext: true };
    const plan = handPlan([
      { name: 'before', tasks: [{ name: 'b' }], set: { 'ctx.c': 3 }, next: [{ step: 'start' }] },
      { name: 'start', tasks: [{ name: 'first' }, { name: 'inner', loop: { in: [1], as: 'n' }, body: [] }] },
    ]);
    const [before, start] = plan.steps as [Plan['steps'][0], Plan['steps'][0]];
    const [first, inner] = start.tasks as [TaskPlan, TaskPlan];
    const run = simulate(
      { ...plan, steps: [before, { ...start, tasks: [first, { ...inner, body: [deep] }] }] },
      { payload: { w: 1 }, mocks: { b: { from: 'before' }, first: { from: 'first' } } },
    );
    expect(run.calls.at(-1)!.context).toEqual({
      execution_id: '123456789012345678',
      workload: { w: 1 },
      ctx: { c: 3 },
      vars: { c: 3 },
      before: { from: 'before' },
      first: { from: 'first' },
    });
    expect(run.calls[0]!.context).toBeUndefined();
  });

  it('waits out a year of retries in no time', () => {
    const began = process.cpuUsage();
    const run: Simulation = simulate(
      handPlan([
        {
          name: 'start',
          tasks: [
            {
              name: 'a',
              rules: [{ when: "output.status == 'error'", do: 'retry', attempts: 8761, delay: 3600 }],
            },
          ],
        },
      ]),
      { mocks: { a: (call) => (call.attempt <= 8760 ? httpError(503) : { at: 'last' }) } },
    );
    expect([run.end, run.calls.length]).toEqual(['complete', 8761]);
    expect(Math.round(run.elapsed / 3_600_000)).toBe(365 * 24);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(EXPLODED_MS);
  });
});

describe('the inputs of a workbook task', () => {
  const book = `
workbook: [{name: greet, tool: {kind: noop, args: {text: "hi {{ city }} {{ args.city }}", city: nowhere}}}]
workflow:
- step: start
  tool: {kind: workbook, name: greet, args: {city: "{{ workload.home }}"}}
  next: two
- step: two
  loop: {in: [Rome], iterator: where}
  tool: {kind: workbook, name: greet, with: {city: "{{ where }}"}}
  next: [{step: end, args: {city: Bergen}}]
- step: end
  tool: {kind: workbook, name: greet}`;

  it('see what the call gives, which is computed in the scope of the caller', () => {
    const head =
      'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t, path: t}\nworkload: {home: Oslo}';
    const { state, result } = simulate(`${head}${book}`);
    expect(state.results['start']).toMatchObject({
      last: { outcome: { result: { text: 'hi Oslo Oslo', city: 'Oslo' } } },
    });
    expect(state.results['two']).toMatchObject({ results: [{ text: 'hi Rome Rome', city: 'Rome' }] });
    expect(result).toEqual({ text: 'hi Bergen Bergen', city: 'nowhere' });
  });
});
