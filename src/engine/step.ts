/** The life of a step run: admission, start, end of its pipeline or loop, its own writes (S3 §4, S1 §3.4). */
import { type StepPlan } from '../plan';
import { dropAsides } from './aside';
import { type Context } from './context';
import { stopChunks } from './chunks';
import { causeOf, isLoopBroken, loopBroken } from './failure';
import { failExecution } from './finish';
import { retryTimerKey, stepRunId, taskRunBase, taskRunId, timeoutTimerKey } from './ids';
import { outerOf, taskOf, isInside } from './frame';
import { interruptTask } from './interrupt';
import { bookIteration, iterate, openStepLoop } from './loop';
import { notStarted, openNoMore, resultsIn, statsOf } from './loop-stats';
import { enterPipeline, openFrame } from './pipeline';
import { adopt, reusedFor } from './rerun';
import { frameResult, lastOf, writeStep } from './result';
import { route } from './routing';
import { enter, exit, outlives } from './stages';
import { type FailureCause, type Frame, type StepRun, type Token } from './state';
import { endToken } from './token';
import { holds, valueAt } from './values';
import { EventView } from './views';

/** Claims the token and starts the step, if its admission gate lets it. */
export function admit(context: Context, token: Token): void {
  const { state, plan } = context;
  const step = context.step(token.step);
  token.state = 'running';
  const runs = (state.runCounts.get(step.name) ?? 0) + 1;
  if (runs > plan.limits.maxStepRuns) {
    const message = `step ${step.name} ran ${plan.limits.maxStepRuns} times: a cycle without an end? (executor.spec.policy.limits.max_step_runs)`;
    return failExecution(context, {
      kind: 'engine',
      code: 'RUNAWAY_STEP',
      message,
      step: step.name,
      at: step.at,
    });
  }
  const id = stepRunId(step.name, runs);
  context.emit?.({
    event_type: 'token.claimed',
    entity_type: 'token',
    entity_id: token.id,
    status: 'success',
    step_run_id: id,
    parent_id: token.parent ?? undefined,
    payload: { step: step.name },
  });
  let allowed: boolean;
  try {
    allowed = isAdmitted(context, token, id);
  } catch (error) {
    return failExecution(context, {
      ...causeOf(error, `admission of step ${step.name}`, step.at),
      step: step.name,
    });
  }
  if (!allowed) {
    context.emit?.({
      event_type: 'step.skipped',
      entity_type: 'step',
      entity_id: step.name,
      status: 'skipped',
      step_run_id: id,
      parent_id: token.id,
      payload: { reason: 'admission' },
    });
    return endToken(context, token, 'denied');
  }
  state.runCounts.set(step.name, runs);
  state.executed.push(step.name);
  start(context, token, id);
}

/** Admission rules: the first that matches decides; all miss: deny if any rule allows, else allow (S3 §4.2). */
function isAdmitted(context: Context, token: Token, id: string): boolean {
  const { admit: rules, name } = context.step(token.step);
  if (!rules) return true;
  const event = token.event && new EventView(token.event.names, token.event.fields);
  const found = rules.findIndex((rule) => holds(context, rule.when, { token, event }));
  const allowed = found >= 0 ? rules[found]!.allow : !rules.some((rule) => rule.allow);
  context.emit?.({
    event_type: 'step.admitted',
    entity_type: 'step',
    entity_id: name,
    status: allowed ? 'success' : 'skipped',
    step_run_id: id,
    parent_id: token.id,
    payload: {
      allow: allowed,
      rule: found < 0 ? null : found,
      at: found < 0 ? undefined : [...rules[found]!.at],
    },
  });
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
    const common = {
      entity_type: 'step',
      entity_id: step.name,
      status: 'in_progress',
      step_run_id: id,
      parent_id: token.id,
    } as const;
    context.emit({ ...common, event_type: 'step.scheduled', payload: { args: token.args } });
    const reused = reusedFor(context, run)?.from;
    const payload = { desc: step.desc, tasks: step.tasks.length, reused };
    context.emit({ ...common, event_type: 'step.started', payload });
  }
  try {
    if (adopt(context, run)) return;
    armTimeout(context, run);
    if (enter(context, run)) return;
    if (step.loop) openStepLoop(context, run);
    else openFrame(context, run, null);
  } catch (error) {
    endWithoutResult(context, run, causeOf(error, `step ${step.name}`, step.at));
  }
}

