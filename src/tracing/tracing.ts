/** What a process with traces has of them. */
import { type ScheduleClientInterceptor, type WorkflowClientInterceptor } from '@temporalio/client';
import { type ActivityInterceptorsFactory, type InjectedSinks } from '@temporalio/worker';
import { type RequestHandler } from 'express';
import { type TraceSinks } from '../../workflows/tracing/span';

export interface WorkerTracing {
  readonly activities: ActivityInterceptorsFactory;
  readonly sinks: InjectedSinks<TraceSinks>;
  /** Headers for a request that the running task sends to this address. */
  readonly headersFor: (url: URL) => Readonly<Record<string, string>>;
  /** The trace that the running task is part of. */
  readonly traceId: () => string | undefined;
}

export interface Tracing {
  /** Of clients that start executions and schedules. */
  readonly client: {
    readonly workflow: WorkflowClientInterceptor[];
    readonly schedule: ScheduleClientInterceptor[];
  };
  /** Stands before the routes of the REST surface. */
  readonly requests: RequestHandler;
  readonly worker: WorkerTracing;
  /** Sends what is left, for 3 s at most. */
  shutdown(): Promise<void>;
}
