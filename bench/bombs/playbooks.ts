/**
 * Random bombs, written from the user pages and the OpenAPI document alone: what a scope `run` can submit that might
 * cost others more than it costs its author. None is meant to do useful work; each has to end, by itself or when its
 * author cancels it.
 */
import { nextRandom, type Seed } from '../../src/engine/machine/state/random';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface Bomb {
  readonly kind: string;
  /** Registered and started; `PATH` in it is its own path. */
  readonly playbook?: string;
  readonly workload?: unknown;
  /** Executions of it that are started at once; default 1. */
  readonly starts?: number;
  /** Sent after the start, to each of its executions. */
  readonly requests?: (id: string) => readonly Request[];
  /** Sent when its author loses interest: it waits, or repeats, by design. */
  readonly endless?: true;
}

export class Draw {
  constructor(readonly seed: Seed) {}
  /** Of `from` to `to`, both included, small ones as often as large ones of their magnitude. */
  size(from: number, to: number): number {
    return Math.round(Math.exp(Math.log(from) + nextRandom(this.seed) * (Math.log(to) - Math.log(from))));
  }
  of<T>(choices: readonly T[]): T {
    return choices[Math.floor(nextRandom(this.seed) * choices.length)]!;
  }
  times<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }
}

const q = (text: string): string => JSON.stringify(text);

/** An expression whose value is much larger than its text, or than what it takes in memory. */
function value(draw: Draw): string {
  const n = (): number => draw.size(2, 2_000);
  const small = (): string =>
    draw.of([
      `'x'*${draw.size(1, 2_000_000)}`,
      '1',
      "{'k': 'v'}",
      `range(${draw.size(1, 200_000)}) | list`,
      'ctx.x or 1',
    ]);
  let text = small();
  for (let depth = draw.size(1, 12); depth > 0; depth--)
    text = draw.of([
      () => `[${text}]*${n()}`,
      () => `[${text}, ${text.length < 2_000 ? text : 1}]`,
      () => `{'a': [${text}]*${n()}, 'b': 1}`,
      () => `dict(a=[${text}]*${n()})`,
      () => `((${text}) | string) * ${n()}`,
      () => `(([${text}]*${n()}) | tojson)`,
      () => `(([${text}]*${n()}) | join(','))`,
      () => `(range(${n()}) | map('default', ${text}) | list)`,
    ])();
  return text;
}

const ATOMS = [
  'a',
  'b',
  '.',
  '\\\\w',
  '[ab]',
  '[^c]',
  '(a|a)',
  '(a|ab)',
  '(?:a+)',
  '(a*)',
  '\\\\s*',
  '(?=a)',
  '(?<=a)',
  '(?!c)',
  '^',
  '$',
  '\\\\b',
];

function pattern(draw: Draw): string {
  let text = draw.times(draw.size(1, 6), () => draw.of(ATOMS)).join('');
  for (let depth = draw.size(1, 4); depth > 0; depth--)
    text =
      draw.of(['', draw.of(ATOMS)]) +
      draw.of([
        `(${text})*`,
        `(${text})+`,
        `(?:${text}){0,${draw.size(2, 400)}}`,
        `(${text}|${text})*?`,
        `(${text})+${text}`,
      ]) +
      draw.of(['', '$', 'c', draw.of(ATOMS)]);
  return text.slice(0, 2_000);
}

/** An expression that takes long for its size. */
function work(draw: Draw): string {
  const text = `('${draw.of(['a', 'ab', 'aab', 'a b', 'é'])}' * ${draw.size(100, 200_000)})`;
  const rows = `(range(${draw.size(10, 200_000)}) | list)`;
  const re = pattern(draw);
  return draw.of([
    `${text} | regex_search('${re}')`,
    `${text} | regex_findall('${re}') | length`,
    `${text} | regex_replace('${re}', 'ab') | length`,
    `${text} | regex_split('${re}') | length`,
    `${text} is match('${re}')`,
    `${rows} | sort(reverse=true) | map('string') | join('${'y'.repeat(draw.size(1, 500))}') | length`,
    `${rows} | map('string') | map('regex_replace', '${re}', 'x') | list | length`,
    `${rows} | groupby('x') | list | length`,
    `${rows} | batch(1) | list | flatten | unique | list | length`,
    `(${text} | list | tojson | fromjson | string | b64encode | b64decode | hash('sha512')) | length`,
    `(${text}).split('a') | map('trim') | map('replace', '', 'xxxx') | list | length`,
    `(${text}).replace('a', '${'b'.repeat(draw.size(1, 1_000))}').count('b')`,
    `${rows} | select('in', ${rows}) | list | length`,
    `((${rows} | map('string') | list) == (${rows} | map('string') | list))`,
    `'${'%s'.repeat(draw.size(1, 200))}' % (${text},)`,
    `'%0${draw.size(10, 2_000_000_000)}d' % 1`,
    `${draw.size(2, 1_000_000)} ** ${draw.size(2, 1_000_000)}`,
  ]);
}

