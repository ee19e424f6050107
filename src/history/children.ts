/**
 * What history tells of sub-playbooks and chunks beside their own signals: why one did not start, or ended from outside.
 */
import { chunkRefOf, executionIdOf } from '../plan';
import { readArguments } from '../payloads';
import { type CalledInput } from '../../workflows/contract';
import { chunkGone, outcomeOfChildFailure, outcomeOfLostChild } from '../../workflows/outcomes';
import { type Completion, type HistoryEvent } from './event';
import { unheardSignalOf, type WorkflowEnd, workflowEndOf } from './workflow-ends';

export type Decode = (
  payloads: NonNullable<
    NonNullable<HistoryEvent['startChildWorkflowExecutionInitiatedEventAttributes']>['input']
  >['payloads'],
) => Promise<unknown[]>;

export class ChildReader {
  /** Path of the sub-playbook that was asked for, by the event id that asked. */
  private readonly paths = new Map<number, string>();
  /** Workflows that were told to cancel, by the event id that told them. */
  private readonly cancels = new Map<number, string>();

  constructor(private readonly decode: Decode) {}

  /** Books what a workflow task asked for; the execution id of a child that it started, or a chunk's reference. */
  async noteCommand(event: HistoryEvent): Promise<string | undefined> {
    const attributes = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (attributes?.signalName === 'cancel') {
      this.cancels.set(Number(event.eventId), attributes.workflowExecution?.workflowId ?? '');
    }
    const asked = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (!asked) return undefined;
    const ref = chunkRefOf(asked.workflowId ?? '');
    if (ref !== undefined) return ref;
    const given = await this.decode(asked.input?.payloads);
    const { call } = readArguments<CalledInput>(asked.workflowType?.name ?? '', given);
    this.paths.set(Number(event.eventId), call!.path);
    return executionIdOf(asked.workflowId ?? '');
  }

  /** The completion that an event is, if it is one of a child. */
  completionOf(event: HistoryEvent): Completion | undefined {
    const unheard = unheardSignalOf(event);
    if (unheard !== undefined) {
      const lost = this.cancels.get(unheard);
      return lost === undefined ? undefined : this.gone(lost, undefined);
    }
    const end = workflowEndOf(event);
    return end && this.gone(end.workflowId, end);
  }

  /** @param end undefined for one that was not there any more when it was to be cancelled */
  private gone(workflow: string, end: WorkflowEnd | undefined): Completion {
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
