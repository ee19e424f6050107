/** A run of a step: its inputs, its iterations, its rules, and where its token goes. */
import { CaseRules, firstOf, type OwnResult, type Verdict } from './case';
import { type Flow, Gate } from './clock';
import { type Dict, dict, type Step, withinBlocks } from './document';
import { Frame, type Place } from './frame';
import { runCursor } from './cursor';
import { type LoopEnd, type LoopRequest, runLoop, type Turn } from './loop';
import { runPipeline } from './pipeline';
import { askRetry, type Repetitions } from './retry';
import { routed } from './router';
import { type Execution, type Failure, type StepEnd } from './run';
import { holds, mapOf, type Outcome, OutcomeView, payloadOf, ResultView, valueOf } from './values';

const TURNS_OF_NO_TIME = 30;

export function isAdmitted({ ctx, workload }: Execution, { admit }: Step, args: Dict): boolean {
  const names = [{ ctx, vars: ctx, workload, args, token: { args } }];
  const rule = admit.find(({ when }) => holds(when, names));
  if (rule) return rule.then['allow'] === true;
  return !admit.some(({ then }) => then['allow'] === true);
}

export function* runStep(execution: Execution, step: Step, id: string, args: Dict): Flow<StepEnd> {
  const run = new StepRun(execution, step, id, args);
  const { clock } = execution;
  const limits = [
    ...(step.timeout === undefined ? [] : [clock.now + step.timeout]),
    ...(step.deadline === undefined ? [] : [step.deadline]),
  ];
  if (limits.length === 0) return yield* run.turns();
  const calls = withinBlocks(step.tasks).some(({ kind }) => kind === 'playbook');
  // Whether a call takes no time that an empty sub-playbook answers is not defined: a tie.
  if (calls && Math.min(...limits) <= clock.now)
    for (let mark = 0; mark < 2; mark++) execution.outside.begun.push(`overdue ${clock.now}`);
  const gate = new Gate();
  let end: StepEnd | undefined;
  const work = clock.start(
    (function* (): Flow<void> {
      end = yield* run.turns();
      clock.open(gate);
    })(),
  );
  const timer = clock.start(
    (function* (): Flow<void> {
      const limit = Math.min(...limits);
      // What takes no time is done also after the deadline.
      if (limit <= clock.now) for (let turn = 0; turn < TURNS_OF_NO_TIME; turn++) yield { until: clock.now };
      else yield { until: limit };
      execution.outside.begun.push(`time limit ${clock.now}`);
      clock.open(gate);
    })(),
  );
  try {
    yield gate;
  } finally {
    clock.stop(work);
    clock.stop(timer);
  }
  return end ?? (yield* run.timedOut());
}

/** How the iterations of a step, or its only turn, ended. */
interface Body {
  readonly outcome: Outcome;
  readonly result: unknown;
  readonly failure: Failure | undefined;
  readonly tasks: Dict;
  readonly iter: Dict;
}

interface SingleTurn extends Turn {
  readonly outcome: Outcome;
  readonly isHandled: boolean;
  readonly isSkipped: boolean;
}

class StepRun {
  private readonly rules: CaseRules;
  private readonly root: Frame;
  /** `then.result` of an iteration. */
  private resultOfStep: OwnResult | undefined;
  /** A rule chose where to go on after the failure of the loop. */
  private handled: Failure | undefined;

  constructor(
    private readonly execution: Execution,
    private readonly step: Step,
    private readonly id: string,
    private readonly given: Dict,
  ) {
    this.rules = new CaseRules(step);
    const boundary = JSON.stringify([step.next, step.set, step.rules, step.retry]);
    if (Object.keys(step.input).length > 0 && /\b(args|input)\b/.test(boundary))
      execution.hits.add('argsAtBoundary');
    this.root = new Frame({
      execution,
      prefix: id,
      step: step.name,
      isBestEffort: step.isBestEffort,
      args: given,
    });
  }

