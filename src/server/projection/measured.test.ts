import { Meters } from '../../telemetry/metrics';
import { measuredSink } from './measured';
import { type EventBatch, type Sink } from './sink';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

test('what a sink took is counted once, by playbook; what it did not, and what is long past, is not', async () => {
  let isAway = true;
  const sink: Sink = {
    name: 'postgres',
    readsCalls: true,
    take: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
    close: () => Promise.resolve(),
  };
  const meters = new Meters();
  const measured = measuredSink(sink, meters, () => NOW);
  expect(measured).toMatchObject({ name: 'postgres', readsCalls: true });
  const batch = (events: object[]): EventBatch =>
    ({
      plan: { metadata: { path: 'etl/load' } },
      events: events.map((event) => ({ event })),
    }) as unknown as EventBatch;
  const events = [
    { event_type: 'step.done', timestamp: ago(4), payload: {} },
    { event_type: 'step.failed', timestamp: ago(4), payload: {} },
    { event_type: 'step.note', timestamp: ago(3), payload: { code: 'PAGES_LEFT' } },
    { event_type: 'workflow.finished', status: 'error', timestamp: ago(3), payload: {} },
    { event_type: 'playbook.processed', timestamp: ago(3), duration_ms: 4200, payload: {} },
  ];
  const cursors = {} as Parameters<Sink['take']>[1];
  await expect(measured.take(batch(events), cursors)).rejects.toThrow('away');
  isAway = false;
  await measured.take(batch(events), cursors);
  const past = { event_type: 'workflow.finished', status: 'success', timestamp: ago(7200), payload: {} };
  await measured.take(batch([past, { ...past, timestamp: ago(1) }]), cursors);
  const text = await meters.text();
  for (const line of [
    'noetl_executions_finished_total{playbook="etl/load",status="failed"} 1',
    'noetl_executions_finished_total{playbook="etl/load",status="completed"} 1',
    'noetl_execution_duration_seconds_bucket{le="5",playbook="etl/load"} 1',
    'noetl_steps_finished_total{playbook="etl/load",status="done"} 1',
    'noetl_steps_finished_total{playbook="etl/load",status="failed"} 1',
    'noetl_notes_total{playbook="etl/load",code="PAGES_LEFT"} 1',
    'noetl_projection_delay_seconds_count 6',
  ])
    expect(text).toContain(line);
});
