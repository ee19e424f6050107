/** Small playbooks with one mistake each, and the invariants that their authors wrote. */
export interface Planted {
  readonly name: string;
  /** The steps. */
  readonly workflow: string;
  /** The faults file. */
  readonly faults: string;
  /** The fault that a simulation finds. */
  readonly finds: string;
}

const policy = (rules: string): string => `spec: {policy: {rules: [${rules}]}}`;
const onError = (then: string): string => `{when: "{{ output.status == 'error' }}", then: {${then}}}`;
const CONTINUE = '{else: {then: {do: continue}}}';
const sometimes = 'faults: {all: {failures: 20%, lost: 5%, delay: [0s, 1s]}}';
const call = (step: string, next: string, more = ''): string => `
- step: ${step}
  tool: {kind: http, url: "https://x/${step}"${more}}
  ${next ? `next: {arcs: [${next}]}` : ''}`;
const acted = (task: string): string =>
  `calls | selectattr('acted') | selectattr('step', 'equalto', '${task}') | list | length`;

export const PLANTED: readonly Planted[] = [
  {
    name: 'a lost item',
    workflow: `
- step: start
  loop: {in: "{{ workload.orders }}", iterator: order, spec: {mode: parallel}}
  tool:
    - {name: save, kind: http, url: "https://x", ${policy(`${onError('do: break')}, ${CONTINUE}`)}}`,
    faults: `draw: {orders: [[], [1], [1, 2, 3]]}\n${sometimes}
per_iteration: {every order is saved: "{{ status != 'completed' or iteration.calls | selectattr('status', 'equalto', 'ok') | list | length == 1 }}"}`,
    finds: 'per_iteration.every order is saved',
  },
  {
    name: 'a double charge: a lost worker is a failure like any other',
    workflow: `
- step: start
  tool: {name: charge, kind: http, method: POST, url: "https://x", ${policy(`${onError('do: retry, attempts: 3, delay: 1')}, ${CONTINUE}`)}}`,
    faults: `${sometimes}\nalways: {charged once: "{{ ${acted('start')} <= 1 }}"}`,
    finds: 'always.charged once',
  },
  {
    name: 'a double charge by another idempotency key: the pipeline jumps instead of retrying',
    workflow: `
- step: start
  tool:
    - {name: charge, kind: http, method: POST, url: "https://x", ${policy(`{when: "{{ output.error.kind == 'worker_lost' }}", then: {do: jump, to: charge}}, ${onError('do: fail')}, ${CONTINUE}`)}}`,
    faults: `${sometimes}
at_end: {one key per charge: "{{ calls | map(attribute='idempotency_key') | unique | list | length <= 1 }}"}`,
    finds: 'at_end.one key per charge',
  },
  {
    name: 'an endless retry',
    workflow: `
- step: start
  tool:
    - {name: fetch, kind: http, url: "https://x", ${policy(`${onError('do: jump, to: fetch')}, ${CONTINUE}`)}}`,
    faults: 'faults: {http: {failures: 1}}\nlimit: 200',
    finds: 'end.endless',
  },
  {
    name: 'an endless poll',
    workflow: `
${call('start', '{step: done, when: "{{ start.ready }}"}, {step: pause}')}
- step: pause
  tool: {kind: wait, for: 5}
  next: {arcs: [{step: start}]}
- step: done
  tool: {kind: noop}`,
    faults: 'faults: {start: {answers: [{body: {ready: false}}]}}\nlimit: 100',
    finds: 'end.endless',
  },
  {
    name: 'a missing join',
    workflow: `
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: left}, {step: right}]}
${call('left', '{step: report}')}${call('right', '{step: report}')}
- step: report
  spec: {policy: {join: each}}
  tool: {kind: http, url: "https://x/report"}`,
    faults: `${sometimes}
at_end: {one report: "{{ steps | select('equalto', 'report') | list | length <= 1 }}"}`,
    finds: 'at_end.one report',
  },
  {
    name: 'a swallowed error',
    workflow: `
- step: start
  tool:
    - {name: save, kind: http, url: "https://x", ${policy(`${onError('do: continue')}, ${CONTINUE}`)}}
    - {name: tell, kind: http, url: "https://y"}`,
    faults: `${sometimes}
at_end: {completed means saved: "{{ status != 'completed' or calls | selectattr('task', 'equalto', 'save') | selectattr('status', 'equalto', 'ok') | list | length == 1 }}"}`,
    finds: 'at_end.completed means saved',
  },
  {
    name: 'an event that nobody waits for twice, but may be lost',
    workflow: `
- step: start
  tool: {kind: wait, event: approved}
  next: {arcs: [{step: ship}]}
${call('ship', '')}`,
    faults: 'events: [{after: [0s, 1h], event: approved, lost: 10%}]',
    finds: 'end.waiting',
  },
  {
    name: 'a missing compensation',
    workflow: `${call('start', '{step: ship}')}${call('ship', '')}`,
    faults: `${sometimes}
at_end: {a failed order is refunded: "{{ status != 'failed' or ${acted('start')} == 0 or 'refund' in steps }}"}`,
    finds: 'at_end.a failed order is refunded',
  },
  {
    name: 'shipped before it was paid: two branches instead of two steps',
    workflow: `
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: pay}, {step: ship}]}
${call('pay', '')}${call('ship', '')}`,
    faults: `${sometimes}
always: {paid first: "{{ ${acted('ship')} == 0 or ${acted('pay')} > 0 }}"}`,
    finds: 'always.paid first',
  },
  {
    name: 'a race on ctx',
    workflow: `
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: fast}, {step: slow}]}
- step: fast
  tool: {kind: http, url: "https://x/fast"}
  set: {ctx.winner: fast}
- step: slow
  tool: {kind: http, url: "https://x/slow"}
  set: {ctx.winner: slow}`,
    faults: `faults: {all: {delay: [0s, 2s]}}
at_end: {the slow one has the last word: "{{ ctx.winner == 'slow' }}"}`,
    finds: 'at_end.the slow one has the last word',
  },
  {
    name: 'pages that a failure cuts off',
    workflow: `
- step: start
  tool:
    - {name: page, kind: http, url: "https://x", ${policy(`${onError('do: break')}, {when: "{{ output.data.more }}", then: {do: jump, to: page}}, ${CONTINUE}`)}}`,
    faults: `faults: {page: {failures: 10%, answers: [{body: {more: true}, repeat: 2}, {body: {more: false}}]}}
at_end: {the last page is read: "{{ status != 'completed' or calls | selectattr('status', 'equalto', 'ok') | rejectattr('result.data.more') | list | length == 1 }}"}`,
    finds: 'at_end.the last page is read',
  },
  {
    name: 'retries that take longer than anybody waits',
    workflow: `
- step: start
  tool: {name: fetch, kind: http, url: "https://x", ${policy(`${onError('do: retry, attempts: 8, backoff: exponential, delay: 5')}, ${CONTINUE}`)}}`,
    faults: 'faults: {all: {failures: 60%}}\nat_end: {within a minute: "{{ elapsed <= 60 }}"}',
    finds: 'at_end.within a minute',
  },
  {
    name: 'more calls at once than the server allows',
    workflow: `
- step: start
  loop: {in: "{{ range(0, workload.n) | list }}", iterator: i, spec: {mode: parallel}}
  tool: {name: fetch, kind: http, url: "https://x"}`,
    faults: `draw: {n: [1, 4, 9]}
faults: {all: {delay: [1s, 2s]}}
always: {at most four: "{{ calls | selectattr('status', 'equalto', 'running') | list | length <= 4 }}"}`,
    finds: 'always.at most four',
  },
  {
    name: 'nothing to do is not handled',
    workflow: `
- step: start
  tool: {kind: noop, input: {first: "{{ workload.items[0] | default(none) }}"}}`,
    faults: 'draw: {items: [[1], [1, 2], []]}\nat_end: {there is a first: "{{ result.first is not none }}"}',
    finds: 'at_end.there is a first',
  },
  {
    name: 'a failed item that no one hears of',
    workflow: `
- step: start
  loop: {in: [a, b, c], iterator: it}
  spec: {policy: {failure: {mode: best_effort}}}
  tool: {name: send, kind: http, url: "https://x"}`,
    faults: `${sometimes}
per_iteration: {sent or reported: "{{ iteration.status == 'done' or status == 'failed' }}"}`,
    finds: 'per_iteration.sent or reported',
  },
  {
    name: 'an event that counts twice',
    workflow: `
- step: start
  tool: {kind: wait, event: paid}
  next: {arcs: [{step: second}]}
- step: second
  tool: {kind: wait, event: paid, timeout: 60}
  next: {arcs: [{step: refund, when: "{{ event.name == 'step.done' }}"}, {step: end}]}
${call('refund', '')}
- step: end
  tool: {kind: noop}`,
    faults: `events: [{after: [0s, 10s], event: paid, duplicates: 20%}]
at_end: {paid once: "{{ 'refund' not in steps }}"}`,
    finds: 'at_end.paid once',
  },
  {
    name: 'two providers do the same work, because a timeout is taken for a failure',
    workflow: `
${call('start', `{step: done, when: "{{ event.name == 'step.done' }}"}, {step: other, when: "{{ event.name == 'step.failed' }}"}`, ', timeout: 5')}
${call('other', '')}
- step: done
  tool: {kind: noop}`,
    faults: `faults: {start: {delay: [1s, 7s]}}
at_end: {one provider: "{{ calls | selectattr('acted') | list | length <= 1 }}"}`,
    finds: 'at_end.one provider',
  },
  {
    name: 'a border that no arc covers',
    workflow: `
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: small, when: "{{ workload.amount < 100 }}"}, {step: large, when: "{{ workload.amount > 100 }}"}]}
- step: small
  tool: {kind: noop}
- step: large
  tool: {kind: noop}`,
    faults: 'draw: {amount: [1, 99, 100, 101]}\nat_end: {somebody decides: "{{ steps | length == 2 }}"}',
    finds: 'at_end.somebody decides',
  },
  {
    name: 'work that Temporal repeats, with a tool that counts',
    workflow: `
- step: start
  tool: {name: count, kind: postgres, auth: pg, command: UPDATE counter SET n = n + 1}`,
    faults: `faults: {postgres: {duplicates: 10%}}
at_end: {counted once: "{{ calls | selectattr('acted') | list | length <= 1 }}"}`,
    finds: 'at_end.counted once',
  },
];
