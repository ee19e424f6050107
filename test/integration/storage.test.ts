/** Values too large for history: they arrive whole, history refers to them, and what is wrong with a store is said. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type WorkflowHandle, type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { type PayloadCodec } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { compression } from '../../src/storage/codec';
import { Derivation, recordedExecution } from '../../src/history';
import { executionIdOf, historyPages } from '../../src/temporal/client';
import { type Json, type JsonObject } from '../../src/language/plan';
import { loadWorkflowBundle } from '../../src/temporal/worker';
import { someOf } from '../support/sampled';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-blobs-'));
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ kinds: ['python', 'local'], storage: pathToFileURL(folder).href });
});
afterAll(async () => {
  await stack.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const head = (more = ''): string => `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: large, path: test/large}
${more}
workflow:`;

/** A step that makes a text of `size` bytes, and one that measures what it is given. */
const makeAndMeasure = (size: number, policy = ''): string => `${head(policy)}
- step: start
  tool: {kind: python, code: "result = {'body': 'x' * ${size}, 'n': 1}"}
  next: {arcs: [{step: end}]}
- step: end
  tool:
    kind: python
    input: {body: "{{ start.body }}"}
    code: "result = {'length': len(body), 'ends': body[0] + body[-1]}"
`;

test('a cached result is taken by later executions, in every way in which loops run, until it is cleared', async () => {
  const ledger = path.join(folder, 'ledger');
  const cached = (loop: string): string => `${head()}
- step: start
  loop: {in: [1, 2], iterator: n, spec: {${loop}}}
  tool:
    kind: python
    input: {n: "{{ iter.n }}", ledger: ${ledger}}
    code: "open(ledger, 'a').write(f'{n} '); result = {'n': n}"
    spec: {cache: {key: "{{ workload.day | default('today') }}", ttl: 1h, version: 1}}
`;
  const runs = (): string[] => fs.readFileSync(ledger, 'utf8').trim().split(' ').sort();
  const first = await stack.run(stack.compile(cached('')));
  expect(runs()).toEqual(['1', '2']);
  for (const loop of ['exec: local', 'exec: distributed', 'mode: parallel, max_in_flight: 2']) {
    const again = await stack.run(stack.compile(cached(loop)));
    expect(again).toMatchObject({ status: 'completed', result: first.result });
    const derivation = new Derivation({ converter: stack.client.options.loadedDataConverter });
    const events = [];
    for await (const page of historyPages(stack.client, again.handle.workflowId))
      events.push(...(await derivation.take(page)));
    const done = events.filter(({ event_type }) => event_type === 'task.done');
    expect(done.map(({ payload }) => payload['outcome'])).toMatchObject(
      [1, 2].map(() => ({
        status: 'ok',
        meta: { cached: { execution_id: executionIdOf(first.handle.workflowId) } },
      })),
    );
  }
  expect(runs()).toEqual(['1', '2']);
  await stack.run(stack.compile(cached('')), { day: 'tomorrow' });
  expect(runs()).toEqual(['1', '1', '2', '2']);
  const cache = stack.storage.cache(stack.server.namespace)!;
  expect(await cache.clear({ path: 'test/large', step: 'start' })).toBe(4);
  await stack.run(stack.compile(cached('exec: local')));
  expect(runs()).toHaveLength(6);
});

const REFERENCE_FIRST = 'executor: {kind: local, spec: {policy: {results: {reference_first: true}}}}';

async function sizeOf(handle: WorkflowHandle): Promise<number> {
  return Buffer.byteLength(historyToJSON(await handle.fetchHistory()));
}

test('a result of 3 MB reaches the next step whole, and history stays small', async () => {
  const ended = await stack.run(stack.compile(makeAndMeasure(3_000_000)));
  expect(ended).toMatchObject({ status: 'completed', result: { length: 3_000_000, ends: 'xx' } });
  expect(await sizeOf(ended.handle)).toBeLessThan(30_000);
});

test('with reference_first, results from 1 KiB on leave history, and inputs made of them do too', async () => {
  const [plain, first] = await Promise.all([
    stack.run(stack.compile(makeAndMeasure(20_000))),
    stack.run(stack.compile(makeAndMeasure(20_000, REFERENCE_FIRST))),
  ]);
  expect(first).toMatchObject({ status: 'completed', result: { length: 20_000 } });
  const inHistory = async (handle: WorkflowHandle): Promise<number> =>
    (await handle.fetchHistory()).events!.filter((event) =>
      Buffer.from(JSON.stringify(payloadsOf(event))).includes('xxxxxxxxxx'),
    ).length;
  expect(await inHistory(plain.handle)).toBe(2);
  expect(await inHistory(first.handle)).toBe(0);
});

