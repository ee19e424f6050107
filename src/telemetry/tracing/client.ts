/** Spans of a client's requests to Temporal. */
import { trace } from '@opentelemetry/api';
import {
  type DescribeWorkflowExecutionResponse,
  type Next,
  type ScheduleClientInterceptor,
  type WorkflowClientInterceptor,
  type WorkflowDescribeInput,
  type WorkflowQueryInput,
} from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry-v2/lib/client';
import { TRACE_HEADER } from './context';

/** Temporal's interceptor without spans for polling, which would create a trace per poll. */
export class ClientSpans extends OpenTelemetryWorkflowClientInterceptor {
  override async query(
    input: WorkflowQueryInput,
    next: Next<WorkflowClientInterceptor, 'query'>,
  ): Promise<unknown> {
    return await (trace.getActiveSpan() ? super.query(input, next) : next(input));
  }

  override async describe(
    input: WorkflowDescribeInput,
    next: Next<WorkflowClientInterceptor, 'describe'>,
  ): Promise<DescribeWorkflowExecutionResponse> {
    return await (trace.getActiveSpan() ? super.describe(input, next) : next(input));
  }
}

/**
 * A schedule's executions do not belong to the request that created it: an empty header gives each its own trace.
 */
export const traceEachFiring: ScheduleClientInterceptor = {
  create: (input, next) =>
    next({
      ...input,
      headers: { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload({}) },
    }),
};
