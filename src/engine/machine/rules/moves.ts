/** How tasks and steps move on once the sinks of their rules have finished. */
import { placeOfError, type Move, type RulePlan, type TaskPlan } from '../../../language/plan';
import { assignAll, type EnginePlace, assignmentTargets, evaluateAt } from '../scope';
import { causeOf, type Context, noteOnce, ofTask } from '../batch';
import {
  type Agenda,
  defineMember,
  type FailureCause,
  type Frame,
  type RuleStanding,
  taskRunOf,
} from '../state';
import { guardOf, moveName, storageOf } from './ask';
import { gathered } from './collect';
import { attemptsOf, isBoundary, madeOf, rulePlaceOf, rulesOfTask, turnsPages } from './place';
import { callAgain, visitChanges, delayOf, visitTask } from './visits';
import { bookAgenda, leaveTask } from './sink';
import { endFrame, failStage, stageOver } from './stages';

type Retry = Extract<Move, { do: 'retry' }>;
type Fail = Extract<Move, { do: 'fail' }>;
type TaskMove = Exclude<Move, { do: 'next' | 'skip' }>;

/** The task's rules have finished: the call is repeated, or its outcome is final. */
export function moveTask(context: Context, frame: Frame, agenda: Agenda): void {
  const task = context.taskOf(frame);
  const { rules, otherwise } = task.rules!;
  const { outcome } = frame.results[task.name]!;
  const [index] = agenda.moves;
  const move = index === undefined ? undefined : (rules[index]!.move as TaskMove);
  if (move?.do === 'retry') return repeat(context, frame, 'task', index!, move);
  const ok = outcome.status === 'ok';
  let standing: RuleStanding = { do: ok || otherwise === 'continue' ? 'continue' : 'fail', rule: null };
  if (move) standing = { do: move.do, rule: index! };
  else if (agenda.exhausted) {
    const rule = rules[agenda.exhausted.rule]!;
    // Exhausted retries never become a success by default.
    const finishes = ok && (rule.move as Retry).exhausted === 'finish';
    if (finishes) noteExhausted(context, frame, rule);
    standing = { do: finishes ? 'continue' : 'fail', rule: null, exhausted: agenda.exhausted };
  }
  const target = frame.repeats?.gathered;
  if (ok && target) {
    defineMember(frame.results, task.name, gathered(context, frame, target, frame.results[task.name]));
  }
  const todo = ok && isOver(task, standing) ? storageOf(task.rules) : [];
  if (todo.length > 0) bookAgenda(context, frame, { of: 'task', todo, moves: [], standing });
  else stand(context, frame, standing);
}

/** It succeeded, and its pipeline does not come back to it. */
function isOver({ rules }: TaskPlan, { do: act, rule }: RuleStanding): boolean {
  const move = rule === null ? undefined : rules!.rules[rule]!.move;
  return act !== 'fail' && !(move?.do === 'jump' && move.again);
}

/** A task's outcome is final and stored: apply its writes and choose where its pipeline continues. */
export function stand(context: Context, frame: Frame, standing: RuleStanding): void {
  const task = context.taskOf(frame);
  const { outcome } = frame.results[task.name]!;
  const run = context.run(frame.run);
  const over = isOver(task, standing);
  if (over && task.set.length > 0) {
    const place = { run, frame, outcome: frame.results[task.name]!, asData: true };
    try {
      assignAll(context, task.set, place, assignmentTargets(context, frame));
    } catch (error) {
      return failTask(context, frame, causeOf(error, `set of task ${task.name}`, task.at));
    }
  }
  tell(context, frame, 'task', task, standing);
  frame.taskRunId = null;
  // A sink is not a step of the pipeline, and a router generated from sugar is not a task of the author: `_prev` and
  // the result skip them.
  if (over && !frame.suspended && !task.sugar?.generated) frame.last = task.name;
  const tasks = context.tasksOf(frame);
  switch (standing.do) {
    case 'fail':
      return leaveTask(context, frame, failureOf(context, frame, { task, standing, outcome }));
    case 'break':
      return leaveTask(context, frame, null);
    case 'jump': {
      const { to } = task.rules!.rules[standing.rule!]!.move as Extract<Move, { do: 'jump' }>;
      frame.pc = tasks.findIndex(({ name }) => name === to);
      return visitTask(context, frame, tasks[frame.pc]!);
    }
    case 'continue':
      if (frame.suspended || frame.pc + 1 >= tasks.length) return leaveTask(context, frame, null);
      frame.pc++;
      return visitTask(context, frame, tasks[frame.pc]!);
  }
}