test('a result whose _ref is read is stored at any size', async () => {
  const ended = await stack.run(
    stack.compile(`${head()}
- step: start
  tool: {kind: python, code: "result = [{'id': i, 'text': 'y' * 1000} for i in range(500)]"}
  next: {arcs: [{step: small}]}
- step: small
  tool: {kind: python, code: "result = {'a': 1}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {ref: "{{ start._ref }}", small: "{{ small._ref }}", where: "{{ small._store }}", a: "{{ small.a }}", n: "{{ start | length }}"}}
`),
  );
  const { ref, small, ...others } = ended.result as { ref: JsonObject; small: JsonObject };
  expect(others).toEqual({ where: 'file', a: 1, n: 500 });
  expect(small).toMatchObject({ store: 'file', schema_hint: { type: 'object', keys: ['a'] } });
  expect(ref).toEqual({
    store: 'file',
    key: expect.stringContaining(`/wi/${ended.handle.workflowId}/d/sha256/`) as string,
    range: null,
    size: expect.any(Number) as number,
    checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    schema_hint: { type: 'array', length: 500, items: { type: 'object', keys: ['id', 'text'] } },
  });
  expect(ref['size']).toBeGreaterThan(500_000);
  const stored = path.join(folder, ref['key'] as string);
  expect(fs.statSync(stored).mode & 0o777).toBe(0o600);
});

test('a plan and a payload above the limit of Temporal are taken', async () => {
  const plan = stack.compile(`${head('workload: {rows: []}')}
- step: start
  tool: {kind: noop, input: {n: "{{ workload.rows | length }}"}}
- step: end
  desc: "${'d'.repeat(3_000_000)}"
  tool: {kind: noop}
`);
  const rows: Json = Array.from({ length: 3000 }, (_, id) => ({ id, text: 'z'.repeat(1000) }));
  const ended = await stack.run(plan, { rows });
  expect(ended).toMatchObject({ status: 'completed', result: { n: 3000 } });
});

test('a parallel loop over items that only together are too many bytes for one message', async () => {
  const ended = await stack.run(
    stack.compile(`${head()}
- step: start
  loop: {in: "{{ range(40) | list }}", iterator: i, spec: {mode: parallel, max_in_flight: 40}}
  tool:
    kind: python
    input: {body: "{{ 'b' * 200000 }}", i: "{{ iter.i }}"}
    code: "result = {'i': i, 'body': body, 'length': len(body)}"
  next: {arcs: [{step: end}]}
- step: end
  tool:
    kind: noop
    input: {count: "{{ start | length }}", sum: "{{ start | map(attribute='length') | sum }}"}
`),
  );
  expect(ended).toMatchObject({ status: 'completed', result: { count: 40, sum: 8_000_000 } });
});

test('a result just below the largest value is taken, and one above it fails its task once, in its worker', async () => {
  const ended = await stack.run(stack.compile(makeAndMeasure(15 * 1024 * 1024)));
  expect(ended).toMatchObject({ status: 'completed', result: { length: 15 * 1024 * 1024 } });
  const larger = await stack.run(stack.compile(makeAndMeasure(17 * 1024 * 1024)));
  expect(larger.failure).toMatchObject({ type: 'RESULT_TOO_LARGE' });
  expect(larger.failure!.message).toMatch(/above the limit of 16.00 MiB per task/);
  const { events } = await larger.handle.fetchHistory();
  const failed = events!.flatMap(({ activityTaskFailedEventAttributes: one }) => one ?? []);
  expect(failed).toHaveLength(1);
});

describe('replay', () => {
  it('needs the same converter, and then sees the same', async () => {
    const ended = await stack.run(stack.compile(makeAndMeasure(1_000_000)));
    const history = historyFromJSON(JSON.parse(historyToJSON(await ended.handle.fetchHistory())));
    const { workflowBundle } = await loadWorkflowBundle();
    const { dataConverter } = stack.storage;
    await Worker.runReplayHistory({ workflowBundle, dataConverter }, history, ended.handle.workflowId);
    const without = (payloadCodecs: PayloadCodec[]): Promise<void> =>
      Worker.runReplayHistory(
        { workflowBundle, dataConverter: { payloadCodecs } },
        history,
        ended.handle.workflowId,
      );
    await expect(without([compression])).rejects.toThrow(/[Ee]xternal.?[Ss]torage/);
    await expect(without([])).rejects.toThrow('Unknown encoding: binary/zlib');
  });

  it('events carry references instead of large bodies, and bodies where they are asked for', async () => {
    const ended = await stack.run(stack.compile(makeAndMeasure(1_000_000)));
    const history = await ended.handle.fetchHistory();
    const converter = loadDataConverter(stack.storage.dataConverter);
    const { events } = await recordedExecution([history], { converter });
    expect(JSON.stringify(events).length).toBeLessThan(50_000);
    const done = events.find((event) => event.event_type === 'task.done')!;
    expect(done.payload['outcome']).toMatchObject({ status: 'ok', result: { store: 'file', range: null } });
    const input = events.filter((event) => event.event_type === 'task.started')[1]!;
    expect(input.payload['input']).toMatchObject({
      body: { store: 'history', key: input.event_id, range: '/payload/input/body', size: 1_000_002 },
    });
    const full = await recordedExecution([history], { converter, bodies: true });
    expect(full.events.map((event) => event.event_id)).toEqual(events.map((event) => event.event_id));
    const outcome = full.events.find((event) => event.event_type === 'task.done')!.payload['outcome'];
    expect(outcome).toMatchObject({ result: { body: 'x'.repeat(1_000_000) } });
    await expect(recordedExecution([history])).rejects.toThrow(
      /a value of \d+ bytes is stored outside this history .*--storage/,
    );
  });
});

