/** Spans of what a client asks Temporal for. */
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
import { TRACE_HEADER } from '../../workflows/tracing/context';

/** Temporal's interceptor, silent about looks that nobody asked for: a display that polls would be a trace each time. */
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

/** A schedule's firings are no part of the request that made it: an empty header asks for a trace for each. */
export const traceEachFiring: ScheduleClientInterceptor = {
  create: (input, next) =>
    next({
      ...input,
      headers: { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload({}) },
    }),
};
