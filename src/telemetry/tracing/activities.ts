/** Spans of activities: Temporal's interceptor, with the task's names and without its data. */
import { trace, type Tracer } from '@opentelemetry/api';
import { type Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/common';
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry-v2/lib/worker';
import {
  type ActivityExecuteInput,
  type ActivityInboundCallsInterceptor,
  type Next,
} from '@temporalio/worker';
import { compact, executionIdOf, taskPlaceIn } from '../../language/plan';

type Execute = Next<ActivityInboundCallsInterceptor, 'execute'>;

export class TaskSpans extends OpenTelemetryActivityInboundInterceptor {
  constructor(context: Context, tracer: Tracer) {
    super(context, { tracer });
  }

  override async execute(input: ActivityExecuteInput, next: Execute): Promise<unknown> {
    let failure: { readonly thrown: unknown } | undefined;
    try {
      return await super.execute(input, async (given) => {
        this.describe(given.args);
        try {
          return await next(given);
        } catch (thrown) {
          failure = { thrown };
          throw shown(thrown);
        }
      });
    } catch (error) {
      throw failure ? failure.thrown : error;
    }
  }

  private describe([call]: unknown[]): void {
    const span = trace.getActiveSpan();
    if (!span) return;
    const { activityType, activityId, attempt, workflowExecution } = this.ctx.info;
    const { workflowId = '' } = workflowExecution ?? {};
    const isTask = activityId.includes('~');
    const facts = isTask ? { ...taskPlaceIn(activityId), ...factsOf(call) } : factsOf(call);
    const { step, task, path, iteration, attempt: visit, execution_id } = facts;
    const execution = execution_id ?? executionIdOf(workflowId);
    // Absent fields of a call have their defaults (src/language/plan/wire.ts).
    span.setAttributes({
      'noetl.kind': activityType,
      'noetl.task_run_id': activityId,
      'noetl.worker_attempt': attempt,
      ...(task !== undefined && { 'noetl.task': task, 'noetl.attempt': visit ?? 1 }),
      ...compact({
        'noetl.execution_id': execution,
        'noetl.step': step,
        'noetl.iteration': iteration,
        'noetl.playbook': path,
      }),
    });
    const what = [step, task].filter((name) => name !== undefined).join('/') || path;
    if (what !== undefined) span.updateName(`${activityType} ${what}`);
  }
}

interface Facts {
  readonly step?: string;
  readonly task?: string;
  readonly path?: string;
  readonly iteration?: number;
  readonly attempt?: number;
  readonly execution_id?: string;
}

/** Names and numbers of an activity's argument: a task, part of a loop, a playbook to resolve. */
function factsOf(call: unknown): Facts {
  const { chunk, plan, ...given } = (call ?? {}) as Readonly<Record<string, unknown>>;
  const run = (chunk as { run?: { step?: unknown } } | undefined)?.run;
  const path = (plan as { metadata?: { path?: unknown } } | undefined)?.metadata?.path;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
  return compact({
    step: text(given['step']) ?? text(run?.step),
    task: text(given['task']),
    path: text(given['path']) ?? text(path),
    iteration: number(given['iteration']),
    attempt: number(given['attempt']),
    execution_id: text(given['execution_id']),
  });
}

/** A failure as shown in a span: its code. Messages and stack traces may quote the task's data. */
function shown(thrown: unknown): unknown {
  if (thrown instanceof CompleteAsyncError) return thrown;
  const code =
    thrown instanceof CancelledFailure
      ? 'cancelled'
      : (thrown instanceof ApplicationFailure && thrown.type) ||
        (thrown instanceof Error ? thrown.name : 'error');
  return Object.assign(new Error(code), { name: code, stack: undefined });
}