describe('a store in trouble', () => {
  const plan = (): string => `${head()}
- step: start
  tool: {kind: python, code: "result = {'body': 'x' * 1000000}"}
  next: {arcs: [{step: wait}]}
- step: wait
  tool: {kind: python, code: "import time; time.sleep(1.5); result = 1"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: python, input: {body: "{{ start.body }}"}, code: "result = len(body)"}
`;

  const blobsOf = (handle: WorkflowHandle): string[] => {
    const below = path.join(folder, 'v0/ns/default/wi', handle.workflowId);
    if (!fs.existsSync(below)) return [];
    return (
      fs
        .readdirSync(below, { recursive: true, withFileTypes: true })
        // A blob appears under its name when it is whole; before, it is written beside it.
        .filter((one) => one.isFile() && !one.name.endsWith('.tmp'))
        .map((one) => path.join(one.parentPath, one.name))
    );
  };

  const taskFailures = async (handle: WorkflowHandle): Promise<string[]> =>
    (await handle.fetchHistory()).events!.flatMap(
      (event) => event.workflowTaskFailedEventAttributes?.failure?.message ?? [],
    );

  const HARMS = [
    ['missing', 'BLOB_MISSING', (file: string) => fs.renameSync(file, `${file}.aside`)],
    ['damaged', 'BLOB_CORRUPT', (file: string) => fs.writeFileSync(file, 'damaged')],
  ] as const;
  it.each(someOf(HARMS, 2))(
    'a %s value is told by the workflow task, and the run goes on once it is back',
    async (_, code, harm) => {
      const handle = await stack.start(stack.compile(plan()));
      await until(() => blobsOf(handle).length === 1);
      const [file = ''] = blobsOf(handle);
      const bytes = fs.readFileSync(file);
      // A worker that forgot the run has to fetch what history refers to.
      await stack.restartWorkers(() => harm(file));
      await until(async () => (await taskFailures(handle)).length > 0);
      const [said] = await taskFailures(handle);
      expect(said).toContain(code);
      expect(said).toContain(path.basename(file));
      fs.writeFileSync(file, bytes);
      expect(await handle.result()).toMatchObject({ result: 1_000_000 });
    },
  );

  it('a result that cannot be stored is an outcome that the rules see, and the task has run once', async () => {
    const ran = path.join(folder, 'ran');
    const handle = await stack.start(
      stack.compile(`${head()}
- step: start
  tool:
    kind: python
    code: |
      import pathlib
      with open('${ran}', 'a') as f: f.write('x')
      p = pathlib.Path('${folder}', 'v0', 'ns', 'default', 'wi', execution)
      p.parent.mkdir(parents=True, exist_ok=True)
      p.write_text('a file where a folder should be')
      result = 'x' * 1000000
    input: {execution: "noetl-{{ execution_id }}"}
  next:
    arcs:
      - {step: rescued, when: "{{ event.name == 'step.failed' and error.code == 'BLOB_NOT_STORED' }}"}
- step: rescued
  tool: {kind: noop, input: {message: "{{ start.error.message }}"}}
`),
    );
    const { result } = (await handle.result()) as { result: { message: string } };
    expect(result.message).toMatch(/^cannot write to .*noetl-blobs-/);
    expect(fs.readFileSync(ran, 'utf8')).toBe('x');
  });
});

test('state of 5 MB goes with a run that continues as new', async () => {
  const handle = await stack.start(
    stack.compile(`${head()}
- step: start
  loop: {in: "{{ range(30) | list }}", iterator: i, spec: {mode: sequential}}
  tool: {kind: python, code: "result = 'y' * 200000"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {n: "{{ start | length }}", bytes: "{{ start | join('') | length }}"}}
`),
  );
  expect(await handle.result()).toMatchObject({ result: { n: 30, bytes: 6_000_000 } });
  const first = stack.client.workflow.getHandle(
    handle.workflowId,
    (handle as WorkflowHandleWithFirstExecutionRunId).firstExecutionRunId,
  );
  expect((await first.describe()).status.name).toBe('CONTINUED_AS_NEW');
});

function payloadsOf(event: object): unknown {
  return JSON.parse(JSON.stringify(event), (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
}
