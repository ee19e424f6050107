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
