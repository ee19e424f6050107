/** Model checking: what is found in a plan, what is not, and that a finding's run can be repeated. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../../../language/dsl';
import { type Plan } from '../../../language/plan';
import { copyOf, FAULTS, seeded, soundPlaybook, textOf } from '../../../../test/support/control-flow-faults';
import { checkDeep, type DeepOptions, witnessOf } from '.';
import { explore } from './explore';

const PLAYBOOKS = path.resolve(__dirname, '../../../../playbooks');

function planOf(text: string): Plan {
  const { plan, diagnostics } = compile(text);
  if (!plan) throw new Error(JSON.stringify(diagnostics));
  return plan;
}

function playbook(workflow: string, workload = '{ limit: 3, rows: [1] }'): Plan {
  return planOf(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: x, path: x }\nworkload: ${workload}\nworkflow:\n${workflow}`,
  );
}

/** `CODE step` of everything but hints. */
function found(plan: Plan, options?: DeepOptions): string[] {
  const { findings } = checkDeep(plan, options);
  return findings.filter(({ severity }) => severity !== 'info').map(({ code, step }) => `${code} ${step}`);
}

const http = (step: string, rest: string): string =>
  `  - step: ${step}\n    tool: { kind: http, url: "https://example.com" }\n    ${rest}\n`;
const END = '  - step: end\n    tool: { kind: noop }\n';

test('guards on the same answer do not contradict each other', () => {
  const exclusive = (second: string): Plan =>
    playbook(
      http(
        'start',
        `next: { arcs: [{ step: a, when: "{{ start.n < 10 }}" }, { step: b, when: "{{ ${second} }}" }] }`,
      ) +
        http('a', 'next: { arcs: [{ step: end }] }') +
        http('b', 'next: { arcs: [{ step: end }] }') +
        END,
    );
  expect(found(exclusive('start.n >= 10'))).toEqual([]);
  expect(found(exclusive('start.n < 5'))).toEqual(['ARC_NEVER_TAKEN start']);
  expect(found(exclusive("start.n > 20 and start.n != 21 and start.kind in ['x', 'y']"))).toEqual([]);
  expect(found(exclusive("start.kind in ['x', 'y'] and start.kind == 'z'"))).toEqual([
    'ARC_NEVER_TAKEN start',
  ]);
});

test('a calculation may give anything, if no value near its constants fits', () => {
  const squared = (...guards: string[]): Plan =>
    playbook(
      http(
        'start',
        `next: { arcs: [${guards.map((one) => `{ step: a, when: "{{ ${one} }}" }, `).join('')}{ step: end }] }`,
      ) +
        http('a', 'next: { arcs: [{ step: end }] }') +
        END,
    );
  expect(found(squared('start.n * start.n == 1764'))).toEqual([]);
  expect(found(squared('start.n + 1 < 5', 'start.n + 1 < 3'))).toEqual(['ARC_NEVER_TAKEN start']);
});

test('an answer differs from the earlier one of the same task', () => {
  const changed = playbook(
    http(
      'start',
      `next: { arcs: [{ step: end, when: "{{ ctx.tag is defined and start.tag != ctx.tag }}" }, { step: start, set: { ctx.tag: "{{ start.tag }}" } }] }`,
    ) + END,
  );
  const { nodes } = explore(changed, { bound: 2, maxStates: 100 });
  const complete = nodes.filter(({ end }) => end === 'complete').map(({ state }) => state.executed);
  expect(complete).toContainEqual(['start', 'start', 'end']);
});

test('every kind of error can occur, also the one that a rule handles', () => {
  const rules = (when: string): Plan =>
    playbook(
      `  - step: start
    tool:
      kind: http
      url: https://example.com
      spec: { policy: { rules: [{ when: "${when}", then: { do: retry, attempts: 9 } }, { when: "{{ outcome.status == 'error' }}", then: { do: fail } }] } }
`,
    );
  expect(found(rules("{{ outcome.status == 'error' and outcome.http.status == 429 }}"))).toEqual([]);
  expect(
    found(
      rules("{{ outcome.status == 'error' and outcome.http.status == 429 and outcome.http.status > 500 }}"),
    ),
  ).toEqual(['RULE_NEVER_MATCHES start']);
});

