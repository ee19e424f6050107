/** What `promote` shows of a staged version, and what became of it. */
import { paint, printable, wantsColor } from './paint';
import { verificationText } from './verification-text';
import { type StagedReport } from '../../server/facade/documents';

export function stagedText(
  report: StagedReport & { readonly promoted: boolean },
  { dryRun = false }: { readonly dryRun?: boolean },
): string {
  const { dim } = paint(wantsColor(process.stdout));
  const { path, version, latest, pending, verification, warnings, staged_at: stagedAt } = report;
  const since = stagedAt === null ? 'is not staged' : `staged since ${stagedAt}`;
  const place = latest === null ? 'there is no other' : `the latest is ${latest}`;
  return [
    printable(`${path} version ${version}: ${since}; ${place}`),
    '',
    ...(verification.executions > 0 ? [verificationText(verification)] : []),
    ...(pending > 0 ? [dim(`${pending} ended executions still have to be judged`)] : []),
    ...warnings.map((one) => printable(`warning: ${one}`)),
    outcome(report, dryRun),
  ].join('\n');
}

function outcome(
  { promoted, objection, version, latest }: Parameters<typeof stagedText>[0],
  dryRun: boolean,
): string {
  const { green, red, yellow } = paint(wantsColor(process.stdout));
  if (promoted) return green(`promoted: version ${version} is the latest`);
  const remains = latest === null ? '' : `; ${latest} remains the latest`;
  if (objection !== null) return red(`not promoted: ${objection}${remains} (--yes promotes it anyway)`);
  return dryRun
    ? yellow(`not promoted (--dry-run)${remains}`)
    : red(`not promoted: an execution that has just ended would have differed${remains}`);
}
