/** How much an execution keeps: a function of its state alone, so that every machine on that state agrees. */
import { type Json, jsonSize } from '../../../language/plan';
import { type LiveState, sharesArgs } from './live-state';
import { type Frame, type LoopState, type StepResult, type StepRun } from './marking';
import { type TaskResult } from './task-result';
import { type QueuedWork } from './state';

/**
 * The sizes of all values in the state, in characters of JSON: inputs, variables, results, loops with their items, events
 * not yet taken, and work left over. What several of them share counts once for each, as it is written once for each;
 * arguments of iterations that have none of their own are not written. Names, ids and counters are not counted.
 */
export function heldSize(state: LiveState): number {
  const { workload, ctx, caller, secrets, reuse, inbox, failure, lease } = state;
  let sum = jsonSize(workload) + members(ctx) + members(secrets) + members(reuse);
  sum += jsonSize(caller) + jsonSize(failure) + jsonSize(inbox.map(({ payload }) => payload));
  for (const { args } of state.tokens.values()) sum += jsonSize(args);
  for (const run of state.runs.values()) sum += runSize(run);
  for (const frame of state.frames.values()) {
    sum += frameSize(frame) + (sharesArgs(state, frame) ? 0 : jsonSize(frame.args));
  }
  for (const name of state.results.names()) sum += resultSize(state.results.get(name)!);
  for (const work of state.work.toList()) sum += workSize(work);
  return lease ? lease.pending.reduce<number>((total, input) => total + jsonSize(input), sum) : sum;
}

/** The values of a record that changes, whose own size must therefore not be remembered. */
function members(record: Readonly<Record<string, unknown>> | undefined): number {
  let sum = 0;
  for (const key in record) sum += jsonSize(record[key]);
  return sum;
}

function listed(list: readonly Json[]): number {
  return list.reduce<number>((sum, item) => sum + jsonSize(item), 0);
}

function resultsSize(results: Readonly<Record<string, TaskResult>> | null): number {
  let sum = 0;
  for (const name in results) sum += taskSize(results[name]!);
  return sum;
}

function taskSize({ outcome, call }: TaskResult): number {
  return jsonSize(outcome) + (call ? jsonSize(call.outcome) : 0);
}

function runSize({ args, inputs, vars, locals, loop, rules, collected }: StepRun): number {
  let own = jsonSize(args) + jsonSize(inputs) + members(vars) + members(locals) + loopSize(loop);
  for (const key in collected) own += listed(collected[key]!.parts.map(({ value }) => value));
  const { kept } = rules ?? {};
  return kept ? own + members(kept.iter) + members(kept.locals) + resultsSize(kept.results) : own;
}

function frameSize({ iter, locals, results, loop, repeats, passage, previous }: Frame): number {
  const own = members(iter) + members(locals) + resultsSize(results) + loopSize(loop);
  const replaced = [passage?.result, previous].reduce((sum, one) => (one ? sum + taskSize(one) : sum), 0);
  return own + replaced + jsonSize(repeats?.config) + jsonSize(repeats?.input);
}

function loopSize(loop: LoopState | null): number {
  if (!loop) return 0;
  let sum = listed(loop.results);
  for (const { items } of [loop, ...(loop.cursor?.frames ?? [])]) sum += jsonSize(items);
  for (const key in loop.writes) sum += members(loop.writes[key]);
  return sum;
}

function resultSize(result: StepResult): number {
  if (result.type === 'loop') return jsonSize(result.results);
  const { last, tasks, iter } = result;
  return (last ? taskSize(last) : 0) + resultsSize(tasks) + members(iter);
}

function workSize(work: QueuedWork): number {
  if (work.op === 'settled') return jsonSize(work.outcome);
  return work.op === 'chunkSettled' ? jsonSize(work.settled) : 0;
}