test('a cycle with a counter ends, one without does not', () => {
  const cycle = (write: string): Plan =>
    playbook(
      http(
        'start',
        `set: { ctx.page: "{{ ${write} }}" }\n    next: { arcs: [{ step: start, when: "{{ ctx.page < 50 }}" }, { step: end }] }`,
      ) + END,
    );
  expect(found(cycle('(ctx.page | default(0)) + 1'))).toEqual([]);
  expect(found(cycle('1'))).toContain('CYCLE_WITHOUT_EXIT start');
});

test('waits: without a time limit, and for an event that cannot satisfy', () => {
  const wait = (more: string): Plan =>
    playbook(
      `  - step: start\n    tool: { kind: wait, event: go${more} }\n    next: { arcs: [{ step: end }] }\n${END}`,
    );
  expect(found(wait(''))).toEqual(['WAITS_FOR_OUTSIDE start']);
  expect(found(wait(''), { sent: new Set(['go']) })).toEqual([]);
  expect(found(wait(', timeout: 60'))).toEqual([]);
  expect(found(wait(', when: "{{ event.payload.n > 5 and event.payload.n < 2 }}"'))).toContain(
    'WAITS_FOR_EVER start',
  );
});

test('branches that use the same key of ctx', () => {
  const fork = (left: string, right: string, mode = 'inclusive'): Plan =>
    playbook(
      http(
        'start',
        `next: { spec: { mode: ${mode} }, arcs: [{ step: left, when: "{{ start.l }}" }, { step: right }] }`,
      ) +
        http('left', `set: { ${left} }\n    next: { arcs: [{ step: end }] }`) +
        http('right', `set: { ${right} }\n    next: { arcs: [{ step: end }] }`) +
        END,
    );
  const one = 'ctx.x: "{{ left.id }}"';
  expect(found(fork(one, 'ctx.x: "{{ right.id }}"'))).toEqual(['CTX_RACE left']);
  expect(found(fork(one, 'ctx.y: "{{ ctx.x }}"'))).toEqual(['CTX_RACE left']);
  expect(found(fork(one, 'ctx.y: "{{ right.id }}"'))).toEqual([]);
  expect(found(fork('ctx.x: 1', 'ctx.x: 1'))).toEqual([]);
  expect(found(fork(one, 'ctx.x: "{{ right.id }}"', 'exclusive'))).toEqual([]);
});

test('a failure after writes outside is a hint', () => {
  const plan = playbook(
    `  - step: start\n    tool: { kind: http, method: POST, url: "https://example.com" }\n    next: { arcs: [{ step: end }] }\n` +
      http('end', 'desc: last'),
  );
  expect(checkDeep(plan).findings).toMatchObject([
    { code: 'NOT_COMPENSATED', severity: 'info', step: 'end' },
  ]);
});

test('a failure after a payment is a warning, but not of what undoes it', () => {
  const paid = (second: string): Plan =>
    playbook(
      `  - step: start\n    tool: { kind: http, method: POST, url: "https://pay.example.com/charges" }\n    next: { arcs: [{ step: ${second} }] }\n` +
        http(second, 'desc: last'),
    );
  expect([found(paid('ship')), found(paid('refund'))]).toEqual([['NOT_COMPENSATED ship'], []]);
});

test('it says what it did not cover', () => {
  const plan = playbook(
    `  - step: start\n    loop: { in: [1, 2, 3], iterator: i }\n    tool: { kind: http, url: "https://example.com" }\n`,
  );
  expect(checkDeep(plan).assumed).toContain('loops have at most 2 items');
  const cut = checkDeep(plan, { maxStates: 2 });
  expect(cut).toMatchObject({ complete: false, findings: [] });
});