function template(draw: Draw): string {
  const n = draw.size(10, 100_000);
  const once = draw.of([() => value(draw), () => work(draw)])();
  return draw.of([
    `{{ ${once} }}`,
    `{{ ${once} }}`,
    `{% for i in range(${n}) %}{% for j in range(${n}) %}{{ i * j }}{% endfor %}{% endfor %}`,
    `{% for i in range(${n}) %}{{ ${once} }}{% endfor %}`,
    `{% set x = ${once} %}{{ [x, x, x] | tojson | length }}`,
    `{% macro m(n) %}{{ m(n + 1) }}${once.length < 200 ? `{{ ${once} }}` : ''}{% endmacro %}{{ m(0) }}`,
  ]);
}

const END = '- step: end\n  tool: {kind: noop}';
const to = (step: string): string => `next: {arcs: [{step: ${step}}]}`;

/** A template in one of the places where a playbook may have one. */
function somewhere(draw: Draw): string {
  const text = q(template(draw));
  return draw.of([
    `- step: start\n  tool: {kind: noop, input: {x: ${text}}}`,
    `- step: start\n  tool: {kind: noop}\n  set: {ctx.x: ${text}}\n  ${to('end')}\n${END}`,
    `- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: end, args: {x: ${text}}}]}\n${END}`,
    `- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: end, when: ${text}}, {step: end}]}\n${END}`,
    `- step: start\n  tool: {kind: python, input: {x: ${text}}, code: "result = 1"}`,
    `- step: start\n  loop: {in: ${text}, iterator: i, spec: {mode: parallel}}\n  tool: {kind: noop}\n  ${to('end')}\n${END}`,
    `- step: start\n  loop: {in: "{{ range(${draw.size(2, 2_000)}) | list }}", iterator: i}\n  tool: {kind: noop, input: {x: ${text}}}\n  ${to('end')}\n${END}`,
    `- step: start\n  tool: {kind: wait, event: go, timeout: 5, when: ${text}}`,
    `- step: start\n  tool: {kind: shell, cmds: ["true"], env: {A: ${text}}}`,
    `- step: start\n  tool: {kind: noop, spec: {policy: {rules: [{when: ${text}, then: {do: retry, attempts: 100000}}, {when: "{{ true }}", then: {do: continue, set: {ctx.x: ${text}}}}]}}}`,
    `- step: start\n  tool: {kind: noop}\n  set: {ctx.x: "{{ [ctx.x, ctx.x, ${draw.size(1, 9)}] }}", ctx.n: "{{ (ctx.n or 0) + 1 }}"}\n  next: {arcs: [{step: start, when: "{{ ctx.n < ${draw.size(20, 500)} }}"}, {step: end}]}\n${END}`,
  ]);
}

function loop(draw: Draw): string {
  const tool = draw.of([
    '{kind: noop}',
    '{kind: noop, input: {x: "{{ ctx }}"}}',
    `{kind: noop, input: {x: "{{ 'x' * ${draw.size(1, 100_000)} }}"}}`,
    '{kind: wait, for: 1}',
    '{kind: shell, cmds: ["true"]}',
    '{kind: python, code: "result = {}"}',
  ]);
  const isHeavy = /python|shell/.test(tool);
  const spec = draw.of([
    'mode: sequential',
    `mode: parallel, max_in_flight: ${draw.size(1, 10_000)}`,
    `mode: parallel, max_in_flight: ${draw.size(1, 1_000)}, policy: {exec: distributed}`,
    `mode: parallel, max_in_flight: ${draw.size(1, 200)}, policy: {exec: local}`,
  ]);
  const set = spec.includes('sequential')
    ? draw.of(['', '\n  set: {ctx.all: "{{ (ctx.all or []) + [loop_index] }}"}'])
    : '';
  return `- step: start\n  loop: {in: "{{ range(${draw.size(10, isHeavy ? 300 : 30_000)}) | list }}", iterator: i, spec: {${spec}}}\n  tool: ${tool}${set}\n  ${to('end')}\n${END}`;
}

