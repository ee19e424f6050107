/** The summary of an execution whose history was read. Threads import this file, which does without Temporal's client. */
import { type ReadExecution } from './recorded';
import { type ExecutionIdentity } from './summary';
import { timesOf } from './times';
import { isOver } from './words';
import { type ExecutionDocument } from '../documents';

/** As `summaryOf`, with the fields from the history. @param now milliseconds since the epoch */
export function fullSummary(
  identity: ExecutionIdentity,
  read: ReadExecution,
  now: number,
): ExecutionDocument {
  const { plan, status, result, error } = read;
  return {
    ...identity,
    catalog_id: identity.catalog_id ?? plan.source.catalog?.id ?? null,
    version: plan.source.catalog?.version ?? identity.version ?? plan.metadata.version ?? null,
    path: plan.metadata.path,
    status,
    ...timesOf(read.startedAt, read.endedAt, now),
    progress: progressOf(read),
    result,
    error,
  };
}

function progressOf({ status, plan, state }: ReadExecution): number {
  if (isOver(status)) return 100;
  const ended = Object.keys(state.results).length;
  return Math.min(99, Math.floor((100 * ended) / Math.max(1, plan.steps.length)));
}
