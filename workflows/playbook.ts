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
  makeContinueAsNewFunc,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import { EngineError, executionIdFor, type Input, Machine } from '../src/engine';
import { isMapping, type Plan, SEARCH_ATTRIBUTES, type StartedMemo } from '../src/plan';
import { inlineBytesOf, limitInline } from '../src/payloads';
import { reportBroken, reportEnd, resolveCalled } from './called';
import { heard } from './closing';
import { type CalledInput, type PlaybookFailure, type PlaybookInput, type PlaybookResult } from './contract';
import { drive } from './drive';
import { type Ending } from './end';
import { firstInput } from './first-input';
import { answerEventsQuery, answerQueries, listen } from './handlers';
import { OtherWorkflows } from './others';
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
  // The engine decides what a cancellation stops, so nothing below is cancelled by Temporal itself.
  return CancellationScope.nonCancellable(async () => {
    const isCalled = 'call' in given && !('plan' in given);
    const input = isCalled ? await resolveCalled(given, executionId()) : asInput(given);
    return await runPlaybook(input, queue, isCalled ? queue.take() : []);
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
async function runPlaybook(
  input: PlaybookInput,
  queue: InputQueue,
  early: readonly Input[],
): Promise<PlaybookResult> {
  const recent = new RecentEvents(input, executionId());
  const machine = await machineFor(input);
  answerQueries(machine);
  answerEventsQuery(recent);
  const others = new OtherWorkflows();
  const { plan, call, resolver } = input;
  const end = await drive({
    machine,
    queue,
    others,
    resolver,
    first: [firstInput(input), ...early],
    note: (batch) => recent.note(batch),
    continueAsNew: () => continueAsNew({ plan, state: machine.state, call, resolver }),
  });
  return await finish(end as Ending, input, machine, queue, others);
}

/** The next run tells in its memo when the first began: lists see only the latest. */
async function continueAsNew(input: PlaybookInput): Promise<never> {
  const started: StartedMemo = { noetl_started: input.state?.startedAt };
  const next = makeContinueAsNewFunc<typeof playbook>({ memo: { ...workflowInfo().memo, ...started } });
  return await next(limitInline(input, inlineBytesOf(input.plan)));
}

async function finish(
  end: Ending,
  { call, plan }: PlaybookInput,
  machine: Machine,
  queue: InputQueue,
  others: OtherWorkflows,
): Promise<PlaybookResult> {
  queue.close();
  const inlineBytes = inlineBytesOf(plan);
  if (call) await reportEnd(call, end, machine);
  await condition(() => allHandlersFinished() && others.isIdle);
  await heard(() => others.haveClosed && (end.type !== 'cancelled' || queue.isCancelRequested));
  recordStatus(machine.status);
  const { executed, notes } = machine.state;
  // One that ran away has tens of thousands.
  const steps_executed = executed.slice(-1000);
  if (end.type === 'complete') {
    const told = notes && { notes: notes.kept };
    return limitInline({ status: 'completed', result: end.result, steps_executed, ...told }, inlineBytes);
  }
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
