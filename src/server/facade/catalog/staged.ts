/** The staged version of a path, and whether past executions would have been the same with it. */
import {
  emptyVerificationTally,
  type VerifyFinding,
  type VerificationTally,
  type Verification,
  verificationOf,
  VERDICTS,
} from '../../../offline/proof';
import { type Plan } from '../../../language/plan';
import { type CatalogEntry, type StagedVerdictTally, type Staging } from '../../store';
import { FacadeError } from '../http/errors';
import { type Library } from './library';
import { type ScheduledPlaybooks } from './scheduled';
import { type StagedReport } from '../documents';

interface Sources {
  readonly library: Library;
  readonly staging: Staging;
  readonly scheduled: ScheduledPlaybooks;
}

/**
 * @param version by default the staged one
 * @returns undefined if there is none
 * @throws FacadeError 404 if the path has no such version, 422 if it is no playbook that this release compiles
 */
export async function stagedReport(
  { library, staging, scheduled }: Sources,
  { path, version, caller }: { path: string; version?: number; caller: string },
): Promise<StagedReport | undefined> {
  const staged = await staging.of(path);
  const versionNumber = version ?? staged?.version;
  if (versionNumber === undefined) return undefined;
  const entry = await library.catalog.find(path, versionNumber);
  if (entry?.version !== versionNumber)
    throw new FacadeError(
      404,
      'CATALOG_ENTRY_NOT_FOUND',
      `Catalog entry not found: ${path}@${versionNumber}`,
    );
  const latest = await library.catalog.find(path);
  const isStaged = staged?.version === versionNumber;
  const { pending, ...tally } = await staging.verdicts(path, versionNumber);
  const plan = await library.planOf(entry, caller);
  const verification = await verified(library, { plan, latest, tally, caller });
  return {
    path,
    version: versionNumber,
    catalog_id: entry.catalog_id,
    staged_at: isStaged ? staged.staged_at.toISOString() : null,
    latest: latest?.version ?? null,
    pending,
    verification,
    objection: latest && latest.version !== versionNumber ? objectionTo(verification) : null,
    warnings: await scheduled.misfits(plan),
  };
}

interface StagedTally {
  readonly plan: Plan;
  readonly latest: CatalogEntry | undefined;
  readonly tally: Omit<StagedVerdictTally, 'pending'>;
  readonly caller: string;
}

async function verified(
  library: Library,
  { plan, latest, tally, caller }: StagedTally,
): Promise<Verification> {
  // One that this release does not compile any more must not prevent its replacement.
  const old = latest ? await library.planOf(latest, caller).catch(() => plan) : plan;
  return verificationOf(tallyOf(tally), old, plan);
}

function tallyOf({ counts, groups, touches }: StagedTally['tally']): VerificationTally {
  const sum = emptyVerificationTally();
  for (const verdict of VERDICTS) sum.counts[verdict] = counts[verdict] ?? 0;
  sum.executions = Object.values(sum.counts).reduce((a, b) => a + b, 0);
  Object.assign(sum.touches, touches);
  for (const { verdict, cause, count, execution_id, finding } of groups) {
    const kind = VERDICTS.find((one) => one === verdict);
    if (!kind) continue;
    const example = { name: execution_id, execution_id, finding: finding as unknown as VerifyFinding };
    sum.groups[`${kind}: ${cause}`] = { kind, cause, count, example };
  }
  return sum;
}

function objectionTo({ executions, counts, ok }: Verification): string | null {
  const differ = counts.decision + counts.call + counts.result;
  if (!ok) return `${differ} of ${executions} executions would have differed`;
  if (executions === counts.unanswerable) return 'no execution has been judged yet';
  return null;
}
