/** Rules of `case`: which of them act on a happening, and what they do (docs/design/rules.md, Case). */
import { type Arc, type Dict, dict, readRouter, type Rule, type Step } from './document';
import { type Frame, type Place } from './frame';
import { EventView, holds, type Outcome, OutcomeView, payloadOf, ResultView, valueOf } from './values';

export type Happening = 'enter' | 'call' | 'iteration' | 'end';

/** What the rules that acted have decided. */
export interface Verdict {
  move?: 'next' | 'fail' | 'skip' | 'retry' | 'call';
  /** What belongs to the move. */
  value?: unknown;
  result?: { readonly value: unknown };
  /** What was collected, where it is the result. */
  collected?: unknown[];
  /** `then.result` in a loop: evaluated once, at its end. */
  resultOfStep?: unknown;
  endsLoop: boolean;
  handles: boolean;
  /** The rules that acted. */
  acting?: readonly Rule[];
}

/** A target that a rule chose. */
export interface Choice {
  readonly rule: number;
  /** Position in the `next` of the rule. */
  readonly position: number;
  readonly arc: Arc;
}

interface Situation {
  readonly happening: Happening;
  readonly frame: Frame;
  readonly outcome: Outcome;
  /** What the step or iteration gives, where it is not what its last call gave. */
  readonly result: unknown;
  readonly isFailed: boolean;
  readonly attempt: number;
  /** At the end of an iteration: the rules that acted on its call. */
  readonly before?: readonly Rule[];
}

/** The rules of one run of a step. */
export class CaseRules {
  readonly choices: Choice[] = [];
  private readonly acted = new Set<Rule>();

  constructor(private readonly step: Step) {}

  /** Each rule is asked once; the first that holds acts, or all with `case_mode: inclusive`. */
  happen(situation: Situation): Verdict {
    const verdict: Verdict = { endsLoop: false, handles: false };
    const moves: Verdict[] = [];
    const acting: Rule[] = [];
    if (this.readsOldResponse(situation)) situation.frame.options.execution.hits.add('responseAfterResult');
    let isExhausted = false;
    for (const [index, rule] of this.step.rules.entries()) {
      if (!this.isAsked(index, rule, situation, isExhausted)) continue;
      const isKeptForTheEnd = situation.happening === 'end' && this.isPerIteration(rule);
      const place = placeOf(situation, String(rule.when ?? ''), this.step);
      if (!holds(rule.when, situation.frame.names(place))) continue;
      if (isRetryOver(rule, situation.attempt)) {
        isExhausted = true;
        if (rule.actions.length > 1) situation.frame.options.execution.hits.add('exhaustedActs');
        continue;
      }
      if (situation.happening !== 'enter') this.acted.add(rule);
      acting.push(rule);
      moves.push(this.act(index, rule, situation, place, isKeptForTheEnd));
      if (!this.step.isInclusive) break;
    }
    for (const each of moves)
      Object.assign(verdict, {
        ...each,
        endsLoop: verdict.endsLoop || each.endsLoop,
        handles: verdict.handles || each.handles,
      });
    const decisive =
      moves.find(({ move }) => move === 'next') ?? moves.find(({ move }) => move !== undefined);
    const { move: _move, value: _value, ...rest } = verdict;
    if (moves.length > 1 && new Set(moves.map((each) => each.move)).size > 1)
      situation.frame.options.execution.hits.add('inclusiveMoves');
    return {
      ...rest,
      acting,
      ...(decisive?.move && { move: decisive.move, value: decisive.value }),
    };
  }

  private readsOldResponse({ happening, outcome, result }: Situation): boolean {
    const isOld = JSON.stringify(result) !== JSON.stringify(payloadOf(outcome));
    return (
      happening === 'end' && !this.step.loop && isOld && JSON.stringify(this.step.rules).includes('response')
    );
  }

  /** In a loop, what a rule on the end collects belongs to each iteration, and so does the end of the loop. */
  private isPerIteration({ then }: Rule): boolean {
    return this.step.loop !== undefined && (then['end_loop'] === true || then['collect'] !== undefined);
  }