  *turns(): Flow<StepEnd> {
    const { step, execution } = this;
    const entered = yield* this.rules.happen({
      happening: 'enter',
      frame: this.root,
      outcome: OK,
      result: null,
      isFailed: false,
      attempt: 1,
    });
    if (entered.move === 'skip')
      return this.routedOn({ outcome: OK, result: null, failure: undefined, tasks: {}, iter: {} });
    if (entered.move === 'fail') {
      const error = this.failure(entered);
      return yield* this.ended(this.bodyOf(error, { status: 'error', result: null, error }, null));
    }
    if (entered.move === 'next') return this.routedOn(this.bodyOf(undefined, OK, null));
    this.root.args = this.inputs();
    for (const name of collectedNames(step)) {
      if (step.loop || Object.hasOwn(execution.ctx, name)) execution.hits.add('pagesPerIteration');
      execution.ctx[name] = [];
    }
    const body = step.loop ? yield* this.loop() : yield* this.single();
    return yield* this.ended(body);
  }

  /** Evaluated after the rules on `step.enter`: they see the arguments of the token alone. */
  private inputs(): Dict {
    const { ctx, results, workload } = this.execution;
    const { given } = this;
    return this.argsIn(
      [{ args: given }, given, ctx, results, { ctx, workload, iter: this.root.iter }, workload],
      false,
    );
  }

  *timedOut(): Flow<StepEnd> {
    this.execution.hits.add('timeLimitError');
    const failure = { code: 'STEP_TIMEOUT', kind: 'timeout', step: this.step.name };
    // A loop has its value, however it ends.
    const result = this.soFar?.() ?? null;
    // Its end has been asked, and is not asked again: what was left was to store.
    if (this.isEnding) return this.unstored(failure, { status: 'error', result, error: failure });
    return yield* this.ended(this.bodyOf(failure, { status: 'error', result, error: failure }, result));
  }

  private bodyOf(failure: Failure | undefined, outcome: Outcome, result: unknown, frame?: Frame): Body {
    return { outcome, result, failure, tasks: frame?.tasks ?? {}, iter: frame?.iter ?? {} };
  }

  private *single(): Flow<Body> {
    const frame = this.root;
    const turn = yield* this.turn(frame);
    const { outcome } = turn;
    if (turn.isSkipped) this.isSkipped = true;
    const failed = turn.failure ? { ...outcome, status: 'error' as const, error: turn.failure } : outcome;
    if (turn.failure && turn.isHandled) this.handled = turn.failure;
    return this.bodyOf(turn.failure, failed, turn.result, frame);
  }

  private isSkipped = false;
  private isEnding = false;
  private soFar: (() => Dict) | undefined;

  private *loop(): Flow<Body> {
    const { step, root, execution } = this;
    const names = collectedNames(step);
    const frames: Frame[] = [];
    const turn = (frame: Frame): Flow<Turn> => {
      frames[frame.options.index!] = frame;
      frame.collects = names;
      return this.iteration(frame, names, frames);
    };
    const { isBestEffort, loop } = step;
    let end: LoopEnd;
    try {
      const request: LoopRequest = {
        loop: loop!,
        frame: root,
        prefix: this.id,
        isBestEffort,
        turn,
        begun: (soFar) => (this.soFar = soFar),
      };
      end = yield* loop!.cursor ? runCursor(request, loop!.cursor) : runLoop(request);
    } finally {
      // Also what was collected before a time limit; nothing is written once the execution has ended.
      for (const name of execution.isOver ? [] : names) execution.ctx[name] = collectedBy(frames, name);
    }
    if (end.isCut) execution.note('LOOP_ENDED_EARLY');
    const { failure, value } = end;
    const outcome: Outcome = { status: failure ? 'error' : 'ok', result: value, error: failure ?? null };
    return this.bodyOf(failure, outcome, value);
  }

  private *iteration(frame: Frame, names: readonly string[], frames: readonly Frame[]): Flow<Turn> {
    const { ctx } = this.execution;
    frame.args = this.given;
    frame.args = this.argsIn(frame.names(), true);
    const before = new Map(names.map((name) => [name, ctx[name] as unknown[]]));
    const turn = yield* this.turn(frame, before, frames);
    if (turn.failure && turn.isHandled) this.handled ??= turn.failure;
    return turn;
  }

