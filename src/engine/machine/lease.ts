/**
 * `exec: local`: instead of one activity per task, one activity takes the whole machine for some seconds, runs its
 * tasks and returns the batches it processed. Both machines process the same batches in the same order, so they decide
 * the same; where the leased machine cannot see what follows, it starts nothing new.
 */
import { type Json, jsonSize, type Outcome } from '../../language/plan';
import { cancelledOutcome, type Command, type Input, type RunTask, type Trace } from './batch';
import { atRest, type Lease, type LiveState, type LoopState, type Span, spansOf, type State } from './state';

/**
 * Size limit for the JSON of a loop that is sent along: its iterations do not need the results, and only the next
 * items.
 */
const MAX_LOOP_CHARS = 64 * 1024;

/** Lends the machine if tasks that run on lease were scheduled. */
export function lend(live: LiveState, commands: readonly Command[]): readonly Command[] {
  const first = commands.find(isLocal);
  if (!first) return commands;
  // Tasks of another worker pool run as ordinary activities.
  const { pool, priority } = first;
  const tasks = commands.filter(isLocal).filter((one) => one.pool === pool);
  const ref = `local#${++live.counters.lease}`;
  const state = cut(atRest(live));
  live.lease = { ref, tasks: tasks.map(idOf), pending: [], pool };
  const summary = tasks.length === 1 ? first.summary : `${first.summary} and ${tasks.length - 1} more`;
  const lentCommands = new Set<Command>(tasks);
  const lease = { type: 'startLease', ref, tasks, pool, state, summary, priority } as const;
  return [...commands.filter((one) => !lentCommands.has(one)), lease];
}

/**
 * Collects the commands of a lease's batches that were not carried out there, and the outcomes of the tasks it lost.
 *
 * @throws Error when the two machines diverged: a bug in the engine that must surface rather than be recorded
 */
export function stillAsked(
  { ref, tasks, pending, pool }: Lease,
  commands: readonly Command[],
  { trace, lost }: { readonly trace: Trace; readonly lost?: Outcome },
): { commands: Command[]; lost: Input[] } {
  const inputs = trace.flatMap((batch) => batch.inputs);
  const settled = new Set(inputs.map((input) => input.type === 'taskSettled' && input.taskRunId));
  const isLent = (one: Command): one is RunTask => isLocal(one) && one.pool === pool;
  const everLent = [...tasks, ...commands.filter(isLent).map(idOf)];
  const open = everLent.filter((id) => !settled.has(id));
  const lentIds = new Set<string | false>([...everLent, false]);
  const parted = [...settled].filter((id) => !lentIds.has(id));
  if (!lost) parted.push(...tasks.filter((id) => !settled.has(id)));
  if (parted.length > 0) {
    const what = parted.slice(0, 5).join(', ');
    throw new Error(`${ref} returned other tasks than it was lent for: ${what}`);
  }
  const timers = new Map<string, Command>();
  const remaining = commands.filter((command) => {
    switch (command.type) {
      case 'runTask':
        return !settled.has(idOf(command)) && !(lost && isLent(command));
      case 'cancelTask':
        return !settled.has(command.taskRunId);
      case 'startTimer':
        timers.set(command.key, command);
        return false;
      case 'cancelTimer':
        return !timers.delete(command.key);
      default:
        return command.type !== 'leaseSpent';
    }
  });
  // Timers from before the lease that fired during it also fire outside, unless already fired in it.
  const outside = new Set(pending.map((input) => (input as unknown as { key?: string }).key));
  const needless = inputs.flatMap((input): Command[] =>
    input.type !== 'timerFired' || timers.delete(input.key) || outside.has(input.key)
      ? []
      : [{ type: 'cancelTimer', key: input.key }],
  );
  const ends = lost ? open.map((id) => settledAs(id, lost)) : [];
  return { commands: [...needless, ...timers.values(), ...remaining], lost: ends };
}

