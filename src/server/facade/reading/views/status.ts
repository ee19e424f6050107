/** The status as the official command line prints it. */
import { boundedValues } from '../../../../history';
import { type ReadExecution } from '../../executions/recorded';
import { timesOf } from '../../executions/times';
import { isOver } from '../../executions/words';

/** Bytes of a variable's JSON; larger ones are replaced by a reference unless all is requested. */
export const VARIABLE_LIMIT = 16_384;

/** @param full large variables too */
export function statusDocument(read: ReadExecution, full: boolean): object {
  const { id, plan, state, status, error, startedAt, endedAt, deadlineAt } = read;
  const ended = (how: string): string[] =>
    Object.keys(state.results).filter((step) => state.results[step]!.status === how);
  const underWay = Object.values(state.runs).map((run) => run.step);
  return {
    execution_id: id,
    path: plan.metadata.path,
    status,
    current_step: underWay.at(-1) ?? state.executed.at(-1) ?? null,
    completed_steps: ended('ok'),
    failed_steps: ended('error'),
    skipped: state.skipped !== undefined,
    completed: isOver(status),
    failed: isOver(status) && status !== 'COMPLETED',
    completion_inferred: false,
    error,
    variables: full ? state.ctx : shortenedState(read),
    ...timesOf(startedAt, endedAt, Date.now()),
    deadline_at: deadlineAt === undefined ? null : new Date(deadlineAt).toISOString(),
    late: deadlineAt !== undefined && (endedAt ?? Date.now()) > deadlineAt,
    parent_execution_id: state.caller?.executionId ?? null,
  };
}

/** The variables, large ones as references. */
export function shortenedState({ state, lastEventId }: ReadExecution): Record<string, unknown> {
  return boundedValues(state.ctx, VARIABLE_LIMIT, lastEventId);
}