  /**
   * Calls and their rules, until no rule repeats them. @param before what was collected before, by name @param all the
   * iterations that have begun
   */
  private *turn(
    frame: Frame,
    before?: ReadonlyMap<string, readonly unknown[]>,
    all: readonly Frame[] = [],
  ): Flow<SingleTurn> {
    const { step, execution } = this;
    const so: Repetitions = {
      attempt: 1,
      pages: 1,
      calls: 0,
      changes: {},
      policy: undefined,
      collected: undefined,
    };
    const publish = (): void => {
      for (const [name, own] of frame.collected)
        execution.ctx[name] = step.loop?.isParallel
          ? collectedBy(all, name)
          : [...(before?.get(name) ?? []), ...own];
    };
    frame.published = publish;
    let [endsLoop, isOfRetry] = [false, false];
    let collectedByRules: unknown[] | undefined;
    for (;;) {
      const end = yield* runPipeline(step.tasks, frame, so.changes, so.attempt);
      so.calls += 1;
      const asked = yield* askRetry(step.retry, frame, end.outcome, so);
      if (asked.then === 'repeat') {
        yield { until: execution.clock.now + asked.delay };
        continue;
      }
      if (asked.failure) return yield* this.iterationFails(frame, end.outcome, asked.failure, so);
      if (asked.note) execution.note(asked.note);
      const failure =
        end.failure ?? (asked.code === undefined ? undefined : { code: asked.code, step: step.name });
      const own = step.tasks.length > 0 ? payloadOf(end.outcome) : null;
      // Of what rules of `case` collect, `result` in them is the payload of the call.
      isOfRetry ||= so.collected !== collectedByRules;
      const result = failure || !isOfRetry ? own : (so.collected ?? own);
      const verdict = yield* this.rules.happen({
        happening: 'call',
        frame,
        outcome: end.outcome,
        result,
        isFailed: failure !== undefined,
        ...(end.failure ? {} : { exhausted: failure }),
        attempt: so.attempt,
      });
      if (verdict.sinkFailed)
        return yield* this.iterationFails(frame, end.outcome, verdict.sinkFailed, so, verdict);
      endsLoop ||= verdict.endsLoop;
      if (verdict.collected) so.collected = verdict.collected;
      collectedByRules = verdict.collected ?? collectedByRules;
      if (so.collected && step.rules.length > 0) execution.hits.add('responseAfterPages');
      if (verdict.resultOfStep) execution.hits.add('resultOfStep');
      if (verdict.move === 'retry' || verdict.move === 'call') {
        yield { until: execution.clock.now + this.again(verdict, frame, so) };
        continue;
      }
      this.resultOfStep = firstOf(this.resultOfStep, verdict.resultOfStep);
      const value = failure ? result : (so.collected ?? result);
      const turn = this.turnOf({ ...verdict, endsLoop }, end.outcome, failure, value);
      return step.loop && verdict.move !== 'skip'
        ? yield* this.iterationEnds(frame, turn, verdict, so)
        : turn;
    }
  }

  /** A sink of the call failed: only the rules on the end follow. */
  private *iterationFails(
    frame: Frame,
    outcome: Outcome,
    failure: Failure,
    so: Repetitions,
    called?: Verdict,
  ): Flow<SingleTurn> {
    const turn = { outcome, result: null, failure, endsLoop: false, isHandled: false, isSkipped: false };
    const verdict = called ?? { endsLoop: false, handles: false };
    return this.step.loop ? yield* this.iterationEnds(frame, turn, verdict, so) : turn;
  }

