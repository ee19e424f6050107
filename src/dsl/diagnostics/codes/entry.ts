export type Severity = 'error' | 'warning' | 'info';

/** What a code means, for docs/reference/diagnostics.md and for editors. */
export interface CodeEntry {
  readonly severity: Severity;
  /** A warning that `--strict` makes an error, as it makes all deprecations (NT5). */
  readonly strict?: true;
  readonly title: string;
  /** Why it is a problem and what to do, in full sentences. */
  readonly explanation: string;
}
