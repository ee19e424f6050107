/**
 * Playbooks composed as in production: a planner calls a dispatcher for each provider, which calls the provider, and
 * makes a card of what each found. Providers end with a step that only ends them.
 */
import { recordedExecution } from '../../src/history';
import { type JsonObject } from '../../src/language/plan';
import { historyPages } from '../../src/temporal/client';
import { diffOf } from '../support/rehearse';
import { playbooksOf } from '../support/playbooks';
import { type Ended, type Stack, startStack } from '../support/stack';

const head = (name: string, more = ''): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}, path: lib/${name}, agent: true, exposes_as_mcp: true}\n${more}workflow:\n`;

/** Does its work in `dispatch`, and ends with a step that only ends it. */
const provider = (
  name: string,
  code: string,
): string => `${head(name, 'workload: {tool: "", arguments: {}}\n')}
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: dispatch}]}
- step: dispatch
  tool:
    kind: python
    input: {q: "{{ workload.arguments.q }}"}
    code: |
      ${code}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop}
`;

const DISPATCHER = `${head('dispatcher', 'workload: {provider: "", q: ""}\n')}
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: call}]}
- step: call
  tool:
    kind: playbook
    path: "lib/{{ workload.provider }}"
    return_result: true
    result_step: dispatch
    timeout: 60
    payload: {method: tools/call, tool: find, arguments: {q: "{{ workload.q }}"}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop}
`;

const PLANNER = `${head('planner', 'workload: {providers: [hotels, trains, flights], q: rome}\n')}
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: search}]}
- step: search
  spec: {policy: {failure: {mode: best_effort}}}
  loop: {in: "{{ workload.providers }}", iterator: one, spec: {mode: parallel, max_in_flight: 3}}
  tool:
    kind: playbook
    path: lib/dispatcher
    return_result: true
    payload: {provider: "{{ iter.one }}", q: "{{ workload.q }}"}
  next: {arcs: [{step: cards, when: "{{ event.name == 'loop.done' }}"}]}
- step: cards
  tool:
    kind: python
    input: {found: "{{ search.results }}"}
    code: |
      result = [{"title": one["data"]["found"], "for": context.get("q")} for one in found if one]
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: agent, framework: noetl, entrypoint: lib/dispatcher, payload: {provider: trains, q: "{{ workload.q }}"}}
  next:
    spec: {mode: exclusive}
    arcs:
    - {step: end, when: "{{ ask.status == 'error' }}"}
    - {step: fine}
- step: fine
  tool: {kind: noop}
- step: end
  tool: {kind: noop, input: {cards: "{{ cards }}", failed: "{{ search.stats.failed }}", why: "{{ ask.error.message }}", agent: "{{ ask.framework }}"}}
`;

const found = 'result = {"status": "ok", "data": {"found": json.dumps(q.upper())}}';
let stack: Stack;
let ended: Ended;
beforeAll(async () => {
  stack = await startStack({
    kinds: ['python'],
    playbooks: playbooksOf({
      'lib/dispatcher': DISPATCHER,
      'lib/hotels': provider('hotels', found),
      'lib/flights': provider('flights', found),
      'lib/trains': provider('trains', 'raise ValueError("no trains to " + q)'),
    }),
  });
  ended = await stack.run(stack.compile(PLANNER));
});
afterAll(async () => await stack?.stop());

test('three levels down, each answer comes back; what failed is counted, and told by the agent', () => {
  expect(ended).toMatchObject({
    status: 'completed',
    result: {
      cards: [
        { title: '"ROME"', for: 'rome' },
        { title: '"ROME"', for: 'rome' },
      ],
      failed: 1,
      agent: 'noetl',
      why: expect.stringMatching(
        /playbook lib\/dispatcher failed at call.*playbook lib\/trains failed at dispatch.*no trains to rome/,
      ),
    },
  });
});

test('the events of a call name the child, and the step whose result it is', async () => {
  const { events, divergence } = await recordedExecution(
    historyPages(stack.server.client, ended.handle.workflowId),
  );
  expect(divergence).toBeUndefined();
  const calls = events.filter(
    ({ event_type, payload }) => event_type === 'task.done' && payload['kind'] === 'playbook',
  );
  const children = calls.map(({ payload }) => childOf(payload));
  expect(children).toMatchObject([
    { path: 'lib/dispatcher', step: 'call' },
    { path: 'lib/dispatcher', step: 'call' },
    { path: 'lib/dispatcher' },
  ]);
  const ids = children.map(({ execution_id }) => execution_id);
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^\d{18,}$/);
});

function childOf(payload: Readonly<Record<string, unknown>>): JsonObject {
  const { meta } = payload['outcome'] as { meta: JsonObject };
  return meta['child'] as JsonObject;
}

test('a rehearsal mocks what the calls return', () => {
  const text = `
mocks:
  search: [{status: ok, data: {found: A}}, {status: ok, data: {found: A}}]
  search[1]: {error: {kind: exception, code: PY_ValueError, message: no trains}}
  cards: [[{title: A}, {title: A}]]
  ask: {error: {kind: exception, code: PY_ValueError, message: no trains}}
expect:
  result: {cards: [{title: A}, {title: A}], failed: 1, why: no trains, agent: noetl}
  calls: {cards: [{input: {found: [{data: {found: A}}, null, {data: {found: A}}]}}]}
`;
  expect(diffOf(PLANNER, text)).toBe('');
});