test('what depends on other executions and playbooks is named as not covered', () => {
  const text = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: x, path: x }
executor: { spec: { concurrency: { limit: 1, on_conflict: skip } } }
workflow:
  - step: start
    tool: { kind: playbook, path: lib/child }
    next: { arcs: [{ step: end }] }
  - step: end
    tool: { kind: http, url: "https://example.com", spec: { rate_limit: { key: api, limit: 1, per: 1s } } }
`;
  expect(checkDeep(planOf(text)).notCovered).toEqual([
    'limits by key let everything pass: concurrency (skip), rate limit of end/end_task with other executions',
    'sub-playbooks answer or fail like tools; check each separately: lib/child',
  ]);
});

test('what never happens comes with a run that passes it by, and can be repeated', () => {
  const plan = playbook(
    http(
      'start',
      'next: { arcs: [{ step: a, when: "{{ start.n < 10 }}" }, { step: b, when: "{{ start.n < 5 }}" }, { step: end }] }',
    ) +
      http('a', 'next: { arcs: [{ step: end }] }') +
      http('b', 'next: { arcs: [{ step: end }] }') +
      END,
  );
  const [never] = checkDeep(plan).findings.filter(({ code }) => code === 'ARC_NEVER_TAKEN');
  expect(never).toMatchObject({ step: 'start', trace: ['start/start_task answers'] });
  const { run } = witnessOf(plan, never!.node!)!;
  expect([run.end, run.state.executed]).toEqual(['complete', ['start', 'end']]);
});

test('what a pattern finds, or a text is split into, may be anything', () => {
  for (const expression of [
    "start.link | regex_findall('<([^>]*)>; *rel') | first",
    "start.link | regex_search('^v[0-9]+$')",
    '(start.body | fromjson).next',
    "start.line.split(';')[3]",
    "start.rows[workload.limit].name == 'x'",
  ]) {
    const next = `next: { arcs: [{ step: a, when: "{{ ${expression} }}" }, { step: end }] }`;
    const text = http('start', next) + http('a', 'next: { arcs: [{ step: end }] }') + END;
    expect([expression, found(playbook(text))]).toEqual([expression, []]);
  }
});

test('the examples are sound', () => {
  const files = (fs.readdirSync(PLAYBOOKS, { recursive: true }) as string[]).filter(
    (file) => file.endsWith('.yaml') && !file.includes('rehearsal'),
  );
  const all = files.flatMap((file) => {
    const { plan } = compile(fs.readFileSync(path.join(PLAYBOOKS, file), 'utf8'), { file });
    return plan ? found(plan).map((one) => `${file} ${one}`) : [];
  });
  expect(files.length).toBeGreaterThan(20);
  expect(all).toEqual([]);
});

test('the run of a finding can be repeated on the real plan', () => {
  const plan = playbook(
    http(
      'start',
      'next: { arcs: [{ step: poll, when: "{{ start.n > 3 and workload.limit == 7 }}" }, { step: end }] }',
    ) +
      http(
        'poll',
        `next: { arcs: [{ step: end, when: "{{ poll.s == 'a' and poll.s == 'b' }}" }, { step: poll }] }`,
      ) +
      END,
  );
  const cycle = checkDeep(plan).findings.find(({ code }) => code === 'CYCLE_WITHOUT_EXIT');
  expect(cycle).toMatchObject({ step: 'poll' });
  expect(cycle!.trace[0]).toBe('start/start_task answers');
  const { run, payload } = witnessOf(plan, cycle!.node!)!;
  expect(payload).toEqual({ limit: 7 });
  expect(run.end).toBe('fail');
  expect(run.state.executed.slice(0, 2)).toEqual(['start', 'poll']);
});

/** The measured hundred: `FAULTS_PLANTED=100`. */
const COUNT = Number(process.env['FAULTS_PLANTED'] ?? 14);

test('planted faults are found, and sound playbooks raise no alarm', () => {
  const random = seeded(7);
  const sizes = process.env['FAULTS_PLANTED'] ? [5, 10, 30, 60, 100] : [5, 10];
  const missed: string[] = [];
  const alarms: string[] = [];
  let planted = 0;
  for (let i = 0; planted < COUNT; i++) {
    const sound = soundPlaybook(random, sizes[i % sizes.length]!);
    alarms.push(...found(planOf(textOf(sound))));
    const fault = FAULTS[i % FAULTS.length]!;
    const steps = copyOf(sound);
    if (!fault.plant(steps, random)) continue;
    planted++;
    const codes = found(planOf(textOf(steps))).map((one) => one.split(' ')[0]!);
    if (!codes.some((code) => fault.codes.includes(code))) missed.push(fault.name);
  }
  expect(alarms).toEqual([]);
  expect(missed.length).toBeLessThanOrEqual(COUNT / 10);
});

test('what a run of others may do is no finding', () => {
  const next = (when: string): string =>
    `next: { arcs: [{ step: a, when: "{{ ${when} }}" }, { step: end }] }`;
  const a = http('a', 'next: { arcs: [{ step: end }] }');
  const python = (when: string): string =>
    `  - step: start\n    tool: { kind: python, code: "result = {}" }\n    ${next(when)}\n${a}${END}`;
  // A result may have a member with the name of a field of the envelope.
  expect(found(playbook(python("start.status == 'ready'")))).toEqual([]);
  expect(found(playbook(python("error.status == 404 and event.name == 'step.failed'")))).toEqual([
    'ARC_NEVER_TAKEN start',
  ]);
  // An error that is a response has a body.
  const failing = `case:\n      - when: "{{ event.name == 'call.error' and response.data is defined and response.data.status_code in [500, 503] }}"\n        then: { retry: { max_attempts: 3 } }\n    next: end`;
  expect(found(playbook(http('start', failing) + END))).toEqual([]);
  // A payload may have keys that nobody declared, and only the values that were.
  expect(found(playbook(http('start', next("workload.region | default('eu') == 'us'")) + a + END))).toEqual(
    [],
  );
  const declared = (mode: string): Plan =>
    planOf(`apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: x, path: x, workload: { mode: { type: string, enum: [full, fast] } } }
