/** The sum of many verdicts: counts, causes with one example each, and what the executions covered. */
import { type Plan } from '../../../language/plan';
import { changedSteps } from '../../../history';
import { addTouches, type Covered, coveredBy, type Touches } from '../coverage';
import { type VerifyFinding } from './cause';
import { causesOf, type VersionChange } from './changes';
import { type VerdictKind, VERDICTS } from './verdicts';
import { type Verdict } from './verdict';

/** Executions that differ for the same reason. */
export interface VerdictGroup {
  readonly kind: VerdictKind;
  readonly cause: string;
  count: number;
  /** The first of them: as named by the user, or its execution id. */
  readonly example: { readonly name: string; readonly execution_id: string; readonly finding: VerifyFinding };
  /** What of the text changed that may be the reason, the most likely first. */
  readonly changes?: readonly VersionChange[];
}

export interface Verification {
  readonly old: string;
  readonly new: string;
  readonly executions: number;
  readonly counts: Readonly<Record<VerdictKind, number>>;
  /** Most frequent first. */
  readonly groups: readonly VerdictGroup[];
  /** What the new version did in these executions. */
  readonly coverage: Covered;
  /** Steps that the new version changes, and parts of them that no execution touched. */
  readonly changed: readonly { readonly step: string; readonly untouched: readonly string[] }[];
  /** No execution decided differently. */
  readonly ok: boolean;
}

/** Verdicts of a part of the executions: plain JSON, passed between threads. */
export interface VerificationTally {
  readonly counts: Record<VerdictKind, number>;
  readonly groups: Record<string, VerdictGroup>;
  readonly touches: Touches;
  executions: number;
}

export function emptyVerificationTally(): VerificationTally {
  const counts = { same: 0, timing: 0, decision: 0, call: 0, result: 0, unanswerable: 0 };
  return { counts, groups: {}, touches: {}, executions: 0 };
}

/** @param name of the execution, as the user knows it */
export function tally(
  sum: VerificationTally,
  name: string,
  { kind, execution_id, finding, touches }: Verdict,
): void {
  sum.executions++;
  sum.counts[kind]++;
  addTouches(sum.touches, touches);
  if (!finding) return;
  const key = `${kind}: ${finding.cause}`;
  const existing = sum.groups[key];
  if (existing) existing.count++;
  else sum.groups[key] = { kind, cause: finding.cause, count: 1, example: { name, execution_id, finding } };
}

/** An execution whose history could not be read. @param cause the error in words */
export function tallyUnread(sum: VerificationTally, name: string, cause: string): void {
  const finding: VerifyFinding = { kind: 'unanswerable', cause, what: 'history', path: '' };
  tally(sum, name, { kind: 'unanswerable', execution_id: name, finding, touches: {} });
}

/** Adds the second to the first. */
export function addVerificationTally(sum: VerificationTally, more: VerificationTally): void {
  sum.executions += more.executions;
  addTouches(sum.touches, more.touches);
  for (const kind of VERDICTS) sum.counts[kind] += more.counts[kind];
  for (const [key, group] of Object.entries(more.groups)) {
    const existing = sum.groups[key];
    if (existing) existing.count += group.count;
    else sum.groups[key] = group;
  }
}

/** @param changes between the texts of both versions, if they are known */
export function verificationOf(
  sum: VerificationTally,
  old: Plan,
  now: Plan,
  changes?: readonly VersionChange[],
): Verification {
  const { counts, executions, touches } = sum;
  const groups = Object.values(sum.groups).sort((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1));
  const coverage = coveredBy(now, touches, executions);
  const changed = changedSteps(now, old);
  return {
    old: old.source.file ?? old.metadata.path,
    new: now.source.file ?? now.metadata.path,
    executions,
    counts,
    groups: changes
      ? groups.map((group) => ({ ...group, changes: causesOf(group.example.finding, changes) }))
      : groups,
    coverage,
    changed: [...changed].map((step) => ({
      step,
      untouched: coverage.parts.filter((part) => part.step === step && part.count === 0).map(({ id }) => id),
    })),
    ok: counts.decision + counts.call + counts.result === 0,
  };
}
