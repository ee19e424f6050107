/** Rules of `case`: which of them act on a happening, and what they do (docs/design/rules.md, Case). */
import { type Flow } from './clock';
import { type Arc, type Dict, dict, readRouter, readSinks, type Rule, type Step } from './document';
import { type Frame, type Place } from './frame';
import { type Failure } from './run';
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
  /** `then.result` in a loop: evaluated once, at its end; of several rules the first, whichever iteration it acted in. */
  resultOfStep?: OwnResult;
  endsLoop: boolean;
  handles: boolean;
  /** The rules that acted. */
  acting?: readonly Rule[];
  /** A sink failed: nothing else of the rules happens. */
  sinkFailed?: Failure | undefined;
}

/** What a rule says the result of its step is. */
export interface OwnResult {
  readonly rule: number;
  readonly template: unknown;
}

export const firstOf = (one: OwnResult | undefined, other: OwnResult | undefined): OwnResult | undefined =>
  one && other ? (other.rule < one.rule ? other : one) : (one ?? other);

/** A target that a rule chose. */
export interface Choice {
  readonly rule: number;
  /** Position in the `next` of the rule. */
  readonly position: number;
  readonly arc: Arc;
  /** Made in an iteration of the step's loop, which does not end with it. */
  readonly isOfIteration: boolean;
}

interface Situation {
  readonly happening: Happening;
  readonly frame: Frame;
  readonly outcome: Outcome;
  /** What the step or iteration gives, where it is not what its last call gave. */
  readonly result: unknown;
  readonly isFailed: boolean;
  /** Why a call failed that was answered: its attempts are used up. */
  readonly exhausted?: Failure | undefined;
  readonly attempt: number;
  /** At the end of an iteration: the rules that acted on its call. */
  readonly before?: readonly Rule[];
}

/** The rules of one run of a step. */
export class CaseRules {
  readonly choices: Choice[] = [];
  private readonly acted = new Set<Rule>();

  constructor(private readonly step: Step) {}

  /** Each rule is asked once; the first that holds acts, or all with `case_mode: inclusive`: first what they do, then where they move. */
  *happen(situation: Situation): Flow<Verdict> {
    const { hits } = situation.frame.options.execution;
    if (this.readsOldResponse(situation)) hits.add('responseAfterResult');
    const acting = this.matching(situation);
    const verdict: Verdict = { endsLoop: false, handles: false, acting: acting.map(({ rule }) => rule) };
    for (const each of acting) {
      yield* this.act(each, situation, verdict);
      if (verdict.sinkFailed) return verdict;
    }
    const moves = acting.flatMap(({ rule, index }) => {
      const move = MOVES.find((key) => Object.hasOwn(rule.then, key));
      return move ? [{ move, value: rule.then[move], index, rule }] : [];
    });
    const endsLoop = situation.isFailed && !this.step.isBestEffort;
    const isOfIteration =
      this.step.loop !== undefined && !endsLoop && ['call', 'iteration'].includes(situation.happening);
    for (const { move, index, rule } of moves) {
      if (move === 'next')
        this.choices.push(
          ...readRouter(rule.then['next']).arcs.map((arc, position) => ({
            ...{ rule: index, position, arc, isOfIteration },
          })),
        );
      verdict.handles ||= move !== 'fail';
    }
    const decisive = moves.find(({ move }) => move === 'next') ?? moves[0];
    const all = acting.map(({ rule }) => MOVES.find((key) => Object.hasOwn(rule.then, key)));
    if (new Set(all).size > 1) hits.add('inclusiveMoves');
    return { ...verdict, ...(decisive && { move: decisive.move, value: decisive.value }) };
  }

  /** The rules that act, in their order. Guards see what was before any of them acted. */
  private matching(situation: Situation): Acting[] {
    const { execution } = situation.frame.options;
    const found: Acting[] = [];
    let isExhausted = false;
    for (const [index, rule] of this.step.rules.entries()) {
      if (!this.isAsked(index, rule, situation, isExhausted)) continue;
      const movesOnly = situation.happening === 'end' && this.isPerIteration(rule);
      const place = placeOf(situation, String(rule.when ?? ''), this.step);
      if (!holds(rule.when, situation.frame.names(place))) continue;
      if (isRetryOver(rule, situation.attempt)) {
        isExhausted = true;
        if (rule.actions.length > 1) execution.hits.add('exhaustedActs');
        continue;
      }
      if (situation.happening !== 'enter') this.acted.add(rule);
      found.push({ index, rule, place, movesOnly });
      if (!this.step.isInclusive) break;
    }
    return found;
  }

