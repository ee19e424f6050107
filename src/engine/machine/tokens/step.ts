/** The life cycle of a step run: admission, start, end of its pipeline or loop, its own writes. */
import { excerpt, type StepPlan, type PlanValue } from '../../../language/plan';
import {
  causeOf,
  type Context,
  EngineError,
  isLoopBroken,
  loopBroken,
  measured,
  noteOnce,
  ofRun,
} from '../batch';
import {
  bookIteration,
  enterPipeline,
  frameClaimed,
  iterateLoop,
  notStarted,
  openFrame,
  openNoMore,
  openStepLoop,
  resultsIn,
  statsOf,
} from '../loop';
import { failExecution } from './finish';
import {
  type FailureCause,
  type Frame,
  isLoopBusy,
  type LoopState,
  type StepResult,
  type StepRun,
  stepRunId,
  timeoutTimerKey,
  type Token,
} from '../state';
import {
  EventView,
  frameResult,
  holds,
  lastOf,
  noteAnswer,
  secondsIn,
  evaluateAt,
  writeStep,
} from '../scope';
import { adopt, reusedFor } from './reuse';
import { routeStep } from './routing';
import { collectAnew, dropSinks, enterStep, exit, outlives } from '../rules';
import { stopRun, stopTaskLoop } from './stop';
import { endToken } from './token';

/** Claims the token and starts the step if its admission rules allow it. */
export function admit(context: Context, token: Token): void {
  const { state, plan } = context;
  if (state.status === 'paused') {
    token.afterPause = true;
    return;
  }
  const step = context.step(token.step);
  token.state = 'running';
  const runs = (state.runCounts.get(step.name) ?? 0) + 1;
  const { maxStepRuns, maxLiveTokens } = plan.limits;
  const runsAway = (code: string, message: string, limit: string): void => {
    const text = `${message} (executor.spec.policy.limits.${limit})`;
    failExecution(context, { kind: 'engine', code, message: text, step: step.name, at: step.at });
  };
  if (runs > maxStepRuns) {
    const message = `step ${step.name} ran ${maxStepRuns} times: an endless cycle?`;
    return runsAway('RUNAWAY_STEP', message, 'max_step_runs');
  }
  if (state.tokens.size > maxLiveTokens) {
    const message = `more than ${maxLiveTokens} branches are active, the latest at step ${step.name}: a forking cycle?`;
    return runsAway('RUNAWAY_FORK', message, 'max_live_tokens');
  }
  const id = stepRunId(step.name, runs);
  if (context.emit) {
    const from = { step_run_id: id, parent_id: token.parent ?? undefined };
    context.emit('token.claimed', token.id, 'success', { step: step.name }, from);
  }
  let allowed: boolean;
  try {
    allowed = isAdmitted(context, token, id);
  } catch (error) {
    const cause = causeOf(error, `admission of step ${step.name}`, step.at);
    return failExecution(context, { ...cause, step: step.name });
  }
  if (!allowed) {
    const where = ofRun({ id }, token.id);
    context.emit?.('step.skipped', step.name, 'skipped', { reason: 'admission' }, where);
    return endToken(context, token, 'denied');
  }
  state.runCounts.set(step.name, runs);
  state.executed.push(step.name);
  start(context, token, id);
}

/** Claims the tokens that came to their steps during a pause. */
export function admitHeld(context: Context): void {
  for (const token of context.state.tokens.values()) {
    if (!token.afterPause) continue;
    delete token.afterPause;
    context.enqueue({ op: 'admit', token: token.id });
  }
}

/** Admission rules: the first match decides; without a match, deny if any rule allows, otherwise allow. */
function isAdmitted(context: Context, token: Token, id: string): boolean {
  const { admit: rules, name } = context.step(token.step);
  if (!rules) return true;
  const event = token.event && new EventView(token.event.names, token.event.fields);
  const index = rules.findIndex((rule) => holds(context, rule.when, { token, event }));
  const allowed = index >= 0 ? rules[index]!.allow : !rules.some((rule) => rule.allow);
  const rule = index < 0 ? { rule: null } : { rule: index, at: [...rules[index]!.at] };
  const status = allowed ? 'success' : 'skipped';
  context.emit?.('step.admitted', name, status, { allow: allowed, ...rule }, ofRun({ id }, token.id));
  return allowed;
}

