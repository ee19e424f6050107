/** One trace from a REST request to the tasks of a sub-playbook, as a collector of OpenTelemetry gets it. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { openTracing, type Tracing } from '../../src/telemetry/tracing';
import { startFacade, type TestFacade } from '../support/facade';
import { type Collector, type SeenSpan, startCollector } from '../support/otlp';
import { playbooksOf } from '../support/playbooks';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };
const VALUE = 'what-a-task-handles-77';

const at = (path: string, yaml: string): string => yaml.replace('path: test/test', `path: ${path}`);
const CHILD = at(
  'lib/child',
  playbookOf(`
- step: start
  tool: {kind: http, url: "{{ workload.known }}/known"}
  next: {arcs: [{step: stranger}]}
- step: stranger
  tool: {kind: http, url: "{{ workload.stranger }}/stranger"}
  next: {arcs: [{step: breaks}]}
- step: breaks
  tool: {kind: shell, cmds: ["echo ${VALUE} >&2; exit 3"], spec: {policy: {rules: [{else: {then: {do: continue}}}]}}}
`),
);
/** Long enough for its history that it goes on in a second run. */
const PARENT = at(
  'lib/parent',
  playbookOf(`
- step: start
  loop: {in: "{{ range(4) | list }}", iterator: n, spec: {mode: sequential}}
  tool: {kind: shell, cmds: ["echo ${VALUE}"]}
  next: {arcs: [{step: calls}]}
- step: calls
  tool: {kind: playbook, path: lib/child, input: {known: "{{ workload.known }}", stranger: "{{ workload.stranger }}"}}
`),
);
const ONCE = at('lib/once', playbookOf(`\n- step: start\n  tool: {kind: shell, cmds: ["true"]}`));

let collector: Collector;
let tracing: Tracing;
let stack: Stack;
let facade: TestFacade;
const told: string[] = [];
const heard = new Map<string, http.IncomingHttpHeaders>();
const target = http.createServer((request, response) => {
  heard.set(request.url!, request.headers);
  response.end('{}');
});

beforeAll(async () => {
  collector = await startCollector();
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url;
  process.env['NOETL_TRACE_HOSTS'] = '127.0.0.1';
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '200';
  tracing = openTracing('test', '1.2.3', (trouble) => told.push(trouble))!;
  stack = await startStack({
    kinds: ['shell', 'http'],
    playbooks: playbooksOf({ 'lib/child': CHILD, 'lib/once': ONCE }),
    config: ['limit.historyCount.suggestContinueAsNew=16'],
    tracing,
  });
  facade = await startFacade(stack, { edge: { traced: tracing.requests }, over: { within: tracing.within } });
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  await tracing?.shutdown();
  await collector?.close();
  target.close();
  expect(facade.reported).toEqual([]);
  expect(told).toEqual([]);
});

