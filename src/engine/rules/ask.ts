/**
 * Which rules match: the one place where rules are asked, whatever vocabulary they come from. Pure decisions; what the
 * rules do is the agenda's.
 */
import { type Happening, type Json, type Move, type Rule, type RuleSet } from '../../plan';
import { causeOf, type Context } from '../batch';
import { holds } from '../scope';
import { type Agenda, type FailureCause, type Frame } from '../state';
import { attemptsOf, isStorage, madeOf, placeOf, turnsPages } from './place';

export interface Question {
  readonly frame: Frame;
  /** Whose rules. */
  readonly of: Agenda['of'];
  readonly set: RuleSet;
  readonly happening: Happening;
  /** What happened is a failure. */
  readonly failed: boolean;
  /** Rules that held before, and are not asked again. */
  readonly held?: readonly number[];
}

export interface Answer {
  readonly agenda: Agenda;
  /** The rules that matched, by index. */
  readonly fired: readonly number[];
  /** What `explain` reads of each rule; empty when nobody wants events. */
  readonly verdicts: Json[];
}

/** Asks the rules in order. Returns what the matching ones are to do, or why one could not be asked. */
export function ask(
  context: Context,
  question: Question,
): Answer | { cause: FailureCause; verdicts: Json[] } {
  const { frame, of, set } = question;
  const fired: number[] = [];
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
        const made = usedUp(context, question, rule);
        if (made === undefined && rule.move) moves.push(index);
        if (made !== undefined) {
          exhausted = { rule: index, made };
          verdict = `retry is used up after ${made} attempts`;
        }
        decided = set.mode === 'first' && (made === undefined || !fallsThrough(rule));
      }
    } catch (error) {
      const { name } = of === 'task' ? context.taskOf(frame) : context.stepOf(frame);
      return { cause: causeOf(error, `${set.of} of ${of} ${name}`, rule.at), verdicts };
    }
    if (context.emit) verdicts.push({ at: [...rule.at], when: guardOf(rule), verdict: verdict ?? 'fires' });
  }
  const todo = fired.flatMap((index) => actionsAt(question.happening, set.rules[index]!, index));
  // A page that no rule repeats belongs to the rule that asked for it, the first to the first that turns pages.
  if (set.of === 'retry' && !question.failed && moves.length === 0) {
    const owner = (of === 'task' ? frame.repeats?.asked : undefined) ?? set.rules.findIndex(turnsPages);
    if (owner >= 0 && !fired.includes(owner)) todo.push(...storageIn(set.rules[owner]!, owner));
  }
  return { agenda: { of, todo, moves, ...(exhausted && { exhausted }) }, fired, verdicts };
}

/** The guard as the author wrote it. */
export function guardOf({ when, unless }: Rule): string {
  return (when ?? unless)?.source ?? 'else';
}

/** The word for it in `case`. */
export function nameOf(move: Move): string {
  return move.do === 'retry' && move.endless ? 'call' : move.do;
}

/** What is to be stored once the outcome at hand stands. */
export function storageOf(set: RuleSet | undefined): Agenda['todo'] {
  return set?.rules.flatMap((rule, index) => (isStorage(rule) ? actionsAt('store', rule, index) : [])) ?? [];
}

/** At the end of a loop's step only the move is left of a rule that stores in iterations. */
function actionsAt(happening: Happening, { actions, on }: Rule, index: number): Agenda['todo'] {
  if (happening === 'end' && on.includes('iteration')) return [];
  return actions.map((_, action) => [index, action]);
}

function storageIn({ actions }: Rule, index: number): Agenda['todo'] {
  return actions.flatMap(({ do: act }, action) =>
    act === 'collect' || act === 'sink' ? [[index, action] as [number, number]] : [],
  );
}

function matches(context: Context, { frame, of, failed }: Question, rule: Rule): boolean {
  if (rule.onError && !failed) return false;
  const { when, unless } = rule;
  if (!when && !unless) return true;
  const at = placeOf(context, frame, of, rule, false);
  return holds(context, when, at) && !(unless !== undefined && holds(context, unless, at));
}

const ABOUT: Readonly<Record<Happening, string>> = {
  enter: 'the beginning of the step',
  call: 'the call',
  iteration: 'the end of an iteration',
  end: 'the end of the step',
  store: 'what is stored',
};

/** Why a rule is no candidate, in words; null when its guard decides. */
function whyNotAsked(
  { set, happening, held, failed }: Question,
  index: number,
  matched: boolean,
  exhausted: boolean,
): string | null {
  const rule = set.rules[index]!;
  if (!rule.on.includes(happening))
    return `not asked: it is about ${rule.on.map((on) => ABOUT[on]).join(' and ')}`;
  if (held?.includes(index)) return 'not asked: it held already';
  if (exhausted && !appliesAfterExhaustion(rule)) {
    return 'not asked: after a used-up retry only a guard, or an else that moves elsewhere or fails';
  }
  if (rule.when === undefined && set.of === 'case' && matched && !exhausted) {
    return 'not asked: an earlier rule matched';
  }
  if (happening === 'iteration' && failed && !rule.seesError) {
    return 'not asked: the call failed and the guard does not look at the failure';
  }
  return null;
}

/** After ten 503s an `else: continue` does not make a success, nor are there more of the same call; a page is another. */
function appliesAfterExhaustion(rule: Rule): boolean {
  const { when, move } = rule;
  if (move?.do === 'retry') return when !== undefined && turnsPages(rule);
  return when !== undefined || (move !== undefined && ['jump', 'fail', 'next'].includes(move.do));
}

/** Attempts (or pages) made when the rule's retry allows no more; undefined while it does, or where there is none. */
function usedUp(context: Context, { frame, of }: Question, rule: Rule): number | undefined {
  const { move } = rule;
  if (move?.do !== 'retry') return undefined;
  const count = madeOf(context, frame, of, turnsPages(rule));
  return count < attemptsOf(context, move, placeOf(context, frame, of, rule, true)) ? undefined : count;
}

function fallsThrough({ move }: Rule): boolean {
  return move?.do === 'retry' && move.exhausted === 'fall_through';
}