/** ENTER is over: on to the loop or the tasks. */
export function begin(context: Context, frame: Frame): void {
  const run = context.run(frame.run);
  const step = context.step(run.step);
  if (run.stopping) return context.enqueue({ op: 'frameEnded', frame: frame.id, cause: run.stopping });
  if (!step.loop) {
    frame.passage!.stage = null;
    return enterPipeline(context, frame, null);
  }
  const { visits, iter, locals, results } = frame;
  (run.rules ??= {}).kept = { visits, iter, locals, results };
  context.state.frames.delete(frame.id);
  try {
    openStepLoop(context, run);
  } catch (error) {
    endWithoutResult(context, run, causeOf(error, `step ${step.name}`, step.at));
  }
}

function endWithoutResult(context: Context, run: StepRun, cause: FailureCause): void {
  context.state.results.set(run.step, {
    type: 'tasks',
    status: 'error',
    last: null,
    tasks: null,
    iter: {},
  });
  context.enqueue({ op: 'endRun', run: run.id, cause });
}

/** Is there a timer that its runs stand under? Most steps have none, and are not to look for it. */
function isTimed({ timeout, deadline }: StepPlan): boolean {
  return timeout !== undefined || deadline !== undefined;
}

/** `lifecycle.timeout_s` from now and `lifecycle.deadline_s` from the start of the execution, whichever is first. */
function armTimeout(context: Context, run: StepRun): void {
  const { state } = context;
  const step = context.step(run.step);
  if (!isTimed(step)) return;
  const limits = [
    ...(step.timeout ? [state.now + 1000 * Number(valueAt(context, step.timeout, { run }))] : []),
    ...(step.deadline ? [state.startedAt + 1000 * Number(valueAt(context, step.deadline, { run }))] : []),
  ].filter((deadline) => Number.isFinite(deadline));
  if (limits.length === 0) return;
  const deadline = Math.max(state.now, Math.min(...limits));
  const key = timeoutTimerKey(run.id);
  state.timers[key] = { deadline, purpose: { type: 'timeout', run: run.id } };
  context.command({ type: 'startTimer', key, deadline });
}

/** Stops a run: its tasks are cancelled, waiting ones end at once; when all settled it fails with `cause`. */
export function stopRun(context: Context, run: StepRun, cause: FailureCause): void {
  if (run.stopping) return;
  run.stopping = cause;
  const frames = [...context.state.frames.values()].filter((frame) => frame.run === run.id);
  // Without any, the run's end is queued already, or its loop's, which sees `stopping` when its turn comes.
  stopFrames(context, frames, cause);
  stopChunks(context, run, cause);
}

/** Stops the loop that the current task of `outer` is, and nothing else: the task then fails with `cause`. */
function stopTaskLoop(context: Context, outer: Frame, cause: FailureCause): void {
  if (outer.loop!.stopping) return;
  outer.loop!.stopping = cause;
  const frames = [...context.state.frames.values()].filter((frame) => isInside(context, frame, outer));
  stopFrames(context, frames, cause);
}

function stopFrames(context: Context, frames: readonly Frame[], cause: FailureCause): void {
  const { state } = context;
  const ready = new Set(state.ready);
  for (const frame of frames) {
    if (frame.taskRunId !== null && interruptTask(context, frame.taskRunId, cause.message)) continue;
    if (frame.retryAt !== null) {
      const task = taskOf(context, frame);
      const key = retryTimerKey(
        taskRunId(taskRunBase(frame.id, task.name, frame.visits[task.name]!), frame.attempt),
      );
      delete state.timers[key];
      // A loop around may be stopped in the same breath, and would take the timer back once more.
      frame.retryAt = null;
      context.command({ type: 'cancelTimer', key });
      context.enqueue({ op: 'frameEnded', frame: frame.id, cause });
    } else if (ready.delete(frame.id)) {
      context.enqueue({ op: 'frameEnded', frame: frame.id, cause });
    }
    // Anything else has work in the queue, or iterations that do, which see `stopping` when their turn comes.
  }
  state.ready = [...ready];
}

