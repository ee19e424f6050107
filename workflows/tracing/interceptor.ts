/**
 * Carries the trace of whoever started a run to what the run starts: activities, child workflows, the next run of its
 * chain. It awaits nothing and adds no command: histories replay with and without it, and with and without the header.
 *
 * Ours, and not the one of @temporalio/interceptors-opentelemetry-v2, whose interceptors for clients and activities we
 * use: that one writes a header into the history of every run, traced or not, tells the message and stack of each
 * failure, and brings OpenTelemetry's SDK into the bundle of every worker (a quarter more code).
 */
import {
  type ActivityInput,
  ContinueAsNew,
  type ContinueAsNewInput,
  isCancellation,
  type Next,
  proxySinks,
  type StartChildWorkflowExecutionInput,
  type WorkflowExecuteInput,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  workflowInfo,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { ApplicationFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import { INTERNAL_PREFIX, WORKFLOW_TYPE } from '../../src/language/plan';
import {
  carrierOf,
  isSampled,
  placeOfRun,
  type RunPlace,
  TRACE_HEADER,
} from '../../src/telemetry/tracing/context';
import { type RunEnd, type RunSpan, type TraceSinks } from '../../src/telemetry/tracing/span';

const { noetlTrace } = proxySinks<TraceSinks>();

class TraceCarrier implements WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor {
  /** As it came: the next run of the chain stands beside this one, under the same parent. */
  private given: Headers = {};
  /** For what this run starts. */
  private own: Headers = {};

  // Not async, and the promise is handed on as it is: nobody waits a microtask longer than without us.
  execute(
    input: WorkflowExecuteInput,
    next: Next<WorkflowInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    const place = this.enter(input.headers);
    const done = next(input);
    if (place && isSampled(place)) report(place, pathOf(workflowInfo().workflowType, input.args), done);
    return done;
  }

  scheduleActivity(
    input: ActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleActivity'>,
  ): Promise<unknown> {
    return next(this.isIdle ? input : { ...input, headers: { ...input.headers, ...this.own } });
  }

  startChildWorkflowExecution(
    input: StartChildWorkflowExecutionInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'startChildWorkflowExecution'>,
  ): Promise<[Promise<string>, Promise<unknown>]> {
    return next(this.isIdle ? input : { ...input, headers: { ...input.headers, ...this.own } });
  }

  continueAsNew(
    input: ContinueAsNewInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'continueAsNew'>,
  ): Promise<never> {
    return next(this.isIdle ? input : { ...input, headers: { ...input.headers, ...this.given } });
  }

  private get isIdle(): boolean {
    return this.own[TRACE_HEADER] === undefined;
  }

  private enter({ [TRACE_HEADER]: header }: Headers): RunPlace | undefined {
    if (header === undefined) return undefined;
    const place = placeOfRun(read(header), workflowInfo().runId);
    if (!place) return undefined;
    this.given = { [TRACE_HEADER]: header };
    this.own = { [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrierOf(place)) };
    return place;
  }
}

/** Undefined for what is no JSON: a header that nobody of ours wrote must not fail a run. */
function read(header: Headers[string]): unknown {
  try {
    return defaultPayloadConverter.fromPayload(header);
  } catch {
    return undefined;
  }
}

function report(place: RunPlace, path: string | undefined, done: Promise<unknown>): void {
  const start = workflowInfo().runStartTime.getTime();
  const tell = (end: Pick<RunSpan, 'end_as' | 'code'>): void =>
    noetlTrace.ended({ place, start, end: Date.now(), ...(path !== undefined && { path }), ...end });
  done.then(
    () => tell({ end_as: 'completed' }),
    (failure: unknown) => tell(endOf(failure)),
  );
}

function endOf(failure: unknown): { end_as: RunEnd; code?: string } {
  if (failure instanceof ContinueAsNew) return { end_as: 'continued' };
  if (isCancellation(failure)) return { end_as: 'cancelled' };
  const code = failure instanceof ApplicationFailure ? failure.type : undefined;
  return { end_as: 'failed', ...(code && { code }) };
}

/** Path of the playbook: the type of an execution, or in the input of any other of our workflows. */
function pathOf(type: string, [first, second]: unknown[]): string | undefined {
  if (type !== WORKFLOW_TYPE && !type.startsWith(INTERNAL_PREFIX)) return type;
  const { plan, metadata, path } = (second ?? first ?? {}) as Readonly<Record<string, unknown>>;
  const places = [(plan as Place)?.metadata?.path, (metadata as Place)?.path, path];
  return places.find((one) => typeof one === 'string');
}

type Place = { readonly path?: unknown; readonly metadata?: { readonly path?: unknown } } | undefined;

export function interceptors(): WorkflowInterceptors {
  const carrier = new TraceCarrier();
  return { inbound: [carrier], outbound: [carrier] };
}
