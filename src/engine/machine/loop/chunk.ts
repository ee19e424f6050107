/**
 * A chunk from the inside: a machine that runs some iterations of a step's loop for another machine, in a child
 * workflow (`exec: distributed`). Frames, ids and events are the same as if the iterations ran in the parent; their
 * writes to ctx are merged there.
 */
import { type JsonObject, type Plan } from '../../../language/plan';
import { type Chunk, type Context } from '../batch';
import {
  type ChunkResult,
  defineMember,
  type FailureCause,
  initialState,
  type LiveState,
  ownValue,
  seedFrom,
  type State,
} from '../state';
import { newLoop, notStarted } from './loop-stats';

/** The state of a chunk's machine before its first batch. */
export function chunkState(plan: Plan, chunk: Chunk, at: number): State {
  const { executionId, run, loop } = chunk;
  const state = initialState(plan.engineVersion, executionId, seedFrom(`${executionId}/${chunk.id}`), at);
  state.startedAt = chunk.startedAt;
  state.uuid = chunk.uuid;
  state.caller = chunk.caller;
  if (chunk.keepers) state.keepers = [...chunk.keepers];
  if (chunk.secrets) state.secrets = { ...chunk.secrets };
  if (chunk.keychain) state.keychain = chunk.keychain;
  state.workload = chunk.workload;
  state.ctx = { ...chunk.ctx };
  state.results = { ...chunk.results };
  state.part = { id: chunk.id, run: run.id, written: {}, ended: false, cause: null };
  state.runs[run.id] = {
    ...run,
    loop: newLoop({ ...loop, items: [...loop.items], chunks: null, cursor: loop.cursor }),
    stopping: null,
  };
  return state;
}

/** The part of a plan that a chunk needs: its step, without outgoing arcs. */
export function planOfChunk(plan: Plan, step: string): Plan {
  const { router: _, ...only } = plan.steps.find(({ name }) => name === step)!;
  return { ...plan, workload: { const: {} }, keychain: [], steps: [only], start: step };
}

/** The chunk's loop has no iterations left, or was stopped. */
export function endPart(context: Context, cause: FailureCause | null): void {
  const part = context.state.part!;
  part.ended = true;
  part.cause ??= cause;
}

/** The chunk's result, for the parent machine. */
export function chunkResult(state: LiveState): ChunkResult {
  const part = state.part!;
  const loop = state.runs.get(part.run)!.loop!;
  const ctx: JsonObject = {};
  for (const key of Object.keys(part.written)) defineMember(ctx, key, ownValue(state.ctx, key) ?? null);
  return {
    results: Array.from({ length: loop.items.length }, (_, position) => loop.results[position] ?? null),
    done: loop.done,
    failed: loop.failed,
    notStarted: notStarted(loop),
    cause: part.cause,
    ctx,
    writes: loop.writes,
    tasks: state.counters.tasks,
    retries: state.counters.retries,
    ...(state.secrets && { secrets: state.secrets }),
    ...(state.notes && { notes: state.notes }),
  };
}
