import { CodedError } from '../../language/errors';

/** Errors of schedules, with a stable code. */
export type ScheduleErrorCode = 'SCHEDULE_NOT_FOUND' | 'SCHEDULE_EXISTS' | 'SCHEDULE_INVALID';

const NOT_FOUND = 5;
const INVALID_ARGUMENT = 3;
const ALREADY_EXISTS = 6;

/** Converts an error of the server or its client to a schedule error; others are returned unchanged. */
export function scheduleError(name: string, error: unknown): unknown {
  const {
    name: type,
    code,
    details,
    message,
    cause,
  } = error as {
    name?: string;
    code?: unknown;
    details?: string;
    message?: string;
    cause?: { code?: unknown; details?: string };
  };
  const status = code ?? cause?.code;
  if (type === 'ScheduleNotFoundError' || status === NOT_FOUND)
    return new CodedError<ScheduleErrorCode>('SCHEDULE_NOT_FOUND', `there is no schedule ${name}`);
  if (type === 'ScheduleAlreadyRunning' || status === ALREADY_EXISTS)
    return new CodedError<ScheduleErrorCode>('SCHEDULE_EXISTS', `a schedule ${name} already exists`);
  if (status === INVALID_ARGUMENT || error instanceof TypeError)
    return new CodedError<ScheduleErrorCode>('SCHEDULE_INVALID', details ?? cause?.details ?? message ?? '');
  return error;
}
