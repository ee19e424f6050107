import { diffOf, rehearse } from '../../../test/support/rehearse';
import { playbookOf } from '../../../test/support/simulator';

const fetching = playbookOf(`
- step: start
  loop: {in: [a, b], iterator: it, spec: {mode: parallel}}
  tool:
    - name: fetch
      kind: http
      url: "https://x/{{ iter.it }}"
      spec: {policy: {rules: [
        {when: "{{ output.error.retryable }}", then: {do: retry, attempts: 3, delay: 1}},
        {when: "{{ output.status == 'error' }}", then: {do: fail}}]}}
    - name: keep
      kind: noop
      input: {kept: "{{ fetch.body }}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {all: "{{ start.results }}"}}`);

const pipeline = playbookOf(`
- step: start
  tool:
    - {name: a, kind: python, code: "result = 1", spec: {policy: {rules: [{else: {then: {do: continue}}}]}}}
    - {name: seen, kind: noop, input: {outcome: "{{ a.status }}", error: "{{ _prev }}", out: "{{ outcome | default('') }}"}}`);

describe('answers', () => {
  it('are used up in their order, and one with repeat stands for several calls', () => {
    expect(
      diffOf(
        fetching,
        `
mocks:
  "fetch[0]": [{status: 503, repeat: 2}, {body: A}]
  "fetch[1]": B
expect:
  result: {all: [{kept: A}, {kept: B}]}
  calls: {"fetch[0]": [{attempt: 1}, {attempt: 2}, {attempt: 3, at: 2s}], "fetch[1]": 1}`,
      ),
    ).toBe('');
  });

  it('of an iteration win over those of the task, those of step/task over those of the step', () => {
    const mocks = (more: string): string =>
      `mocks: {fetch: [X, X], ${more}}\nexpect: {result: {all: [{kept: Y}, {kept: X}]}}`;
    // One of the two for every task is left over.
    expect(diffOf(fetching, mocks('"start/fetch[0]": Y'))).toMatch(
      /^mocks\.fetch: mock `fetch` has 2 answers, 1 was used/,
    );
    expect(diffOf(fetching, mocks('"fetch[0]": Y').replace('[X, X]', 'X'))).toBe('');
    expect(diffOf(fetching, mocks('start: {body: Z, repeat: always}').replace('Y', 'X'))).toMatch(
      /^mocks\.start: mock `start` was never used\n {2}calls went to start\/fetch/,
    );
  });

  it('that are used up stop the rehearsal, and say so', () => {
    expect(diffOf(fetching, 'mocks: {fetch: A}')).toBe(
      [
        'mocks.fetch: call 2 (start/fetch[1]) has no answer: the mock has one',
        '  steps so far: start',
        '  config: {"url":"https://x/b"}',
        '  hint: add an answer, or `repeat: always` to the last one',
        '  at a.rehearsal.yaml:2:9, playbook a.yaml:10:13',
      ].join('\n'),
    );
  });

  it('that nobody asks for are a failure, as often as they say', () => {
    expect(diffOf(fetching, 'mocks: {fetch: [A, B, {body: C, repeat: 4}]}')).toBe(
      'mocks.fetch: mock `fetch` has 6 answers, 2 were used\n  at a.rehearsal.yaml:2:23, playbook a.yaml:10:13',
    );
    expect(diffOf(fetching, 'mocks: {fetch: [A, B, {body: C, repeat: always}]}')).toContain(
      'has more answers, 2 were used',
    );
    expect(diffOf(fetching, 'mocks: {fetch: [A, {body: B, repeat: always}]}')).toBe('');
    const counted = 'mocks: {fetch: [A, B, C]}\nexpect: {calls: {fetch: 2}}';
    expect(diffOf(fetching, counted)).toBe('');
  });

  it('of the root are shared by all rehearsals, which may leave them, and lie under their own', () => {
    const [one, two] = rehearse(
      fetching,
      `
playbook: ./a.yaml
mocks: {"fetch[0]": A, "fetch[1]": [B, B]}
rehearsals:
  - {name: one, expect: {result: {all: [{kept: A}, {kept: B}]}}}
  - {name: two, mocks: {"fetch[0]": C}, expect: {result: {all: [{kept: C}, {kept: B}]}}}`,
    );
    expect([one!.problems, two!.problems]).toEqual([[], []]);
  });

  it('take their simulated time', () => {
    expect(
      diffOf(
        fetching,
        'mocks: {"fetch[0]": {body: A, duration: 1m}, "fetch[1]": {body: B, duration: 90s}}\nexpect: {elapsed: 1m30s}',
      ),
    ).toBe('');
  });
});

