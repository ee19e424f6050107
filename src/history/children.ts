/**
 * What history records about sub-playbooks and chunks besides their own signals: why one did not start, or what ended
 * it from outside.
 */
import { chunkRefOf, executionIdOf } from '../language/plan';
import { readArguments } from '../storage/payloads';
import { type CalledInput } from '../temporal/contract/definitions';
import { chunkGone, outcomeOfChildFailure, outcomeOfLostChild } from '../temporal/contract/outcomes';
import { type Completion, type HistoryEvent } from './event';
import { unheardSignalOf, type WorkflowEnd, workflowEndOf } from './workflow-ends';

export type Decode = (
  payloads: NonNullable<
    NonNullable<HistoryEvent['startChildWorkflowExecutionInitiatedEventAttributes']>['input']
  >['payloads'],
) => Promise<unknown[]>;

export class ChildReader {
  /** Path of the requested sub-playbook, by the id of the requesting event. */
  private readonly paths = new Map<number, string>();
  /** Workflows that were asked to cancel, by the id of the requesting event. */
  private readonly cancels = new Map<number, string>();

  constructor(private readonly decode: Decode) {}

  /** Registers a workflow task's request; returns the execution id of a child it started, or a chunk's reference. */
  async noteCommand(event: HistoryEvent): Promise<string | undefined> {
    const attributes = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (attributes?.signalName === 'cancel') {
      this.cancels.set(Number(event.eventId), attributes.workflowExecution?.workflowId ?? '');
    }
    const childAttributes = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (!childAttributes) return undefined;
    const ref = chunkRefOf(childAttributes.workflowId ?? '');
    if (ref !== undefined) return ref;
    const given = await this.decode(childAttributes.input?.payloads);
    const { call } = readArguments<CalledInput>(childAttributes.workflowType?.name ?? '', given);
    this.paths.set(Number(event.eventId), call!.path);
    return executionIdOf(childAttributes.workflowId ?? '');
  }

  /** The completion that an event represents, if it belongs to a child. */
  completionOf(event: HistoryEvent): Completion | undefined {
    const unheard = unheardSignalOf(event);
    if (unheard !== undefined) {
      const lost = this.cancels.get(unheard);
      return lost === undefined ? undefined : this.lostChild(lost, undefined);
    }
    const end = workflowEndOf(event);
    return end && this.lostChild(end.workflowId, end);
  }

  /** @param end undefined if it no longer existed when it was to be cancelled */
  private lostChild(workflow: string, end: WorkflowEnd | undefined): Completion {
    const ref = chunkRefOf(workflow);
    if (ref !== undefined) {
      return { key: ref, input: { type: 'chunkSettled', ref, settled: chunkGone(end?.failure) } };
    }
    const child = executionIdOf(workflow)!;
    const outcome = end
      ? outcomeOfChildFailure(end.failure, this.paths.get(end.by)!)
      : outcomeOfLostChild(child);
    return { key: child, input: { type: 'childSettled', child, outcome } };
  }
}