/** Removes local tasks that were scheduled and then cancelled before they ran. Returns their outcomes. */
export function cancelledIn(commands: Command[]): Input[] {
  const cancelled = new Set(commands.map((one) => one.type === 'cancelTask' && one.taskRunId));
  const ids = commands.flatMap((one) => (isLocal(one) && cancelled.has(idOf(one)) ? [idOf(one)] : []));
  const idSet = new Set(ids);
  const rest = commands.filter(
    (one) =>
      !(one.type === 'runTask' && idSet.has(idOf(one))) &&
      !(one.type === 'cancelTask' && idSet.has(one.taskRunId)),
  );
  commands.splice(0, commands.length, ...rest);
  return ids.map((id) => settledAs(id, cancelledOutcome()));
}

function settledAs(taskRunId: string, outcome: Outcome): Input {
  return { type: 'taskSettled', taskRunId, outcome };
}

function isLocal(command: Command): command is RunTask {
  return command.type === 'runTask' && command.local === true;
}

function idOf({ call }: RunTask): string {
  return call.task_run_id;
}

/** The state, without anything that does not affect the next tasks. */
function cut(state: State): State {
  const { runs, frames } = state;
  const running = iterationsInFlight(frames);
  const inFlight = (run: string, parent: string | null): readonly number[] =>
    running.get(parent ?? runKey(run)) ?? [];
  return {
    ...state,
    executed: [],
    leaves: {},
    notes: undefined,
    runs: mapValues(runs, (run) => ({ ...run, loop: cutLoop(run.loop, inFlight(run.id, null)) })),
    frames: mapValues(frames, (frame) => ({
      ...frame,
      loop: cutLoop(frame.loop, inFlight(frame.run, frame.id)),
    })),
  };
}

/** A frame has the id of its run, if it is the step's own pipeline. */
function runKey(run: string): string {
  return `run ${run}`;
}

/** Indexes of the iterations in flight, by the owner of their loop: the frame or, in a step's loop, the run. */
function iterationsInFlight(frames: State['frames']): ReadonlyMap<string, number[]> {
  const running = new Map<string, number[]>();
  for (const { run, parent, index } of Object.values(frames)) {
    if (index === null) continue;
    const owner = parent === null ? runKey(run) : parent;
    const indexes = running.get(owner);
    if (indexes) indexes.push(index);
    else running.set(owner, [index]);
  }
  return running;
}

/** Of a list that grows: its size must not be remembered. Counts no further than matters here. */
function sizeOf(list: readonly Json[]): number {
  let size = 2;
  for (let index = 0; index < list.length && size <= MAX_LOOP_CHARS; index++)
    size += jsonSize(list[index]!) + 1;
  return size;
}

function cutLoop(loop: LoopState | null, running: readonly number[]): LoopState | null {
  if (!loop) return loop;
  const spans = spansOf(loop);
  const size = spans.reduce((sum, { items }) => sum + jsonSize(items), sizeOf(loop.results));
  if (size <= MAX_LOOP_CHARS) return loop;
  const { cursor } = loop;
  const most = MAX_LOOP_CHARS / spans.length;
  const whole = { ...loop, cut: true as const, results: [] };
  if (!cursor) return { ...whole, ...cutSpan(loop, running, most) };
  const frames = cursor.frames.map((frame) => ({ ...frame, ...cutSpan(frame, running, most) }));
  return { ...whole, cursor: { ...cursor, frames } };
}

/** The items of a span that are in flight, and the next ones. */
function cutSpan(
  { items, first, total, next }: Span,
  running: readonly number[],
  most: number,
): Pick<Span, 'first' | 'items'> {
  const start = Math.min(next, ...running.filter((index) => first <= index && index < total));
  let end = next - first;
  for (let chars = 0; end < items.length && chars < most; end++) chars += jsonSize(items[end]!);
  return { first: start, items: items.slice(start - first, end) };
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