  /** The rules on the end that act in each iteration, and what the step stores of it. */
  private *iterationEnds(frame: Frame, turn: SingleTurn, called: Verdict, so: Repetitions): Flow<SingleTurn> {
    const { failure, result } = turn;
    const outcome: Outcome = failure ? { ...turn.outcome, status: 'error', error: failure } : turn.outcome;
    const verdict = yield* this.rules.happen({
      happening: 'iteration',
      frame,
      outcome,
      result,
      isFailed: failure !== undefined,
      attempt: so.attempt,
      before: called.acting,
    });
    if (verdict.sinkFailed) return { ...turn, result: null, failure: verdict.sinkFailed };
    let all = turn;
    if (verdict.acting?.length) {
      this.resultOfStep = firstOf(this.resultOfStep, verdict.resultOfStep);
      const own = this.turnOf(verdict, outcome, failure, verdict.collected ?? result);
      all = {
        ...own,
        endsLoop: turn.endsLoop || own.endsLoop,
        // What the call chose does not handle a failure that came after it.
        isHandled:
          own.isHandled || (turn.isHandled && (turn.failure !== undefined || own.failure === undefined)),
      };
    }
    return yield* this.stored(frame, all);
  }

  private *stored(frame: Frame, turn: SingleTurn): Flow<SingleTurn> {
    if (turn.failure || turn.isSkipped) return turn;
    const failure = yield* frame.store(this.step.sinks, placeOfEnd(turn.outcome, turn.result));
    return failure ? { ...turn, result: null, failure } : turn;
  }

  private turnOf(
    verdict: Verdict,
    outcome: Outcome,
    failure: Failure | undefined,
    result: unknown,
  ): SingleTurn {
    const rest = {
      outcome,
      endsLoop: verdict.endsLoop,
      isSkipped: verdict.move === 'skip',
      isHandled: verdict.move === 'next',
    };
    if (verdict.move === 'fail') return { ...rest, result, failure: this.failure(verdict) };
    if (verdict.move === 'skip') return { ...rest, result: null, failure: undefined };
    if (verdict.result || verdict.resultOfStep)
      return {
        ...rest,
        ...(failure && { outcome: { ...outcome, error: null } }),
        result: verdict.result ? verdict.result.value : result,
        failure: undefined,
      };
    return { ...rest, result, failure };
  }

  private again({ move, value }: Verdict, frame: Frame, so: Repetitions): number {
    const then = dict(value);
    if (move === 'call') {
      so.changes = mapOf({ ...then, ...dict(then['next_call']) }, frame.names(this.placeOfPage(frame)));
      so.pages += 1;
      so.attempt = 1;
      return 0;
    }
    const delay =
      Number(then['initial_delay'] ?? 1) * Number(then['backoff_multiplier'] ?? 1) ** (so.attempt - 1);
    so.attempt += 1;
    return Math.min(delay, Number(then['max_delay'] ?? 3600)) * 1000;
  }

  private placeOfPage(frame: Frame): Place {
    const outcome = frame.outcomes[this.step.tasks.at(-1)!.name] ?? OK;
    return { response: new ResultView(outcome), result: payloadOf(outcome), this: new OutcomeView(outcome) };
  }

  private failure({ value }: Verdict): Failure {
    return { code: 'RULE_FAIL', step: this.step.name, message: typeof value === 'string' ? value : '' };
  }