workload: { mode: full }\nworkflow:\n${http('start', next(`workload.mode == '${mode}'`))}${a}${END}`);
  expect([found(declared('fast')), found(declared('slow'))]).toEqual([[], ['ARC_NEVER_TAKEN start']]);
  // A list that the bound cuts off.
  for (const when of ['start.count > 2', 'start.results[2]', 'start.stats.success >= 3']) {
    const loop = `  - step: start\n    loop: { in: [1, 2, 3], iterator: i }\n    tool: { kind: http, url: "https://x" }\n    ${next(when)}\n`;
    expect([when, found(playbook(loop + a + END))]).toEqual([when, []]);
  }
});

test('pages with a sink end with the last page', () => {
  const paged = `  - step: start
    tool: { kind: http, url: "https://x", params: { page: 1 } }
    retry:
      - when: "{{ response.more }}"
        then: { max_attempts: 10, next_call: { params: { page: "{{ response.page + 1 }}" } }, sink: { tool: { kind: http, method: POST, url: "https://y" }, args: { page: "{{ page }}" } } }
    next: { arcs: [{ step: end }] }
`;
  expect(found(playbook(paged + END))).toEqual([]);
});

test('only ctx itself races', () => {
  const fork = (read: string): Plan =>
    playbook(
      http('start', 'next: { spec: { mode: inclusive }, arcs: [{ step: a }, { step: b }] }') +
        http('a', 'set: { ctx.ready: "{{ a.id }}" }\n    next: { arcs: [{ step: end }] }') +
        `  - step: b\n    tool: { kind: http, url: "https://x", params: { x: "{{ ${read} }}" } }\n    next: { arcs: [{ step: end }] }\n` +
        END,
      '{ ready: 1 }',
    );
  for (const read of ['workload.ready', 'start.ready', "ctx.get('other')", 'ctx.other'])
    expect([read, found(fork(read))]).toEqual([read, []]);
  for (const read of ['ctx.ready', "ctx.get('ready')", "ctx['ready']", 'ctx | tojson'])
    expect([read, found(fork(read))]).toEqual([read, ['CTX_RACE a']]);
});

test('a counter that runs away from its limit never ends its cycle', () => {
  const counting = (write: string, guard: string): string[] =>
    found(
      playbook(
        http(
          'start',
          `set: { ctx.left: "{{ ${write} }}" }\n    next: { arcs: [{ step: start, when: "{{ ${guard} }}" }, { step: end }] }`,
        ) + END,
      ),
    );
  expect(counting('(ctx.left | default(5)) + 1', 'ctx.left > 0')).toContain('CYCLE_WITHOUT_EXIT start');
  expect(counting('(ctx.left | default(5)) - 1', 'ctx.left > 0')).toEqual([]);
  expect(counting('1 + (ctx.left | default(0))', 'ctx.left < 40')).toEqual([]);
  expect(counting('(ctx.left | default(0)) - 2', 'ctx.left < 40')).toContain('CYCLE_WITHOUT_EXIT start');
});

test('holes between arcs, tasks that never run, repetitions of what may run once', () => {
  const routed = (one: string, other: string): string[] =>
    found(
      playbook(
        http(
          'start',
          `next: { arcs: [{ step: end, when: "{{ ${one} }}" }, { step: end, when: "{{ ${other} }}" }] }`,
        ) + END,
      ),
    );
  expect(routed('start.n > 5', 'start.n < 5')).toEqual(['ROUTER_HOLE start']);
  expect(routed('start.n >= 5', 'start.n < 3')).toEqual(['ROUTER_HOLE start']);
  expect(routed('start.n >= 5', 'start.n < 5')).toEqual([]);
  expect(routed('start.n > 9', 'start.n > 5')).toEqual([]);
  expect(routed("start.n == 'a'", "start.n == 'b'")).toEqual([]);
  const tasks = (to: string): string[] =>
    found(
      playbook(`  - step: start
    tool:
      - { name: one, kind: http, url: "https://x", spec: { policy: { rules: [{ else: { then: { do: jump, to: ${to} } } }] } } }
      - { name: two, kind: http, url: "https://x" }
      - { name: three, kind: http, url: "https://x" }
