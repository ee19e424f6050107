/** The tasks of a step, in one iteration: calls, their rules, and where they lead (docs/design/rules.md, Policies). */
import { type Flow } from './clock';
import { type Block, type Dict, dict, type Task } from './document';
import { type Frame, partOf, type Place } from './frame';
import { runLoop } from './loop';
import { type Failure } from './run';
import { deepMerge, holds, mapOf, type Outcome, OutcomeView, ResultView, valueOf } from './values';

export interface PipelineEnd {
  readonly outcome: Outcome;
  readonly failure: Failure | undefined;
}

/** What a rule decides, once the attempts of retry rules are counted. */
type Directive =
  | { readonly do: 'continue' | 'break' | 'fail'; readonly code?: string }
  | { readonly do: 'jump'; readonly to: string }
  | { readonly do: 'retry'; readonly delay: number };

const NOTHING: Outcome = { status: 'ok', result: null, error: null };

/** What a pipeline carries from task to task. */
interface Way {
  readonly frame: Frame;
  outcome: Outcome;
  /** Of the first call. */
  changes: Dict;
  attempt: number;
}

/** How a list of tasks ended: its end, the end of the whole pipeline, or a failure. */
type ListEnd = { readonly then: 'end' | 'break' } | { readonly then: 'fail'; readonly failure: Failure };
const END: ListEnd = { then: 'end' };

export function* runPipeline(
  tasks: readonly Task[],
  frame: Frame,
  changes: Dict = {},
  attempt = 1,
): Flow<PipelineEnd> {
  const way: Way = { frame, outcome: NOTHING, changes, attempt };
  const end = yield* runList(tasks, way);
  return { outcome: way.outcome, failure: end.then === 'fail' ? end.failure : undefined };
}

function* runList(tasks: readonly Task[], way: Way): Flow<ListEnd> {
  for (let at = 0; at < tasks.length;) {
    const task = tasks[at]!;
    if (task.block) {
      const end = yield* runBlock(task.name, task.block, way);
      if (end.then !== 'end') return end;
      at += 1;
      continue;
    }
    const { frame, changes, attempt } = way;
    Object.assign(way, { changes: {}, attempt: 1 });
    const end = yield* runTask(task, frame, changes, attempt);
    way.outcome = end.outcome;
    const { directive } = end;
    if (directive.do === 'fail') return { then: 'fail', failure: failureOf(task, frame, end) };
    if (directive.do === 'break') return { then: 'break' };
    at = directive.do === 'jump' ? tasks.findIndex(({ name }) => name === directive.to) : at + 1;
  }
  return END;
}

/** `choose`, `while`, `until` (docs/sugar.md). What is asked and counted are tasks: none of it happens in a pause. */
function* runBlock(label: string, { keyword, branches, max }: Block, way: Way): Flow<ListEnd> {
  const { frame } = way;
  const { execution, step } = frame.options;
  const pauses = (): Flow<void> => execution.outside.unpaused();
  yield* pauses();
  if (keyword === 'choose') {
    const branch = branches.find(({ when }) => holds(when, frame.names()));
    const end = branch ? yield* runList(branch.tasks, way) : END;
    if (end.then === 'end') yield* pauses();
    return end;
  }
  const { when, tasks } = branches[0]!;
  for (let turn = 1; ; turn++) {
    if (keyword === 'while' && !holds(when, frame.names())) return END;
    if (max !== undefined && turn > Number(valueOf(max, frame.names()))) {
      way.outcome = NOTHING;
      return { then: 'fail', failure: { code: 'RULE_FAIL', step, task: `${label}_count` } };
    }
    const end = yield* runList(tasks, way);
    if (end.then !== 'end') return end;
    yield* pauses();
    if (keyword === 'until' && holds(when, frame.names())) return END;
  }
}

function failureOf(task: Task, { options }: Frame, { outcome, directive, attempt }: TaskEnd): Failure {
  const { error } = outcome;
  if (!error) options.execution.hits.add('failedSuccess');
  const code = String(
    error?.['code'] ?? (directive.do === 'fail' ? directive.code : undefined) ?? 'RULE_FAIL',
  );
  return { ...error, code, step: options.step, task: task.name, attempt };
}

interface TaskEnd {
  readonly outcome: Outcome;
  readonly directive: Directive;
  readonly attempt: number;
}

/** A visit of a task: all attempts that its own rules ask for. @param from the attempt of a repeated visit */
function* runTask(task: Task, frame: Frame, changes: Dict, from: number): Flow<TaskEnd> {
  const visits = frame.visits[task.name] ?? 0;
  const visit = (frame.visits[task.name] = from > 1 ? visits : visits + 1);
  const isAfterItself = frame.previous !== null && frame.previous === frame.tasks[task.name];
  for (let attempt = from; ; attempt++) {
    if (attempt > from && isAfterItself) frame.options.execution.hits.add('previousOfRetry');
    const outcome = yield* runOnce(
      task,
      frame,
      changes,
      `${partOf(task.name, frame.options.step)}~${visit}@${attempt}`,
    );
    frame.keep(task.name, outcome);
    const place = placeOf(task, outcome, attempt);
    const directive = directiveOf(task, frame, outcome, place, attempt);
    if (directive.do !== 'retry') {
      if (directive.do !== 'fail') frame.write(task.set, 'variables', place);
      frame.previous = frame.tasks[task.name];
      return { outcome, directive, attempt };
    }
    yield { until: frame.options.execution.clock.now + directive.delay };
  }
}

