/** Playbooks of NoETL that read the events of an execution back over REST, and decide by them. */
import { type JsonObject } from '../../src/language/plan';
import { executionIdOf } from '../../src/temporal/client';
import { startFacade, type TestFacade } from '../support/facade';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

let stack: Stack;
let facade: TestFacade;
beforeAll(async () => {
  stack = await startStack({ kinds: ['http', 'python'] });
  facade = await startFacade(stack);
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
});

async function ran(workflow: string, payload: JsonObject): Promise<{ id: string; result: unknown }> {
  const { handle, result } = await stack.run(stack.compile(playbookOf(workflow)), payload);
  return { id: executionIdOf(handle.workflowId)!, result };
}

/** Finds the call that failed, and goes on by its kind and its error. */
const DIAGNOSE = `
- step: start
  tool:
    kind: http
    method: GET
    url: "{{ workload.api }}/api/executions/{{ workload.about }}?include_events=true&page_size=200"
  next: {arcs: [{step: extract}]}
- step: extract
  tool:
    kind: python
    input: {data: "{{ start.data }}"}
    code: |
      failure = None
      for event in data.get("events", []):
          if event.get("event_type") == "call.error":
              failure = event
              break
      context = (failure or {}).get("context") or {}
      result = {
          "step": (failure or {}).get("node_name"),
          "kind": context.get("tool_kind"),
          "status_code": context.get("status_code"),
          "error": context.get("error") or "",
      }
  next:
    spec: {mode: exclusive}
    arcs:
      - {step: broken_code, when: "{{ extract.kind == 'python' and 'boom' in extract.error }}"}
      - {step: missing_page, when: "{{ extract.kind == 'http' and extract.status_code == 404 }}"}
      - {step: nothing}
- step: broken_code
  tool: {kind: python, input: {at: "{{ extract.step }}"}, code: 'result = {"found": "code", "step": at}'}
- step: missing_page
  tool: {kind: python, input: {at: "{{ extract.step }}"}, code: 'result = {"found": "page", "step": at}'}
- step: nothing
  tool: {kind: python, code: 'result = {"found": "nothing"}'}`;

test.each([
  [{ found: 'code', step: 'boom' }, '{kind: python, code: "raise ValueError(\'boom\')"}'],
  [{ found: 'page', step: 'boom' }, '{kind: http, url: "{{ workload.api }}/api/no/such/page"}'],
  [{ found: 'nothing' }, '{kind: python, code: "result = 1"}'],
])('an agent that looks for the call that failed finds %j', async (found, tool) => {
  const failing = `
- step: start
  loop: {in: [1, 2, 3], iterator: i, spec: {mode: parallel, max_in_flight: 3}}
  tool: {kind: python, input: {n: "{{ iter.i }}"}, code: "result = {'n': n}"}
  next: {arcs: [{step: boom, when: "{{ event.name == 'loop.done' }}"}]}
- step: boom
  tool: ${tool}`;
  const { id } = await ran(failing, { api: facade.url });
  expect((await ran(DIAGNOSE, { api: facade.url, about: id })).result).toEqual(found);
});

/** Counts the commands of a step of its own execution, page by page, and how many were called at once. */
const MEASURE = `
- step: start
  loop: {in: [1, 2, 3, 4, 5], iterator: i, spec: {mode: parallel, max_in_flight: 5}}
  tool: {kind: http, url: "{{ workload.api }}/api/health"}
  next: {arcs: [{step: measure, when: "{{ event.name == 'loop.done' }}"}]}
- step: measure
  tool:
    kind: python
    input: {api: "{{ workload.api }}", execution_id: "{{ execution_id }}"}
    code: |
      import json
      from datetime import datetime
      from urllib.request import urlopen
      page, events = 1, []
      while True:
          with urlopen(f"{api}/api/executions/{execution_id}?page={page}&page_size=10", timeout=30) as answer:
              document = json.load(answer)
          events.extend(document["events"])
          if not document["pagination"]["has_next"]:
              break
          page += 1
      mine = [event for event in events if (event.get("node_id") or event.get("node_name")) == "start"]
      of = lambda name: [event for event in mine if event["event_type"] == name]
      when = lambda event: datetime.fromisoformat(event["created_at"].replace("Z", "+00:00"))
      done = {event["context"]["command_id"]: event for event in of("call.done")}
      line = sorted([(when(e), 1) for e in of("command.started")] + [(when(e), -1) for e in done.values()],
                    key=lambda one: (one[0], -one[1]))
      flying = most = 0
      for _, by in line:
          flying += by
          most = max(most, flying)
      result = {"issued": len(of("command.issued")), "done": len(done), "at_once": most > 1, "pages": page}`;

test('an execution counts its own commands while it runs', async () => {
  const { result } = await ran(MEASURE, { api: facade.url });
  expect(result).toEqual({ issued: 5, done: 5, at_once: true, pages: 3 });
});