/** Which of the moves of the step's rules counts: any `next`, otherwise the first. */
function moveOf(context: Context, frame: Frame, { moves }: Agenda): { nexts: number[]; index?: number } {
  const { rules } = context.stepOf(frame).rules!;
  const nexts = moves.filter((one) => rules[one]!.move!.do === 'next');
  return { nexts, index: (nexts.length > 0 ? nexts : moves)[0] };
}

/** Whether the call of the step follows again. */
export function repeats(context: Context, frame: Frame, agenda: Agenda): boolean {
  const { index } = moveOf(context, frame, agenda);
  return index !== undefined && context.stepOf(frame).rules!.rules[index]!.move!.do === 'retry';
}

/** The step's rules have finished at this stage. A `next` carries along the arcs of the other rules. */
export function moveStep(context: Context, frame: Frame, agenda: Agenda): void {
  const { step } = context.run(frame.run);
  const { rules } = context.step(step).rules!;
  const { nexts, index } = moveOf(context, frame, agenda);
  const move = index === undefined ? undefined : rules[index]!.move!;
  if (agenda.exhausted && !move && frame.passage!.cause === null) {
    noteExhausted(context, frame, rules[agenda.exhausted.rule]!);
  }
  try {
    switch (move?.do) {
      case 'next':
        return choose(context, frame, rules, nexts);
      case 'skip': {
        const at = rulePlaceOf(context, frame, 'step', rules[index!]!, true);
        return skip(context, frame, move.reason === undefined ? null : evaluateAt(context, move.reason, at));
      }
      case 'fail': {
        const { endsLoop } = frame.passage!;
        failStage(context, frame, ruled(context, frame, rules[index!]!, move));
        if (endsLoop) frame.passage!.endsLoop = true;
        return;
      }
      case 'retry':
        return repeat(context, frame, 'step', index!, move);
      default:
        return stageOver(context, frame);
    }
  } catch (error) {
    failStage(context, frame, causeOf(error, `${moveName(move!)} of step ${step}`, move!.at));
  }
}

function arcsOf({ move }: RulePlan): readonly number[] {
  return move?.do === 'next' ? move.arcs : [];
}

/**
 * Choices of several happenings are united: those of iterations in the order of the rules, whichever settled first, then
 * that of the end. One that answers a failure which ends the loop replaces those of the iterations before, and only the end
 * of the same iteration adds to it. At ENTER the tool never starts.
 */
function choose(context: Context, frame: Frame, rules: readonly RulePlan[], nexts: readonly number[]): void {
  const [rule] = nexts as [number];
  const arcs = nexts.flatMap((one) => arcsOf(rules[one]!));
  const run = context.run(frame.run);
  const decided = (run.rules ??= {});
  const passage = frame.passage!;
  const within = context.loopOf(frame)?.loop;
  const answers = passage.cause !== null && within?.failFast !== false;
  const before = decided.route ?? [];
  if (answers && !decided.handled) {
    decided.handled = { rule, at: rules[rule]!.at };
    decided.route = within ? [...arcs] : [...before, ...arcs];
    passage.handles = true;
  } else if (!within || passage.handles) decided.route = [...before, ...arcs];
  else if (!decided.handled) decided.route = [...new Set([...before, ...arcs])].sort((a, b) => a - b);
  if (passage.stage === 'enter') endFrame(context, frame);
  else stageOver(context, frame);
}