describe('a task without a mock', () => {
  it('stops the rehearsal, naming the mock to write and those never used', () => {
    expect(diffOf(fetching, 'unmocked: fail')).toContain('mocks: no mock answers start/fetch[0] (kind http)');
    expect(diffOf(fetching, 'unmocked: fail')).toContain(
      'hint: add a mock `start/fetch`, a default for kind http',
    );
    expect(diffOf(fetching, 'mocks: {"fetch[7]": A}')).toContain('hint: never used so far: `fetch[7]`');
  });

  it('is done with null, where the file says so', () => {
    expect(diffOf(fetching, 'unmocked: null\nexpect: {calls: {fetch: 2}}')).toBe('');
  });

  it('is answered by the default of its kind, however often', () => {
    expect(
      diffOf(fetching, 'defaults: {http: {body: D}}\nexpect: {result: {all: [{kept: D}, {kept: D}]}}'),
    ).toBe('');
  });
});

describe('what a mock says, and what the playbook sees', () => {
  const see = (kind: string, fields: string): string =>
    playbookOf(`
- step: start
  tool:
    name: a
    kind: ${kind}
    ${fields}
    spec: {policy: {rules: [{else: {then: {do: break, set_ctx: {
      status: "{{ outcome.status }}", result: "{{ outcome.result }}", error: "{{ outcome.error }}",
      http: "{{ outcome.http }}", pg: "{{ outcome.pg }}", py: "{{ outcome.py }}"}}}}]}}`);
  const http = see('http', 'url: https://x');
  const sql = see('postgres', 'command: select 1');
  const shell = see('shell', 'cmds: [make]');
  const python = see('python', 'code: result = 1');

  it.each([
    [
      'a value, of an http task the body',
      http,
      '{hits: 3}',
      '{status: ok, result: {status_code: 200, data: {hits: 3}, url: "https://x"}}',
    ],
    [
      'a response',
      http,
      '{status: 201, headers: {ETag: a}, body: {id: 1}, duration: 20ms}',
      '{status: ok, result: {status_code: 201, headers: {etag: a}, data: {id: 1}, elapsed_ms: 20}, http: {status: 201}}',
    ],
    [
      'a response that is an error',
      http,
      '{status: 429, headers: {Retry-After: "7"}, body: slow}',
      '{status: error, result: {data: slow}, error: {kind: rate_limit, code: HTTP_429, status: 429, retryable: true, retry_after: 7}, http: {status: 429}}',
    ],
    [
      'no response',
      http,
      '{error: timeout}',
      '{status: error, error: {kind: timeout, code: TIMEOUT, retryable: true}}',
    ],
    [
      'an error of a status',
      http,
      '{error: {status: 404, message: gone}}',
      '{status: error, error: {kind: not_found, code: HTTP_404, message: gone, status_code: 404, retryable: false}, http: {status: 404}}',
    ],
    [
      'rows',
      sql,
      '{rows: [{a: 1, b: 2}]}',
      '{status: ok, result: {rows: [{a: 1, b: 2}], row_count: 1, columns: [a, b]}, pg: {code: null}}',
    ],
    ['a list of rows', sql, '[[{a: 1}]]', '{status: ok, result: {rows: [{a: 1}]}}'],
    [
      'a deadlock',
      sql,
      '{error: {sqlstate: "40P01"}}',
      '{status: error, error: {kind: sql, code: SQLSTATE_40P01, retryable: true}, pg: {code: 40P01, sqlstate: 40P01}}',
    ],
    ['a constraint', sql, '{error: {sqlstate: "23505"}}', '{status: error, error: {retryable: false}}'],
    [
      'what a command prints',
      shell,
      '"hello\\n"',
      '{status: ok, result: {stdout: "hello\\n", exit_code: 0, returncode: 0}}',
    ],
    [
      'an exit code',
      shell,
      '{exit_code: 2, stderr: oops}',
      '{status: error, result: {stderr: oops}, error: {kind: exception, code: EXIT_2}}',
    ],
    [
      'any value of Python',
      python,
      '{rows: 1, status: x, body: [2]}',
      '{status: ok, result: {rows: 1, status: x, body: [2]}}',
    ],
    [
      'a value with words of ours',
      python,
      '{result: {error: none, repeat: 2}}',
      '{status: ok, result: {error: none, repeat: 2}}',
    ],
    [
      'an exception',
      python,
      '{error: {exception_type: KeyError, message: "no a"}}',
      '{status: error, error: {kind: exception, code: PY_KeyError, message: no a}, py: {exception_type: KeyError}}',
    ],
    [
      'a message',
      python,
      '{error: it broke}',
      '{status: error, error: {kind: exception, code: EXCEPTION, message: it broke, retryable: false}}',
    ],
  ])('%s', (_, playbook, answer, seen) => {
    expect(diffOf(playbook, `mocks: {a: ${answer}}\nexpect: {ctx_includes: ${seen}}`)).toBe('');
  });

  it('a failure goes by the rules of the task', () => {
    expect(
      diffOf(
        pipeline,
        'mocks: {a: {error: timeout}}\nexpect: {result: {outcome: error, error: null, out: ""}}',
      ),
    ).toBe('');
  });
});
