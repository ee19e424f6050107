/**
 * The playbooks of chaos, as data: what each does to the world is told by its label alone, so that the verdict knows
 * every row and every call before anything ran. Labels are `<number>` of the submission, and `<number>.<child>` of
 * the sub-playbooks it calls.
 */

/** What an execution leaves in the world when it completes; rows and calls by their keys. */
export interface Traces {
  readonly rows: readonly string[];
  readonly calls: readonly string[];
}

export interface Program {
  readonly name: string;
  /** How often it is drawn, relative to the others. */
  readonly weight: number;
  readonly yaml: string;
  /** Sends the event `approved` to the execution. */
  readonly approved?: true;
  readonly leaves: (label: string) => Traces;
}

export const PAGES = 5;
const LOOP = 8;
const CHUNKED = 24;
/** What the target wants to see of the secret input. */
export const SECRET = 'chaos-secret-9f31c0de77';
const LARGE = 600_000;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const keys = (label: string, step: string, count: number): string[] =>
  range(count).map((index) => `${label}/${step}/${index}`);
const none: readonly string[] = [];

/** Lost connections and a database that starts are for the playbook to bear, as the documentation says. */
const PATIENT = `{policy: {rules: [{when: "{{ outcome.status == 'error' and outcome.error.retryable }}", then: {do: retry, attempts: 40, backoff: linear, delay: 1.0, max_delay: 5}}]}}`;
const STORE = (key: string): string => `
      kind: postgres
      auth: chaos
      command: INSERT INTO chaos_rows (key) VALUES (:key) ON CONFLICT (key) DO UPDATE SET writes = chaos_rows.writes + 1
      params: {key: "${key}"}
      spec: ${PATIENT}`;
const CALL = (key: string): string => `
      kind: http
      method: POST
      url: "{{ workload.target }}/calls"
      json: {key: "${key}"}`;

function playbook(name: string, workflow: string, declared = '', workload = ''): string {
  return `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: ${name}, path: chaos/${name}${declared}}
workload: {target: null, label: null${workload}}
workflow:
${workflow.replace(/^\n/, '').trimEnd()}
`;
}

const PAGED = `
  - step: start
    loop:
      in: [a, b]
      iterator: part
      spec: {mode: parallel}
    tool:
    - name: fetch
      kind: http
      url: "{{ workload.target }}/pages"
      params: {page: "{{ iter.page | default(0) }}", of: ${PAGES}, label: "{{ workload.label }}/{{ iter.part }}"}
      spec: {policy: {rules: [
        {when: "{{ outcome.status == 'error' and outcome.error.retryable }}", then: {do: retry, attempts: 10, delay: 0.2}},
        {else: {then: {do: continue, set_iter: {page: "{{ outcome.result.data.page }}", more: "{{ outcome.result.data.more }}"}}}}]}}
    - name: store${STORE('{{ workload.label }}/{{ iter.part }}/{{ iter.page }}')}
    - name: turn
      kind: noop
      spec: {policy: {rules: [
        {when: "{{ iter.more }}", then: {do: jump, to: fetch, set_iter: {page: "{{ (iter.page | int) + 1 }}"}}},
        {else: {then: {do: break}}}]}}
    next: {arcs: [{step: end}]}
  - step: end
    tool: {kind: noop, input: {done: true}}
`;
const pageRows = (label: string): string[] => [...keys(label, 'a', PAGES), ...keys(label, 'b', PAGES)];

function looped(exec: string, count: number, extra = ''): string {
  return `
  - step: start
    loop:
      in: "{{ range(${count}) | list }}"
      iterator: n
      spec: {mode: parallel, max_in_flight: 4, policy: {exec: ${exec}}}
    tool:
    - name: call${CALL(`{{ workload.label }}/${exec}/{{ iter.n }}`)}
${extra}
    next: {arcs: [{step: end}]}
  - step: end
    tool: {kind: noop, input: {count: "{{ start | length }}"}}
`;
}

const PYTHON_CALL = `
    - name: compute
      kind: python
      input: {target: "{{ workload.target }}", key: "{{ workload.label }}/python/{{ iter.n }}"}
      code: |
        import json, time, urllib.request
        body = json.dumps({"key": key}).encode()
        request = urllib.request.Request(target + "/calls", body, {"content-type": "application/json"})
        urllib.request.urlopen(request, timeout=60).read()
        time.sleep(0.3)
        result = {"key": key}`;