function recursion(draw: Draw): string {
  const again = `- step: start\n  tool: {kind: noop}\n  set: {ctx.n: "{{ (ctx.n or 0) + 1 }}"}\n`;
  return draw.of([
    `${again}  next: {arcs: [{step: start, when: "{{ ctx.n > 0 }}"}, {step: end}]}\n${END}`,
    `${again}  next: {spec: {mode: inclusive}, arcs: [{step: start, when: "{{ ctx.n < 1000000 }}"}, {step: start2}]}\n- step: start2\n  tool: {kind: noop}\n  next: {arcs: [{step: start, when: "{{ ctx.n > 0 }}"}]}`,
    `- step: start\n  tool: {kind: shell, cmds: ["true"]}\n  case: [{when: "{{ event.name == 'call.done' }}", then: {call: true}}]`,
    `- step: start\n  tool: {kind: noop}\n  retry: {max_attempts: 1000000, initial_delay: 0, retry_when: "{{ true }}"}`,
    `- step: start\n  tool: {kind: noop, spec: {policy: {rules: [{when: "{{ true }}", then: {do: retry, attempts: 1000000, delay: 0}}]}}}`,
    `- step: start\n  tool:\n    - {name: a, kind: noop}\n    - {name: b, kind: noop, spec: {policy: {rules: [{when: "{{ true }}", then: {do: jump, to: a}}]}}}`,
  ]);
}

function family(draw: Draw): string {
  const call = (step: string): string =>
    `- step: ${step}\n  tool: {kind: playbook, path: PATH, wait: ${draw.of(['true', 'false'])}}`;
  const names = draw.times(draw.size(1, 4), () => `c${draw.size(1, 1_000_000)}`);
  const calls = [...new Set(names)];
  const rest = draw.of([
    calls.map(call).join('\n'),
    `- step: ${calls[0]}\n  loop: {in: "{{ range(${draw.size(2, 2_000)}) | list }}", iterator: i, spec: {mode: parallel, max_in_flight: ${draw.size(2, 500)}}}\n  tool: {kind: playbook, path: PATH}`,
  ]);
  const arcs = rest.includes('loop:') ? calls.slice(0, 1) : calls;
  return `- step: start\n  tool: {kind: noop}\n  next: {spec: {mode: inclusive}, arcs: [${arcs.map((step) => `{step: ${step}}`).join(', ')}]}\n${rest}`;
}

function output(draw: Draw): string {
  const code = draw.of([
    `result = 'x' * ${draw.size(1_000, 60_000_000)}`,
    `result = [[1] * 1000] * ${draw.size(10, 20_000)}`,
    `x = []\nfor _ in range(${draw.size(10, 5_000)}): x = [x]\nresult = x`,
    `result = {str(i): i for i in range(${draw.size(10, 500_000)})}`,
    `for _ in range(${draw.size(1_000, 300_000)}): print('y' * 200)\nresult = 1`,
    `raise Exception('z' * ${draw.size(1_000, 30_000_000)})`,
    `x = []\nx.append(x)\nresult = x`,
    `result = [float('nan'), float('inf'), 10**${draw.size(10, 4_000)}, '\\ud800', b'\\xff' * ${draw.size(1, 1_000_000)}]`,
  ]);
  const shell = draw.of([
    `head -c ${draw.size(1_000, 200_000_000)} /dev/zero`,
    `yes | head -c ${draw.size(1_000, 100_000_000)}`,
    `head -c ${draw.size(1_000, 20_000_000)} /dev/urandom >&2; exit 3`,
  ]);
  const tool = draw.of([`{kind: python, code: ${q(code)}}`, `{kind: shell, cmds: [${q(shell)}]}`]);
  const again = draw.of([
    `${to('end')}\n- step: end\n  tool: {kind: noop, input: {x: "{{ start }}"}}`,
    `set: {ctx.x: "{{ [start, start, start] }}"}`,
  ]);
  return `- step: start\n  tool: ${tool}\n  ${again}`;
}

