/** Which sandbox a task runs in: what its playbook asks for, and the weakest that the worker's operator allows. */
import { type TaskCall } from '../../../src/language/plan';
import { invalidInput } from '../tool/outcome';

/** From the weakest to the strongest. */
export const LEVELS = ['none', 'standard', 'strict'] as const;
export type Level = (typeof LEVELS)[number];
/** A level that isolates. */
export type Isolation = Exclude<Level, 'none'>;

/**
 * The weakest level that the worker allows, and that of tasks that ask for none: `NOETL_SANDBOX`, default `none`.
 *
 * @throws ToolError `SANDBOX_SETTING`: with a wrong value nothing runs, rather than everything unprotected
 */
export function weakestLevel(env: NodeJS.ProcessEnv = process.env): Level {
  const written = env['NOETL_SANDBOX']?.trim();
  if (!written) return 'none';
  const level = LEVELS.find((one) => one === written);
  if (level) return level;
  throw invalidInput(
    `NOETL_SANDBOX of the worker must be strict, standard or none, not '${written}'`,
    'SANDBOX_SETTING',
  );
}

/** The level of a task. @throws ToolError `SANDBOX_REFUSED` if the worker does not allow it, `SANDBOX_SETTING` */
export function levelOf(call: TaskCall, env: NodeJS.ProcessEnv = process.env): Level {
  const weakest = weakestLevel(env);
  const value = call.options['sandbox'];
  if (value === undefined || value === null) return weakest;
  const level = LEVELS.find((one) => one === value);
  if (!level)
    throw invalidInput(
      `${call.kind}: spec.sandbox must be strict, standard or none, not ${JSON.stringify(value)}`,
      'SANDBOX_SETTING',
    );
  if (LEVELS.indexOf(level) >= LEVELS.indexOf(weakest)) return level;
  throw invalidInput(
    `${call.kind}: the task requests spec.sandbox: ${level}, but this worker allows nothing weaker than ${weakest} (NOETL_SANDBOX); remove spec.sandbox, or run it on a worker that allows ${level}`,
    'SANDBOX_REFUSED',
  );
}
