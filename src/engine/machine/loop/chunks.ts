/**
 * Chunks from the outside: a loop with `exec: distributed` delegates its iterations in batches to child workflows and
 * merges their results.
 */
import { compact, type Json, type JsonObject, jsonSize, type LoopPlan } from '../../../language/plan';
import { type Chunk, type Context, MAX_PENDING_TASKS, ofRun, takeNotes } from '../batch';
import {
  chunkId,
  type ChunkInFlight,
  type Chunking,
  chunkOfRef,
  chunkRef,
  type ChunkResult,
  type ChunkSettled,
  claimedFrameOf,
  type CursorState,
  defineMember,
  type FailureCause,
  type LoopState,
  placeAt,
  type Span,
  spanOf,
  type StepRun,
  weightOf,
} from '../state';

import { forgetWrites, NOTHING_MORE } from './cursor';

/** Iterations per child workflow: beyond this its history grows without benefit. */
const MAX_CHUNK = 200;
const CHUNKS_AT_ONCE = 16;
/** One slow iteration holds up the chunks after its own: others must run beside it. */
const LEAST_AT_ONCE = 4;
/** Iterations in flight in each child, if the limit allows: what ends together is decided in one workflow task. */
const GOOD_SHARE = 16;
/** A chunk is so many times what may be in flight in it: at its end, fewer are. */
const ROUNDS = 4;
/** Iterations in flight in each child unless the loop sets a total limit. */
const DEFAULT_SHARE = 64;

/** How a loop of `total` items is divided; null: its iterations run in this workflow. `inFlight`: `max_in_flight`. */
export function chunkingOf(plan: LoopPlan, total: number, inFlight: number | null): Chunking | null {
  if (plan.exec === 'inline' || total === 0) return null;
  const limit = plan.mode === 'sequential' ? 1 : inFlight;
  const size = Math.min(MAX_CHUNK, Math.ceil(total / CHUNKS_AT_ONCE));
  const most = Math.min(Math.ceil(total / size), CHUNKS_AT_ONCE, limit ?? Infinity);
  if (limit === null) return { size, share: Math.min(DEFAULT_SHARE, size), atOnce: most };
  const good = Math.max(LEAST_AT_ONCE, Math.floor(limit / GOOD_SHARE), Math.ceil((ROUNDS * limit) / size));
  const share = Math.min(Math.floor(limit / Math.min(most, good)), size);
  // What the division left over.
  return { size, share, atOnce: Math.min(most, Math.floor(limit / share)) };
}

/** How claimed frames are divided: each runs in one child at a time, with as many iterations at once as it may. */
export function chunkingOfFrames({ exec }: LoopPlan, share: number): Chunking | null {
  return exec === 'inline' ? null : { size: MAX_CHUNK, share, atOnce: 1 };
}

/** Starts as many chunks of a span as may be in flight. */
export function openChunks(context: Context, run: StepRun, span: Span, cut: Chunking): void {
  const { chunks } = context.state;
  let live = Object.values(chunks).filter(
    ({ run: id, first }) => id === run.id && span.first <= first && first < span.total,
  ).length;
  for (; live < cut.atOnce && span.next < span.total; live++) {
    const first = span.next;
    const count = Math.min(cut.size, span.total - first);
    span.next += count;
    span.inFlight += count;
    const id = chunkId(run.id, first, count);
    chunks[id] = { id, run: run.id, first, count, state: 'queued', ref: id };
    context.enqueue({ op: 'chunk', chunk: id });
  }
}

/** Starts a chunk; like a task it can be deferred (pause, drain). */
export function startChunk(context: Context, id: string): void {
  const { state } = context;
  const chunk = state.chunks[id];
  if (!chunk) return;
  const isBusy = state.pending.size >= MAX_PENDING_TASKS;
  if (state.status === 'paused' || state.draining || isBusy) {
    state.ready.push(id);
    return;
  }
  const run = context.run(chunk.run);
  const summary = chunkId(run.step, chunk.first, chunk.count);
  context.emit?.('loop.chunk.started', run.step, 'in_progress', about(chunk), ofRun(run));
  chunk.state = 'running';
  chunk.ref = chunkRef(id, state.now);
  const part = snapshot(context, run, chunk);
  context.write(
    jsonSize(part.loop.items) +
      jsonSize(part.loop.cursor) +
      sizeOf(part.workload) +
      sizeOf(part.ctx) +
      sizeOf(part.results),
  );
  context.command({ type: 'runChunk', ref: chunk.ref, chunk: part, summary });
}

function snapshot(context: Context, run: StepRun, { id, first, count }: ChunkInFlight): Chunk {
  const { state } = context;
  const { step, token, args, vars, locals, startedAt } = run;
  const loop = run.loop!;
  const { reads } = context.step(step).loop!;
  const items = spanOf(loop, first)
    .items.slice(first - spanOf(loop, first).first)
    .slice(0, count);
  return {
    id,
    executionId: state.executionId,
    uuid: state.uuid,
    startedAt: state.startedAt,
    run: { id: run.id, step, token, args, vars: { ...vars }, locals: { ...locals }, startedAt },
    loop: {
      items: loop.cursor ? [] : items,
      first: loop.cursor ? 0 : first,
      total: loop.total,
      maxInFlight: loop.chunks!.share,
      failFast: loop.failFast,
      ...(loop.cursor && { cursor: partOfFrame(loop, first, items) }),
    },
    caller: state.caller,
    ...compact({
      keepers: state.keepers && [...state.keepers],
      secrets: state.secrets && { ...state.secrets },
      keychain: state.keychain,
    }),
    workload: only(state.workload, reads?.workload),
    ctx: only(state.ctx, reads?.ctx),
    results: only(state.results.toRecord(), reads?.results),
  };
}

