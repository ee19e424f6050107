/**
 * Sub-playbooks as child workflows. They survive the caller's continue-as-new: their parent close policy is abandon,
 * their ends come back as signals to the caller's chain, and cancel, pause and resume are signalled to theirs.
 */
import {
  ChildWorkflowCancellationType,
  type ChildWorkflowOptions,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { type RunPlaybook } from '../src/engine/machine';
import { isPlaybookPath, workflowId, workflowTypeOf } from '../src/language/plan';
import { workflowArguments } from '../src/storage/payloads';
import { startAttributes } from './attributes';
import {
  type CalledInput,
  pauseSignal,
  type ResolverQueue,
  resumeSignal,
} from '../src/temporal/contract/definitions';
import { outcomeOfChildFailure, outcomeOfLostChild } from '../src/temporal/contract/outcomes';
import { fairly } from './effects';
import { type OtherWorkflows } from './others';
import { type InputQueue } from './queue';

export class Children {
  constructor(
    private readonly queue: InputQueue,
    private readonly others: OtherWorkflows,
    /** The caller's file, relative to which a sub-playbook may be located. */
    private readonly from: string | undefined,
    private readonly resolver: ResolverQueue | undefined,
  ) {}

  run(command: RunPlaybook): void {
    const { child, call, path, version, returnStep, returnResult, onlyInputs, detached, caller } = command;
    const input: CalledInput = {
      call: {
        path,
        version,
        from: this.from,
        returnStep,
        returnResult,
        onlyInputs,
        detached,
        caller,
        callerWorkflowId: workflowInfo().workflowId,
      },
      payload: call.input,
      ...(this.resolver !== undefined && { resolver: this.resolver }),
    };
    const started = startChild(workflowTypeOf(path), {
      ...optionsOf(command),
      args: workflowArguments(input),
    });
    this.others.starting(child, workflowId(child), started, (failure) =>
      this.queue.pushCompletion(child, {
        type: 'childSettled',
        child,
        outcome: outcomeOfChildFailure(failure, path),
      }),
    );
  }

  cancel(child: string, reason: string | null): void {
    // A child that vanished silently (terminated while the caller continued as new) never settles by itself.
    const lost = (): void =>
      this.queue.pushCompletion(child, { type: 'childSettled', child, outcome: outcomeOfLostChild(child) });
    void this.others.cancel(workflowId(child), reason ?? undefined).catch(lost);
  }

  pause(child: string, reason: string | null): void {
    void this.others
      .signal(workflowId(child), pauseSignal, { reason: reason ?? undefined })
      .catch(() => undefined);
  }

  resume(child: string): void {
    void this.others.signal(workflowId(child), resumeSignal).catch(() => undefined);
  }
}

function optionsOf({
  child,
  path,
  version,
  caller,
  summary,
  detached,
  priority,
}: RunPlaybook): ChildWorkflowOptions {
  return {
    workflowId: workflowId(child),
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
    // A template may evaluate to a string of any length, but a summary is limited.
    staticSummary: isPlaybookPath(path) ? `${path} (${summary})` : summary,
    memo: {
      noetl_caller: {
        execution_id: caller.executionId,
        task_run_id: caller.taskRunId,
        depth: caller.depth,
        ...(detached && { detached }),
      },
    },
    typedSearchAttributes: startAttributes({ path, version }),
    ...fairly(priority),
  };
}