async function post(
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const response = await fetch(`${facade.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, string>;
}

const named =
  (name: string, trace?: string) =>
  (span: SeenSpan): boolean =>
    span.name === name && (trace === undefined || span.traceId === trace);

test('a request, the execution it starts, its runs, its tasks and its sub-playbook are one trace', async () => {
  const { port } = target.address() as AddressInfo;
  await post('/api/catalog/register', { content: PARENT, resource_type: 'playbook' });
  const { execution_id } = await post(
    '/api/execute',
    {
      path: 'lib/parent',
      payload: { known: `http://127.0.0.1:${port}`, stranger: `http://localhost:${port}` },
    },
    { traceparent: `00-${CALLER.trace}-${CALLER.span}-01`, baggage: `secret=${VALUE}` },
  );
  const ofTrace = (name: string): Promise<SeenSpan> => collector.span(named(name, CALLER.trace));

  const request = await ofTrace('POST /api/execute');
  expect(request).toMatchObject({ parentSpanId: CALLER.span, kind: 2, service: 'noetl-test' });
  expect(request.attributes).toMatchObject({
    'http.response.status_code': 200,
    'http.route': '/api/execute',
  });
  const started = await ofTrace('StartWorkflow:lib/parent');
  expect(started.parentSpanId).toBe(request.spanId);

  // The execution continued as new: its runs stand side by side.
  const last = await collector.span(
    (span) => span.attributes['noetl.status'] === 'completed' && span.name === 'playbook lib/parent',
  );
  const first = await collector.span(
    (span) => span.attributes['noetl.status'] === 'continued' && span.name === 'playbook lib/parent',
  );
  for (const run of [first, last]) {
    expect(run).toMatchObject({ traceId: CALLER.trace, parentSpanId: started.spanId, status: 1 });
    expect(run.attributes).toMatchObject({
      'noetl.execution_id': execution_id,
      'noetl.playbook': 'lib/parent',
    });
  }
  const runs = collector.spans.filter(named('playbook lib/parent')).map(({ spanId }) => spanId);
  expect(first.spanId).not.toBe(last.spanId);

  const tasks = await until(() => {
    const seen = collector.spans.filter(named('shell start/start_task', CALLER.trace));
    return Promise.resolve(seen.length === 4 && seen);
  });
  expect(tasks.map(({ attributes }) => attributes['noetl.iteration']).sort()).toEqual([0, 1, 2, 3]);
  for (const task of tasks) {
    expect(runs).toContain(task.parentSpanId);
    expect(task.attributes).toMatchObject({
      'noetl.execution_id': execution_id,
      'noetl.step': 'start',
      'noetl.kind': 'shell',
      'noetl.attempt': 1,
    });
  }

  const child = await collector.span(
    (span) => span.name === 'playbook lib/child' && span.attributes['noetl.status'] === 'continued',
  );
  expect(runs).toContain(child.parentSpanId);
  expect(child.attributes['noetl.execution_id']).not.toBe(execution_id);
  const call = await ofTrace('http start/start_task');
  expect(call.parentSpanId).toBe(child.spanId);
  expect(heard.get('/known')!['traceparent']).toBe(`00-${CALLER.trace}-${call.spanId}-01`);
  await ofTrace('http stranger/stranger_task');
  expect(heard.get('/stranger')).not.toHaveProperty('traceparent');

  const failure = await ofTrace('shell breaks/breaks_task');
  expect(failure).toMatchObject({ status: 2 });
  expect(failure.attributes['noetl.execution_id']).toBe(child.attributes['noetl.execution_id']);
  expect(failure.text).toContain('shell.');
  // What tasks print, what they fail with and what callers send along stays where it belongs.
  expect(collector.spans.filter(({ text }) => text.includes(VALUE))).toEqual([]);
});

test('each firing of a schedule is a trace of its own', async () => {
  await post('/api/schedules', { name: 'now', path: 'lib/once', cron: ['0 2 * * *'], paused: true });
  const made = await collector.span(named('POST /api/schedules'));
  await post('/api/schedules/now/trigger', {});
  const firing = await collector.span(named('noetl:schedule lib/once'));
  expect(firing.parentSpanId ?? '').toBe('');
  expect(firing.traceId).not.toBe(made.traceId);
  const run = await collector.span(named('playbook lib/once', firing.traceId));
  expect(run.parentSpanId).toBe(firing.spanId);
  const task = await collector.span(named('shell start/start_task', firing.traceId));
  expect(task.parentSpanId).toBe(run.spanId);
});

test('probes are no spans', async () => {
  for (const path of ['/api/health/live', '/api/health', '/metrics']) await fetch(`${facade.url}${path}`);
  await fetch(`${facade.url}/api/nowhere`);
  await collector.span(
    ({ name, attributes }) => name === 'GET' && attributes['http.response.status_code'] === 404,
  );
  expect(collector.spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([]);
});

test('an execution joins the trace of its request’s body, else that of the request', async () => {
  await post('/api/catalog/register', {
    content: at('lib/joins', playbookOf('\n- step: start\n  tool: {kind: noop}')),
  });
  const other = { trace: 'ab'.repeat(16), span: 'cd'.repeat(8) };
  const started = (trace: object) =>
    post(
      '/api/execute',
      { path: 'lib/joins', trace },
      { traceparent: `00-${CALLER.trace}-${CALLER.span}-01` },
    );
  await started({ traceparent: `00-${other.trace}-${other.span}-01`, baggage: { secret: VALUE } });
  expect(await collector.span(named('StartWorkflow:lib/joins', other.trace))).toMatchObject({
    parentSpanId: other.span,
  });
  await started({ traceparent: 'no such thing' });
  await collector.span(named('StartWorkflow:lib/joins', CALLER.trace));
});