  private isAsked(index: number, rule: Rule, situation: Situation, isExhausted: boolean): boolean {
    const { happening, before, isFailed } = situation;
    const text = String(rule.when ?? '');
    if (happening === 'iteration') {
      const isOfTheCall = rule.when === undefined || text.includes('call.') || text.includes('step.enter');
      if (isOfTheCall || !this.isPerIteration(rule) || before?.includes(rule)) return false;
      return !isFailed || looksAtFailure(text);
    }
    if (
      happening === 'end' &&
      this.isPerIteration(rule) &&
      !MOVES.some((move) => Object.hasOwn(rule.then, move))
    )
      return false;
    if (rule.when === undefined) {
      if (isExhausted && !['next', 'fail'].some((key) => Object.hasOwn(rule.then, key))) return false;
      const before = String(this.step.rules[index - 1]?.when ?? '');
      return happening === (/step\.(exit|done|failed)|loop\.done/.test(before) ? 'end' : 'call');
    }
    if (happening === 'enter') return text.includes('step.enter');
    return happening === 'call' || !this.acted.has(rule);
  }

  private act(index: number, rule: Rule, situation: Situation, place: Place, movesOnly: boolean): Verdict {
    const { frame } = situation;
    const after = rule.actions.slice(rule.actions.findIndex(([key]) => key === 'result') + 1);
    if (rule.then['result'] !== undefined && JSON.stringify(after).includes('response')) {
      frame.options.execution.hits.add('responseAfterResult');
    }
    const verdict: Verdict = { endsLoop: rule.then['end_loop'] === true, handles: false };
    for (const [key, raw] of rule.actions) {
      if (movesOnly && !MOVES.includes(key)) continue;
      if (key === 'set') frame.write(dict(raw), 'ctx', place);
      else if (key === 'collect') this.collect(dict(raw), situation, place, verdict);
      else if (key === 'result') this.result(raw, situation, place, verdict);
      else if (MOVES.includes(key)) {
        verdict.move = key as NonNullable<Verdict['move']>;
        verdict.value = raw;
      }
    }
    if (verdict.move === 'next') {
      this.choices.push(
        ...readRouter(rule.then['next']).arcs.map((arc, position) => ({ rule: index, position, arc })),
      );
    }
    verdict.handles ||= ['next', 'skip', 'retry', 'call'].includes(verdict.move ?? '');
    return verdict;
  }

  private collect(raw: Dict, { frame, outcome }: Situation, place: Place, verdict: Verdict): void {
    const collected = frame.collect(raw, new ResultView(outcome), place);
    if (raw['from'] === undefined) verdict.collected = collected;
  }

  private result(
    raw: unknown,
    { frame, happening, isFailed }: Situation,
    place: Place,
    verdict: Verdict,
  ): void {
    verdict.handles = true;
    const from = dict(raw)['from'];
    const template =
      from === undefined || String(from).includes('{{') ? (from ?? raw) : `{{ ${String(from)} }}`;
    if (this.step.loop && happening !== 'end' && !isFailed) verdict.resultOfStep = template;
    else verdict.result = { value: valueOf(template, frame.names(place)) ?? null };
  }
}

const MOVES = ['next', 'fail', 'skip', 'retry', 'call'];

function isRetryOver({ then }: Rule, attempt: number): boolean {
  return Object.hasOwn(then, 'retry') && attempt >= Number(dict(then['retry'])['max_attempts'] ?? 3);
}

function placeOf(situation: Situation, guard: string, step: Step): Place {
  const { happening, outcome, isFailed, attempt, result } = situation;
  if (happening === 'enter') return { event: new EventView(['step.enter']) };
  const seesEnvelope = !isFailed || /call\.error|step\.failed|status/.test(guard);
  return {
    event: new EventView(eventNames(situation, guard, step)),
    response: seesEnvelope
      ? new ResultView(outcome, happening === 'end' && step.loop ? result : payloadOf(outcome))
      : undefined,
    result: isFailed ? undefined : result,
    this: new OutcomeView(outcome),
    output: new OutcomeView(outcome),
    outcome: new OutcomeView(outcome),
    error: outcome.error ?? undefined,
    _attempt: attempt,
  };
}

/** After a failure, names of any end match only conditions that look at the failure. */
function eventNames({ happening, isFailed }: Situation, guard: string, { loop }: Step): string[] {
  if (happening === 'call') {
    if (!isFailed) return ['call.done'];
    return ['call.error', ...(looksAtFailure(guard) ? ['call.done'] : [])];
  }
  if (!isFailed) return [...(loop ? ['loop.done'] : []), 'step.done', 'step.exit'];
  return ['step.failed', ...(looksAtFailure(guard) ? ['step.exit'] : [])];
}

function looksAtFailure(guard: string): boolean {
  const isAboutError = /\berror\b(?!')/.test(guard.replaceAll('call.error', ''));
  return isAboutError || /response is not defined|status/.test(guard);
}