export const PROGRAMS: readonly Program[] = [
  {
    name: 'pages',
    weight: 3,
    yaml: playbook('pages', PAGED),
    leaves: (label) => ({ rows: pageRows(label), calls: none }),
  },
  {
    name: 'parallel',
    weight: 2,
    yaml: playbook('parallel', looped('inline', LOOP)),
    leaves: (label) => ({ rows: none, calls: keys(label, 'inline', LOOP) }),
  },
  {
    name: 'local',
    weight: 2,
    yaml: playbook(
      'local',
      looped('local', LOOP, `    - name: store${STORE('{{ workload.label }}/local/{{ iter.n }}')}`),
    ),
    leaves: (label) => ({ rows: keys(label, 'local', LOOP), calls: keys(label, 'local', LOOP) }),
  },
  {
    name: 'distributed',
    weight: 1,
    yaml: playbook('distributed', looped('distributed', CHUNKED)),
    leaves: (label) => ({ rows: none, calls: keys(label, 'distributed', CHUNKED) }),
  },
  {
    name: 'python',
    weight: 3,
    yaml: playbook(
      'python',
      `
  - step: start
    loop: {in: [0, 1, 2], iterator: n, spec: {mode: parallel}}
    tool:${PYTHON_CALL}
    next: {arcs: [{step: end}]}
  - step: end
    tool: {kind: noop, input: {keys: "{{ start | map(attribute='key') | list }}"}}
`,
    ),
    leaves: (label) => ({ rows: none, calls: keys(label, 'python', 3) }),
  },
  {
    name: 'parent',
    weight: 2,
    yaml: playbook(
      'parent',
      `
  - step: start
    loop: {in: [x, "y"], iterator: child, spec: {mode: parallel}}
    tool:
      kind: playbook
      path: chaos/pages
      input: {target: "{{ workload.target }}", label: "{{ workload.label }}.{{ iter.child }}"}
    next: {arcs: [{step: end}]}
  - step: end
    tool:${STORE('{{ workload.label }}/parent/0')}
`,
    ),
    leaves: (label) => ({
      rows: [...pageRows(`${label}.x`), ...pageRows(`${label}.y`), `${label}/parent/0`],
      calls: none,
    }),
  },
  {
    name: 'approval',
    weight: 2,
    approved: true,
    yaml: playbook(
      'approval',
      `
  - step: start
    tool: {kind: wait, event: approved, timeout: 3600}
    next: {arcs: [{step: pause}]}
  - step: pause
    tool: {kind: wait, for: 2}
    next: {arcs: [{step: end}]}
  - step: end
    tool:${CALL('{{ workload.label }}/{{ start.by }}/0')}
`,
    ),
    leaves: (label) => ({ rows: none, calls: [`${label}/chaos/0`] }),
  },
  {
    name: 'large',
    weight: 1,
    yaml: playbook(
      'large',
      `
  - step: start
    tool:
      kind: python
      spec: ${PATIENT}
      code: "result = {'text': '0123456789' * ${LARGE / 10}}"
    next: {arcs: [{step: measure}]}
  - step: measure
    tool:
      kind: python
      input: {text: "{{ start.text }}"}
      code: "result = {'size': len(text)}"
    next: {arcs: [{step: end}]}
  - step: end
    tool:${STORE('{{ workload.label }}/large/{{ measure.size }}')}
`,
    ),
    leaves: (label) => ({ rows: [`${label}/large/${LARGE}`], calls: none }),
  },
  {
    name: 'secret',
    weight: 1,
    yaml: playbook(
      'secret',
      `
  - step: start
    tool:${CALL('{{ workload.label }}/secret/0')}
      headers: {x-secret: "{{ workload.password }}"}
`,
      ', workload: {password: {secret: true}}',
      ', password: null',
    ),
    leaves: (label) => ({ rows: none, calls: [`${label}/secret/0`] }),
  },
];

/** Started by a schedule, once for every scheduled time: its row says at which. */
export const SCHEDULED = {
  path: 'chaos/scheduled',
  everySeconds: 10,
  yaml: playbook(
    'scheduled',
    `
  - step: start
    tool:${STORE('scheduled/{{ workload.at }}')}
`,
    '',
    ', at: null',
  ),
};
