/** Worker logs: JSON lines on stderr, silent unless there are problems. stdout belongs to commands. */
import { ApplicationFailure, type Logger } from '@temporalio/common';
import pino from 'pino';
import { EnvironmentError } from '../../language/errors';

export type WorkerLog = pino.Logger;

/** @param usual the level unless `NOETL_LOG_LEVEL` names one. @throws EnvironmentError `LOG_LEVEL` */
export function workerLog(usual: pino.LevelWithSilent = 'warn'): WorkerLog {
  const level = process.env['NOETL_LOG_LEVEL']?.trim().toLowerCase() || usual;
  const levels = [...Object.keys(pino.levels.values), 'silent'];
  if (!levels.includes(level))
    throw new EnvironmentError('LOG_LEVEL', `NOETL_LOG_LEVEL is ${level}, which is no level of logs`, [
      `Use one of ${levels.join(', ')}, or unset it.`,
    ]);
  return pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}

/**
 * The Temporal SDK's logger on top of ours. A task that failed with an outcome is handled by the playbook and
 * recorded in the run's events, so the SDK's warning is only logged for debugging.
 */
export function temporalLogger(log: WorkerLog): Logger {
  const at = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) => {
    log[level === 'warn' && isExpected(message, meta) ? 'debug' : level](meta ?? {}, message);
  };
  const methods = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
  return {
    ...methods,
    log: (level, message, meta) => methods[level.toLowerCase() as keyof typeof methods](message, meta),
  };
}

function isExpected(message: string, meta: object | undefined): boolean {
  // Each of our workers polls for one thing only, and a failed execution concerns its user; a failing workflow
  // task, which is our bug, has another message.
  if (/^No (workflows|activities) registered|^Workflow failed$/.test(message)) return true;
  const error = (meta as { error?: unknown } | undefined)?.error;
  return (
    message.startsWith('Activity failed') &&
    error instanceof ApplicationFailure &&
    error.nonRetryable === true
  );
}

/** For operations that throw if they fail. */
export function quietLogger(): Logger {
  const ignore = (): void => undefined;
  return { log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
}
