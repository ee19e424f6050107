/**
 * Parts of a loop that run elsewhere (D20): `exec: local` as an activity, `exec: distributed` as a child workflow. A
 * child outlives the continue-as-new of its loop (D21), so its end comes by signal.
 */
import {
  ActivityCancellationType,
  type ActivityOptions,
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  scheduleActivity,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ChunkSettled,
  type LocalAnswer,
  type LocalInput,
  planOfChunk,
  type RunChunk,
  type Trace,
} from '../src/engine';
import { compressible, inlineBytesOf, limitInline } from '../src/payloads';
import { CHUNK_WORKFLOW_TYPE, chunkWorkflowId, LOCAL_KIND, type Plan, taskQueue } from '../src/plan';
import { cancelSignal, type ChunkInput, pauseSignal, type ResolverQueue, resumeSignal } from './contract';
import { CRASH_RETRY } from './crashes';
import { type OtherWorkflows } from './others';
import { chunkGone, chunkLost } from './outcomes';
import { type InputQueue } from './queue';

export class Chunks {
  private readonly activities = new Map<string, CancellationScope>();

  constructor(
    private readonly queue: InputQueue,
    private readonly others: OtherWorkflows,
    private readonly plan: Plan,
    private readonly executionId: string,
    private readonly resolver: ResolverQueue | undefined,
  ) {}

  run(command: RunChunk): void {
    if (command.exec === 'local') this.runActivity(command);
    else this.runWorkflow(command);
  }

  private runActivity({ ref, chunk, machine, summary }: RunChunk): void {
    const { plan } = this;
    const input: LocalInput = { plan: planOfChunk(plan, chunk.run.step), chunk, machine };
    const scope = new CancellationScope();
    this.activities.set(ref, scope);
    const settled = (settled: ChunkSettled, trace?: Trace): void => {
      this.activities.delete(ref);
      this.settle(ref, settled, trace);
    };
    void scope
      .run(() =>
        scheduleActivity<LocalAnswer>(LOCAL_KIND, [limitInline(compressible(input), inlineBytesOf(plan))], {
          ...LOCAL,
          activityId: ref,
          summary,
        }),
      )
      .then(
        (answer) => settled(answer.settled, answer.trace),
        (failure: unknown) => settled(chunkLost(failure)),
      );
  }

  private runWorkflow({ ref, chunk, summary }: RunChunk): void {
    const { plan } = this;
    const input: ChunkInput = {
      plan: planOfChunk(plan, chunk.run.step),
      ref,
      loopWorkflowId: workflowInfo().workflowId,
      chunk,
      ...(this.resolver !== undefined && { resolver: this.resolver }),
    };
    const started = startChild(CHUNK_WORKFLOW_TYPE, {
      workflowId: this.idOf(ref),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      staticSummary: summary,
      args: [limitInline(compressible(input), inlineBytesOf(plan))],
    });
    this.others.starting(ref, this.idOf(ref), started, (failure) => this.settle(ref, chunkGone(failure)));
  }

  cancel(ref: string, exec: 'local' | 'distributed'): void {
    if (exec === 'local') return this.activities.get(ref)?.cancel();
    // One that is gone without a word (terminated while the loop continued as new) will never settle by itself.
    const gone = (failure: unknown): void => this.settle(ref, chunkGone(failure));
    void this.others.signal(this.idOf(ref), cancelSignal, {}).catch(gone);
  }

  pause(ref: string, reason: string | null): void {
    void this.others
      .signal(this.idOf(ref), pauseSignal, { reason: reason ?? undefined })
      .catch(() => undefined);
  }

  resume(ref: string): void {
    void this.others.signal(this.idOf(ref), resumeSignal).catch(() => undefined);
  }

  private settle(ref: string, settled: ChunkSettled, trace?: Trace): void {
    this.queue.pushCompletion(ref, { type: 'chunkSettled', ref, settled, trace });
  }

  private idOf(ref: string): string {
    return chunkWorkflowId(this.executionId, ref);
  }
}

const LOCAL: ActivityOptions = {
  taskQueue: taskQueue(LOCAL_KIND),
  // An iteration takes as long as its tasks; each of them has a time limit of its own.
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '10s',
  retry: CRASH_RETRY,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};