/** A pipeline ended, and its rules have nothing more to do: book it with its loop, or end the run. */
export function frameEnded(context: Context, frame: Frame, cause: FailureCause | null): void {
  if (outlives(context, frame, cause)) return;
  // Only what is stopped leaves a sink at work.
  if (frame.asides && cause) dropAsides(context, frame, cause);
  const run = context.run(frame.run);
  context.state.frames.delete(frame.id);
  if (frame.index === null) {
    if (run.loop) boundaryResult(context, run, frame, cause);
    else context.state.results.set(run.step, frameResult(context, frame, cause));
    return context.enqueue({ op: 'endRun', run: run.id, cause });
  }
  const outer = outerOf(context, frame);
  const holder = { run, outer };
  const last = lastOf(context, frame, cause);
  if (
    bookIteration(context, holder, frame.index, last?.outcome.result ?? null, cause, frame.passage?.skipped)
  ) {
    if (outer) stopTaskLoop(context, outer, cause!);
    else stopRun(context, run, { ...cause! });
  } else if (frame.passage?.breaks) breakLoop(context, run);
  iterate(context, holder);
}

/** A rule of an iteration moved on: the loop is over, the iterations in flight are cancelled. */
function breakLoop(context: Context, run: StepRun): void {
  const loop = run.loop!;
  openNoMore(loop);
  if (loop.inFlight > 0) stopRun(context, run, loopBroken(context.step(run.step).loop!.at));
}

/** The loop's result stands, unless a rule at its boundary replaced it, skipped the step or failed. */
function boundaryResult(context: Context, run: StepRun, frame: Frame, cause: FailureCause | null): void {
  const { results } = context.state;
  const { passage } = frame;
  if (passage?.result || passage?.skipped) results.set(run.step, frameResult(context, frame, cause));
  else if (cause) results.set(run.step, { ...results.get(run.step)!, status: 'error' });
}

/** The run is over: its result, its writes, its terminal event, and then the router. */
export function endRun(context: Context, run: StepRun, ended: FailureCause | null): void {
  const { state } = context;
  const step = context.step(run.step);
  const cause = isLoopBroken(ended) ? null : ended;
  const loop = run.loop;
  if (loop && !run.rules?.exited) {
    state.results.set(step.name, {
      type: 'loop',
      status: cause ? 'error' : 'ok',
      results: resultsIn(loop),
      success: loop.done,
      failed: loop.failed,
      notStarted: notStarted(loop),
      error: cause,
    });
  }
  if (exit(context, run, cause)) return;
  if (isTimed(step)) context.dropTimer(timeoutTimerKey(run.id));
  const result = state.results.get(step.name)!;
  let failure = cause;
  if (!failure && step.set.length > 0 && !run.rules?.written) {
    try {
      writeStep(context, run, result);
    } catch (error) {
      failure = causeOf(error, `set of step ${step.name}`, step.at);
    }
  }
  terminalEvents(context, run, failure);
  state.runs.delete(run.id);
  route(context, run, result, failure);
}

function terminalEvents(context: Context, run: StepRun, cause: FailureCause | null): void {
  if (!context.emit) return;
  const handled = run.rules?.handled;
  const payload = cause ? { error: cause as never, ...(handled ? { handled: handled as never } : {}) } : {};
  const common = { entity_id: run.step, step_run_id: run.id, parent_id: run.token } as const;
  if (run.loop && !cause) {
    context.emit?.({
      ...common,
      event_type: 'loop.done',
      entity_type: 'loop',
      status: 'success',
      payload: { stats: statsOf(run.loop) },
    });
  }
  const skipped = cause ? undefined : run.rules?.skipped;
  context.emit?.({
    ...common,
    event_type: cause ? 'step.failed' : skipped ? 'step.skipped' : 'step.done',
    entity_type: 'step',
    status: cause ? 'error' : skipped ? 'skipped' : 'success',
    payload: { ...payload, ...skipped, duration_ms: context.state.now - run.startedAt },
  });
}
