/** Identifiers of a run. They appear in history, events, messages and the Temporal UI. */
import { drawnExecutionId, EXECUTION_ID_RANGE, executionIdAt, executionIdOf } from '../../plan';
import { seedFrom } from './random';

/**
 * The execution id behind a workflow id: the number in it, or, when the workflow was not started by us, one drawn
 * from the id of its first Temporal run.
 */
export function executionIdFor(workflowId: string, firstRunId: string): string {
  const [high, low] = seedFrom(firstRunId);
  return executionIdOf(workflowId) ?? drawnExecutionId((BigInt(high) << 32n) | BigInt(low));
}

/** `fetch#2`: the second run of step fetch. */
export const stepRunId = (step: string, run: number): string => `${step}#${run}`;

/** `fetch#2[7]` for the eighth iteration, `fetch#2` outside of a loop. */
export const frameId = (run: string, index: number | null): string =>
  index === null ? run : `${run}[${index}]`;

/** `fetch#2[200..299]` for a hundred iterations that run elsewhere, `fetch#2[7]` for one. */
export const chunkId = (run: string, first: number, count: number): string =>
  count === 1 ? frameId(run, first) : `${run}[${first}..${first + count - 1}]`;

/** `fetch#2[7].inner~1@1[3]`: the fourth iteration of the loop that a task run is. */
export const innerFrameId = (loopTaskRunId: string, index: number): string => `${loopTaskRunId}[${index}]`;

/** `fetch#2[7].store_page~3`: one unit of work whatever its attempts; the tail of the idempotency key. */
export const taskRunBase = (frame: string, task: string, visit: number): string =>
  `${frame}.${task}~${visit}`;

/** `fetch#2[7].store_page~3@1`: the activity id. */
export const taskRunId = (base: string, attempt: number): string => `${base}@${attempt}`;

/** The attempt of its current task that a passage of a pipeline is at. */
export const taskRunOf = (
  { id, visits, attempt }: { id: string; visits: Readonly<Record<string, number>>; attempt: number },
  task: string,
): string => taskRunId(taskRunBase(id, task, visits[task]!), attempt);

/** `fetch/store_page[7]`, nested `fetch/store_page[7][3]`: what people read in the Temporal UI. */
export const taskSummary = (step: string, task: string, iterations: readonly number[]): string =>
  iterations.reduce((path, index) => `${path}[${index}]`, `${step}/${task}`);

/**
 * The execution id of a sub-playbook: the time and a digest of who calls it, so that replay finds the same, and above
 * `after`, so that the children of one execution never share one.
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
 * What a started chunk is called outside: the name has its start in it, so that what a reset starts again is another
 * workflow.
 *
 * @param at milliseconds since the epoch
 */
export const chunkRef = (chunk: string, at: number): string => `${chunk}@${at.toString(36)}`;

/** The chunk that a reference means. */
export const chunkOfRef = (ref: string): string => ref.replace(/@[0-9a-z]+$/, '');

export const timeoutTimerKey = (run: string): string => `timeout:${run}`;
