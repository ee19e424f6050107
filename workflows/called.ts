/** An execution started without a plan resolves it first. The caller of a sub-playbook is notified of the result. */
import {
  ActivityFailure,
  type ActivityOptions,
  allHandlersFinished,
  ApplicationFailure,
  CancelledFailure,
  condition,
  getExternalWorkflowHandle,
  scheduleActivity,
  TimeoutFailure,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { executionsAbove, type Machine } from '../src/engine/machine';
import {
  asResolved,
  type Outcome,
  packOutcome,
  type Plan,
  PLAYBOOK_TASK_QUEUE,
  type PlaybookRequest,
  RESOLVE_ACTIVITY,
  type ResolvedPlaybook,
  type ResolveRequest,
} from '../src/language/plan';
import { recordEnd, recordStart } from './attributes';
import { PATIENCE_WITH_CALLER, waitUntil } from './closing';
import { RESOLVING } from './crashes';
import {
  childSettledSignal,
  childStartedSignal,
  type PlaybookCall,
  type PlaybookFailure,
  type PlaybookInput,
  type CalledInput,
  type ResolverQueue,
} from '../src/temporal/contract/definitions';
import { type EndCommand } from '../src/temporal/contract/ending';
import { outcomeOfCancel, outcomeOfEnd, outcomeOfRefusal } from '../src/temporal/contract/outcomes';
import { type InputQueue } from './queue';

/**
 * Resolves the plan in an activity of this workflow: it is recorded once in this history, rather than in the caller's
 * for every iteration of a loop.
 *
 * @throws ApplicationFailure when there is no such playbook, it has errors, or does not accept the input; the caller
 * has been notified by then.
 */
export async function resolveCalled(
  input: CalledInput,
  executionId: string,
  queue: InputQueue,
): Promise<PlaybookInput> {
  const { call, payload, resolver } = input;
  const target = call ?? { path: workflowInfo().workflowType, ...versionIn(input) };
  const answer = await resolved(requestOf(target, input), resolver, queue);
  if (answer === undefined) return await endCancelled(target.path, call, executionId, queue);
  const { playbook, refused } = answer;
  if (playbook === undefined) {
    if (call) await reportBroken(call, executionId, refused);
    const outcome = outcomeOfRefusal(refused, {});
    const { code, message } = outcome.error!;
    const details: PlaybookFailure = {
      error: { kind: 'validation', code, message, cause: outcome.error as never },
      steps_executed: [],
    };
    throw ApplicationFailure.create({ message, type: code, nonRetryable: true, details: [details] });
  }
  const { plan, memo } = playbook;
  const { digest, metadata } = plan;
  if (Object.keys(memo).length > 0) upsertMemo({ ...memo });
  recordStart(metadata);
  if (call?.detached) {
    await tellCaller(call, childStartedSignal, { child: executionId, version: metadata.version, digest });
  }
  return { plan, payload, call, resolver };
}

function requestOf({ path, version, from }: PlaybookRequest, { call, payload }: CalledInput): ResolveRequest {
  const family = call && call.caller.depth > 1 ? workflowInfo().root?.workflowId : undefined;
  return {
    path,
    version,
    from,
    payload,
    ...(call?.onlyInputs && { onlyInputs: call.onlyInputs }),
    ...(family !== undefined && { family }),
    ...(call && { callers: executionsAbove(call.caller) }),
  };
}

/** Cancelled before its playbook was known: nothing has to be stopped. */
async function endCancelled(
  path: string,
  call: PlaybookCall | undefined,
  executionId: string,
  queue: InputQueue,
): Promise<never> {
  const { reason } = queue.cancelAsked!;
  queue.close();
  if (call) {
    const outcome = outcomeOfCancel(path, reason, { execution_id: executionId, path });
    await tellCaller(call, childSettledSignal, { child: executionId, outcome: packOutcome(outcome) });
  }
  await condition(allHandlersFinished);
  await waitUntil(() => queue.isCancelRequested, call ? PATIENCE_WITH_CALLER : undefined);
  recordEnd('cancelled');
  throw new CancelledFailure(reason ?? 'cancelled', [{ steps_executed: [] }]);
}

/** Validates the third argument, which may be hand-written. @throws ApplicationFailure `PLAN_INPUT` */
function versionIn(input: CalledInput): { readonly version?: string; readonly from?: undefined } {
  const { payload: _payload, resolver: _resolver, call: _call, version, ...unknown } = input;
  const [stray] = Object.keys(unknown);
  const isVersion = ['undefined', 'string', 'number'].includes(typeof version);
  if (stray === undefined && isVersion) return version === undefined ? {} : { version: String(version) };
  const what = stray === undefined ? 'its `version` is neither a number nor a string' : `not \`${stray}\``;
  const message = `the third argument is {"version": …}, the version of the playbook to run: ${what}`;
  throw ApplicationFailure.nonRetryable(message, 'PLAN_INPUT');
}

/** A running resolver picks up the request at once; one that is gone took its folders with it. */
const RESOLVER_PATIENCE = '10s';

interface Answer {
  readonly playbook?: ResolvedPlaybook;
  readonly refused?: unknown;
}

/** The answer of the resolver; undefined if the execution is cancelled before there is one. */
async function resolved(
  request: ResolveRequest,
  resolver: ResolverQueue | undefined,
  queue: InputQueue,
): Promise<Answer | undefined> {
  if (resolver !== undefined) {
    const answer = await ask(request, queue, {
      activityId: 'resolve-there',
      taskQueue: resolver,
      scheduleToStartTimeout: RESOLVER_PATIENCE,
    });
    if (answer === undefined || !isUnheard(answer.refused)) return answer;
  }
  return await ask(request, queue, { activityId: 'resolve', taskQueue: PLAYBOOK_TASK_QUEUE });
}

async function ask(
  request: ResolveRequest,
  queue: InputQueue,
  where: ActivityOptions,
): Promise<Answer | undefined> {
  let answer: Answer | undefined;
  void scheduleActivity<Plan | ResolvedPlaybook>(RESOLVE_ACTIVITY, [request], {
    summary: `resolve ${request.path}`,
    ...RESOLVING,
    ...where,
  }).then(
    (result) => (answer = { playbook: asResolved(result) }),
    (refused: unknown) => (answer = { refused }),
  );
  // Waits on a condition, so that everything from the same workflow task is queued before the first batch is made.
  // Whoever waits for its turn, or for a resolver that is away, must not keep it open.
  await condition(() => answer !== undefined || queue.cancelAsked !== undefined);
  return answer;
}

function isUnheard(refused: unknown): boolean {
  const cause = refused instanceof ActivityFailure ? refused.cause : undefined;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/** Tells the caller that the child cannot run the plan it resolved. */
export async function reportBroken(call: PlaybookCall, executionId: string, failure: unknown): Promise<void> {
  const outcome = outcomeOfRefusal(failure, { execution_id: executionId, path: call.path });
  await tellCaller(call, childSettledSignal, { child: executionId, outcome: packOutcome(outcome) });
}

/** Tells a waiting caller how the child ended. */
export async function reportEnd(call: PlaybookCall, end: EndCommand, machine: Machine): Promise<void> {
  if (call.detached) return;
  const { executionId } = machine;
  const outcome: Outcome = outcomeOfEnd(call, end, machine);
  await tellCaller(call, childSettledSignal, { child: executionId, outcome: packOutcome(outcome) });
}

async function tellCaller<T>(
  call: PlaybookCall,
  signal: typeof childSettledSignal | typeof childStartedSignal,
  about: T,
): Promise<void> {
  // Without a run id, the signal reaches the current run of the caller's chain. A caller that has ended does not need
  // it.
  await getExternalWorkflowHandle(call.callerWorkflowId)
    .signal<[never]>(signal as never, about as never)
    .catch(() => undefined);
}
