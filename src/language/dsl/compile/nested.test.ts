import { type Plan, type TaskPlan } from '../../plan';
import { compile } from '../compile';
import { type DiagnosticCode } from '../diagnostics/codes';
import { formatDiagnostics } from '../diagnostics/format';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: nested}\n';
const WORKLOAD = 'workload: {regions: [{name: eu, cities: [a, b]}]}\n';

function text(tool: string, executor = '', step = ''): string {
  const lines = tool.replace(/^\n/, '').trimEnd().split('\n');
  const body = lines.map((line) => `      ${line}`).join('\n');
  return `${HEAD}${executor}${WORKLOAD}workflow:\n  - step: start\n${step}    tool:\n${body}\n`;
}

function plan(source: string): Plan {
  const { plan: made, diagnostics } = compile(source);
  expect(formatDiagnostics(diagnostics, source)).toBe('');
  return made!;
}

function codes(source: string): DiagnosticCode[] {
  return compile(source).diagnostics.map((each) => each.code);
}

const OUTER = `    loop: {in: "{{ workload.regions }}", iterator: region}\n`;

describe('a loop inside of a pipeline', () => {
  test.each([
    ['loop', 'loop: {in: "{{ region.cities }}", iterator: city, spec: {mode: parallel, max_in_flight: 2}}'],
    ['its fields', 'in: "{{ region.cities }}"\n  iterator: city\n  spec: {mode: parallel, max_in_flight: 2}'],
  ])('is a task of kind iterator with %s and a body', (_, loop) => {
    const source = text(
      `
- name: cities
  kind: iterator
  ${loop}
  set: {iter.count: "{{ output.data | length }}"}
  tool:
    - {name: fetch, kind: http, url: "https://example.com/{{ region.name }}/{{ city }}/{{ iter.parent.region.name }}"}
    - {kind: noop}
`,
      '',
      OUTER,
    );
    const [task] = plan(source).steps[0]!.tasks as [TaskPlan];
    expect(task).toMatchObject({
      name: 'cities',
      kind: 'iterator',
      config: { const: {} },
      spec: { options: { const: {} } },
      loop: { iterator: 'city', mode: 'parallel', maxInFlight: { const: 2 }, exec: 'inline' },
      set: [{ scope: 'iter', path: ['count'] }],
      body: [
        { name: 'fetch', kind: 'http' },
        { name: 'cities_task_1', kind: 'noop' },
      ],
    });
    expect(task.unavailable).toBeUndefined();
  });

  test('is a task with `loop`: rules and retries stay with each item, writes follow the loop', () => {
    const source = text(`
- name: fetch
  kind: http
  url: "https://example.com/{{ n }}"
  input: {n: "{{ city }}"}
  loop: {in: "{{ workload.regions[0].cities }}", iterator: city}
  spec: {timeout: 5, policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: jump, to: fetch}}]}}
  set: {ctx.all: "{{ output.data }}"}
`);
    const [task] = plan(source).steps[0]!.tasks as [TaskPlan];
    expect(task).toMatchObject({ name: 'fetch', kind: 'iterator', set: [{ scope: 'ctx', path: ['all'] }] });
    expect(task.rules).toBeUndefined();
    expect(task.body).toMatchObject([
      {
        name: 'fetch_item',
        kind: 'http',
        set: [],
        rules: { rules: [{ move: { do: 'jump', to: 'fetch_item' } }] },
      },
    ]);
    expect(task.body![0]!.spec.timeout).toMatchObject({ total: { const: 5 } });
  });

  test('nests as deep as it is written, and inner templates see the items of all loops', () => {
    const source = text(
      `
- name: outer
  kind: iterator
  in: "{{ region.cities }}"
  iterator: city
  task:
    kind: iterator
    name: inner
    loop: {in: "{{ city.streets }}", iterator: street}
    tasks:
      - {name: note, kind: noop, input: {path: "{{ region.name }}/{{ city }}/{{ street }}/{{ iter.parent.parent.region }}"}}
`,
      '',
      OUTER,
    );
    const [outer] = plan(source).steps[0]!.tasks as [TaskPlan];
    expect(outer.body![0]!.body![0]!.name).toBe('note');
  });

  test('its item is unknown behind the loop', () => {
    const source = text(`
- {name: each, kind: iterator, in: [1, 2], iterator: number, tool: {kind: noop}}
- {name: after, kind: noop, input: {last: "{{ number }}"}}
`);
    expect(codes(source)).toContain('NT3012');
  });

  test('without a body, with two, or with a body that jumps out of it, is refused', () => {
    const of = (body: string): DiagnosticCode[] =>
      codes(
        text(
          `- {name: each, kind: iterator, in: [1, 2], iterator: number, ${body}}\n- {name: out, kind: noop}`,
        ),
      );
    expect(of('spec: {}')).toContain('NT2051');
    expect(of('tool: {kind: noop}, task: {kind: noop}')).toContain('NT2006');
    expect(
      of('tool: {kind: noop, spec: {policy: {rules: [{else: {then: {do: jump, to: out}}}]}}}'),
    ).toContain('NT3004');
    expect(of('tool: []')).toContain('NT2005');
    expect(of('tool: [{name: out, kind: noop}]')).toContain('NT3002');
  });

  test('iterations that all write one variable are told, as at a step', () => {
    const source = text(`
- name: each
  kind: iterator
  loop: {in: [1, 2], iterator: number, spec: {mode: parallel}}
  tool: {kind: noop, set: {ctx.last: "{{ number }}"}}
`);
    expect(codes(source)).toContain('NT3022');
  });
});

describe('kind wait', () => {
  test('filters events by a condition on the event, which stands beside its fields', () => {
    const [task] = plan(
      text(`{kind: wait, event: approved, timeout: 60, when: "{{ event.payload.by == 'ada' }}"}`),
    ).steps[0]!.tasks as [TaskPlan];
    expect(task.when!.source).toBe("{{ event.payload.by == 'ada' }}");
    expect(task.config).toEqual({ const: { event: 'approved', timeout: 60 } });
    expect(task.unavailable).toBeUndefined();
  });

  test('waits for exactly one thing', () => {
    expect(codes(text('{kind: wait, for: 5, event: approved}'))).toContain('NT2006');
    expect(codes(text('{kind: wait, timeout: 5}'))).toContain('NT2051');
  });
});

describe('kinds that the playbook declares', () => {
  const executor = (extensions: string): string => `executor: {spec: {extensions: ${extensions}}}\n`;

  test.each(['[quantum]', '{quantum: {}}'])('%s compile, and are not unavailable', (extensions) => {
    const [task] = plan(text('{kind: quantum, circuit: bell}', executor(extensions))).steps[0]!.tasks as [
      TaskPlan,
    ];
    expect(task).toMatchObject({ kind: 'quantum', config: { const: { circuit: 'bell' } } });
    expect(task.unavailable).toBeUndefined();
  });

  test('are checked as far as their fields are named', () => {
    const declared = executor('{quantum: {fields: [circuit, shots], required: [circuit]}}');
    expect(codes(text('{kind: quantum, circuit: bell, shots: 3}', declared))).toEqual([]);
    expect(codes(text('{kind: quantum, shots: 3}', declared))).toContain('NT2051');
    expect(codes(text('{kind: quantum, circuit: bell, shotz: 3}', declared))).toContain('NT2052');
  });

  test('that nobody declares stay unknown', () => {
    expect(codes(text('{kind: quantum}'))).toContain('NT2050');
    expect(codes(text('{kind: quantm}', executor('[quantum]')))).toContain('NT2050');
  });
});
