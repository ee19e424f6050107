/** What `collect` gathered, as an iteration reads it: in a parallel loop only its own, whatever the others have done. */
import {
  deepMerge,
  isMapping,
  type Json,
  type JsonObject,
  jsonSize,
  levelsOf,
  rememberSize,
} from '../../../language/plan';
import { listed } from '../../../language/template/runtime';
import { type Context } from '../batch';
import { type CollectedValues, type Frame } from '../state';
import { replaced } from './paths';

/** What has been collected; a single value is a list of it. */
export function collectedList(value: Json | undefined): Json[] {
  if (value === undefined || value === null) return [];
  const list = listed(value);
  return Array.isArray(list) ? (list as Json[]) : [value];
}

/** All parts together, in the order of the items; undefined without any. */
export function combined({ mode, parts }: CollectedValues): Json | undefined {
  const values = parts.map(({ value }) => value);
  if (values.length === 0) return undefined;
  if (mode === 'replace') return values.at(-1);
  if (mode !== 'merge') return joined(values.map(collectedList));
  return values.reduce((sum, value) => (isMapping(sum) ? deepMerge(sum as Json, value) : value));
}

/** The lists as one, whose size follows from theirs: measuring it again would take longer. */
export function joined(lists: readonly Json[][]): Json[] {
  const filled = lists.filter((list) => list.length > 0);
  const whole = filled.flat(1);
  if (filled.length < 2) return whole;
  const size = filled.reduce((sum, list) => sum + jsonSize(list), 1 - filled.length);
  rememberSize(whole, size, Math.max(...filled.map(levelsOf)));
  return whole;
}

/** The share of the iterations below a path: empty if they have none. */
export function collectedBy({ mode, parts }: CollectedValues, path: readonly number[]): Json {
  const own = parts.filter((part) => path.every((index, depth) => part.path[depth] === index));
  return combined({ mode, parts: own }) ?? (mode === 'replace' ? null : mode === 'merge' ? {} : []);
}

/** `ctx`, in which a place that a parallel loop collects into holds the iteration's own share. */
export function ctxAt(context: Context, frame: Frame | undefined): JsonObject {
  const { ctx } = context.state;
  const collected = frame && context.run(frame.run).collected;
  const path = collected ? parallelPath(context, frame) : [];
  if (path.length === 0) return ctx;
  let seen = ctx;
  for (const [key, parts] of Object.entries(collected!)) {
    const [scope, ...at] = key.split('.');
    if (scope === 'ctx') seen = replaced(seen, at, collectedBy(parts, path));
  }
  return seen;
}

/** The iterations around a frame, down to the innermost one of a parallel loop. */
function parallelPath(context: Context, frame: Frame): number[] {
  for (let at: Frame | null = frame; at; at = context.outerOf(at)) {
    const loop = context.loopOf(at)?.loop;
    if (loop && loop.maxInFlight > 1) return context.iterationsOf(at);
  }
  return [];
}
