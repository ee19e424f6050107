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
import { inlineBytesOf, limitInline, spendInlineBudgetOf } from '../src/payloads';
import { reportBroken, reportEnd, resolveCalled } from './called';
import { Children } from './children';
import { type CalledInput, type PlaybookFailure, type PlaybookInput, type PlaybookResult } from './contract';
import { detailsOf } from './details';
import { Effects } from './effects';
import { type End, type Ending } from './end';
import { firstInput } from './first-input';
import { answerQueries, listen } from './handlers';
import { InputQueue } from './queue';
import { RecentEvents } from './recent-events';

/**
 * Runs a playbook to its end. A bare Plan as input is a run without payload, so that
 * `temporal workflow start --type playbook --input-file plan.json` works.
 *
 * @returns result and executed steps.
 * @throws ApplicationFailure (type = the error's code, details = PlaybookFailure) when the execution failed;
 *   CancelledFailure when it was cancelled.
 */
export async function playbook(given: PlaybookInput | CalledInput | Plan): Promise<PlaybookResult> {
  const queue = new InputQueue();
  listen(queue);
  CancellationScope.current().cancelRequested.catch(() => queue.pushExternal({ type: 'cancelRequested' }));
  // The engine decides what a cancellation stops, so nothing below is cancelled by Temporal itself.
  return CancellationScope.nonCancellable(async () => {
    const isCalled = 'call' in given && !('plan' in given);
    const input = isCalled ? await resolveCalled(given, executionId()) : asInput(given);
    return await drive(input, queue, isCalled ? queue.take() : []);
  });
}

function asInput(given: PlaybookInput | Plan): PlaybookInput {
  return 'plan' in given ? given : { plan: given };
}

async function machineFor(input: PlaybookInput): Promise<Machine> {
  try {
    if (!isMapping(input.plan) || !Array.isArray(input.plan.steps)) {
      throw new EngineError(
        'PLAN_INPUT',
        'the input is not a Plan: start the workflow with what `noetl-temporal compile` prints',
      );
    }
    return input.state ? Machine.from(input.plan, input.state) : Machine.create(input.plan, executionId());
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const failure = ApplicationFailure.nonRetryable(error.message, error.code);
    if (input.call && !input.state) await reportBroken(input.call, executionId(), failure);
    throw failure;
  }
}

function executionId(): string {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  return executionIdFor(workflowId, firstExecutionRunId);
}

/** `early`: what came in while the plan of a sub-playbook was looked for; part of its first batch. */
async function drive(
  input: PlaybookInput,
  queue: InputQueue,
  early: readonly Input[],
): Promise<PlaybookResult> {
  const recent = new RecentEvents(input, executionId());
  const machine = await machineFor(input);
  answerQueries(machine, recent);
  const children = new Children(queue, input.plan.source.file);
  const effects = new Effects(queue, inlineBytesOf(input.plan), children);
  let inputs: Input[] = [firstInput(input), ...early];
  for (;;) {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    spendInlineBudgetOf(historyLength);
    const batch = { at: Date.now(), inputs, continueAsNewSuggested };
    recent.note(batch);
    const commands = machine.advance(batch);
    const end = perform(commands, effects, queue);
    setCurrentDetails(detailsOf(machine.progress()));
    if (end?.type === 'continueAsNew') {
      await condition(() => !queue.isEmpty || children.isIdle);
      if (queue.isEmpty) return await goOn(input, machine);
    } else if (end) return await finish(end, input, machine, queue, children);
    await condition(() => !queue.isEmpty);
    inputs = queue.take();
  }
}

function perform(commands: readonly Command[], effects: Effects, queue: InputQueue): End | undefined {
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
      case 'answerEvent':
        queue.answer(command);
        break;
      case 'runPlaybook':
        effects.children.run(command);
        break;
      case 'cancelPlaybook':
        effects.children.cancel(command.child, command.reason);
        break;
      case 'pausePlaybook':
        effects.children.pause(command.child, command.reason);
        break;
      case 'resumePlaybook':
        effects.children.resume(command.child);
        break;
      default:
        return command;
    }
  }
  return undefined;
}

async function goOn({ plan, call }: PlaybookInput, machine: Machine): Promise<never> {
  await condition(allHandlersFinished);
  return await continueAsNew<typeof playbook>(
    limitInline({ plan, state: machine.state, call }, inlineBytesOf(plan)),
  );
}

async function finish(
  end: Ending,
  { call, plan }: PlaybookInput,
  machine: Machine,
  queue: InputQueue,
  children: Children,
): Promise<PlaybookResult> {
  queue.close();
  const inlineBytes = inlineBytesOf(plan);
  if (call) await reportEnd(call, end, machine);
  await condition(() => allHandlersFinished() && children.isIdle);
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
