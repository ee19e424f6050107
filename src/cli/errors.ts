import { EnvironmentError } from '../temporal/errors';

/** The command, its input or the playbook is wrong: one clear line, exit code 2, never a stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An execution is under way, but nobody here can follow it any more: scripts are told which. */
export class LostExecution extends EnvironmentError {
  constructor(
    readonly execution: { readonly id: string; readonly workflowId: string },
    code: string,
    message: string,
    fix: readonly string[],
  ) {
    super(code, message, fix);
  }
}

/** Exit codes, as scripts rely on them. */
export const EXIT = { success: 0, failed: 1, usage: 2, interrupted: 130 } as const;