  private readsOldResponse({ happening, outcome, result }: Situation): boolean {
    const isOld = JSON.stringify(result) !== JSON.stringify(payloadOf(outcome));
    return (
      happening === 'end' && !this.step.loop && isOld && JSON.stringify(this.step.rules).includes('response')
    );
  }

  /** In a loop, what a rule on the end collects or stores belongs to each iteration, and so does the end of the loop. */
  private isPerIteration({ when, then }: Rule): boolean {
    // `step.exit` is any end; the others are those of the step.
    const text = String(when ?? '').includes('step.exit') ? '' : String(when ?? '');
    if (this.step.loop === undefined || /step\.(done|failed)|loop\.done/.test(text)) return false;
    return then['end_loop'] === true || then['collect'] !== undefined || then['sink'] !== undefined;
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

  private *act(
    { index, rule, place, movesOnly }: Acting,
    situation: Situation,
    verdict: Verdict,
  ): Flow<void> {
    const { frame } = situation;
    const after = rule.actions.slice(rule.actions.findIndex(([key]) => key === 'result') + 1);
    if (rule.then['result'] !== undefined && JSON.stringify(after).includes('response')) {
      frame.options.execution.hits.add('responseAfterResult');
    }
    verdict.endsLoop ||= rule.then['end_loop'] === true;
    for (const [key, raw] of movesOnly ? [] : rule.actions) {
      const now = verdict.result ? { ...place, result: verdict.result.value } : place;
      if (key === 'set') frame.write(dict(raw), 'ctx', now);
      else if (key === 'collect') this.collect(dict(raw), situation, now, verdict);
      else if (key === 'result') this.result(index, raw, situation, now, verdict);
      else if (key === 'sink')
        verdict.sinkFailed = yield* frame.store(readSinks(this.step.name, raw, this.step.around), now);
      if (verdict.sinkFailed) return;
    }
  }

  private collect(raw: Dict, { frame, outcome }: Situation, place: Place, verdict: Verdict): void {
    const collected = frame.collect(raw, new ResultView(outcome), place);
    if (raw['from'] === undefined) frame.resultInto = String(raw['into']);
    // Whatever is put into that list is part of the result.
    if (frame.resultInto === String(raw['into'])) verdict.collected = collected;
  }

  private result(
    rule: number,
    raw: unknown,
    { frame, happening, isFailed }: Situation,
    place: Place,
    verdict: Verdict,
  ): void {
    verdict.handles = true;
    const from = dict(raw)['from'];
    const template =
      from === undefined || String(from).includes('{{') ? (from ?? raw) : `{{ ${String(from)} }}`;
    if (this.step.loop && happening !== 'end' && !isFailed)
      verdict.resultOfStep = firstOf(verdict.resultOfStep, { rule, template });
    else verdict.result = { value: valueOf(template, frame.names(place)) ?? null };
  }
}

const MOVES = ['next', 'fail', 'skip', 'retry', 'call'] as const;

/** A rule that acts. */
interface Acting {
  readonly index: number;
  readonly rule: Rule;
  readonly place: Place;
  /** Its actions belong to the iterations. */
  readonly movesOnly: boolean;
}

function isRetryOver({ then }: Rule, attempt: number): boolean {
  return Object.hasOwn(then, 'retry') && attempt >= Number(dict(then['retry'])['max_attempts'] ?? 3);
}

function placeOf(situation: Situation, guard: string, step: Step): Place {
  const { happening, outcome, isFailed, exhausted, attempt, result } = situation;
  if (happening === 'enter') return { event: new EventView(['step.enter']) };
  const seesEnvelope = !isFailed || /call\.error|step\.failed|status/.test(guard);
  return {
    event: new EventView(eventNames(situation, guard, step)),
    response: seesEnvelope ? new ResultView(outcome) : undefined,
    result,
    this: new OutcomeView(outcome),
    output: new OutcomeView(outcome),
    outcome: new OutcomeView(outcome),
    error: outcome.error ?? exhausted,
    _attempt: attempt,
  };
}

/** After a failure, names of any end match only conditions that look at the failure. */
function eventNames({ happening, isFailed }: Situation, guard: string, { loop }: Step): string[] {
  if (happening === 'call') {
    if (!isFailed) return ['call.done'];
    return ['call.error', ...(looksAtFailure(guard) ? ['call.done'] : [])];
  }
  if (happening === 'iteration') return ['step.exit'];
  if (!isFailed) return [...(loop ? ['loop.done'] : []), 'step.done', 'step.exit'];
  return ['step.failed', ...(looksAtFailure(guard) ? ['step.exit'] : [])];
}

function looksAtFailure(guard: string): boolean {
  const isAboutError = /\berror\b(?!')/.test(guard.replaceAll('call.error', ''));
  return isAboutError || /response is not defined|status/.test(guard);
}
