/**
 * Things that a machine may not have. A test that needs one is skipped where it is missing, with the reason, and listed
 * at the end of the run; where CI is set it fails, unless the thing is an extra, which CI need not have either.
 */
import path from 'node:path';
import { ROOT } from './process';

/** Instead of a thing: why it is not there. */
export interface Absent {
  readonly skipped: string;
  /** Not to be had by a test: another platform, a program of the system, what lies beside the repository. */
  readonly extra?: true;
}

/** Ends the test, or all tests behind a hook, as skipped (environment.cjs). */
export class Missing extends Error {
  readonly missing: { readonly reason: string; readonly extra: boolean };

  constructor({ skipped, extra }: Absent) {
    super(extra ? skipped : `${skipped}; where CI is set, it must be there`);
    this.missing = { reason: skipped, extra: extra === true };
  }
}

/** The thing itself. @throws Missing where it is absent */
export function present<T extends object | string>(found: T | Absent): T {
  if (typeof found === 'object' && 'skipped' in found) throw new Missing(found);
  return found;
}

/** What some tests read beside the repository, where it is there: real playbooks, a container engine. */
export const EXTRAS = process.env['NOETL_TEST_EXTRAS'] ?? path.resolve(ROOT, '..', 'shared');

/** The reason for tests that read a file of EXTRAS. */
export const noExtra = (name: string): Absent => ({
  skipped: `no ${name} beside the repository (NOETL_TEST_EXTRAS)`,
  extra: true,
});
