import { compile } from '../compile';
import { upgrade } from './upgrade';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t, path: t }\nworkflow:\n';

/** The workflow after the rewrite, without the head of the playbook. */
function workflow(text: string): string {
  return upgrade(HEAD + text).text.replace(HEAD, '');
}

describe('upgrade rewrites', () => {
  test.each<[string, string, string]>([
    [
      'args of steps and tools to input, and leaves comments and blank lines alone',
      `  - step: start # first
    args: { a: 1 }   # given

    tool:
      kind: python
      args:
        # the city
        b: 'x'
      code: |
        result = a
`,
      `  - step: start # first
    input: { a: 1 }   # given

    tool:
      kind: python
      input:
        # the city
        b: 'x'
      code: |
        result = a
`,
    ],
    [
      'set_ctx and set_iter to one set, the variables of the execution first',
      `  - step: start
    loop: { in: [1], iterator: item }
    tool:
      kind: noop
      set_iter:
        page: 1 # first
      # what counts
      set_ctx:
          "count": '{{ 1 }}'
`,
      `  - step: start
    loop: { in: [1], iterator: item }
    tool:
      kind: noop
      set:
        "ctx.count": '{{ 1 }}'
        iter.page: 1 # first
      # what counts
`,
    ],
    [
      'writes in brackets',
      `  - step: start
    tool:
      kind: noop
      spec:
        policy:
          rules:
            - else: { then: { do: continue, set_ctx: { a: 1 }, set: { ctx.b: 2 } } }
`,
      `  - step: start
    tool:
      kind: noop
      spec:
        policy:
          rules:
            - else: { then: { do: continue, set: { ctx.a: 1, ctx.b: 2 } } }
`,
    ],
    [
      'labelled tasks to named ones, program text included',
      `  - step: start
    tool:
      - fetch: # the page
          kind: python
          code: |
            if True:
              result = 1
      - store: { kind: noop }
`,
      `  - step: start
    tool:
      - name: fetch # the page
        kind: python
        code: |
          if True:
            result = 1
      - { name: store, kind: noop }
`,
    ],
    [
      'a structural next to arcs, a list of several to an inclusive router',
      `  - step: start
    next: # both
      - a # one
      - step: b
        args:
          x: 1
  - step: a
    next: end
  - step: b
    next: [end]
  - step: end
`,
      `  - step: start
    next: # both
      spec:
        mode: inclusive
      arcs:
        - step: a # one
        - step: b
          set:
            x: 1
  - step: a
    next:
      arcs:
        - step: end
  - step: b
    next:
      arcs:
        - step: end
  - step: end
`,
    ],
    [
      'the knobs of a loop into its spec',
      `  - step: start
    loop:
      in: [1]
      mode: async # at once
      iterator: item
      max_in_flight: 3
    tool: { kind: noop }
`,
      `  - step: start
    loop:
      in: [1]
      spec:
        mode: parallel # at once
        max_in_flight: 3
      iterator: item
    tool: { kind: noop }
`,
    ],
    [
      'outcomes in templates, whatever their quotes, and never in texts',
      `  - step: start
    desc: outcome.status is a word
    tool:
      kind: noop
      spec:
        policy:
          rules:
            - when: '{{ outcome.status == ''error'' and outcome.http.status in [500] }}'
              then: { do: retry, backoff: fixed }
            - when: "{{ outcome['result'].a == \\"outcome.status\\" }}"
              then: { do: continue, set_ctx: { all: "{{ outcome.result.a ~ outcome.result.b }}" } }
`,
      `  - step: start
    desc: outcome.status is a word
    tool:
      kind: noop
      spec:
        policy:
          rules:
            - when: '{{ output.status == ''error'' and output.http.status in [500] }}'
              then: { do: retry, backoff: none }
            - when: "{{ output['data'].a == \\"outcome.status\\" }}"
              then: { do: continue, set: { ctx.all: "{{ output.data.a ~ output.data.b }}" } }
`,
    ],
    [
      'the actions of else, beside or below it',
      `  - step: start
    tool:
      kind: noop
      spec:
        policy:
          rules:
            - when: "{{ output.status == 'error' }}"
              then: { do: fail }
            - else:
              then:
                do: continue
  - step: b
    tool:
      kind: noop
      spec: { policy: { rules: [{ else: { do: break } }] } }
`,
      `  - step: start
    tool:
      kind: noop
      spec:
        policy:
          rules:
            - when: "{{ output.status == 'error' }}"
              then: { do: fail }
            - else:
                then:
                  do: continue
  - step: b
    tool:
      kind: noop
      spec: { policy: { rules: [{ else: { then: { do: break } } }] } }
`,
    ],
    [
      'a case that only routes to guarded arcs, its remarks with it',
      `  - step: start
    tool: { kind: noop }
    case:
      # the good way
      - when: "{{ event.name == 'call.done' }}"
        then:
          next:
            - step: end # over
              args:
                x: 1
      - when: "{{ event.name == 'call.error' }}"
        then:
          - set: { failed: true }
          - next: end
  - step: end
`,
      `  - step: start
    tool: { kind: noop }
    next:
      arcs:
        # the good way
        # over
        - step: end
          when: "{{ event.name == 'call.done' }}"
          set:
            x: 1
        - step: end
          when: "{{ event.name == 'call.error' }}"
          set: { ctx.failed: true }
  - step: end
`,
    ],
    [
      'a retry mapping to rules of the tool',
      `  - step: start
    tool:
      kind: http
      url: http://x
    retry:
      max_attempts: 5
      initial_delay: 1.0
      backoff_multiplier: 2.0
      retry_when: "{{ status_code in [500, 503] }}"
    next: { step: end }
  - step: end
`,
      `  - step: start
    tool:
      kind: http
      url: http://x
      spec:
        policy:
          rules:
            - when: "{{ output.status_code in [500, 503] }}"
              then: { do: retry, attempts: 5, backoff: exponential, delay: 1.0 }
            - when: "{{ output.status == 'error' }}"
              then: { do: fail }
    next:
      arcs:
        - { step: end }
  - step: end
`,
    ],
  ])('%s', (_, before, after) => {
    expect(workflow(before)).toBe(after);
    expect(workflow(after)).toBe(after);
    const errors = compile(HEAD + after).diagnostics.filter((each) => each.severity === 'error');
    expect(errors).toEqual([]);
  });

  test('the header: the version by its name, name and path into metadata', () => {
    const { text } = upgrade(
      'apiVersion: noetl.io/v10\nkind: Playbook\nname: demo # mine\npath: a/demo\nworkflow: [{ step: start, next: end }]\n',
    );
    expect(text).toBe(
      'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata:\n  name: demo # mine\n  path: a/demo\nworkflow: [{ step: start, next: { arcs: [{ step: end }] } }]\n',
    );
  });

  test('a file with Windows line ends, which it keeps', () => {
    const before = `${HEAD}  - step: start\n    next: end\n  - step: end\n`.replaceAll('\n', '\r\n');
    const { text } = upgrade(before);
    expect(text).toContain('    next:\r\n      arcs:\r\n        - step: end\r\n');
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
  });
});

