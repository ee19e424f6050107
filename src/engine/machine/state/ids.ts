/** Identifiers of a run. They appear in history, events, messages and the Temporal UI. */
import {
  drawnExecutionId,
  EXECUTION_ID_RANGE,
  executionIdAt,
  executionIdOf,
  onlyToolOf,
} from '../../../language/plan';
import { seedFrom } from './random';

/**
 * The execution id for a workflow id: the number it contains or, when the workflow was not started by us, one derived
 * from the id of its first Temporal run.
 */
export function executionIdFor(workflowId: string, firstRunId: string): string {
  const [high, low] = seedFrom(firstRunId);
  return executionIdOf(workflowId) ?? drawnExecutionId((BigInt(high) << 32n) | BigInt(low));
}

/** `fetch#2`: the second run of step fetch. */
export const stepRunId = (step: string, run: number): string => `${step}#${run}`;

/** `fetch#2[7]` for the eighth iteration, `fetch#2` outside loops. */
export const frameId = (run: string, index: number | null): string =>
  index === null ? run : `${run}[${index}]`;

/** `fetch#2[200..299]` for a hundred iterations of a chunk, `fetch#2[7]` for one. */
export const chunkId = (run: string, first: number, count: number): string =>
  count === 1 ? frameId(run, first) : `${run}[${first}..${first + count - 1}]`;

/** `fetch#2{7}`: the eighth claim of a cursor loop. */
export const claimId = (run: string, number: number): string => `${run}{${number}}`;

/** `fetch#2[7].inner~1@1[3]`: the fourth iteration of a task run's loop. */
export const innerFrameId = (loopTaskRunId: string, index: number): string => `${loopTaskRunId}[${index}]`;

/**
 * `fetch#2[7].store_page~3`: one unit of work, whatever its attempts; the tail of the idempotency key. The only tool of
 * a step needs no name: `fetch#2[7]~3`.
 */
export const taskRunBase = (frame: string, task: string, visit: number): string =>
  isOnlyTool(frame, task) ? `${frame}~${visit}` : `${frame}.${task}~${visit}`;

const isOnlyTool = (frame: string, task: string): boolean =>
  task === onlyToolOf(frame.slice(0, frame.indexOf('#')));

/** `fetch#2[7].store_page~3@1`: the activity id. */
export const taskRunId = (base: string, attempt: number): string => `${base}@${attempt}`;

/** The attempt of the current task of a pass through a pipeline. */
export const taskRunOf = (
  { id, visits, attempt }: { id: string; visits: Readonly<Record<string, number>>; attempt: number },
  task: string,
): string => taskRunId(taskRunBase(id, task, visits[task]!), attempt);

/**
 * `fetch/store_page[7]`, nested `fetch/store_page[7][3]`: shown in the Temporal UI.
 */
export function taskSummary(path: string, iterations: readonly number[]): string {
  let summary = path;
  for (const index of iterations) summary += `[${index}]`;
  return summary;
}

/**
 * The execution id of a sub-playbook: the time and a digest of its caller, so that replay yields the same id, and above
 * `after`, so that the ids of one execution's children are distinct.
 *
 * @param at milliseconds since the epoch
 */
export function childExecutionId(at: number, parent: string, taskRun: string, after: string): string {
  const [digest] = seedFrom(`${parent}/${taskRun}`);
  const drawn = executionIdAt(at, digest % EXECUTION_ID_RANGE);
  const last = BigInt(after);
  return (drawn > last ? drawn : last + 1n).toString();
}

export const childTimerKey = (taskRun: string): string => `child:${taskRun}`;
export const waitTimerKey = (taskRun: string): string => `wait:${taskRun}`;
export const retryTimerKey = (nextTaskRunId: string): string => `retry:${nextTaskRunId}`;
/**
 * The external name of a started chunk: it contains the start time, so that a reset starts a different workflow.
 *
 * @param at milliseconds since the epoch
 */
export const chunkRef = (chunk: string, at: number): string => `${chunk}@${at.toString(36)}`;

/** The chunk with this external name. */
export const chunkOfRef = (ref: string): string => ref.replace(/@[0-9a-z]+$/, '');

export const timeoutTimerKey = (run: string): string => `timeout:${run}`;
