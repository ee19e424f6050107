import { emptyResource } from '@opentelemetry/resources';
import { type ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { type WorkflowInfo } from '@temporalio/workflow';
import { type RunSpan } from './span';
import { runSpans } from './run-spans';

const INFO = { workflowType: 'playbook', workflowId: 'noetl-7', runId: 'r' } as WorkflowInfo;
const place = (spanId: string) => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId,
  parentSpanId: 'b7ad6b7169203331',
  flags: '01',
});
const run = (said: Partial<RunSpan>): RunSpan => ({
  place: place('a760160fac7ed160'),
  start: 1_000,
  end: 2_500,
  end_as: 'completed',
  ...said,
});

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function spans() {
  const seen: ReadableSpan[] = [];
  const { sinks, flush } = runSpans({ onEnd: (span) => void seen.push(span) }, emptyResource());
  const tell = (said: RunSpan): void => void sinks.noetlTrace.ended.fn(INFO, said);
  return { seen, tell, flush };
}

test('a run that had to go on, and ended again, is one span: the last', () => {
  const { seen, tell } = spans();
  tell(run({ end_as: 'continued' }));
  jest.advanceTimersByTime(1_500);
  tell(run({ end: 4_000 }));
  tell(run({ place: place('b760160fac7ed160'), end_as: 'failed', code: 'shell.EXIT', path: 'etl/load' }));
  jest.advanceTimersByTime(1_500);
  expect(seen).toEqual([]);
  jest.advanceTimersByTime(1_000);
  expect(seen).toMatchObject([
    {
      name: 'playbook',
      endTime: [4, 0],
      duration: [3, 0],
      parentSpanContext: { spanId: 'b7ad6b7169203331' },
      status: { code: 1 },
    },
    { name: 'playbook etl/load', status: { code: 2, message: 'shell.EXIT' } },
  ]);
  expect(seen[0]!.attributes).toMatchObject({ 'noetl.execution_id': '7', 'noetl.status': 'completed' });
});

test('what waits is handed on at the end, once', () => {
  const { seen, tell, flush } = spans();
  tell(run({}));
  flush();
  flush();
  jest.advanceTimersByTime(10_000);
  expect(seen).toHaveLength(1);
});
