/**
 * The policies of `retry` (S1 §7, S2 §6, D17): asked after each execution of their task, before any rule. The first
 * that holds decides; its actions are done, then the call is repeated or over.
 */
import { type RetryPolicy, type TaskPlan } from '../plan';
import { leaveTask } from './aside';
import { attemptsOf, retryPlace } from './call-place';
import { withPayload } from './call-views';
import { type Agenda } from './case-state';
import { containerOf, read } from './collect';
import { type Context } from './context';
import { type EngineEvent } from './events';
import { causeOf } from './failure';
import { taskOf } from './frame';
import { define } from './record';
import { changesOf, delayOf, repeatTask } from './repeat';
import { type Place } from './scope';
import { type FailureCause, type Frame } from './state';
import { holds } from './values';

/** Asks the policies about the outcome just booked, and books what follows as the frame's agenda. */
export function considerRetry(context: Context, frame: Frame, task: TaskPlan): void {
  said(context, frame, task, 'retry.started', 'in_progress', {});
  let agenda: Agenda;
  try {
    agenda = agendaOf(context, frame, task);
  } catch (error) {
    const cause = { ...causeOf(error, `retry of task ${task.name}`, task.at), task: task.name };
    return giveUp(context, frame, task, cause);
  }
  frame.agenda = agenda;
  context.enqueue({ op: 'agenda', frame: frame.id, cause: null });
}

function agendaOf(context: Context, frame: Frame, task: TaskPlan): Agenda {
  const policies = task.retry!;
  for (const [policy, plan] of policies.entries()) {
    const place = retryPlace(context, frame, task, plan);
    if (!goesOn(context, plan, place)) continue;
    const made = plan.overrides ? (frame.repeats?.page ?? 1) : frame.attempt;
    const attempts = attemptsOf(context, plan, place);
    const failed = frame.results[task.name]!.outcome.status === 'error';
    const verdict = made < attempts ? 'repeat' : failed || plan.retryWhen !== undefined ? 'fail' : 'over';
    const todo = plan.actions.map((_, action) => ({ rule: policy, action }));
    return {
      of: 'retry',
      policy,
      verdict,
      todo,
      moves: [],
      ...(verdict === 'repeat' ? {} : { exhausted: made }),
    };
  }
  return lastPage(frame, task);
}

/** Map form: on while `retryWhen` holds and `stopWhen` does not; neither, like an `else`: on after an error. */
function goesOn(context: Context, policy: RetryPolicy, place: Place): boolean {
  const { when, retryWhen, stopWhen } = policy;
  if (when !== undefined) return holds(context, when, place);
  if (retryWhen === undefined && stopWhen === undefined) return place.outcome!.outcome.status === 'error';
  return holds(context, retryWhen, place) && !(stopWhen !== undefined && holds(context, stopWhen, place));
}

/** No policy holds: the call is over. The last of several pages is collected where the others were. */
function lastPage(frame: Frame, task: TaskPlan): Agenda {
  const policy = frame.repeats?.collects;
  const ok = frame.results[task.name]!.outcome.status === 'ok';
  const actions = policy === undefined || !ok ? [] : task.retry![policy]!.actions;
  const todo = actions.flatMap(({ do: act }, action) =>
    act === 'collect' ? [{ rule: policy!, action }] : [],
  );
  return { of: 'retry', verdict: 'over', todo, moves: [], ...(policy === undefined ? {} : { policy }) };
}

/** The policy's actions are done: repeats the call, or lets the outcome stand. */
export function afterPolicy(context: Context, frame: Frame, agenda: Agenda): void {
  const task = taskOf(context, frame);
  const policy = agenda.policy === undefined ? undefined : task.retry![agenda.policy]!;
  const { ok, payload } = { ok: agenda.verdict !== 'fail', payload: summary(frame, agenda, policy) };
  if (agenda.verdict !== 'repeat') {
    said(context, frame, task, 'retry.processed', ok ? 'success' : 'error', payload);
    const outcome = frame.results[task.name]!.outcome;
    if (ok || outcome.status === 'error') {
      if (ok && outcome.status === 'ok') gatherResult(context, frame, task);
      const exhausted = agenda.exhausted !== undefined && !ok ? { exhausted: agenda.exhausted } : {};
      return context.enqueue({ op: 'conclude', frame: frame.id, ...exhausted });
    }
    return leaveTask(context, frame, exhaustedCause(frame, task, agenda, policy!));
  }
  try {
    const place = retryPlace(context, frame, task, policy!);
    const changes = changesOf(context, policy!.overrides, place);
    const delay = delayOf(
      context,
      policy!,
      policy!.overrides ? (frame.repeats?.page ?? 1) : frame.attempt,
      place,
    );
    said(context, frame, task, 'retry.processed', 'success', { ...payload, delay_s: delay });
    const collects = policy!.actions.some(({ do: act }) => act === 'collect');
    const cause = repeatTask(context, frame, changes, delay);
    if (cause) return leaveTask(context, frame, cause);
    if (collects) frame.repeats!.collects = agenda.policy!;
  } catch (error) {
    const cause = { ...causeOf(error, `retry of task ${task.name}`, task.at), task: task.name };
    giveUp(context, frame, task, cause);
  }
}

/** What all pages together gave is the task's result. */
function gatherResult(context: Context, frame: Frame, task: TaskPlan): void {
  const target = frame.repeats?.gathered;
  if (!target) return;
  const value = read(containerOf(context, frame, target.scope), target.path) ?? null;
  define(frame.results, task.name, withPayload(frame.results[task.name], value));
}

/** A policy or one of its actions failed: so does the task. */
export function giveUp(context: Context, frame: Frame, task: TaskPlan, cause: FailureCause): void {
  said(context, frame, task, 'retry.processed', 'error', { verdict: 'fail', error: cause as never });
  leaveTask(context, frame, cause);
}

function exhaustedCause(frame: Frame, task: TaskPlan, agenda: Agenda, policy: RetryPolicy): FailureCause {
  const asked = policy.stopWhen ?? policy.retryWhen;
  return {
    kind: 'engine',
    code: 'RETRY_EXHAUSTED',
    message: `retries used up after ${agenda.exhausted} attempts without the outcome that retry asks for (${asked?.source})`,
    task: task.name,
    iteration: frame.index ?? undefined,
    attempt: frame.attempt,
    at: policy.at,
  };
}

function summary(frame: Frame, agenda: Agenda, policy: RetryPolicy | undefined): EngineEvent['payload'] {
  const holds = policy !== undefined && (agenda.verdict === 'repeat' || agenda.exhausted !== undefined);
  return {
    verdict: agenda.verdict,
    policy: holds ? agenda.policy : null,
    at: holds ? [...policy.at] : undefined,
    when: holds ? ((policy.when ?? policy.retryWhen ?? policy.stopWhen)?.source ?? 'else') : undefined,
    index: policy?.overrides ? (frame.repeats?.page ?? 1) : frame.attempt,
    count: frame.repeats?.count ?? 1,
    exhausted: agenda.exhausted,
  };
}

function said(
  context: Context,
  frame: Frame,
  task: TaskPlan,
  event_type: 'retry.started' | 'retry.processed',
  status: EngineEvent['status'],
  payload: EngineEvent['payload'],
): void {
  context.emit?.({
    event_type,
    entity_type: 'retry',
    entity_id: task.name,
    status,
    step_run_id: frame.run,
    task_run_id: frame.taskRunId ?? undefined,
    iteration: frame.index ?? undefined,
    attempt: frame.attempt,
    parent_id: frame.taskRunId ?? frame.run,
    payload,
  });
}
