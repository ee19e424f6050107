import { compact } from '../../../plan';
export type Severity = 'error' | 'warning' | 'info';

/** What a code means, for docs/reference/diagnostics.md and for editors. */
export interface CodeEntry {
  readonly severity: Severity;
  /** A warning that `--strict` turns into an error, like all deprecations (NT5). */
  readonly strict?: true;
  readonly title: string;
  /** Why it is a problem and how to fix it, in full sentences. */
  readonly explanation: string;
}

const entry =
  (severity: Severity) =>
  (title: string, explanation: string, strict?: 'strict'): CodeEntry => ({
    severity,
    title,
    explanation,
    ...compact({ strict: strict && true }),
  });

export const error = entry('error');
export const warning = entry('warning');
export const info = entry('info');
