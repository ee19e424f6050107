/**
 * Names that the runtime provides to templates, and where they are in scope
 * (docs/design/names.md#where-a-name-comes-from): one table for the compiler, which checks names, and the engine, which
 * looks them up.
 */

const PLACE_KINDS = [
  /** Defaults of the workload: rendered before anything else. */
  'start',
  /** Fields of the keychain: resolved by the worker that needs them. */
  'keychain',
  /** Admission rules of a step, before its run. */
  'admit',
  /** `in` and the options of a loop, lifecycle of a step: within the step's run, before its iterations. */
  'loop',
  /** Inputs of the step, and all fields of a task before it runs. */
  'task',
  /** Rules and writes of a task, when its outcome is available. */
  'outcome',
  /** Writes of the step, after its tasks have ended. */
  'done',
  /** Guards, arguments and writes of arcs. */
  'arc',
  /** Rules of `case` on `step.enter`. */
  'enter',
  /** Conditions of `case`. */
  'guard',
  /** Actions of `case`. */
  'action',
  /** Arguments and writes of the arcs named by actions. */
  'route',
  /** Conditions and actions of `retry`. */
  'retry',
  /** A sink, before it runs. */
  'sink',
  /** A sink between two calls. */
  'retrySink',
  /** Which events match a task of kind `wait`. */
  'wait',
] as const;

/** The place of a template, which determines the names in scope. */
export type PlaceKind = (typeof PLACE_KINDS)[number];

interface RootGroup {
  readonly names: readonly string[];
  readonly at: readonly PlaceKind[];
  /** Description of the place. */
  readonly where: string;
  /** Steps, tasks and iterators may have this name: where the root is not in scope, the name refers to them. */
  readonly free?: true;
}

const IN_RUN = PLACE_KINDS.filter((kind) => !['start', 'keychain', 'admit'].includes(kind));
const IN_FRAME: readonly PlaceKind[] = [
  'task',
  'outcome',
  'guard',
  'action',
  'retry',
  'sink',
  'retrySink',
  'wait',
];
const AFTER_CALL: readonly PlaceKind[] = [
  ...(['outcome', 'done', 'arc', 'guard', 'action', 'route', 'retry', 'sink', 'retrySink'] as const),
];
const ON_EVENT: readonly PlaceKind[] = ['guard', 'action', 'sink'];
const IN_RETRY: readonly PlaceKind[] = ['retry', 'retrySink'];

const GROUPS: readonly RootGroup[] = [
  {
    names: ['workload', 'ctx', 'vars', 'keychain', 'execution_id', 'job'],
    at: PLACE_KINDS,
    where: 'everywhere',
  },
  { names: ['args', 'input'], at: ['admit', ...IN_RUN], where: 'in a step' },
  { names: ['step'], at: IN_RUN, where: 'in a step' },
  { names: ['token'], at: ['admit'], where: 'in admission rules' },
  {
    names: ['iter'],
    at: [...IN_FRAME, 'done', 'arc', 'route'],
    where: 'in the tasks of a step, and at its arcs',
  },
  { names: ['loop', 'loop_index'], at: IN_FRAME, where: 'in the iterations of a loop' },
  { names: ['_prev', '_task', '_attempt'], at: IN_FRAME, where: 'in the tasks of a step' },
  {
    names: ['event'],
    at: [...ON_EVENT, 'admit', 'arc', 'enter', 'route', 'wait'],
    where: 'at arcs, in `case`, in admission rules and in `when` of a task that waits',
  },
  {
    names: ['this'],
    at: AFTER_CALL,
    where: 'in the rules and writes of a task, and at the arcs of its step',
  },
  {
    names: ['output', 'outcome', 'response', 'error'],
    at: AFTER_CALL,
    where: 'in the rules and writes of a task, and at the arcs of its step',
    free: true,
  },
  {
    names: ['result'],
    at: ['done', 'action', 'route', 'sink', ...IN_RETRY],
    where: 'in the actions of `case`, in sinks, in `retry` and in `vars`',
    free: true,
  },
  { names: ['_retry'], at: [...ON_EVENT, ...IN_RETRY], where: 'in `retry`, in `case` and in sinks' },
  {
    names: ['page'],
    at: [...ON_EVENT, ...IN_RETRY],
    where: 'in `retry`, in `case` and in sinks',
    free: true,
  },
  {
    names: ['attempt', 'max_attempts', 'status_code', 'success', 'data'],
    at: IN_RETRY,
    where: 'in the conditions of `retry`',
    free: true,
  },
];

/** Reserved roots by the place where they are in scope, whether or not they have a value in a given run. */
export const ROOTS_AT = Object.fromEntries(
  PLACE_KINDS.map((kind) => [
    kind,
    new Set(GROUPS.filter(({ at }) => at.includes(kind)).flatMap(({ names }) => names)),
  ]),
) as unknown as Readonly<Record<PlaceKind, ReadonlySet<string>>>;

/** Every name that is a reserved root somewhere. */
export const ROOTS: ReadonlySet<string> = new Set(GROUPS.flatMap(({ names }) => names));

/** Names that no step, task or iterator may have: roots with the same meaning in every playbook. */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(
  GROUPS.filter(({ free }) => !free).flatMap(({ names }) => names),
);

/** Describes where a reserved root is in scope. */
export function whereInScope(root: string): string {
  return GROUPS.find(({ names }) => names.includes(root))!.where;
}
