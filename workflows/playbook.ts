/**
 * The generic workflow that interprets a Plan. A thin driver: the engine decides, and this file turns its commands into
 * activities and timers and feeds back their results.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow';
import { EngineError, executionIdFor, type Input, Machine } from '../src/engine/machine';
import { isMapping, SKIPPED_STATUS, type StartedMemo, WORKFLOW_TYPE } from '../src/language/plan';
import { inlineBytesOf, limitInline, readArguments, workflowArguments } from '../src/storage/payloads';
import { recordEnd, recordLabels, recordStart } from './attributes';
import { reportBroken, reportEnd, resolveCalled } from './called';
import { waitUntil, PATIENCE_WITH_CALLER } from './closing';
import {
  type CalledInput,
  type PlaybookFailure,
  type PlaybookInput,
  type PlaybookResult,
} from '../src/temporal/contract/definitions';
import { drive } from './drive';
import { type EndCommand } from '../src/temporal/contract/ending';
import { firstInput } from '../src/temporal/contract/first-input';
import { answerEventsQuery, answerQueries, listenToMessages } from './handlers';
import { OtherWorkflows } from './others';
import { InputQueue } from './queue';
import { RecentEvents } from './recent-events';

/**
 * Runs a playbook to its end: the one whose path is the workflow type, resolved at the start, or a given plan. Start it
 * with `temporal workflow start --type examples/hello --input '{…}'` (a third argument `{"version": 3}` selects a
 * version), or with `--type playbook --input-file plan.json` and a bare Plan.
 *
 * @param args `[payload, plan?, context?]` (`readArguments`)
 * @returns result and executed steps.
 * @throws ApplicationFailure (type = the error's code, details = PlaybookFailure) when the execution failed;
 *   CancelledFailure when it was cancelled.
 */
export async function playbook(...args: readonly unknown[]): Promise<PlaybookResult> {
  const { workflowType } = workflowInfo();
  const { plan, ...given } = readArguments<PlaybookInput & CalledInput>(workflowType, args);
  const byType = workflowType === WORKFLOW_TYPE ? {} : { path: workflowType };
  recordStart(plan?.metadata ?? given.call ?? byType);
  const queue = new InputQueue();
  listenToMessages(queue);
  // The engine decides what a cancellation stops, so Temporal must not cancel anything below by itself.
  return CancellationScope.nonCancellable(async () => {
    if (plan) return await runPlaybook({ ...given, plan }, queue, []);
    const input = await resolveCalled(given, executionId(), queue);
    return await runPlaybook(input, queue, queue.take());
  });
}

async function machineFor(input: PlaybookInput): Promise<Machine> {
  try {
    if (!isMapping(input.plan) || !Array.isArray(input.plan.steps)) {
      throw new EngineError(
        'PLAN_INPUT',
        'the input is not a Plan: start the workflow with what `noetl-temporal compile` prints',
      );
    }
    if (!isMapping(input.payload)) throw new EngineError('PLAN_INPUT', 'the payload is not a mapping');
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

/** `early`: inputs that arrived while the plan of a sub-playbook was being resolved; part of its first batch. */
async function runPlaybook(
  input: PlaybookInput,
  queue: InputQueue,
  early: readonly Input[],
): Promise<PlaybookResult> {
  const recent = new RecentEvents(input, executionId());
  const machine = await machineFor(input);
  recordLabels(input.plan.metadata.labels);
  answerQueries(machine);
  answerEventsQuery(recent);
  const others = new OtherWorkflows();
  const { plan, call, resolver, returnResult } = input;
  const end = await drive({
    machine,
    queue,
    others,
    resolver,
    first: [firstInput(input), ...early],
    note: (batch) => recent.note(batch, machine),
    continueAsNew: () => continueAsNew({ plan, state: machine.state, call, resolver, returnResult }),
  });
  return await finish(end as EndCommand, input, machine, queue, others);
}

/** The next run's memo says when the first began: lists see only the latest run. */
async function continueAsNew(input: PlaybookInput): Promise<never> {
  const started: StartedMemo = { noetl_started: input.state?.startedAt };
  const next = makeContinueAsNewFunc<typeof playbook>({ memo: { ...workflowInfo().memo, ...started } });
  return await next(...workflowArguments(input, inlineBytesOf(input.plan)));
}

/** Of the failure that Temporal records. */
const MAX_MESSAGE = 10_000;

async function finish(
  end: EndCommand,
  { call, plan, returnResult }: PlaybookInput,
  machine: Machine,
  queue: InputQueue,
  others: OtherWorkflows,
): Promise<PlaybookResult> {
  queue.close();
  const inlineBytes = inlineBytesOf(plan);
  if (call) await reportEnd(call, end, machine);
  await condition(() => allHandlersFinished() && others.isIdle);
  const isCancelled = end.type === 'cancelled';
  await waitUntil(
    () => others.haveClosed && (!isCancelled || queue.isCancelRequested),
    isCancelled && call ? PATIENCE_WITH_CALLER : undefined,
  );
  const { executed, notes } = machine.state;
  // Nothing failed, and nothing ran: lists tell it from a success.
  recordEnd(notes?.kept.some(({ code }) => code === 'SKIPPED') ? SKIPPED_STATUS : machine.status);
  // A runaway execution has tens of thousands.
  const steps_executed = executed.slice(-1000);
  if (end.type === 'complete') {
    const withNotes = notes && { notes: notes.kept };
    const result = end.result ?? (returnResult ? (machine.answer()?.result ?? null) : null);
    return limitInline({ status: 'completed', result, steps_executed, ...withNotes }, inlineBytes);
  }
  if (end.type === 'cancelled') throw new CancelledFailure(end.reason ?? 'cancelled', [{ steps_executed }]);
  const details: PlaybookFailure = limitInline({ error: end.error, steps_executed }, inlineBytes);
  const where = [end.error.step, end.error.task].filter(Boolean).join('/');
  // Unlike the details, it cannot be stored outside: a large one would make the workflow task fail for ever.
  const message = `${where ? `${where}: ` : ''}${end.error.message}`.slice(0, MAX_MESSAGE);
  throw ApplicationFailure.create({ message, type: end.error.code, nonRetryable: true, details: [details] });
}