function skip(context: Context, frame: Frame, reason: ReturnType<typeof evaluateAt>): void {
  const run = context.run(frame.run);
  const passage = frame.passage!;
  passage.cause = null;
  passage.skipped = { reason };
  delete passage.result;
  if (frame.index === null) (run.rules ??= {}).skipped = { reason };
  endFrame(context, frame);
}

/** A message ends up in places whose size Temporal limits. */
const MAX_MESSAGE = 10_000;

/** The author's message; undefined without one. */
function messageOf(context: Context, { message }: Fail, at: EnginePlace): string | undefined {
  const value = message === undefined ? null : evaluateAt(context, message, at);
  if (value === null) return undefined;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_MESSAGE);
}

function ruled(context: Context, frame: Frame, rule: RulePlan, move: Fail): FailureCause {
  const at = rulePlaceOf(context, frame, 'step', rule, true);
  const message = messageOf(context, move, at) ?? `a rule of case ended the step: ${guardOf(rule)}`;
  return { kind: 'engine', code: 'RULE_FAIL', message, iteration: frame.index ?? undefined, at: move.at };
}

/** Repeats the call: impossible before the step has started and at a loop's boundary. */
function repeat(context: Context, frame: Frame, of: Agenda['of'], index: number, move: Retry): void {
  const tasks = of === 'task' ? [context.taskOf(frame)] : context.tasksOf(frame);
  const task = of === 'task' ? tasks[0]! : tasks[frame.pc]!;
  const rule = rulesOfTask(context, frame, of).rules[index]!;
  if (of === 'step') {
    const wasCalled = task && Object.hasOwn(frame.visits, task.name);
    if (!wasCalled || isBoundary(context, frame)) return stageOver(context, frame);
  }
  let cause: FailureCause | null;
  try {
    const place = rulePlaceOf(context, frame, of, rule, true);
    const changes = visitChanges(context, move.overrides, place);
    const attempts = madeOf(context, frame, of, changes !== undefined);
    const delay = delayOf(context, move, attempts, place);
    const page = changes && attempts + 1;
    tell(context, frame, of, task, { do: 'retry', rule: index, delay_s: delay, page });
    if (of === 'step') clear(context, frame);
    cause = callAgain(context, frame, tasks.length > 1, changes, delay);
    // A page requested by a rule of the step does not belong to any rule of the task.
    if (changes && frame.repeats && of === 'task') frame.repeats.rule = index;
    else if (changes) delete frame.repeats?.rule;
  } catch (error) {
    if (of === 'step') throw error;
    return failTask(context, frame, causeOf(error, `retry of task ${task.name}`, move.at));
  }
  if (!cause) return;
  frame.taskRunId = null;
  if (of === 'task') return leaveTask(context, frame, cause);
  // A runaway is not a failure that rules see: they would only continue it.
  frame.passage!.cause = cause;
  endFrame(context, frame);
}

/** The tasks run again: earlier decisions of their rules are discarded. */
function clear(context: Context, frame: Frame): void {
  Object.assign(frame.passage!, { stage: null, cause: null, matched: [] });
  delete frame.passage!.result;
  delete frame.passage!.answered;
  const { rules } = context.run(frame.run);
  if (frame.index === null && rules) delete rules.exited;
}

/** The attempts ended with a success, although the rule asks for another one. */
function noteExhausted(context: Context, frame: Frame, rule: RulePlan): void {
  const where = { run: context.run(frame.run), index: frame.index };
  const state = rule.when === undefined && rule.unless ? 'does not hold yet' : 'still holds';
  const guard = `${guardOf(rule)} ${state}`;
  if (turnsPages(rule)) {
    const message = `the page limit was reached, and ${guard}: there may be more pages`;
    noteOnce(context, 'PAGES_LEFT', message, rule.at, where);
  } else noteOnce(context, 'POLL_GAVE_UP', `the attempts are used up, and ${guard}`, rule.at, where);
}

