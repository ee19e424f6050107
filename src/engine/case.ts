/**
 * Which rules of `case` match an event of their step (S1 §8, S2 §7.1, S5 §1; D15, D18). Pure decisions; what the rules
 * do stands in actions.ts and moves.ts.
 */
import { type Action, type CasePlan, type CaseRule, type Json } from '../plan';
import { type Agenda } from './case-state';
import { attemptsOf, casePlace, eventNames, isBoundary, roundOf } from './call-place';
import { type Context } from './context';
import { causeOf } from './failure';
import { type FailureCause, type Frame } from './state';
import { holds } from './values';

/** The actions that move the token or the call; the others only write, store or say something. */
export const MOVES: ReadonlySet<Action['do']> = new Set(['call', 'retry', 'next', 'fail', 'skip']);

interface Matched {
  readonly rule: number;
  /** Its actions, its moves: both, or one of them. */
  readonly acts: boolean;
  readonly moves: boolean;
}

/**
 * Asks the rules about the event that the frame's stage is. Returns what the matching ones are to do, or why a guard
 * could not be evaluated.
 */
export function ask(context: Context, frame: Frame, plan: CasePlan): Agenda | FailureCause {
  const verdicts: Json[] = [];
  const matched: Matched[] = [];
  let exhausted = false;
  let decided = false;
  said(context, frame, 'case.started', 'in_progress', {});
  for (const [index, rule] of plan.rules.entries()) {
    let verdict: string;
    try {
      verdict = decided
        ? 'not evaluated: an earlier rule matched'
        : (notAsked(context, frame, plan, index, matched.length > 0, exhausted) ??
          verdictOf(context, frame, rule));
      if (verdict === FIRES) {
        const tried = triedInVain(context, frame, rule);
        if (tried !== undefined) verdict = `retry is used up after ${tried} attempts`;
        exhausted ||= tried !== undefined;
        matched.push(whatItDoes(context, frame, index, tried !== undefined));
        decided = plan.mode === 'first' && tried === undefined;
      }
    } catch (error) {
      const cause = causeOf(error, `case of step ${context.run(frame.run).step}`, rule.at);
      said(context, frame, 'case.evaluated', 'error', { rules: verdicts, error: cause as never });
      return cause;
    }
    verdicts.push({ at: [...rule.at], when: rule.when?.source ?? 'else', verdict });
  }
  const agenda = agendaOf(plan, matched);
  said(context, frame, 'case.evaluated', 'success', {
    rules: verdicts,
    fired: matched.map(({ rule }) => rule),
    actions: namesOf(plan, agenda),
  });
  remember(context, frame, matched);
  return agenda;
}

const FIRES = 'fires';

function verdictOf(context: Context, frame: Frame, rule: CaseRule): string {
  return holds(context, rule.when, casePlace(context, frame, rule, false)) ? FIRES : 'guard is false';
}

function whatItDoes(context: Context, frame: Frame, rule: number, exhausted: boolean): Matched {
  const acted = isBoundary(context, frame) && context.run(frame.run).rules?.acted?.includes(rule);
  const moves = !exhausted && (frame.index === null || frame.passage!.stage === 'call');
  return { rule, acts: acted !== true, moves };
}

function said(
  context: Context,
  frame: Frame,
  event_type: 'case.started' | 'case.evaluated',
  status: 'in_progress' | 'success' | 'error',
  payload: Record<string, Json>,
): void {
  context.emit?.({
    event_type,
    entity_type: 'case',
    entity_id: context.run(frame.run).step,
    status,
    step_run_id: frame.run,
    iteration: frame.index ?? undefined,
    parent_id: frame.run,
    payload: { event: eventNames(context, frame, false)[0]!, frame: frame.id, ...payload },
  });
}

/** Names of the actions booked, in the order they will be done. */
function namesOf(plan: CasePlan, { todo, moves }: Agenda): string[] {
  const booked = [
    ...todo.flatMap((one) => ('rule' in one ? [[one.rule, one.action] as const] : [])),
    ...moves,
  ];
  return booked.map(([rule, action]) => plan.rules[rule]!.actions[action]!.do);
}

function agendaOf(plan: CasePlan, matched: readonly Matched[]): Agenda {
  const todo: { rule: number; action: number }[] = [];
  const moves: [number, number][] = [];
  for (const { rule, acts, moves: may } of matched) {
    plan.rules[rule]!.actions.forEach((action, index) => {
      const isMove = MOVES.has(action.do);
      if (isMove && may) moves.push([rule, index]);
      else if (!isMove && acts) todo.push({ rule, action: index });
    });
  }
  return { of: 'case', todo, moves };
}

/** Why a rule is no candidate at this stage, in words; null when its guard decides. */
function notAsked(
  context: Context,
  frame: Frame,
  plan: CasePlan,
  index: number,
  matched: boolean,
  exhausted: boolean,
): string | null {
  const { stage, cause, fired } = frame.passage!;
  const rule = plan.rules[index]!;
  const isElse = rule.when === undefined;
  if (stage === 'enter') return rule.onEnter ? null : 'not asked: the guard does not name step.enter';
  if (isElse && exhausted) {
    const moves = rule.actions.some(({ do: act }) => act === 'next' || act === 'fail');
    return moves ? null : 'not asked: after a used-up retry an else must go on or fail';
  }
  if (isElse && matched) return 'not asked: an earlier rule matched';
  if (stage === 'call') return rule.waitsForEnd ? 'waits for the end of the step' : null;
  if (fired.includes(index)) return 'not asked: it acted on the call already';
  if (isElseOfTheCall(context, frame, rule)) return 'not asked: it was asked about the call';
  if (frame.index === null) return null;
  if (cause && !rule.seesError)
    return 'not asked: the call failed and the guard does not look at the failure';
  const stores = rule.actions.some(({ do: act }) => act === 'sink' || act === 'collect');
  return stores ? null : 'waits for the boundary of the loop';
}

/** An `else` that does not wait for the end was asked at the call, if there was one, and is not asked twice. */
function isElseOfTheCall(context: Context, frame: Frame, rule: CaseRule): boolean {
  const step = context.step(context.run(frame.run).step);
  return rule.when === undefined && !rule.waitsForEnd && step.tasks.length > 0;
}

/** Attempts (or pages) made when the rule's `retry` allows no more; undefined while it does, or has none. */
function triedInVain(context: Context, frame: Frame, rule: CaseRule): number | undefined {
  const retry = rule.actions.find((action) => action.do === 'retry');
  if (!retry) return undefined;
  const { attempt, page } = roundOf(context, frame);
  const made = retry.overrides ? page : attempt;
  return made < attemptsOf(context, retry, casePlace(context, frame, rule, true)) ? undefined : made;
}

/** What fired at the call does not act at its end again, and what acted in an iteration only moves at the boundary. */
function remember(context: Context, frame: Frame, matched: readonly Matched[]): void {
  const passage = frame.passage!;
  const rules = matched.map(({ rule }) => rule);
  if (passage.stage === 'call') passage.fired = rules;
  if (frame.index === null) return;
  const run = context.run(frame.run);
  const decided = (run.rules ??= {});
  decided.acted = [...new Set([...(decided.acted ?? []), ...rules])].sort((a, b) => a - b);
}
