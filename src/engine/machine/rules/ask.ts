/**
 * Decides which rules match: the one place where rules are evaluated, whichever vocabulary they were written in. Pure
 * decisions; the agenda carries out the actions.
 */
import {
  type RuleHappening,
  type Json,
  type Move,
  type RulePlan,
  type RuleSet,
} from '../../../language/plan';
import { causeOf, type Context } from '../batch';
import { holds } from '../scope';
import { type Agenda, type FailureCause, type Frame } from '../state';
import { attemptsOf, isStorage, madeOf, rulePlaceOf, turnsPages } from './place';

interface Question {
  readonly frame: Frame;
  /** The task or step that owns the rules. */
  readonly of: Agenda['of'];
  readonly set: RuleSet;
  readonly happening: RuleHappening;
  /** The event is a failure. */
  readonly failed: boolean;
  /** Rules that matched before and are not evaluated again. */
  readonly matched?: readonly number[];
}

interface Answer {
  readonly agenda: Agenda;
  /** Indexes of the rules that matched. */
  readonly fired: readonly number[];
  /** Of these, the ones that act: not those whose repetition is used up. */
  readonly acting: readonly number[];
  /** What `explain` shows for each rule; empty when no events are requested. */
  readonly verdicts: Json[];
}

/** Evaluates the rules in order. Returns the actions of the matching ones, or why a rule could not be evaluated. */
export function askFrameRules(
  context: Context,
  question: Question,
): Answer | { cause: FailureCause; verdicts: Json[] } {
  const { frame, of, set } = question;
  const fired: number[] = [];
  const acting: number[] = [];
  const moves: number[] = [];
  const verdicts: Json[] = [];
  let exhausted: Agenda['exhausted'];
  let decided = false;
  for (const [index, rule] of set.rules.entries()) {
    if (isStorage(rule)) continue;
    let verdict: string | null;
    try {
      verdict = decided
        ? 'not evaluated: an earlier rule matched'
        : (whyNotAsked(question, index, fired.length > 0, exhausted !== undefined) ??
          (matches(context, question, rule) ? null : 'guard is false'));
      if (verdict === null) {
        fired.push(index);
        const attempts = usedUp(context, question, rule);
        if (attempts === undefined && rule.move) moves.push(index);
        // A page that is the last one allowed is kept; otherwise a rule that cannot move does not act by half.
        if (attempts === undefined || turnsPages(rule)) acting.push(index);
        if (attempts !== undefined) {
          exhausted = { rule: index, attempts };
          verdict = `retries exhausted after ${attempts} attempts`;
        }
        decided = set.mode === 'first' && (attempts === undefined || !fallsThrough(rule));
      }
    } catch (error) {
      const { name } = of === 'task' ? context.taskOf(frame) : context.stepOf(frame);
      return { cause: causeOf(error, `${set.of} of ${of} ${name}`, rule.at), verdicts };
    }
    if (context.emit) verdicts.push({ at: [...rule.at], when: guardOf(rule), verdict: verdict ?? 'fires' });
  }
  const todo = acting.flatMap((index) => actionsAt(question.happening, set.rules[index]!, index));
  // A page that no rule requests again belongs to the rule that requested it, the first page to the first rule that
  // turns pages.
  if (set.of === 'retry' && !question.failed && moves.length === 0) {
    const owner = (of === 'task' ? frame.repeats?.rule : undefined) ?? set.rules.findIndex(turnsPages);
    if (owner >= 0 && !fired.includes(owner)) todo.push(...storageIn(set.rules[owner]!, owner));
  }
  return { agenda: { of, todo, moves, ...(exhausted && { exhausted }) }, fired, acting, verdicts };
}

/** The guard as written by the author. */
export function guardOf({ when, unless }: RulePlan): string {
  return (when ?? unless)?.source ?? 'else';
}

/** Its keyword in `case`. */
export function moveName(move: Move): string {
  return move.do === 'retry' && move.endless ? 'call' : move.do;
}

/** What is to be stored once the current outcome is final. */
export function storageOf(set: RuleSet | undefined): Agenda['todo'] {
  return set?.rules.flatMap((rule, index) => (isStorage(rule) ? actionsAt('store', rule, index) : [])) ?? [];
}

/** At the end of a loop's step, a rule that stores in iterations keeps only its move. */
function actionsAt(happening: RuleHappening, { actions, on }: RulePlan, index: number): Agenda['todo'] {
  if (happening === 'end' && on.includes('iteration')) return [];
  return actions.map((_, action) => [index, action]);
}

function storageIn({ actions }: RulePlan, index: number): Agenda['todo'] {
  return actions.flatMap(({ do: act }, action) =>
    act === 'collect' || act === 'sink' ? [[index, action] as [number, number]] : [],
  );
}

function matches(context: Context, { frame, of, failed }: Question, rule: RulePlan): boolean {
  if (rule.onError && !failed) return false;
  const { when, unless } = rule;
  if (!when && !unless) return true;
  const at = rulePlaceOf(context, frame, of, rule, false);
  return holds(context, when, at) && !(unless !== undefined && holds(context, unless, at));
}

const ABOUT: Readonly<Record<RuleHappening, string>> = {
  enter: 'the start of the step',
  call: 'the call',
  iteration: 'the end of an iteration',
  end: 'the end of the step',
  store: 'storing',
};

/** Why a rule is not a candidate, as a message; null when its guard decides. */
function whyNotAsked(
  { set, happening, matched: alreadyMatched, failed }: Question,
  index: number,
  matched: boolean,
  exhausted: boolean,
): string | null {
  const rule = set.rules[index]!;
  if (!rule.on.includes(happening))
    return `not evaluated: it applies to ${rule.on.map((on) => ABOUT[on]).join(' and ')}`;
  if (alreadyMatched?.includes(index)) return 'not evaluated: it matched before';
  if (exhausted && !appliesAfterExhaustion(rule)) {
    return 'not evaluated: after exhausted retries only a guard, or an else that moves elsewhere or fails';
  }
  if (rule.when === undefined && set.of === 'case' && matched && !exhausted) {
    return 'not evaluated: an earlier rule matched';
  }
  if (happening === 'iteration' && failed && !rule.seesError) {
    return 'not evaluated: the call failed and the guard does not handle failures';
  }
  return null;
}

/** After ten 503s an `else` must not turn the failure into a success or repeat the same call. */
function appliesAfterExhaustion({ when, move }: RulePlan): boolean {
  return when !== undefined || (move !== undefined && ['jump', 'fail', 'next'].includes(move.do));
}

/** Attempts (or pages) made when the rule's retry is used up; undefined while it is not, or without retry. */
function usedUp(context: Context, { frame, of }: Question, rule: RulePlan): number | undefined {
  const { move } = rule;
  if (move?.do !== 'retry') return undefined;
  const count = madeOf(context, frame, of, turnsPages(rule));
  return count < attemptsOf(context, move, rulePlaceOf(context, frame, of, rule, true)) ? undefined : count;
}

function fallsThrough({ move }: RulePlan): boolean {
  return move?.do === 'retry' && move.exhausted === 'fall_through';
}
