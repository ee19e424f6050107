/** The command, its input or the playbook is wrong: one clear line, exit code 2, never a stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit codes, as scripts rely on them (DESIGN.md section 11). */
export const EXIT = { success: 0, failed: 1, usage: 2, interrupted: 130 } as const;
