/** The results of all files, as input of the reports. */
import { type Diagnostic } from '../../../language/dsl/format';
import { type RehearsalResult } from '../run';

/** A rehearsal file that was run, or could not be. */
export interface FileReport {
  readonly file: string;
  /** The playbook's path for the user; empty if the file could not be parsed that far. */
  readonly playbook: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Empty exactly if a diagnostic is an error. */
  readonly results: readonly (RehearsalResult & { readonly seconds: number })[];
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** Files that could not be run. */
  readonly broken: number;
}

export function totalsOf(reports: readonly FileReport[]): Totals {
  const results = reports.flatMap((report) => report.results);
  const passed = results.filter(({ ok }) => ok).length;
  return { passed, failed: results.length - passed, broken: reports.filter(isBroken).length };
}

export function isBroken({ diagnostics }: Pick<FileReport, 'diagnostics'>): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}