`),
    );
  expect([tasks('two'), tasks('three')]).toEqual([[], ['TASK_NEVER_RUNS start']]);
  const once = (when: string): string[] =>
    found(
      playbook(`  - step: start
    tool:
      kind: http
      method: POST
      url: https://x
      spec: { delivery: at_most_once, policy: { rules: [{ when: "{{ ${when} }}", then: { do: retry, attempts: 3 } }] } }
`),
    );
  expect(once('output.error.retryable')).toEqual(['REPEATED_AT_MOST_ONCE start']);
  expect(once("output.error.kind == 'server_error'")).toEqual([]);
});

test('a sub-playbook that needs the limit which its caller holds', () => {
  const limited = (path: string, spec: string, tool = '{ kind: noop }'): Plan =>
    planOf(
      `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: x, path: ${path} }\nexecutor: { spec: { concurrency: { ${spec} } } }\nworkload: { who: a }\nworkflow:\n  - step: start\n    tool: ${tool}\n`,
    );
  const calls = (path: string, more = ''): string => `{ kind: playbook, path: ${path}${more} }`;
  const known = (...plans: Plan[]): DeepOptions => ({
    planOf: (path) => plans.find(({ metadata }) => metadata.path === path),
  });
  const itself = ['LIMIT_DEADLOCK start'];
  expect(found(limited('a', 'limit: 1', calls('a')))).toEqual(itself);
  expect(found(limited('a', 'limit: 2', calls('a')))).toEqual([]);
  expect(found(limited('a', 'limit: 1', calls('a', ', wait: false')))).toEqual([]);
  expect(found(limited('a', 'limit: 1, on_conflict: skip', calls('a')))).toEqual([]);
  const key = 'limit: 1, key: "{{ workload.who }}"';
  const given = (who: string): Plan => limited('a', key, calls('a', `, input: { who: "${who}" }`));
  expect(found(given('{{ workload.who }}'))).toEqual(itself);
  expect(found(given('b'))).toEqual([]);
  const child = limited('b', 'limit: 1, scope: shared');
  const caller = limited('a', 'limit: 1, scope: shared', calls('b'));
  expect([found(caller), found(caller, known(child))]).toEqual([[], itself]);
});

test('many guarded branches with retries are few states', () => {
  const names = Array.from({ length: 20 }, (_, i) => `b${i}`);
  const arcs = names.map((name) => `{ step: ${name}, when: "{{ start.${name} }}" }`).join(', ');
  const branches = names.map(
    (name) => `  - step: ${name}
    tool: { kind: http, url: "https://x", spec: { policy: { rules: [{ when: "{{ output.error.retryable }}", then: { do: retry, attempts: 3, delay: 1 } }, { else: { then: { do: continue } } }] } } }
    next: { arcs: [{ step: end }] }
`,
  );
  const wide = playbook(
    http('start', `next: { spec: { mode: inclusive }, arcs: [${arcs}] }`) + branches.join('') + END,
  );
  const { states, complete, findings } = checkDeep(wide);
  expect([findings, complete, states < 1_000]).toEqual([[], true, true]);
});