function placeOf(task: Task, outcome: Outcome, attempt: number): Place {
  const view = new OutcomeView(outcome);
  return {
    output: view,
    outcome: view,
    this: view,
    response: outcome.status === 'ok' ? new ResultView(outcome) : undefined,
    error: outcome.error ?? undefined,
    _task: task.name,
    _attempt: attempt,
  };
}

function* runOnce(task: Task, frame: Frame, changes: Dict, run: string): Flow<Outcome> {
  const { execution, prefix, step } = frame.options;
  yield* execution.outside.unpaused();
  const id = `${prefix}${run}`;
  if (task.body) {
    const { loop, tasks } = task.body;
    const turn = function* (inner: Frame): Flow<{ result: unknown; failure: Failure | undefined }> {
      const { outcome, failure } = yield* runPipeline(tasks, inner);
      return { result: new ResultView(outcome).plain(), failure };
    };
    const end = yield* runLoop({ loop, frame, prefix: id, isBestEffort: frame.options.isBestEffort, turn });
    return { status: end.failure ? 'error' : 'ok', result: end.value, error: end.failure ?? null };
  }
  yield* execution.limits.slot(task.rate, frame.names(), step);
  const own = { ...frame.inputOf(task.input, task.given), ...inputChanges(changes, task) };
  if (task.kind === 'noop') {
    return {
      ...NOTHING,
      result: Object.keys(task.input).length + Object.keys(task.given).length > 0 ? own : null,
    };
  }
  if (task.kind === 'wait' && task.fields['event'] !== undefined) return yield* waitForEvent(task, frame);
  const names = frame.names();
  const config = dict(deepMerge(mapOf(task.fields, names), fieldChanges(changes, task)));
  if (task.kind === 'wait') {
    const seconds = Number(config['for']);
    yield { until: execution.clock.now + seconds * 1000 };
    return { ...NOTHING, result: { waited_s: seconds } };
  }
  const { kind, name } = task;
  const call = { id, step, task: name, kind, input: { ...frame.args, ...own }, config };
  const isReal =
    kind === 'playbook' && Object.hasOwn(execution.around.children ?? {}, String(config['path']));
  return isReal ? yield* execution.callPlaybook(call, { ...frame.iter }) : yield* execution.call(call);
}

function waitForEvent({ fields }: Task, frame: Frame): Flow<Outcome> {
  const { outside } = frame.options.execution;
  const { event, timeout } = mapOf({ event: fields['event'], timeout: fields['timeout'] }, frame.names());
  return outside.wait(
    String(event),
    (sent) => holds(fields['when'], frame.names({ event: { ...sent } })),
    timeout === null ? undefined : Number(timeout) * 1000,
  );
}

function inputChanges(changes: Dict, task: Task): Dict {
  return {
    ...dict(changes['args']),
    ...dict(changes['input']),
    ...pick(changes, (key) => Object.hasOwn(task.input, key)),
  };
}

function fieldChanges(changes: Dict, task: Task): Dict {
  return pick(changes, (key) => Object.hasOwn(task.fields, key));
}

const pick = (from: Dict, isIt: (key: string) => boolean): Dict =>
  Object.fromEntries(Object.entries(from).filter(([key]) => isIt(key)));

/** The first rule that applies decides; without one, the outcome does. */
function directiveOf(
  { rules, failsUnmatched }: Task,
  frame: Frame,
  outcome: Outcome,
  place: Place,
  attempt: number,
): Directive {
  const byOutcome: Directive = { do: outcome.status === 'ok' ? 'continue' : 'fail' };
  if (!rules) return byOutcome;
  let isExhausted = false;
  for (const { when, then } of rules) {
    const action = String(then['do'] ?? 'continue');
    if (when === undefined && isExhausted && !['jump', 'fail'].includes(action)) continue;
    if (!holds(when, frame.names(place))) continue;
    if (action === 'retry' && attempt >= Number(then['attempts'] ?? 3)) {
      isExhausted = true;
      continue;
    }
    for (const [key, prefix] of [
      ['set_ctx', 'ctx.'],
      ['set_iter', 'iter.'],
      ['set', ''],
    ] as const) {
      const set = Object.entries(dict(then[key])).map(([name, value]) => [prefix + name, value]);
      frame.write(Object.fromEntries(set) as Dict, 'variables', place);
    }
    if (action === 'jump') return { do: 'jump', to: String(then['to']) };
    if (action !== 'retry') return { do: action as 'continue' | 'break' | 'fail' };
    if (isExhausted) frame.options.execution.hits.add('retryBehindExhausted');
    return { do: 'retry', delay: delayOf(then, attempt, frame, place) };
  }
  if (isExhausted) return { do: 'fail', code: 'RETRY_EXHAUSTED' };
  return failsUnmatched ? byOutcome : { do: 'continue' };
}

function delayOf(then: Dict, attempt: number, frame: Frame, place: Place): number {
  const delay = Number(valueOf(then['delay'] ?? 1, frame.names(place)));
  const factor = { linear: attempt, exponential: 2 ** (attempt - 1) }[String(then['backoff'])] ?? 1;
  return Math.min(delay * factor, Number(then['max_delay'] ?? 3600)) * 1000;
}
