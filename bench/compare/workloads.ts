/** The compared workloads: a playbook, and the same work as a Temporal engineer writes it by hand. */

export interface Workload {
  readonly name: string;
  /** Without `apiVersion`, `kind` and `metadata`. */
  readonly yaml: string;
  /** The hand-written workflow and its arguments after the target's address; absent if there is none. */
  readonly floor?: readonly [type: string, ...args: unknown[]];
  /** Executions, all started at once. */
  readonly executions?: number;
  /** Upper bound of the ratio, or without a floor of the milliseconds. */
  readonly bar?: number;
  readonly rounds?: number;
}

const GET = '{kind: http, url: "{{ workload.url }}?i=0"}';

export function steps(n: number, tool: string): string {
  const list = Array.from({ length: n }, (_, i) => {
    const next = i + 1 < n ? `\n  next: {arcs: [{step: s${i + 1}}]}` : '';
    return `- step: ${i === 0 ? 'start' : `s${i}`}\n  tool: ${tool}${next}`;
  });
  return `workflow:\n${list.join('\n')}`;
}

/** n requests in n steps; the result is a number, like that of the hand-written workflow. */
function requests(n: number): string {
  const last = n === 1 ? 'start' : `s${n - 1}`;
  return `${steps(n, GET)}\n  next: {arcs: [{step: end}]}\n- step: end\n  tool: {kind: noop, input: {status: "{{ ${last}.status_code }}"}}`;
}

/** The result is a number, like that of the hand-written workflow. */
export function loop(n: number, tool: string, spec = 'mode: sequential'): string {
  return `workflow:
- step: start
  loop: {in: "{{ range(${n}) | list }}", iterator: i, spec: {${spec}}}
  tool: ${tool}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {n: "{{ start.count }}"}}`;
}

export const each = '{kind: http, url: "{{ workload.url }}?i={{ i }}"}';
export const parallel = (n: number): string => `mode: parallel, max_in_flight: ${n}`;
export const local = (yaml: string): string => `executor: {spec: {exec: local}}\n${yaml}`;

const PAGES = `workflow:
- step: start
  loop: {in: "{{ range(20) | list }}", iterator: endpoint, spec: {${parallel(20)}}}
  tool:
    - name: fetch
      kind: http
      url: "{{ workload.url }}?endpoint={{ endpoint }}&page={{ iter.page | default(1) }}"
      spec:
        policy:
          rules:
            - when: "{{ (iter.page | default(1)) < 50 }}"
              then: {do: jump, to: fetch, set: {iter.page: "{{ (iter.page | default(1)) + 1 }}"}}
            - else: {then: {do: break}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {n: "{{ start.count }}"}}`;

const FIB = (n: number): string =>
  `{kind: python, input: {n: ${n}}, code: "def fib(n):\\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\\nresult = fib(n)"}`;

/** A text of 256 kB that each step passes to the next. */
const LARGE = `workflow:
- step: start
  tool: {kind: python, code: "result = {'text': 'x' * 256000}"}
  next: {arcs: [{step: s1, args: {text: "{{ start.text }}"}}]}
${Array.from({ length: 9 }, (_, i) => {
  const next = i < 8 ? `\n  next: {arcs: [{step: s${i + 2}, args: {text: "{{ s${i + 1}.text }}"}}]}` : '';
  return `- step: s${i + 1}\n  tool: {kind: python, input: {text: "{{ args.text }}"}, code: "result = {'text': text}"}${next}`;
}).join('\n')}`;

export const WORKLOADS: readonly Workload[] = [
  { name: 'noop run', yaml: steps(1, '{kind: noop}'), floor: ['nothing'], rounds: 20 },
  { name: '100 noop steps', yaml: steps(100, '{kind: noop}'), floor: ['nothing'] },
  { name: '10000 noop steps', yaml: loop(10_000, '{kind: noop}'), rounds: 3, bar: 400 },
  // Early: their bars are times, and a server in memory slows down with what it has kept.
  { name: '40 x fib(10)', yaml: loop(40, FIB(10)), bar: 800 },
  { name: '40 x fib(10) (local)', yaml: local(loop(40, FIB(10))), bar: 250 },
  { name: 'sequential 100', yaml: requests(100), floor: ['sequential', 100], bar: 1.08 },
  { name: 'loop 100', yaml: loop(100, each), floor: ['sequential', 100], bar: 1.1 },
  { name: 'fan-out 100', yaml: loop(100, each, parallel(100)), floor: ['fanOut', 100], bar: 1.1 },
  {
    name: 'fan-out 1000',
    yaml: loop(1000, each, parallel(1000)),
    floor: ['fanOut', 1000],
    bar: 1.1,
    rounds: 4,
  },
  {
    name: '200 executions of 5',
    yaml: requests(5),
    floor: ['sequential', 5],
    executions: 200,
    bar: 1.1,
    rounds: 3,
  },
  { name: 'pages 50 x 20', yaml: PAGES, floor: ['pages', 20, 50], rounds: 3 },
  { name: 'sequential 100 (local)', yaml: local(requests(100)), floor: ['sequential', 100], bar: 0.2 },
  { name: 'loop 100 (local)', yaml: local(loop(100, each)), floor: ['sequential', 100], bar: 0.2 },
  {
    name: 'fan-out 1000 (local)',
    yaml: local(loop(1000, each, parallel(64))),
    floor: ['fanOut', 1000],
    bar: 0.35,
    rounds: 4,
  },
  { name: 'pages 50 x 20 (local)', yaml: local(PAGES), floor: ['pages', 20, 50], bar: 0.2, rounds: 3 },
  { name: '256 kB through 10 steps', yaml: LARGE, rounds: 3 },
  {
    name: '1000 Python tasks',
    yaml: loop(1000, '{kind: python, input: {i: "{{ i }}"}, code: "result = i + 1"}', parallel(32)),
    rounds: 1,
  },
  { name: '10000 iterations (local)', yaml: local(loop(10_000, each)), rounds: 1 },
  {
    name: '10000 iterations (distributed)',
    yaml: loop(10_000, each, `${parallel(64)}, exec: distributed`),
    rounds: 1,
  },
  { name: '400 light, 10 at once', yaml: loop(400, FIB(10), parallel(10)), rounds: 3 },
  { name: '10 x fib(33)', yaml: loop(10, FIB(33)), rounds: 1 },
];