const WAITS = '- step: start\n  tool: {kind: wait, event: go}\n';

/** Signals to an execution that waits, some of a shape that nothing expects. */
function signals(draw: Draw): Bomb {
  const when = draw.of(['', `, when: ${q(template(draw))}`]);
  const one = (id: string): Request => {
    const payload = draw.of<() => unknown>([
      () => null,
      () => 'x'.repeat(draw.size(1, 1_000_000)),
      () => nested(draw.size(1, 190)),
      () => Object.fromEntries(draw.times(draw.size(1, 2_000), () => [`k${draw.size(1, 1e9)}`, 1])),
    ])();
    return draw.of<Request>([
      {
        method: 'POST',
        path: '/api/events',
        body: { execution_id: id, name: draw.of(['go', 'no']), payload },
      },
      { method: 'POST', path: '/api/events', body: { execution_id: id, name: 'no', payload } },
      {
        method: 'POST',
        path: `/api/vars/${id}`,
        body: { variables: { [`v${draw.size(1, 1e6)}`]: payload } },
      },
      { method: 'POST', path: `/api/executions/${id}/${draw.of(['pause', 'resume'])}` },
      { method: 'DELETE', path: `/api/vars/${id}` },
    ]);
  };
  const requests = (id: string): Request[] => draw.times(draw.size(5, 300), () => one(id));
  return {
    kind: 'signals',
    playbook: `${WAITS.replace('event: go', `event: go${when}`)}`,
    requests,
    endless: true,
  };
}

function nested(depth: number): unknown {
  let all: unknown = 1;
  for (let n = 0; n < depth; n++) all = n % 2 ? [all] : { a: all };
  return all;
}

/** Bodies that are large or odd, and questions that are expensive to answer. */
function bodies(draw: Draw): Bomb {
  const head = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: bombs/x}\n';
  const steps = (n: number): string =>
    Array.from(
      { length: n },
      (_, i) =>
        `- step: s${i}\n  tool: {kind: noop, input: {x: "{{ a.b }}"}}\n  next: {arcs: [{step: s${i + 1}}]}\n`,
    ).join('');
  const requests = (id: string): Request[] =>
    draw.times(draw.size(1, 20), () =>
      draw.of<() => Request>([
        () => ({
          method: 'POST',
          path: '/api/execute',
          body: { path: 'bombs/none', workload: { a: nested(draw.size(1, 2_500)) } },
        }),
        () => ({
          method: 'POST',
          path: '/api/execute',
          body: { path: 'bombs/none', workload: { a: Array(draw.size(10, 1_000_000)).fill(0) } },
        }),
        () => ({
          method: 'POST',
          path: '/api/catalog/playbooks/validate',
          body: { content: `${head}workflow:\n${steps(draw.size(10, 20_000))}` },
        }),
        () => ({
          method: 'POST',
          path: '/api/catalog/register',
          body: {
            content: `${head}workflow: [{step: start, tool: {kind: noop, input: {x: ${q('y'.repeat(draw.size(10, 3_000_000)))}}}}]`,
          },
        }),
        () => ({
          method: 'POST',
          path: '/api/catalog/playbooks/validate',
          body: {
            content: `a: &a [${'x,'.repeat(9)}x]\n${'bcdefghij'
              .split('')
              .map((c, i) => `${c}: &${c} [${`*${'abcdefghi'[i]},`.repeat(9)}*${'abcdefghi'[i]}]`)
              .join('\n')}`,
          },
        }),
        () => ({
          method: 'POST',
          path: '/api/context/render',
          body: { execution_id: id, template: Array(draw.size(1, 2_000)).fill(template(draw)) },
        }),
        () => ({
          method: 'GET',
          path: `/api/executions/${id}/${draw.of(['status', 'events', 'state', 'graph', 'explanation', 'history', 'logs'])}`,
        }),
        () => ({
          method: 'GET',
          path: `/api/executions?path=${encodeURIComponent(draw.of(['a/*', "'", '%', 'x'.repeat(5_000)]))}&page_size=${draw.size(1, 100_000)}`,
        }),
        () => ({
          method: 'POST',
          path: '/api/bulk',
          body: {
            verb: 'cancel',
            dry_run: true,
            where: draw.of(['path=* since=99999999999d', `step=${'x'.repeat(1_900)}`, 'code=* path=bombs/*']),
          },
        }),
        () => ({
          method: 'PUT',
          path: '/api/playbook-tests/suites/bombs/x',
          body: { playbook_path: 'bombs/x', tests: Array(draw.size(1, 9_000)).fill({ a: 'x'.repeat(100) }) },
        }),
      ])(),
    );
  return { kind: 'bodies', playbook: WAITS, requests, endless: true };
}

