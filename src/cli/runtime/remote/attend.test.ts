/** What `run --server` says beside the result, against a facade that answers as the test says. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { facadeAt } from '../port/facade';
import { attend } from './attend';

const STANDING = {
  execution_id: '1',
  workflow_id: 'noetl-1',
  path: 'a/b',
  version: null,
  status: 'completed',
  result: null,
  error: null,
  steps_executed: ['start'],
  notes: [],
  live: [],
  tasks_run: 1,
  retries: 0,
  variables: {},
  rerun_of: null,
  continuations: 0,
  started_at: '2026-01-01T00:00:00.000Z',
  finished_at: '2026-01-01T00:00:01.000Z',
  deadline_at: null,
  late: false,
  duration_ms: 1000,
  unserved: [],
};

const LAST = {
  at: '2026-01-01T00:00:01.000Z',
  step: 'start',
  task: 'print',
  task_run_id: 'start#1.print~1@1',
  attempt: 1,
  stream: 'stdout',
  line: 'the last line of all',
};

type Logs = (response: http.ServerResponse) => void;

async function attended(logs: Logs): Promise<string> {
  const server = http.createServer((request, response) => {
    if (request.url!.includes('/logs?last=200'))
      return void response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ lines: [LAST], pagination: { next_cursor: null } }));
    if (request.url!.includes('/logs')) return logs(response.setHeader('content-type', 'text/event-stream'));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(STANDING));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let text = '';
  const spies = [process.stderr, process.stdout].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk, ...more) => {
      text += String(chunk);
      const done = more.find((one) => typeof one === 'function');
      done?.();
      return true;
    }),
  );
  const { port } = server.address() as AddressInfo;
  try {
    const begun = { execution_id: '1', workflow_id: 'noetl-1', playbook: 'catalog://a/b@1' };
    await attend(facadeAt({ url: `http://127.0.0.1:${port}` }), begun, {});
  } finally {
    for (const spy of spies) spy.mockRestore();
    server.closeAllConnections();
    server.close();
  }
  return text;
}

test.each<[string, Logs, RegExp]>([
  [
    'goes on after the end',
    (response) => void response.write('\n'),
    /not all output is shown \(it is longer\): noetl-temporal logs 1/,
  ],
  [
    'fails',
    (response) => void response.end('event: failure\ndata: the storage is away\n\n'),
    /not all output is shown \(.*the storage is away\): noetl-temporal logs 1 --server http/,
  ],
])('live output that %s is not cut off without a word', async (_what, logs, wanted) => {
  const said = await attended(logs);
  expect(said).toMatch(wanted);
  // What is most often looked for is the end.
  expect(said.slice(said.search(wanted))).toContain('the last line of all');
});

test('nothing is said of a stream that goes on when its last line is shown', async () => {
  const said = await attended((response) => void response.write(`id: 1\ndata: ${JSON.stringify(LAST)}\n\n`));
  expect(said.match(/the last line of all/g)).toHaveLength(1);
  expect(said).not.toMatch(/not all output/);
});

// The facade waits after the end of an execution for lines that workers are still to store.
test.each([0, 1_300])('nothing is said of output that is whole %d ms after the end', async (later) => {
  const logs: Logs = (response) => void setTimeout(() => response.end('event: end\ndata: {}\n\n'), later);
  expect(await attended(logs)).not.toMatch(/not all output/);
});
