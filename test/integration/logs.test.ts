/** What tasks print, from a worker in one process, through the storage, to a facade and a command line. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { newExecutionId } from '../../src/temporal/client';
import { type LogLine } from '../../src/telemetry/logs';
import { startFacade, type TestFacade } from '../support/facade';
import { CLI, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

const LIMIT_MIB = 3;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-logs-'));
const storage = pathToFileURL(path.join(folder, 'blobs')).href;
let stack: Stack;
let facade: TestFacade;
let worker: Running;

beforeAll(async () => {
  stack = await startStack({ kinds: [], storage });
  facade = await startFacade(stack, { over: { logs: stack.storage.logs(stack.server.namespace) } });
  worker = start(process.execPath, [CLI, 'worker', '--kinds', 'python,shell,local', '--storage', storage], {
    TEMPORAL_ADDRESS: stack.server.address,
    NOETL_TASK_LOGS: String(LIMIT_MIB),
  });
  await worker.says('serving');
});
afterAll(async () => {
  worker?.child.kill('SIGTERM');
  await worker?.finished;
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(facade.reported).toEqual([]);
});

const printing = (code: string, more = ''): string =>
  playbookOf(`
- step: start
${more}  tool: {kind: python, code: ${JSON.stringify(code)}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: shell, cmds: ["echo done >&2"]}`);

async function begin(yaml: string): Promise<{ id: string; ended: Promise<unknown> }> {
  const handle = await stack.start(stack.compile(yaml));
  return { id: handle.workflowId.replace('noetl-', ''), ended: handle.result() };
}

const at = (id: string, query = ''): string => `${facade.url}/api/executions/${id}/logs${query}`;

interface Told {
  readonly id: string;
  readonly line: LogLine;
  readonly seen: number;
}

/** Reads the stream to its end, or until `enough`. */
async function streamed(id: string, last?: string, enough = (_: Told): boolean => false): Promise<Told[]> {
  const stop = new AbortController();
  const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) };
  const response = await fetch(at(id), { headers, signal: stop.signal });
  expect(response.status).toBe(200);
  const told: Told[] = [];
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split('\n\n');
    text = frames.pop()!;
    for (const frame of frames.filter((one) => one.startsWith('id: '))) {
      const [, place = '', data = ''] = /^id: (.*)\ndata: (.*)$/.exec(frame)!;
      told.push({ id: place, line: JSON.parse(data) as LogLine, seen: Date.now() });
      if (!enough(told.at(-1)!)) continue;
      stop.abort();
      return told;
    }
  }
  return told;
}

async function stored(id: string): Promise<LogLine[]> {
  const response = await fetch(at(id), { headers: { accept: 'application/x-ndjson' } });
  const text = await response.text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);
}

test('a line is seen within a second, while its task runs; a stream is taken up where it was left', async () => {
  const { id, ended } = await begin(
    printing('import time\nfor n in range(6):\n  print(n, time.time() * 1000)\n  time.sleep(0.3)'),
  );
  const half = await streamed(id, undefined, ({ line }) => line.line.startsWith('2 '));
  const late = await streamed(id, half.at(-1)!.id);
  const lines = [...new Map([...half, ...late].map((one) => [one.id, one.line])).values()];
  expect(lines.map(({ step, stream, line }) => [step, stream, line.split(' ')[0]])).toEqual([
    ...['0', '1', '2', '3', '4', '5'].map((n) => ['start', 'stdout', n]),
    ['end', 'stderr', 'done'],
  ]);
  expect(lines[0]).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    step: 'start',
    task: 'start_task',
    task_run_id: expect.stringMatching(/^start#1/) as string,
    attempt: 1,
    stream: 'stdout',
    line: expect.any(String) as string,
  });
  // The usual line: a machine that others use may hold back one.
  const delays = half.map(({ line, seen }) => seen - Number(line.line.split(' ')[1])).sort((a, b) => a - b);
  expect(delays[0]).toBeLessThan(5000);
  await ended;
  const command = await inProcess(['logs', id, '--json', '--server', facade.url]);
  const printed = command.stdout
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one) as LogLine & { id: string });
  expect(new Set(printed.map((one) => one.id)).size).toBe(printed.length);
  expect(printed.map(({ id: _, ...one }) => one)).toEqual(await stored(id));
});