describe('upgrade leaves, and says so', () => {
  test('a case that stores, and its structural next', () => {
    const before = `${HEAD}  - step: start
    tool: { kind: noop }
    case:
      - when: "{{ event.name == 'call.done' }}"
        then: { sink: { tool: { kind: noop } } }
    next: end
  - step: end
`;
    const { text, rewrites, notes } = upgrade(before);
    expect([text, rewrites]).toEqual([before, 0]);
    expect(notes).toMatchObject([{ line: 7, column: 5, message: '`case` is not rewritten mechanically' }]);
  });

  test('a case rule that reads a name which arcs do not have', () => {
    const before = `${HEAD}  - step: start
    tool: { kind: noop }
    case:
      - when: "{{ result.ok }}"
        then: { next: [{ step: end }] }
  - step: end
`;
    expect(upgrade(before)).toMatchObject({ text: before, notes: [{ line: 7 }] });
  });

  test('rules of which a later one is asked earlier than one before it', () => {
    const rules = (...events: string[]): string => `${HEAD}  - step: start
    tool: { kind: http, url: "https://x" }
    case:
${events.map((event, i) => `      - when: "{{ event.name == '${event}' }}"\n        then: { next: [{ step: s${i} }] }\n`).join('')}  - step: s0
  - step: s1
`;
    const before = rules('step.exit', 'call.done');
    expect(upgrade(before)).toMatchObject({ text: before, notes: [{ line: 7 }] });
    expect(upgrade(rules('call.done', 'step.exit'))).toMatchObject({ rewrites: 1, notes: [] });
  });

  test('two spellings of inputs side by side, where the order decides', () => {
    const before = `${HEAD}  - step: start\n    tool: { kind: noop, args: { a: 1 }, with: { b: 2 } }\n`;
    expect(upgrade(before)).toMatchObject({ text: before, notes: [{ column: 25 }, { column: 41 }] });
  });

  test('an input that is itself called outcome', () => {
    const before = `${HEAD}  - step: start\n    tool: { kind: noop, input: { outcome: 1, b: "{{ outcome.status }}" } }\n`;
    expect(upgrade(before).text).toBe(before);
  });

  test.each([
    'step: outcome\n    tool: { kind: noop }\n  - step: b',
    'step: b\n    loop: { in: [1], iterator: outcome }',
    'step: b\n    tool: [{ name: outcome, kind: noop }, { outcome: { kind: noop } }]\n  - step: c',
  ])('what the author calls outcome: %s', (step) => {
    const before = `${HEAD}  - ${step}\n    tool: { kind: noop, input: { b: "{{ outcome.status }}" } }\n`;
    expect(upgrade(before).text).toContain('{{ outcome.status }}');
  });

  test('an input of an arc whose name means a scope to set', () => {
    const before = `${HEAD}  - step: start
    next:
      arcs:
        - step: end
          args: { ctx: 1 }
  - step: end
`;
    expect(upgrade(before)).toMatchObject({ text: before, notes: [{ line: 9, column: 11 }] });
  });

  test('refused constructs whose meaning only the author knows', () => {
    const { notes } = upgrade(
      `${HEAD}  - step: start\n    when: "{{ result.x }}"\n    tool: { kind: noop }\n`,
    );
    expect(notes).toMatchObject([{ line: 6, message: 'a step has no `when`' }]);
  });

  test.each(['', 'a: [', '- 1', 'workflow: 3', 'workflow: [1, {step: 2}]'])('no playbook: %j', (text) => {
    expect(upgrade(text)).toMatchObject({ text, rewrites: 0 });
  });
});
