/**
 * Chunks of a loop (`exec: distributed`) as child workflows. A child survives the continue-as-new of its loop, so its
 * end comes by signal.
 */
import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { type ChunkSettled, planOfChunk, type RunChunk } from '../src/engine/machine';
import { compressible, inlineBytesOf, limitInline } from '../src/storage/payloads';
import { CHUNK_WORKFLOW_TYPE, chunkWorkflowId, type Plan } from '../src/language/plan';
import {
  cancelSignal,
  type ChunkInput,
  pauseSignal,
  type ResolverQueue,
  resumeSignal,
} from '../src/temporal/contract/definitions';
import { type OtherWorkflows } from './others';
import { chunkGone } from '../src/temporal/contract/outcomes';
import { type InputQueue } from './queue';

export class Chunks {
  constructor(
    private readonly queue: InputQueue,
    private readonly others: OtherWorkflows,
    private readonly plan: Plan,
    private readonly executionId: string,
    private readonly resolver: ResolverQueue | undefined,
  ) {}

  run({ ref, chunk, summary }: RunChunk): void {
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

  cancel(ref: string): void {
    // A child that vanished silently (terminated while the loop continued as new) never settles by itself.
    const onLost = (failure: unknown): void => this.settle(ref, chunkGone(failure));
    void this.others.signal(this.idOf(ref), cancelSignal, {}).catch(onLost);
  }

  pause(ref: string, reason: string | null): void {
    void this.others
      .signal(this.idOf(ref), pauseSignal, { reason: reason ?? undefined })
      .catch(() => undefined);
  }

  resume(ref: string): void {
    void this.others.signal(this.idOf(ref), resumeSignal).catch(() => undefined);
  }

  private settle(ref: string, settled: ChunkSettled): void {
    this.queue.pushCompletion(ref, { type: 'chunkSettled', ref, settled });
  }

  private idOf(ref: string): string {
    return chunkWorkflowId(this.executionId, ref);
  }
}