test('thousands of lines a second all arrive, in order; beyond the bound it says how many were dropped', async () => {
  const line = 'x'.repeat(90);
  const fast = await begin(
    printing(
      `import time\nfor n in range(20):\n  print('\\n'.join(f'{n * 1000 + k} ${line}' for k in range(1000)))\n  time.sleep(0.09)`,
    ),
  );
  const much = await begin(printing(`for n in range(50000): print('${'y'.repeat(99)}')`));
  await Promise.all([fast.ended, much.ended]);
  await streamed(much.id);
  const all = (await stored(fast.id)).filter(({ step }) => step === 'start');
  expect(all.map((one) => Number(one.line.split(' ')[0]))).toEqual(
    Array.from({ length: 20_000 }, (_, n) => n),
  );
  const some = (await stored(much.id)).filter(({ step }) => step === 'start');
  // The begin with the piece of a line, and of the end what its notice leaves to it.
  const [start, end] = [LIMIT_MIB * 1024, 128].map((kib) => Math.floor((kib * 1024) / 100));
  const at = some.findIndex(({ stream }) => stream === 'notice');
  expect([at, some.length - at - 1]).toEqual([start! + 1, end]);
  expect(some[at]!.line).toMatch(
    new RegExp(
      `^${50_000 - start! - end!} lines \\(.* MiB\\) were dropped: a task may print 3 MiB; the end follows$`,
    ),
  );
});

test('tasks of `exec: local` are heard too; pages go on behind a cursor', async () => {
  const { id, ended } = await begin(
    printing(
      "print('item', n)",
      '  loop: {in: [1, 2, 3], iterator: n, spec: {exec: local}}\n  input: {n: "{{ iter.n }}"}\n',
    ),
  );
  await ended;
  await streamed(id);
  const read: LogLine[] = [];
  for (let after = ''; ;) {
    const query = `?page_size=2&step=start${after && `&after=${after}`}`;
    const page = (await (await fetch(at(id, query))).json()) as {
      lines: LogLine[];
      pagination: { next_cursor: string | null };
    };
    expect(page.lines.length).toBeLessThanOrEqual(2);
    read.push(...page.lines);
    if (page.pagination.next_cursor === null) break;
    after = page.pagination.next_cursor;
  }
  expect(read.map(({ iteration, line }) => [iteration, line])).toEqual(
    [0, 1, 2].map((n) => [n, `item ${n + 1}`]),
  );
});

test('`run --server` shows progress and what is printed, and the result as `run` does', async () => {
  const file = path.join(folder, 'talk.yaml');
  fs.writeFileSync(file, printing("import time\nprint('hello')\ntime.sleep(1.5)\nresult = {'n': 1}"));
  const { code, stdout, stderr } = await inProcess(['run', file, '--server', facade.url]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(/^ {2}start: started$/m);
  expect(stderr).toMatch(/^ {2}start.* │ hello$/m);
  expect(stderr).toMatch(/✓ Completed in .*start/);
  expect(JSON.parse(stdout)).toBeDefined();
});

test('of no execution there is no log; where nothing is stored, `logs` tells what results have', async () => {
  const none = await fetch(at(newExecutionId()));
  expect([none.status, ((await none.json()) as { code: string }).code]).toEqual([404, 'EXECUTION_NOT_FOUND']);
  expect((await fetch(at('1', '?after=../../x.0'))).status).toBe(422);
  const without = await startFacade(stack);
  const { id, ended } = await begin(printing("print('kept by the result')"));
  await ended;
  const refused = await fetch(`${without.url}/api/executions/${id}/logs`);
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([404, 'NO_STORAGE']);
  const { stdout, stderr } = await inProcess(['logs', id, '--follow', '--server', without.url]);
  expect({ stdout, stderr }).toMatchObject({ stderr: '' });
  expect(stdout).toMatch(/kept by the result\n[^]*done\n/);
  await without.stop();
});