/** The cursor of a chunk: it has some rows of one frame, and claims nothing. */
function partOfFrame(loop: LoopState, first: number, items: Json[]): CursorState {
  const cursor = loop.cursor!;
  const frame = claimedFrameOf(loop, first)!;
  const part = { ...frame, items, first, total: first + items.length, next: first, inFlight: 0 };
  return { ...cursor, free: [], claiming: 0, maxRows: NOTHING_MORE, failure: null, frames: [part] };
}

/** Of a record that may change: its size must not be remembered. */
function sizeOf(record: Readonly<Record<string, unknown>>): number {
  return Object.values(record).reduce<number>((sum, value) => sum + jsonSize(value), 0);
}

/** The named keys of a record; all keys when the plan does not name any. */
function only<T>(
  record: Readonly<Record<string, T>>,
  names: readonly string[] | null = null,
): Record<string, T> {
  // A copy, which stays as it is when the record changes.
  if (names === null) return { ...record };
  const kept: Record<string, T> = {};
  for (const name of names) if (Object.hasOwn(record, name)) defineMember(kept, name, record[name]!);
  return kept;
}

/** A chunk ended. */
export function chunkSettled(context: Context, ref: string, settled: ChunkSettled): void {
  const chunk = context.state.chunks[chunkOfRef(ref)];
  if (chunk?.state !== 'running' || chunk.ref !== ref) return;
  book(context, chunk, settled.status === 'done' ? settled.result : stopped(context, chunk, settled.cause));
}

/** Handles a chunk that returned nothing; a chunk that was still deferred has begun nothing. */
function stopped(
  context: Context,
  { run, first, count, state }: ChunkInFlight,
  cause: FailureCause,
): ChunkResult {
  const loop = context.run(run).loop!;
  const all = count * weightOf(loop, spanOf(loop, first));
  const [failed, notStarted] = state === 'queued' ? [0, all] : [all, 0];
  return { results: [], done: 0, failed, notStarted, cause, ctx: {}, writes: {}, tasks: 0, retries: 0 };
}

/** Merges a chunk's result: results, writes, failures. */
function book(context: Context, chunk: ChunkInFlight, result: ChunkResult): void {
  const { state } = context;
  const run = context.run(chunk.run);
  const loop = run.loop!;
  const span = spanOf(loop, chunk.first);
  context.write(jsonSize(result.results) + jsonSize(result.ctx));
  delete state.chunks[chunk.id];
  span.inFlight -= chunk.count;
  if (loop.cursor) loop.inFlight -= chunk.count;
  for (let position = 0; !loop.cursor && position < chunk.count; position++) {
    placeAt(loop.results, chunk.first + position, result.results[position] ?? null);
  }
  loop.done += result.done;
  loop.failed += result.failed;
  loop.notStarted += result.notStarted;
  state.counters.tasks += result.tasks;
  state.counters.retries += result.retries;
  mergeWrites(context, run, result);
  // Handles have random ids: those that the chunk was given are unchanged.
  if (result.secrets) state.secrets = { ...state.secrets, ...result.secrets };
  if (result.notes) takeNotes(state, result.notes);
  const { cause } = result;
  const payload = {
    ...about(chunk),
    success: result.done,
    failed: result.failed,
    not_started: result.notStarted,
  };
  if (cause) {
    context.emit?.('loop.chunk.failed', run.step, 'error', { ...payload, error: cause as never }, ofRun(run));
  } else context.emit?.('loop.chunk.done', run.step, 'success', payload, ofRun(run));
  if (cause && !run.stopping) context.enqueue({ op: 'stop', run: run.id, cause });
  context.enqueue({ op: 'iterate', run: run.id, frame: null });
}

/**
 * The chunk's events have already reported its ctx writes; this records who wrote what, so that conflicts between
 * chunks are detected like those within one.
 */
function mergeWrites(context: Context, run: StepRun, result: ChunkResult): void {
  const loop = run.loop!;
  for (const [key, value] of Object.entries(result.ctx)) defineMember(context.state.ctx, key, value);
  if (loop.maxInFlight > 1) {
    for (const [key, byIteration] of Object.entries(result.writes)) {
      if (!Object.hasOwn(loop.writes, key)) defineMember(loop.writes, key, {});
      Object.assign(loop.writes[key]!, byIteration);
      if (!loop.cursor) continue;
      for (const index of Object.keys(byIteration)) forgetWrites(context, run, loop, Number(index));
    }
  }
}

/** Pause and resume propagate to the chunks. */
export function steerChunks(
  context: Context,
  what: { type: 'pauseChunk'; reason: string | null } | { type: 'resumeChunk' },
): void {
  for (const { ref, state } of Object.values(context.state.chunks)) {
    if (state === 'running') context.command({ ...what, ref });
  }
}

/**
 * Stops the chunks of a run that is being stopped: running ones are cancelled and settle, deferred ones are dropped.
 */
export function stopChunks(context: Context, run: StepRun, cause: FailureCause): void {
  const { state } = context;
  for (const chunk of Object.values(state.chunks).filter((one) => one.run === run.id)) {
    if (chunk.state === 'running') {
      context.cancelChunk(chunk);
      continue;
    }
    const waits = state.ready.indexOf(chunk.id);
    if (waits >= 0) state.ready.splice(waits, 1);
    book(context, chunk, stopped(context, chunk, cause));
  }
}

function about({ id, first, count }: ChunkInFlight): JsonObject {
  return { chunk: id, exec: 'distributed', first, count };
}
