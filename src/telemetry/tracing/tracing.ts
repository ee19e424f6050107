/** Tracing of a process. */
import { type ScheduleClientInterceptor, type WorkflowClientInterceptor } from '@temporalio/client';
import { type ActivityInterceptorsFactory, type InjectedSinks } from '@temporalio/worker';
import { type tracedRequests } from './requests';
import { type TraceSinks } from './span';

export interface WorkerTracing {
  readonly activities: ActivityInterceptorsFactory;
  readonly sinks: InjectedSinks<TraceSinks>;
  /** Headers for a request from the running task to this address. */
  readonly headersFor: (url: URL) => Readonly<Record<string, string>>;
  /** The trace of the running task. */
  readonly traceId: () => string | undefined;
}

export interface Tracing {
  /** For clients that start executions and schedules. */
  readonly client: {
    readonly workflow: WorkflowClientInterceptor[];
    readonly schedule: ScheduleClientInterceptor[];
  };
  /** To be installed before the routes of the REST API. */
  readonly requests: ReturnType<typeof tracedRequests>;
  /** Acts in the trace that the headers name, if they name one. */
  within<T>(headers: object, act: () => Promise<T>): Promise<T>;
  readonly worker: WorkerTracing;
  /** Exports the remaining spans, within 3 s. */
  shutdown(): Promise<void>;
}
