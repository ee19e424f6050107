/** Loops of steps and of tasks (docs/design/loops.md). */
import { type Clock, type Flow, Gate, type Process } from './clock';
import { type Dict, type LoopClause } from './document';
import { Frame } from './frame';
import { type Failure } from './run';
import { listOf, valueOf } from './values';

export interface Turn {
  readonly result: unknown;
  readonly failure: Failure | undefined;
  /** The loop ends with this iteration. */
  readonly endsLoop?: boolean;
}

export interface LoopRequest {
  readonly loop: LoopClause;
  /** Where `in` is evaluated. */
  readonly frame: Frame;
  readonly prefix: string;
  readonly isBestEffort: boolean;
  readonly turn: (frame: Frame) => Flow<Turn>;
  /** Called as it begins, with what its value is if something ends it from outside. */
  readonly begun?: (soFar: () => Dict) => void;
}

export interface LoopEnd {
  readonly value: Dict;
  readonly failure: Failure | undefined;
  readonly isCut: boolean;
}

/** A loop on its way. */
interface State {
  readonly items: readonly unknown[];
  readonly turns: (Turn | undefined)[];
  readonly frames: Frame[];
  next: number;
  /** What stopped it before its last item. */
  stop: Turn | undefined;
  isDone: boolean;
}

export function* runLoop(request: LoopRequest): Flow<LoopEnd> {
  const { loop, frame, prefix } = request;
  const { clock } = frame.options.execution;
  const given = valueOf(loop.in, frame.names());
  if (given === undefined) frame.options.execution.hits.add('loopOverUndefined');
  const items = given === null ? [] : listOf(given);
  const state: State = { items: items ?? [], turns: [], frames: [], next: 0, stop: undefined, isDone: false };
  // No failure of an iteration: `best_effort` does not let it pass.
  if (!items)
    return { ...ended(request, state, undefined), failure: { code: 'LOOP_IN', step: frame.options.step } };
  request.begun?.(() => ended(request, state, undefined).value);
  const gate = new Gate();
  const running = new Set<Process>();
  try {
    while (!isOver(request, state) || running.size > 0) {
      while (running.size < loop.maxInFlight && !isOver(request, state))
        begin(request, state, { clock, gate, running });
      if (running.size > 0) yield gate;
      if (state.stop) break;
    }
    state.isDone = true;
  } finally {
    if (
      !state.isDone &&
      !prefix.includes('~') &&
      !frame.options.execution.isOver &&
      state.next < state.items.length
    )
      frame.options.execution.note('LOOP_ENDED_EARLY');
    for (const process of running) clock.stop(process);
  }
  return ended(request, state, state.stop?.failure);
}

function isOver({ loop }: LoopRequest, { next, items, stop }: State): boolean {
  return stop !== undefined || next >= items.length || loop.maxInFlight < 1;
}

interface Workers {
  readonly clock: Clock;
  readonly gate: Gate;
  readonly running: Set<Process>;
}

function begin(request: LoopRequest, state: State, { clock, gate, running }: Workers): void {
  const index = state.next++;
  const { loop, frame, prefix } = request;
  const inner = new Frame({
    ...frame.options,
    args: frame.args,
    prefix: `${prefix}[${index}]`,
    index,
    length: state.items.length,
    item: [loop.iterator, state.items[index]],
    parent: frame,
    isIsolated: loop.isParallel,
  });
  state.frames[index] = inner;
  const turn = function* (own: () => Process): Flow<void> {
    const end = yield* request.turn(inner);
    state.turns[index] = end;
    running.delete(own());
    if (end.endsLoop || (end.failure && !request.isBestEffort)) state.stop ??= end;
    clock.open(gate);
  };
  const process: Process = clock.start(turn(() => process));
  running.add(process);
}

function ended(
  request: LoopRequest,
  { items, turns, frames, next, stop }: State,
  failure: Failure | undefined,
): LoopEnd {
  const results = items.map((_, index) => (turns[index]?.failure ? null : (turns[index]?.result ?? null)));
  const settled = turns.filter((turn) => turn !== undefined);
  const failed = settled.filter((turn) => turn.failure).length;
  const isBroken = stop?.endsLoop === true && (request.isBestEffort || !stop.failure);
  const stopped = next - settled.length;
  const cancelled = isBroken ? stopped : 0;
  const stats = {
    total: items.length,
    success: settled.length - failed,
    failed: failed + stopped - cancelled,
    not_started: items.length - next,
    ...(cancelled > 0 ? { cancelled } : {}),
  };
  const value = { results, count: items.length, stats };
  // What a loop inside of an iteration leaves, that iteration leaves.
  for (const { patches } of frames.filter(Boolean)) Object.assign(request.frame.patches, patches);
  const conflict = request.loop.maxInFlight > 1 ? conflictOf(frames) : undefined;
  const isCut = stop !== undefined && (isBroken ? settled.length : next) < items.length;
  if (stop?.endsLoop && next >= items.length && settled.length < items.length)
    request.frame.options.execution.hits.add('cancelledIterations');
  if (stop?.endsLoop && stop.failure) request.frame.options.execution.hits.add('endLoopAnyMove');
  return { value, failure: (request.isBestEffort ? undefined : failure) ?? conflict, isCut };
}

/** Two iterations of a parallel loop that leave different values under one key. */
function conflictOf(frames: readonly Frame[]): Failure | undefined {
  const values = new Map<string, Set<string>>();
  for (const { patches } of frames.filter(Boolean)) {
    for (const [key, value] of Object.entries(patches)) {
      values.set(key, (values.get(key) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  const step = frames.find(Boolean)?.options.step ?? '';
  return [...values.values()].some((each) => each.size > 1) ? { code: 'CTX_CONFLICT', step } : undefined;
}
