/** What a few processes are loaded with: each a playbook, how many executions of it, and what its end must say. */
export interface Workload {
  readonly name: string;
  /** Without `apiVersion`, `kind` and `metadata`. */
  readonly yaml: string;
  readonly executions: number;
  /** Every execution waits for the event `go`, sent when all of them are open. */
  readonly held?: true;
  /** The result, or the code of the error that is right. */
  readonly ends: unknown;
}

const COUNT = '- step: end\n  tool: {kind: noop, input: {n: "{{ start.count }}"}}';
const GET = '{kind: http, url: "{{ workload.target }}/bytes?mebibytes=0&of={{ iter.i }}"}';

function loop(count: number, tool: string, spec: string): string {
  return `workflow:
- step: start
  loop: {in: "{{ range(${count}) | list }}", iterator: i, spec: {mode: parallel, ${spec}}}
  tool: ${tool}
  next: {arcs: [{step: end}]}
${COUNT}`;
}

function steps(count: number): string {
  const list = Array.from({ length: count }, (_, index) => {
    const next = index + 1 < count ? `\n  next: {arcs: [{step: s${index + 1}}]}` : '';
    return `- step: ${index === 0 ? 'start' : `s${index}`}\n  tool: {kind: noop, input: {n: ${index + 1}}}${next}`;
  });
  return `workflow:\n${list.join('\n')}`;
}

function result(mebibytes: number): string {
  return `workflow:
- step: start
  tool: {kind: python, code: "result = {'text': 'x' * (${mebibytes} << 20)}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: python, input: {text: "{{ start.text }}"}, code: "result = {'n': len(text) >> 20}"}`;
}

/** Larger than a result may be: it goes to the store, and is read from there as a file. */
function stored(mebibytes: number): string {
  return `workflow:
- step: start
  tool: {kind: http, url: "{{ workload.target }}/bytes?mebibytes=${mebibytes}", save_to: {store: results}}
  next: {arcs: [{step: end}]}
- step: end
  tool:
    kind: python
    files: {all: "{{ start.data }}"}
    code: |
      import os
      result = {'n': os.path.getsize(files['all']) >> 20}`;
}

const WAITING = `workflow:
- step: start
  tool: {kind: wait, event: go, timeout: 86400}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {n: 1}}`;

/** @param scale of all numbers of executions, iterations, steps and tokens, not of the size of results */
export function workloads(scale = 1): readonly Workload[] {
  const scaled = (count: number): number => Math.max(1, Math.round(count * scale));
  const [open, iterations, wide, long, waits] = [5_000, 100_000, 5_000, 2_000, 10_000].map(scaled) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const one = { executions: 1 };
  const counted = (n: number): { n: number } => ({ n });
  return [
    { name: 'open', yaml: WAITING, executions: open, held: true, ends: counted(1) },
    {
      ...one,
      name: 'loop-inline',
      yaml: loop(iterations, '{kind: noop}', 'max_in_flight: 100'),
      ends: counted(iterations),
    },
    {
      ...one,
      name: 'loop-local',
      yaml: loop(iterations, GET, 'max_in_flight: 50, policy: {exec: local}'),
      ends: counted(iterations),
    },
    {
      ...one,
      name: 'loop-distributed',
      yaml: loop(iterations, '{kind: noop}', 'max_in_flight: 100, policy: {exec: distributed}'),
      ends: counted(iterations),
    },
    { ...one, name: 'fan-out', yaml: loop(wide, GET, `max_in_flight: ${wide}`), ends: counted(wide) },
    { ...one, name: 'result-1', yaml: result(1), ends: counted(1) },
    { ...one, name: 'result-20', yaml: result(20), ends: counted(20) },
    { ...one, name: 'result-200', yaml: result(200), ends: 'RESULT_TOO_LARGE' },
    { ...one, name: 'stored-200', yaml: stored(200), ends: counted(200) },
    { ...one, name: 'steps', yaml: steps(long), ends: counted(long) },
    {
      ...one,
      name: 'waits',
      yaml: loop(waits, '{kind: wait, for: 60}', `max_in_flight: ${waits}`),
      ends: counted(waits),
    },
  ];
}