  /** The step's own writes, the rules on its end, the router, and what it stores. */
  private *ended(body: Body): Flow<StepEnd> {
    if (this.isSkipped) return this.routedOn(body);
    const frame = this.root;
    let { result, failure, outcome } = body;
    if (!failure) {
      const place = placeOfEnd(outcome, result);
      if (this.resultOfStep) result = valueOf(this.resultOfStep.template, frame.names(place)) ?? null;
      this.publish({ ...body, result });
      frame.write(this.step.set, 'ctx', { ...place, result: new ResultView(outcome, result) });
    } else this.publish(body);
    const chosenBefore = this.rules.choices.length;
    this.isEnding = true;
    const verdict = yield* this.rules.happen({
      happening: 'end',
      frame,
      outcome,
      result,
      isFailed: failure !== undefined,
      attempt: 1,
    });
    if (verdict.sinkFailed) return this.unstored(verdict.sinkFailed, outcome);
    if (chosenBefore > 0 && verdict.acting?.length) this.execution.hits.add('wholeRules');
    if (verdict.result) {
      result = verdict.result.value;
      if (failure && verdict.move !== 'fail' && verdict.move !== 'skip')
        frame.write(this.step.set, 'ctx', { result, this: new OutcomeView(outcome) });
    }
    if (verdict.resultOfStep)
      result = valueOf(verdict.resultOfStep.template, frame.names({ result })) ?? null;
    if (verdict.move === 'fail') {
      failure = this.failure(verdict);
      outcome = { ...outcome, status: 'error', error: failure };
      return { result: null, failure, targets: [] };
    }
    // A loop that failed chose nothing, also if its end is skipped.
    if (verdict.move === 'skip' && failure && this.handled !== failure)
      this.rules.choices.splice(0, chosenBefore);
    if (verdict.move === 'skip') return this.routedOn({ ...body, result: null, failure: undefined });
    const isRescued = verdict.handles || this.handled === failure;
    if (failure && !isRescued) this.rules.choices.splice(0);
    else if (failure && this.handled !== failure) this.rules.choices.splice(0, chosenBefore);
    const end = this.routedOn({ ...body, result, failure: verdict.result ? undefined : failure, outcome });
    if (this.step.loop || end.failure) return end;
    const unstored = yield* frame.store(this.step.sinks, placeOfEnd(outcome, result));
    return unstored ? this.unstored(unstored, outcome) : end;
  }

  /** A sink of the end failed: nothing follows that could handle it. */
  private unstored(failure: Failure, outcome: Outcome): StepEnd {
    this.publish(this.bodyOf(failure, { ...outcome, status: 'error', error: failure }, null));
    return { result: null, failure, targets: [] };
  }

  private publish({ outcome, result, tasks }: Body): void {
    this.execution.results[this.step.name] = new ResultView(outcome, result, tasks);
  }

  private routedOn(body: Body): StepEnd {
    this.publish(body);
    const targets = routed({
      execution: this.execution,
      step: this.step,
      frame: this.root,
      choices: this.rules.choices,
      ...body,
    });
    return { result: body.result, failure: body.failure, targets };
  }

  /** Inputs of the step are defaults under the arguments of its token, unless they are computed from them. */
  private argsIn(names: readonly Dict[], inIteration: boolean): Dict {
    const { step, given } = this;
    const iterator = step.loop?.iterator;
    const reads = (raw: unknown, name: string): boolean =>
      new RegExp(`\\{\\{.*\\b${name}\\b.*\\}\\}`).test(JSON.stringify(raw));
    const isOfItem = (raw: unknown): boolean => iterator !== undefined && reads(raw, iterator);
    const own = Object.entries(step.input).filter(([, raw]) => inIteration || !isOfItem(raw));
    const values = mapOf(Object.fromEntries(own), names);
    const wins = own
      .filter(([key, raw]) => reads(raw, key) || isOfItem(raw))
      .map(([key]) => [key, values[key]]);
    return { ...values, ...given, ...(Object.fromEntries(wins) as Dict) };
  }
}

/** What the writes of a step see, and what it stores. */
function placeOfEnd(outcome: Outcome, result: unknown): Place {
  const view = new OutcomeView(outcome);
  return {
    result: new ResultView(outcome, result),
    response: new ResultView(outcome),
    this: view,
    output: view,
    outcome: view,
  };
}

const OK: Outcome = { status: 'ok', result: null, error: null };

/** Names under which a step collects what later steps read. */
/** In the order of the items, whichever was first. */
const collectedBy = (frames: readonly Frame[], name: string): unknown[] =>
  frames.filter(Boolean).flatMap(({ collected }) => collected.get(name) ?? []);

function collectedNames({ retry, rules }: Step): string[] {
  const clauses = [
    ...retry.map(({ then }) => then['collect']),
    ...rules.flatMap(({ actions }) => actions.filter(([key]) => key === 'collect').map(([, raw]) => raw)),
  ];
  const names = clauses
    .map((clause) => dict(clause)['into'])
    .filter((name) => typeof name === 'string' && !name.startsWith('iter.'));
  return [...new Set(names.map((name) => String(name).replace(/^(ctx|vars)\./, '')))];
}
