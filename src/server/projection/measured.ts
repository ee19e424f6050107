/** Metrics of executions, recorded as the projection takes their events. */
import { type CanonicalEvent } from '../../history';
import { type Meters } from '../../telemetry/metrics';
import { type Sink } from './sink';

/** Seconds: from a call to a week. */
const DURATIONS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 604_800];
/** Seconds. */
const DELAYS = [0.5, 1, 2, 5, 10, 30, 60, 300, 900];
/** Older events are not counted: otherwise a projection that starts from scratch would report them as current. */
const RECENT_MS = 3_600_000;

const ENDS: Partial<Record<CanonicalEvent['status'], string>> = {
  success: 'completed',
  cancelled: 'cancelled',
};

/** Of each sink, how many executions its consumer does not get on with. */
export function measureFailing(
  meters: Meters,
  read: () => readonly { sink: string; failing: number }[],
): void {
  meters.gauge(
    {
      name: 'noetl_projection_failing',
      help: 'Executions that the projection does not get on with, and tries again',
      labels: ['sink'],
    },
    () => read().map(({ sink, failing }) => ({ labels: { sink }, value: failing })),
  );
}

type Count = (event: CanonicalEvent, playbook: string) => void;

/** Wraps a sink and counts what it takes. */
export function measuredSink(sink: Sink, meters: Meters, now: () => number = Date.now): Sink {
  const counts = countsOf(meters);
  const delays = meters.histogram(
    { name: 'noetl_projection_delay_seconds', help: 'From an event to its being in the tables', labels: [] },
    DELAYS,
  );
  return {
    name: sink.name,
    readsCalls: sink.readsCalls,
    ...(sink.keyframesEnd && { keyframesEnd: sink.keyframesEnd.bind(sink) }),
    async take(batch, cursors) {
      await sink.take(batch, cursors);
      const { path } = batch.plan.metadata;
      for (const { event } of batch.events) {
        const age = now() - Date.parse(event.timestamp);
        if (age > RECENT_MS) continue;
        delays({}, Math.max(0, age / 1000));
        counts[event.event_type]?.(event, path);
      }
    },
    close: () => sink.close(),
  };
}

function countsOf(meters: Meters): Partial<Record<CanonicalEvent['event_type'], Count>> {
  const finished = meters.counter({
    name: 'noetl_executions_finished_total',
    help: 'Executions that ended, by playbook and status (completed, failed, cancelled)',
    labels: ['playbook', 'status'],
  });
  const durations = meters.histogram(
    {
      name: 'noetl_execution_duration_seconds',
      help: 'How long executions took, from their start to their end',
      labels: ['playbook'],
    },
    DURATIONS,
  );
  const steps = meters.counter({
    name: 'noetl_steps_finished_total',
    help: 'Runs of steps that ended, by playbook and status (done, failed)',
    labels: ['playbook', 'status'],
  });
  const notes = meters.counter({
    name: 'noetl_notes_total',
    help: 'What executions left undone without failing: pages, iterations, arcs; by code',
    labels: ['playbook', 'code'],
  });
  return {
    'workflow.finished': ({ status }, playbook) => finished({ playbook, status: ENDS[status] ?? 'failed' }),
    'playbook.processed': ({ duration_ms }, playbook) => {
      if (duration_ms !== undefined) durations({ playbook }, duration_ms / 1000);
    },
    'step.done': (_event, playbook) => steps({ playbook, status: 'done' }),
    'step.failed': (_event, playbook) => steps({ playbook, status: 'failed' }),
    'limit.skipped': (_, playbook) => notes({ playbook, code: 'SKIPPED' }),
    'step.note': ({ payload }, playbook) => notes({ playbook, code: String(payload['code']) }),
  };
}
