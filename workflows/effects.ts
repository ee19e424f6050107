/** The engine's commands as Temporal activities and timers. */
import {
  ActivityCancellationType,
  CancellationScope,
  type ActivityOptions,
  scheduleActivity,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { type Command, type RunTask } from '../src/engine/machine';
import {
  declarationOf,
  executionIdOf,
  grantRequest,
  HEARTBEAT_TIMEOUT,
  LIMIT_KIND,
  type Outcome,
  packCall,
  startToClose,
  taskQueue,
  type TaskPriority,
  type WireCall,
  type WireOutcome,
} from '../src/language/plan';
import { limitInline, requestGrant } from '../src/storage/payloads';
import { COUNTED_CRASH_RETRY, CRASH_RETRY, SILENT_CRASH_RETRY } from './crashes';
import { type LongTasks } from './long-tasks';
import { outcomeOfFailure, outcomeOfResult } from '../src/temporal/contract/outcomes';
import { type InputQueue } from './queue';

type CancelTask = Extract<Command, { type: 'cancelTask' }>;

export class Effects {
  private readonly tasks = new Map<string, CancellationScope>();
  /** Scopes of settled tasks, for the next ones: a scope costs four promises, and cancelling it concerns only open calls. */
  private readonly idle: CancellationScope[] = [];
  private readonly timers = new Map<string, CancellationScope>();

  constructor(
    private readonly queue: InputQueue,
    /** Calls and outcomes from this size are stored outside history. */
    private readonly inlineBytes: number,
    private readonly longTasks: LongTasks,
  ) {}

  /** Schedules a task's activity; its outcome comes back as an input in every case. */
  runTask(command: RunTask): void {
    const { call } = command;
    if (command.long) return this.longTasks.run(call, optionsOf(command), command.pool);
    const id = call.task_run_id;
    const scope = this.idle.pop() ?? new CancellationScope();
    this.tasks.set(id, scope);
    const settled = (outcome: Outcome): void => {
      this.tasks.delete(id);
      if (!scope.consideredCancelled) this.idle.push(scope);
      this.queue.pushCompletion(id, { type: 'taskSettled', taskRunId: id, outcome });
    };
    void scope
      .run(() => scheduleActivity<WireOutcome>(call.kind, [this.wireCall(command)], optionsOf(command)))
      .then(
        (wire) => settled(outcomeOfResult(wire)),
        (failure: unknown) => settled(outcomeOfFailure(failure)),
      );
  }

  private wireCall({ call, pool }: RunTask): WireCall {
    const { workflowId } = workflowInfo();
    const wire = packCall(call, workflowId, this.inlineBytes);
    return requestGrant(limitInline(wire, this.inlineBytes), grantRequest(call, workflowId, pool));
  }

  cancelTask({ taskRunId, long }: CancelTask): void {
    if (long) this.longTasks.cancel(taskRunId);
    else this.tasks.get(taskRunId)?.cancel();
  }

  /** The summary is the timer's key: the only way to tell timers apart in history. */
  startTimer(key: string, deadline: number): void {
    const scope = new CancellationScope();
    this.timers.set(key, scope);
    void scope
      .run(() => sleep(Math.max(1, deadline - Date.now()), { summary: key }))
      .then(
        () => {
          this.timers.delete(key);
          this.queue.pushCompletion(key, { type: 'timerFired', key });
        },
        () => this.timers.delete(key),
      );
  }

  cancelTimer(key: string): void {
    this.timers.get(key)?.cancel();
  }
}

/** Nothing depends on how often a keeper is asked, and an execution must not fail because Temporal was busy. */
const ASKING: ActivityOptions = {
  startToCloseTimeout: '15s',
  retry: { initialInterval: 500, maximumInterval: '30s' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

function optionsOf({ call, summary, pool, atMostOnce, heartbeat, priority }: RunTask): ActivityOptions {
  if (call.kind === LIMIT_KIND)
    return { ...ASKING, activityId: call.task_run_id, taskQueue: taskQueue(call.kind), summary };
  const silence = heartbeat ?? HEARTBEAT_TIMEOUT;
  return {
    activityId: call.task_run_id,
    taskQueue: taskQueue(call.kind, pool),
    summary,
    startToCloseTimeout: startToClose(call) * 1000,
    ...(silence > 0 && { heartbeatTimeout: silence * 1000 }),
    retry: atMostOnce ? { maximumAttempts: 1 } : crashRetry(call.kind, silence),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    ...fairly(priority),
  };
}

/**
 * Families that set no key take turns: all that one execution started has its key, which whoever starts an execution
 * gives it, and Temporal to its tasks and children. One that was started without gives them that of its root.
 */
export function fairly(given: TaskPriority = {}): { priority?: TaskPriority } {
  const { priority: inherited, root, workflowId } = workflowInfo();
  // Repeated with each task, it would be 6 % of a fan-out's history.
  if (inherited?.fairnessKey) return Object.keys(given).length > 0 ? { priority: given } : {};
  // The id of another workflow may be longer than a key.
  const family = root && executionIdOf(root.workflowId) ? root.workflowId : workflowId;
  return { priority: { fairnessKey: family, ...given } };
}

/** Temporal retries only after a worker crash or a missed heartbeat; tool failures are non-retryable. */
function crashRetry(kind: string, silence: number): ActivityOptions['retry'] {
  if (silence === 0) return SILENT_CRASH_RETRY;
  // Workers of extensions are third-party programs: only Temporal counts.
  return declarationOf(kind) ? COUNTED_CRASH_RETRY : CRASH_RETRY;
}
