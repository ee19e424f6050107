/** Spans of workflow runs. The workflow reports its end; its ids were fixed at its start (workflows/tracing). */
import { SpanKind, type SpanStatus, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { type Resource } from '@opentelemetry/resources';
import { type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-node';
import { type InjectedSinks } from '@temporalio/worker';
import { type WorkflowInfo } from '@temporalio/workflow';
import { compact, executionIdOf, INTERNAL_PREFIX } from '../../language/plan';
import { type RunSpan, type TraceSinks } from './span';

/**
 * A run reports its end before the server has accepted it: if a signal arrived meanwhile, it continues and ends
 * again a moment later. So a report is delayed this long in case a later one replaces it.
 */
const SETTLE_MS = 2_000;

export interface RunSpans {
  readonly sinks: InjectedSinks<TraceSinks>;
  /** Exports the delayed spans. */
  flush(): void;
}

export function runSpans(processor: Pick<SpanProcessor, 'onEnd'>, resource: Resource): RunSpans {
  const waiting = new Map<string, { readonly timer: NodeJS.Timeout; readonly span: ReadableSpan }>();
  const handOn = (id: string): void => {
    const one = waiting.get(id);
    if (!one) return;
    waiting.delete(id);
    clearTimeout(one.timer);
    processor.onEnd(one.span);
  };
  const ended = (info: WorkflowInfo, runSpan: RunSpan): void => {
    const id = runSpan.place.spanId;
    clearTimeout(waiting.get(id)?.timer);
    const timer = setTimeout(() => handOn(id), SETTLE_MS).unref();
    waiting.set(id, { timer, span: readable(info, runSpan, resource) });
  };
  return {
    sinks: { noetlTrace: { ended: { fn: ended } } },
    flush: () => [...waiting.keys()].forEach(handOn),
  };
}

/** A completed span in the exporter's format. */
function readable(info: WorkflowInfo, span: RunSpan, resource: Resource): ReadableSpan {
  const { traceId, spanId, parentSpanId } = span.place;
  const { workflowType, workflowId, runId } = info;
  const execution = executionIdOf(workflowId);
  return {
    name: [workflowType.startsWith(INTERNAL_PREFIX) ? workflowType : 'playbook', span.path]
      .filter(Boolean)
      .join(' '),
    kind: SpanKind.INTERNAL,
    spanContext: () => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED }),
    ...(parentSpanId !== undefined && {
      parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED, isRemote: true },
    }),
    startTime: hr(span.start),
    endTime: hr(span.end),
    duration: hr(span.end - span.start),
    status: statusOf(span),
    attributes: {
      'noetl.status': span.end_as,
      ...compact({
        'noetl.execution_id': execution,
        'noetl.playbook': span.path,
        'noetl.error_code': span.code,
      }),
      temporalWorkflowId: workflowId,
      run_id: runId,
    },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'noetl-temporal' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function statusOf({ end_as, code }: RunSpan): SpanStatus {
  if (end_as === 'failed') return { code: SpanStatusCode.ERROR, ...compact({ message: code }) };
  return { code: end_as === 'cancelled' ? SpanStatusCode.UNSET : SpanStatusCode.OK };
}

/** Seconds and nanoseconds. */
function hr(ms: number): [number, number] {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
