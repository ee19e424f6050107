/** Where the templates of rules, policies and sinks stand: the call at hand, and its names. */
import { type CaseRule, type JsonObject, type RetryPolicy, type TaskPlan } from '../plan';
import { type Agenda, type Aside, type Repeats } from './case-state';
import { type CallNames } from './call-names';
import { type Context } from './context';
import { errorOf } from './failure';
import { asideNamed, outerOf, tasksOf } from './frame';
import { DEFAULT_ATTEMPTS, numberAt } from './numbers';
import { ownValue } from './record';
import { type Place } from './scope';
import { type Frame, type TaskResult } from './state';
import { EventView, loopView } from './views';

/** A call that rules or policies are about: the one under way, or the one that a sink interrupts. */
export interface Call {
  readonly attempt: number;
  readonly repeats?: Repeats;
  readonly agenda?: Agenda;
}

/** The frame is that of a loop's boundary, where no iterator exists. */
export function isBoundary(context: Context, frame: Frame): boolean {
  const { loop } = context.step(context.run(frame.run).step);
  return frame.index === null && loop !== undefined && outerOf(context, frame) === null;
}

/** What the frame's tasks came to: its result, or the outcome that failed it. */
export function outcomeOf(context: Context, frame: Frame): TaskResult | undefined {
  const { passage } = frame;
  if (passage?.result) return passage.result;
  const name = passage?.cause ? tasksOf(context, frame)[frame.pc]?.name : frame.last;
  return name ? ownValue(frame.results, name) : undefined;
}

/**
 * The names `event.name` goes by at the frame's stage, the canonical one first; `sees`: the rule looks at the failure
 * (D15).
 */
export function eventNames(context: Context, frame: Frame, sees: boolean): string[] {
  const { stage, cause } = frame.passage!;
  if (stage === 'enter') return ['step.enter'];
  if (stage === 'call') return cause ? ['call.error', ...(sees ? ['call.done'] : [])] : ['call.done'];
  if (frame.index !== null) return ['step.exit'];
  if (cause) return ['step.failed', ...(sees ? ['step.exit'] : [])];
  if (isBoundary(context, frame)) return ['loop.done', 'step.exit', 'step.done'];
  return ['step.exit', 'step.done', ...(tasksOf(context, frame).length > 0 ? [] : ['call.done'])];
}

/** A guard of `case`, or, with `acting`, the templates of its actions. Null: sinks of the step. */
export function casePlace(
  context: Context,
  frame: Frame,
  rule: CaseRule | null,
  acting: boolean,
  call: Call = frame,
): Place {
  const run = context.run(frame.run);
  const passage = frame.passage!;
  const { cause } = passage;
  const outcome = outcomeOf(context, frame);
  const round = roundOf(context, frame, call);
  const turnsPages =
    round.page > 1 ||
    rule?.actions.some((action) => action.do === 'call' || (action.do === 'retry' && action.overrides));
  const own = isBoundary(context, frame) ? context.state.results.get(run.step) : undefined;
  const names: CallNames = {
    task: outcome,
    index: turnsPages ? round.page : round.attempt,
    count: round.count,
    error: cause ? errorOf(cause) : undefined,
    ...(cause && !rule?.readsFailure ? { hidesResponse: true as const } : {}),
    ...(own && passage.stage !== 'enter' ? { whole: loopView(own) } : {}),
    ...(acting ? { acting: true as const } : {}),
  };
  const fields = {
    step: run.step,
    status: cause ? 'error' : 'ok',
    error: names.error ?? null,
    step_run_id: run.id,
    iteration: frame.index ?? undefined,
  };
  const event = new EventView(eventNames(context, frame, rule?.seesError === true), fields);
  return { run, frame, outcome, own, event, call: names };
}

/** A policy of the task's `retry`, its conditions as well as its actions. */
export function retryPlace(
  context: Context,
  frame: Frame,
  task: TaskPlan,
  policy: RetryPolicy,
  call: Call = frame,
): Place {
  const result = frame.results[task.name]!;
  const { attempt, repeats } = call;
  const place = { run: context.run(frame.run), frame, outcome: result };
  const names: CallNames = {
    task: result,
    index: policy.overrides ? (repeats?.page ?? 1) : attempt,
    count: repeats?.count ?? 1,
    error: (result.outcome.error ?? undefined) as JsonObject | undefined,
    acting: true,
    retry: { attempt, maxAttempts: () => attemptsOf(context, policy, place) },
  };
  return { ...place, call: names };
}

/** Sinks of a task: its outcome is at hand. */
export function taskSinkPlace(context: Context, frame: Frame, task: TaskPlan, call: Call = frame): Place {
  const result = frame.results[task.name]!;
  const page = call.repeats?.page ?? 1;
  const index = page > 1 ? page : call.attempt;
  const names: CallNames = { task: result, index, count: call.repeats?.count ?? 1, acting: true };
  return { run: context.run(frame.run), frame, outcome: result, call: names };
}

/** The place of the sink under way: that of the action it stands in. */
export function asidePlace(context: Context, frame: Frame): Place {
  const [aside, around] = [...frame.asides!].reverse() as [Aside, Aside | undefined];
  const task = around ? asideNamed(context, frame, around.name) : tasksOf(context, frame)[frame.pc]!;
  return agendaPlace(context, frame, aside.agenda, task, aside.rule, aside);
}

/** The place of an agenda's actions. `rule`: index of the rule or policy; `task`: the task the agenda is about. */
export function agendaPlace(
  context: Context,
  frame: Frame,
  agenda: Agenda,
  task: TaskPlan,
  rule: number | null,
  call: Call = frame,
): Place {
  switch (agenda.of) {
    case 'retry':
      return retryPlace(context, frame, task, task.retry![agenda.policy!]!, call);
    case 'task':
      return taskSinkPlace(context, frame, task, call);
    case 'case': {
      const { rules } = context.step(context.run(frame.run).step).case!;
      return casePlace(context, frame, rules[rule!]!, true, call);
    }
    case 'step':
      return casePlace(context, frame, null, true, call);
  }
}

/** Attempts, pages and executions that rules of `case` count: of the task, or, where there are several, of all. */
export function roundOf(
  context: Context,
  frame: Frame,
  call: Call = frame,
): { attempt: number; page: number; count: number } {
  if (tasksOf(context, frame).length > 1) return frame.passage!.round ?? { attempt: 1, page: 1, count: 1 };
  return { attempt: call.attempt, page: call.repeats?.page ?? 1, count: call.repeats?.count ?? 1 };
}

/** @throws EngineError when `attempts` is no number */
export function attemptsOf(
  context: Context,
  spec: Pick<RetryPolicy, 'attempts' | 'at'>,
  place: Place,
): number {
  return numberAt(context, spec.attempts, place, DEFAULT_ATTEMPTS, 'attempts', spec.at);
}
