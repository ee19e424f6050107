/** Checks the invariants of a rehearsal: conditions on the whole run. */
import { formatTime } from '../format/amounts';
import { type Violation } from '../invariants/invariant';
import { type RehearsalProblem } from './problem';
import { type Rehearsed } from './rehearsed';

export function checkInvariants({ watch }: Rehearsed): RehearsalProblem[] {
  return watch.violations.map((one) => ({
    part: partOf(one),
    at: one.invariant.at,
    message: `does not hold ${momentOf(one)}`,
    details: [...(one.invariant.name === one.invariant.source ? [] : [one.invariant.source]), ...one.why],
  }));
}

/** As in problems: `at_end.no double charge`. */
export function partOf({ invariant: { when, name } }: Violation): string {
  return `${when}.${name}`;
}

/** `after 3 s`, `at the end`. */
function momentOf({ invariant: { when }, at }: Violation): string {
  return when === 'always' ? `after ${formatTime(at)}` : 'at the end';
}