function start(context: Context, token: Token, id: string): void {
  const { state } = context;
  const step = context.step(token.step);
  const run: StepRun = {
    id,
    step: step.name,
    token: token.id,
    args: token.args,
    vars: {},
    locals: {},
    loop: null,
    stopping: null,
    startedAt: state.now,
  };
  state.runs.set(id, run);
  if (context.emit) {
    const where = ofRun(run, token.id);
    context.emit('step.scheduled', step.name, 'in_progress', { args: token.args }, where);
    const reused = reusedFor(context, run)?.from;
    const payload = { desc: step.desc, tasks: step.tasks.length, reused };
    context.emit('step.started', step.name, 'in_progress', payload, where);
  }
  orEnd(context, run, () => {
    if (adopt(context, run)) return;
    armTimeout(context, run);
    collectAnew(context, step, run);
    if (enterStep(context, run)) return;
    if (step.loop) openStepLoop(context, run);
    else openFrame(context, run, null);
  });
}

/** ENTER is over: continue with the loop or the tasks. */
export function beginStepBody(context: Context, frame: Frame): void {
  const run = context.run(frame.run);
  if (run.stopping) return context.endFrame(frame, run.stopping);
  if (!context.step(run.step).loop) {
    frame.passage!.stage = null;
    return enterPipeline(context, frame, null);
  }
  const { visits, iter, locals, results } = frame;
  (run.rules ??= {}).kept = { visits, iter, locals, results };
  context.state.frames.delete(frame.id);
  orEnd(context, run, () => openStepLoop(context, run));
}

/** Begins the work of a run; one that cannot begin ends without a result. */
function orEnd(context: Context, run: StepRun, begin: () => void): void {
  try {
    begin();
  } catch (error) {
    const { name, at } = context.step(run.step);
    context.state.results.set(name, { type: 'tasks', status: 'error', last: null, tasks: null, iter: {} });
    context.enqueue({ op: 'endRun', run: run.id, cause: causeOf(error, `step ${name}`, at) });
  }
}

/** Whether runs of the step have a timer. Most steps have none and need not look for it. */
function isTimed({ timeout, deadline }: StepPlan): boolean {
  return timeout !== undefined || deadline !== undefined;
}

/**
 * `lifecycle.timeout_s` from now or `lifecycle.deadline_s` from the start of the execution, whichever comes first.
 *
 * @throws EngineError `TIMEOUT_NUMBER`
 */
function armTimeout(context: Context, run: StepRun): void {
  const { now, startedAt } = context.state;
  const step = context.step(run.step);
  const { timeout, deadline, name, at } = step;
  if (!isTimed(step)) return;
  const after = (field: string, from: number, written: PlanValue): number => {
    const value = evaluateAt(context, written, { run });
    const seconds = value === null ? NaN : secondsIn(value);
    // A deadline may have passed; a run of no time, or of a time that is no number, can only be a mistake.
    if (field === 'deadline_s' ? Number.isFinite(seconds) : seconds > 0) return from + 1000 * seconds;
    const must = 'a number of seconds above 0, or a duration like 30s or PT5M';
    const message = `lifecycle.${field} of step ${name} must be ${must}, got ${excerpt(value)}`;
    throw new EngineError('TIMEOUT_NUMBER', message, at);
  };
  const limits = [
    timeout ? after('timeout_s', now, timeout) : Infinity,
    deadline ? after('deadline_s', startedAt, deadline) : Infinity,
  ];
  context.startTimer(timeoutTimerKey(run.id), Math.max(now, Math.min(...limits)), {
    type: 'timeout',
    run: run.id,
  });
}

/** A pipeline ended and its rules have finished: report it to its loop, or end the run. So with a claim. */
export function frameEnded(context: Context, frame: Frame, cause: FailureCause | null): void {
  if (frame.claim !== undefined) {
    const run = context.run(frame.run);
    const failure = frameClaimed(context, frame, cause);
    context.state.frames.delete(frame.id);
    if (failure) stopRun(context, run, failure);
    return iterateLoop(context, { run, outer: null });
  }
  if (outlives(context, frame, cause)) return;
  // Only a stopped frame still has a running sink.
  if (frame.suspended && cause) dropSinks(context, frame, cause);
  const run = context.run(frame.run);
  context.state.frames.delete(frame.id);
  if (frame.index === null) {
    if (run.loop) boundaryResult(context, run, frame, cause);
    else context.state.results.set(run.step, frameResult(context, frame, cause));
    return context.enqueue({ op: 'endRun', run: run.id, cause });
  }
  const outer = context.outerOf(frame);
  const holder = { run, outer };
  const result = lastOf(context, frame, cause)?.outcome.result ?? null;
  if (bookIteration(context, holder, frame.index, result, cause, frame.passage?.skipped)) {
    if (outer) stopTaskLoop(context, outer, cause!);
    else stopRun(context, run, { ...cause! });
  } else if (frame.passage?.endsLoop) breakLoop(context, run);
  iterateLoop(context, holder);
}

