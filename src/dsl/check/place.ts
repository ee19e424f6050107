import { type LoopDoc, type StepDoc, type TaskDoc } from '../document/document';

/** Where a template stands, which decides the names it can see (D9). */
export interface Place {
  readonly kind: PlaceKind;
  readonly step?: StepDoc;
  readonly task?: TaskDoc;
  /** The loops of tasks around it, outer ones first; that of the step is none of them. */
  readonly loops?: readonly LoopDoc[];
  /** In a loop that is over: its iterator has no value, and nobody is stopped for reading it. */
  readonly boundary?: true;
  /** What the worker gets, and nobody keeps: a secret may stand here. */
  readonly carries?: true;
  /** The text becomes part of what is run, and is seen by others: how a secret gets there unseen. */
  readonly spliced?: string;
  /** A tool wants text here. */
  readonly text?: true;
  /** What stands here, in words, where the kind does not say it: `a condition`. */
  readonly part?: string;
}

/** Kinds whose inputs and fields stay in the workflow, and what becomes of them there. */
const IN_WORKFLOW: Readonly<Record<string, string>> = {
  noop: 'the input of a `noop`, which is its result',
  event_log: 'the message of an event',
  wait: 'a wait',
  iterator: 'an iterator',
  secrets: 'a task of kind `secrets`, which says where a secret is',
};

/** The place of what a task is given: its worker gets it, unless no worker runs the task. */
export function carrying(place: Place): Place {
  const part = place.task && IN_WORKFLOW[place.task.kind];
  return part === undefined ? { ...place, carries: true } : { ...place, part };
}

export type PlaceKind =
  /** Defaults of the workload: rendered before anything runs. */
  | 'start'
  /** Fields of the keychain: resolved by the worker that needs them. */
  | 'keychain'
  /** Admission rules and lifecycle of a step: before its run. */
  | 'admit'
  /** `in` and the knobs of a loop: in the step's run, before its iterations. */
  | 'loop'
  /** Inputs of the step and everything of a task before it runs. */
  | 'task'
  /** Rules and writes of a task: its outcome is at hand. */
  | 'outcome'
  /** Writes of the step, when its tasks have ended. */
  | 'done'
  /** Guards, arguments and writes of arcs. */
  | 'arc'
  /** Rules of `case` on `step.enter`. */
  | 'enter'
  /** Conditions of `case`. */
  | 'guard'
  /** Actions of `case`. */
  | 'action'
  /** Arguments and writes of the arcs that actions name. */
  | 'route'
  /** Conditions and actions of `retry`. */
  | 'retry'
  /** A sink, before it runs. */
  | 'sink'
  /** A sink between two calls. */
  | 'retrySink'
  /** Which events a task of kind `wait` counts. */
  | 'wait';

const EVERYWHERE = ['workload', 'ctx', 'vars', 'keychain', 'execution_id', 'job'];
const IN_STEP = ['args', 'input', 'token', 'step'];
const IN_FRAME = ['iter', 'loop', 'loop_index', '_prev', '_task', '_attempt'];
const OUTCOME = ['output', 'outcome', 'this', 'response', 'error'];
const IN_RETRY = ['attempt', 'max_attempts', 'status_code', 'success', 'result', 'data', 'page', '_retry'];
const ON_EVENT = [...EVERYWHERE, ...IN_STEP, ...IN_FRAME, ...OUTCOME, 'event', 'page', '_retry'];

/** Reserved roots by the place in which they have a value. */
export const RESERVED_AT: Readonly<Record<PlaceKind, ReadonlySet<string>>> = {
  start: new Set(EVERYWHERE),
  keychain: new Set(EVERYWHERE),
  admit: new Set([...EVERYWHERE, ...IN_STEP, 'event']),
  loop: new Set([...EVERYWHERE, ...IN_STEP]),
  task: new Set([...EVERYWHERE, ...IN_STEP, ...IN_FRAME]),
  outcome: new Set([...EVERYWHERE, ...IN_STEP, ...IN_FRAME, ...OUTCOME]),
  done: new Set([...EVERYWHERE, ...IN_STEP, ...OUTCOME, 'iter', 'event', 'result']),
  arc: new Set([...EVERYWHERE, ...IN_STEP, ...OUTCOME, 'iter', 'event']),
  enter: new Set([...EVERYWHERE, ...IN_STEP, 'event']),
  guard: new Set(ON_EVENT),
  action: new Set([...ON_EVENT, 'result']),
  route: new Set([...EVERYWHERE, ...IN_STEP, ...OUTCOME, 'iter', 'event', 'result', 'page', '_retry']),
  retry: new Set([...EVERYWHERE, ...IN_STEP, ...IN_FRAME, ...OUTCOME, ...IN_RETRY]),
  sink: new Set([...ON_EVENT, 'result']),
  retrySink: new Set([...ON_EVENT, ...IN_RETRY]),
  wait: new Set([...EVERYWHERE, ...IN_STEP, ...IN_FRAME, 'event']),
};

/** Every name that a step, task or iterator may not have (D9). */
export const RESERVED: ReadonlySet<string> = new Set([
  ...EVERYWHERE,
  ...IN_STEP,
  ...IN_FRAME,
  ...OUTCOME,
  ...IN_RETRY,
  'event',
]);

/** Where a reserved root has a value, in words. */
export function whereDefined(root: string): string {
  if (OUTCOME.includes(root)) return 'in the rules and writes of a task, and at the arcs of its step';
  if (root === 'event') return 'at arcs, in `case`, in admission rules and in `when` of a task that waits';
  if (root === 'result') return 'in the actions of `case`, in sinks, in `retry` and in `vars`';
  if (['page', '_retry'].includes(root)) return 'in `retry`, in `case` and in sinks';
  if (IN_RETRY.includes(root)) return 'in the conditions of `retry`';
  if (['loop', 'loop_index'].includes(root)) return 'in the iterations of a loop';
  if (IN_FRAME.includes(root)) return 'in the tasks of a step';
  return 'in a step';
}
