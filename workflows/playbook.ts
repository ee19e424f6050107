/**
 * The one generic workflow: interprets a Plan. A thin driver — the engine decides, this file turns its commands into
 * activities and timers and feeds back what they come to (DESIGN.md sections 1, 3).
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import { type Command, EngineError, executionIdFor, type Input, Machine } from '../src/engine';
import { isMapping, type Plan, SEARCH_ATTRIBUTES } from '../src/plan';
import { type PlaybookFailure, type PlaybookInput, type PlaybookResult } from './contract';
import { inlineBytesOf, limitInline, spendInlineBudgetOf } from '../src/payloads';
import { detailsOf } from './details';
import { Effects } from './effects';
import { answerQueries, listen } from './handlers';
import { InputQueue } from './queue';

/**
 * Runs a playbook to its end. A bare Plan as input is a run without payload, so that
 * `temporal workflow start --type playbook --input-file plan.json` works.
 *
 * @returns result and executed steps.
 * @throws ApplicationFailure (type = the error's code, details = PlaybookFailure) when the execution failed;
 *   CancelledFailure when it was cancelled.
 */
export async function playbook(given: PlaybookInput | Plan): Promise<PlaybookResult> {
  const input: PlaybookInput = 'plan' in given ? given : { plan: given };
  const machine = machineFor(input);
  const queue = new InputQueue();
  answerQueries(machine);
  listen(queue);
  CancellationScope.current().cancelRequested.catch(() => queue.pushExternal({ type: 'cancelRequested' }));
  // The engine decides what a cancellation stops, so nothing below is cancelled by Temporal itself.
  return CancellationScope.nonCancellable(() => drive(input, machine, queue));
}

function machineFor(input: PlaybookInput): Machine {
  try {
    if (!isMapping(input.plan) || !Array.isArray(input.plan.steps)) {
      throw new EngineError(
        'PLAN_INPUT',
        'the input is not a Plan: start the workflow with what `noetl-temporal compile` prints',
      );
    }
    return input.state ? Machine.from(input.plan, input.state) : Machine.create(input.plan, executionId());
  } catch (error) {
    if (error instanceof EngineError) throw ApplicationFailure.nonRetryable(error.message, error.code);
    throw error;
  }
}

function executionId(): string {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  return executionIdFor(workflowId, firstExecutionRunId);
}

async function drive(input: PlaybookInput, machine: Machine, queue: InputQueue): Promise<PlaybookResult> {
  const effects = new Effects(queue, inlineBytesOf(input.plan));
  let inputs: Input[] = [
    input.state ? { type: 'continued' } : { type: 'started', payload: { ...input.payload } },
  ];
  for (;;) {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    spendInlineBudgetOf(historyLength);
    const commands = machine.advance({ at: Date.now(), inputs, continueAsNewSuggested });
    const end = perform(commands, effects);
    setCurrentDetails(detailsOf(machine.progress()));
    if (end && (end.type !== 'continueAsNew' || queue.isEmpty)) return await finish(end, input, machine);
    await condition(() => !queue.isEmpty);
    inputs = queue.take();
  }
}

type End = Extract<Command, { type: 'complete' | 'fail' | 'cancelled' | 'continueAsNew' }>;

function perform(commands: readonly Command[], effects: Effects): End | undefined {
  for (const command of commands) {
    switch (command.type) {
      case 'runTask':
        effects.runTask(command);
        break;
      case 'cancelTask':
        effects.cancelTask(command.taskRunId);
        break;
      case 'startTimer':
        effects.startTimer(command.key, command.deadline);
        break;
      case 'cancelTimer':
        effects.cancelTimer(command.key);
        break;
      default:
        return command;
    }
  }
  return undefined;
}

async function finish(end: End, input: PlaybookInput, machine: Machine): Promise<PlaybookResult> {
  await condition(allHandlersFinished);
  const inlineBytes = inlineBytesOf(input.plan);
  if (end.type === 'continueAsNew') {
    return await continueAsNew<typeof playbook>(
      limitInline({ plan: input.plan, state: machine.state }, inlineBytes),
    );
  }
  recordStatus(machine.state.status);
  const steps_executed = machine.state.executed;
  if (end.type === 'complete')
    return limitInline({ status: 'completed', result: end.result, steps_executed }, inlineBytes);
  if (end.type === 'cancelled') throw new CancelledFailure(end.reason ?? 'cancelled', [{ steps_executed }]);
  const details: PlaybookFailure = limitInline({ error: end.error, steps_executed }, inlineBytes);
  const where = [end.error.step, end.error.task].filter(Boolean).join('/');
  const message = `${where ? `${where}: ` : ''}${end.error.message}`;
  throw ApplicationFailure.create({ message, type: end.error.code, nonRetryable: true, details: [details] });
}

/** Only where the starter set it: a namespace without our search attributes would fail the workflow task. */
function recordStatus(status: string): void {
  const key = defineSearchAttributeKey(SEARCH_ATTRIBUTES.status, 'KEYWORD');
  if (workflowInfo().typedSearchAttributes.get(key) !== undefined)
    upsertSearchAttributes([{ key, value: status }]);
}
