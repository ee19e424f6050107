/**
 * Maps errors of other modules to responses: something requested does not exist, or a dependency is unavailable.
 */
import { CodedError, EnvironmentError } from '../../../language/errors';
import { type RerunRefusal } from '../../../history';
import { isUnavailable } from '../../../storage/postgres';
import { executionIdOf, isTransient, type ScheduleErrorCode } from '../../../temporal/client';
import { FacadeError } from './errors';

const OF_SCHEDULES: Readonly<Record<ScheduleErrorCode, number>> = {
  SCHEDULE_NOT_FOUND: 404,
  SCHEDULE_EXISTS: 409,
  SCHEDULE_INVALID: 422,
};

const OF_RERUNS: Readonly<Record<RerunRefusal, number>> = {
  RERUN_STEP_UNKNOWN: 422,
  RERUN_STEP_NOT_RUN: 409,
  RERUN_GRAPH_DIFFERS: 409,
  RERUN_DIVERGED: 409,
};

/** By code. Other environment errors are a 503. */
const STATUS: Readonly<Record<string, number>> = {
  ...OF_SCHEDULES,
  ...OF_RERUNS,
  BLOB_UNAVAILABLE: 502,
  BULK_NOT_FOUND: 404,
  BULK_OVER: 409,
  BULK_TOO_MANY: 422,
  CATALOG_FULL: 413,
  CATALOG_PATH_FULL: 413,
  FILTER: 422,
  HISTORY: 422,
  INPUT_TOO_LARGE: 413,
  REFUSED: 422,
  STAGED_VERSION_GONE: 404,
  STORAGE_NOT_CONFIGURED: 502,
  WHERE_INVALID: 422,
};

/** SQLSTATEs of data that Postgres cannot store as text or number: only the client can fix it. */
const NOT_STORABLE: Readonly<Record<string, string>> = {
  '22003': 'a number is outside the range that can be stored',
  '22021': 'a text contains a NUL character, which cannot be stored',
  '22P05': 'a text contains a NUL character, which cannot be stored',
};

/** The response for an error; undefined for an unexpected one. */
export function fromOutside(error: unknown): FacadeError | undefined {
  if (error instanceof CodedError) return ofExecution(error) ?? byCode(error);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && Object.hasOwn(NOT_STORABLE, code))
    return new FacadeError(422, 'NOT_STORABLE', NOT_STORABLE[code]!);
  if (isTransient(error))
    return new FacadeError(503, 'TEMPORAL_UNREACHABLE', 'the Temporal server does not respond; try again');
  if (isUnavailable(error))
    return new FacadeError(503, 'DATABASE_UNREACHABLE', 'the database does not respond; try again');
  return undefined;
}

/** Uses the messages of the official server. */
function ofExecution({ code, message, details }: CodedError): FacadeError | undefined {
  const id = executionIdOf(String(details['id'])) ?? details['id'];
  if (code === 'EXECUTION_NOT_FOUND') return new FacadeError(404, code, `Execution not found: ${id}`);
  if (code === 'WORKER_SILENT') return new FacadeError(503, 'NO_WORKFLOW_WORKER', message);
  if (code !== 'EXECUTION_OVER') return undefined;
  const { status } = details;
  return new FacadeError(409, code, `Execution ${id} is over (${status})`, { execution_id: id, status });
}

function byCode(error: CodedError): FacadeError | undefined {
  const { code, message, hint } = error;
  const status = Object.hasOwn(STATUS, code)
    ? STATUS[code]
    : error instanceof EnvironmentError
      ? 503
      : undefined;
  return status === undefined
    ? undefined
    : new FacadeError(status, code, message, hint.length > 0 ? { fix: hint } : {});
}