/** Fails the frame's task, even if its call succeeded. */
export function failTask(context: Context, frame: Frame, cause: FailureCause): void {
  frame.taskRunId = null;
  leaveTask(context, frame, { ...cause, ...about(frame, context.taskOf(frame)) });
}

function about(frame: Frame, { name }: TaskPlan): Pick<FailureCause, 'task' | 'iteration' | 'attempt'> {
  return { task: name, iteration: frame.index ?? undefined, attempt: frame.attempt };
}

/** The decision with the rule's line, shown by `explain`. */
function tell(
  context: Context,
  frame: Frame,
  of: Agenda['of'],
  task: TaskPlan,
  decided: Omit<RuleStanding, 'do'> & { do: RuleStanding['do'] | 'retry'; delay_s?: number; page?: number },
): void {
  if (!context.emit) return;
  const { do: act, rule: index, exhausted, ...more } = decided;
  const named = index ?? exhausted?.rule;
  const rule = named === undefined ? undefined : rulesOfTask(context, frame, of, task).rules[named]!;
  const move = index === null ? undefined : rule?.move;
  const payload = {
    ...more,
    directive: move ? moveName(move) : act,
    rule: index,
    of: of === 'step' ? of : undefined,
    at: [...(rule ?? task).at],
    when: (rule && guardOf(rule)) ?? null,
    to: move?.do === 'jump' ? move.to : undefined,
    attempts:
      move?.do === 'retry' && !move.endless
        ? attemptsOf(context, move, rulePlaceOf(context, frame, of, rule!, true))
        : undefined,
    exhausted: exhausted?.attempts,
  };
  const type = act === 'retry' ? 'task.retrying' : 'task.directive';
  const status = act === 'retry' ? 'in_progress' : act === 'fail' ? 'error' : 'success';
  // A rule of the step decides after its task has already been left.
  const taskRunId = taskRunOf(frame, task.name);
  context.emit(type, task.name, status, payload, ofTask({ ...frame, taskRunId }));
}

function writtenIn(context: Context, frame: Frame, rule: RulePlan | undefined): string | undefined {
  if (rule?.move?.do !== 'fail') return undefined;
  return messageOf(context, rule.move, rulePlaceOf(context, frame, 'task', rule, true));
}

function messageOfEnd(
  { outcome: { error }, standing: { exhausted } }: Ended,
  rule: RulePlan | undefined,
  usedUp: RulePlan | undefined,
): string {
  const tried = exhausted ? ` (after ${exhausted.attempts} attempts)` : '';
  if (error) return `${error.message}${tried}`;
  return usedUp
    ? `retries exhausted${tried} without the outcome that the rule requires: ${guardOf(usedUp)}`
    : `a rule ended the task: ${rule ? guardOf(rule) : 'else'}`;
}

interface Ended {
  readonly task: TaskPlan;
  readonly standing: RuleStanding;
  readonly outcome: Frame['results'][string]['outcome'];
}

function failureOf(context: Context, frame: Frame, ended: Ended): FailureCause {
  const { task, standing, outcome } = ended;
  const { rule: index, exhausted } = standing;
  const { error, http, pg, py } = outcome;
  const rule = index === null ? undefined : task.rules!.rules[index]!;
  const usedUp = exhausted && task.rules!.rules[exhausted.rule]!;
  return {
    kind: error?.kind ?? 'engine',
    code: error?.code ?? (usedUp ? 'RETRY_EXHAUSTED' : 'RULE_FAIL'),
    message: writtenIn(context, frame, rule) ?? messageOfEnd(ended, rule, usedUp),
    ...about(frame, task),
    at: placeOfError(task, error) ?? (rule ?? usedUp ?? task).at,
    cause: { error: error as never, http: http as never, pg: pg as never, py: py as never },
  };
}