/** A rule of an iteration ended the loop: iterations in flight are cancelled, and no other starts. */
function breakLoop(context: Context, run: StepRun): void {
  const loop = run.loop!;
  openNoMore(loop);
  if (isLoopBusy(loop)) stopRun(context, run, loopBroken(context.step(run.step).loop!.at));
}

/** Iterations that never started are not a failure, but they must be reported. */
function noteUnstarted(context: Context, run: StepRun, loop: LoopState): void {
  const { not_started: left, cancelled = 0 } = statsOf(loop);
  if (left + cancelled === 0) return;
  const { at } = context.step(run.step).loop!;
  const stopped = cancelled > 0 ? `, and ${cancelled} were cancelled` : '';
  const message = `the loop ended early: ${left} of its ${loop.total} iterations never started${stopped}`;
  noteOnce(context, 'LOOP_ENDED_EARLY', message, at, { run, index: null });
}

/** The loop's result is final unless a rule at its boundary replaced it, skipped the step or failed. */
function boundaryResult(context: Context, run: StepRun, frame: Frame, cause: FailureCause | null): void {
  const { results } = context.state;
  const { passage } = frame;
  if (passage?.result || passage?.skipped) results.set(run.step, frameResult(context, frame, cause));
  else if (cause) results.set(run.step, { ...results.get(run.step)!, status: 'error' });
}

/** The run is over: record its result and writes, emit its terminal event, then route its token. */
export function endRun(context: Context, run: StepRun, ended: FailureCause | null): void {
  const { state } = context;
  const step = context.step(run.step);
  let cause = isLoopBroken(ended) ? null : ended;
  const { loop } = run;
  if (loop && !run.rules?.exited) cause = keepLoopResult(context, run, loop, cause);
  if (exit(context, run, cause)) return;
  if (isTimed(step)) context.dropTimer(timeoutTimerKey(run.id));
  const result = state.results.get(step.name)!;
  const failure = cause ?? writeOwn(context, run, result);
  noteAnswer(state, step, result, failure === null);
  terminalEvents(context, run, failure);
  state.runs.delete(run.id);
  routeStep(context, run, result, failure);
  if (result.type === 'tasks' && result.last?.call) {
    // Only rules and arcs of the step itself read its last page. A copy: the result may be part of another state.
    const { call: _call, ...last } = result.last;
    state.results.set(step.name, { ...result, last });
  }
}

/** The step's own writes, unless its rules have made them. Returns why they failed. */
function writeOwn(context: Context, run: StepRun, result: StepResult): FailureCause | null {
  const { name, set, at } = context.step(run.step);
  if (set.length === 0 || run.rules?.written) return null;
  try {
    writeStep(context, run, result);
    return null;
  } catch (error) {
    return causeOf(error, `set of step ${name}`, at);
  }
}

/** Keeps the loop's result; returns why the step fails: a result that is too large is a reason. */
function keepLoopResult(
  context: Context,
  run: StepRun,
  loop: LoopState,
  ended: FailureCause | null,
): FailureCause | null {
  const { name, at } = context.step(run.step);
  let cause = ended;
  let results = resultsIn(loop);
  try {
    measured(context, results, `the results of all iterations of step ${name}`, at);
  } catch (error) {
    cause ??= causeOf(error, name, at);
    results = [];
  }
  context.state.results.set(name, {
    type: 'loop',
    status: cause ? 'error' : 'ok',
    results,
    success: loop.done,
    failed: loop.failed,
    notStarted: notStarted(loop),
    error: cause,
    ...(loop.cursor && { cursor: { rows: loop.total, frames: loop.cursor.count } }),
  });
  noteUnstarted(context, run, loop);
  return cause;
}

function terminalEvents(context: Context, run: StepRun, cause: FailureCause | null): void {
  if (!context.emit) return;
  const where = ofRun(run, run.token);
  if (run.loop && !cause) {
    context.emit('loop.done', run.step, 'success', { stats: statsOf(run.loop) }, where);
  }
  const duration_ms = context.state.now - run.startedAt;
  const { handled, skipped } = run.rules ?? {};
  if (cause) {
    const payload = { error: cause as never, ...(handled && { handled: handled as never }), duration_ms };
    context.emit('step.failed', run.step, 'error', payload, where);
  } else if (skipped) context.emit('step.skipped', run.step, 'skipped', { ...skipped, duration_ms }, where);
  else context.emit('step.done', run.step, 'success', { duration_ms }, where);
}