/** Schedules by the dozen; each starts an execution a second. Their author deletes them. */
function schedules(draw: Draw): Bomb {
  const requests = (): Request[] =>
    draw.times(draw.size(1, 20), () => ({
      method: 'POST',
      path: '/api/schedules',
      body: {
        name: `bomb-${draw.size(1, 1e9)}`,
        path: 'PATH',
        intervals: [{ every_s: 1 }],
        overlap: draw.of(['allow-all', 'buffer-all', 'skip', 'cancel-other']),
      },
    }));
  return { kind: 'schedules', playbook: draw.of([somewhere, loop, recursion])(draw), requests };
}

/** Many executions that ask for places and slots. */
function limits(draw: Draw): Bomb {
  const many = `key: "{{ execution_id }}"`;
  const key = draw.of([many, 'key: one', `key: ${q(template(draw))}`]);
  const spec = draw.of([
    `concurrency: {${key}, limit: ${draw.size(1, 5)}, on_conflict: ${draw.of(['queue', 'skip', 'cancel_running', 'fail'])}}`,
    `debounce: {${key}, period: ${draw.size(1, 5)}s}`,
    `rate_limit: {key: one, limit: ${draw.size(1, 10_000)}, per: 1s}`,
  ]);
  const body = draw.of([`- step: start\n  tool: {kind: wait, for: ${draw.size(1, 5)}}`, loop(draw)]);
  return { kind: 'limits', playbook: `SPEC ${spec}\n${body}`, starts: draw.size(1, 60), endless: true };
}

const KINDS: readonly ((draw: Draw) => Bomb)[] = [
  (draw) => ({
    kind: 'values',
    playbook: `- step: start\n  tool: {kind: noop, input: {x: ${q(`{{ ${value(draw)} }}`)}}}\n  set: {ctx.x: ${q(`{{ ${value(draw)} }}`)}}`,
  }),
  (draw) => ({
    kind: 'regexes',
    playbook: `- step: start\n  tool: {kind: noop, input: {x: ${q(`{{ ${work(draw)} }}`)}}}`,
  }),
  (draw) => ({ kind: 'templates', playbook: somewhere(draw) }),
  (draw) => ({ kind: 'loops', playbook: loop(draw), endless: true }),
  (draw) => ({ kind: 'recursion', playbook: recursion(draw), endless: true }),
  (draw) => ({ kind: 'families', playbook: family(draw), endless: true }),
  (draw) => ({ kind: 'output', playbook: output(draw) }),
  (draw) => ({
    kind: 'workload',
    playbook: '- step: start\n  tool: {kind: noop, input: {x: "{{ workload }}"}}',
    workload: { a: Array(draw.size(1, 200_000)).fill('x'.repeat(draw.size(1, 30))) },
  }),
  bodies,
  signals,
  schedules,
  limits,
];
export const KIND_COUNT = KINDS.length;

/** @param only the name of a kind: drawn until it is one */
export function bomb(draw: Draw, only?: readonly string[]): Bomb {
  for (;;) {
    const one = draw.of(KINDS)(draw);
    if (!only || only.includes(one.kind)) return one;
  }
}

/** The whole document. */
export function documentOf({ playbook = '' }: Bomb, path: string): string {
  const [, spec, body] = /^SPEC (.*)\n([^]*)$/.exec(playbook) ?? [undefined, undefined, playbook];
  const executor = spec === undefined ? '' : `executor: {spec: {${spec}}}\n`;
  return `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: bomb, path: ${path}}\n${executor}workflow:\n${body}\n`.replaceAll(
    'PATH',
    path,
  );
}
