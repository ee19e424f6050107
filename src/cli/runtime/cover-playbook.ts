/** `coverage`: what rehearsals and past executions touch of a playbook. */
import fs from 'node:fs';
import path from 'node:path';
import { formatDiagnostics } from '../../language/dsl';
import { addTouches, Coverage, coveredBy, type Touches } from '../../offline/proof';
import { runRehearsal } from '../../offline/rehearsal';
import { UsageError } from '../errors';
import { readRehearsalFile, rehearsalFiles } from '../input/rehearsal';
import { loadPlaybook } from '../input/playbook';
import { coverageLines } from '../output/coverage-text';
import { print } from '../output/say';
import { verdictsOn } from './past-executions';

export interface CoverOptions {
  /** `true`: the file beside the playbook, as without any of these. */
  readonly rehearsals?: readonly string[] | true;
  readonly histories?: readonly string[];
  readonly against?: string;
  readonly data?: string;
  readonly storage?: string;
  readonly json?: boolean;
}

/** @throws UsageError if there is nothing to cover the playbook with */
export async function coverPlaybook(name: string, options: CoverOptions): Promise<void> {
  const { plan } = loadPlaybook(name);
  const { histories = [], against } = options;
  const isPast = histories.length > 0 || against !== undefined;
  const touches: Touches = {};
  let runs = 0;
  if (options.rehearsals !== undefined || !isPast) {
    const { rehearsals = true } = options;
    const own = rehearsals === true ? [beside(plan.source.file ?? name)] : rehearsalFiles(rehearsals);
    for (const file of own) runs += rehearse(file, plan.metadata.path, touches);
  }
  if (isPast) {
    const past = await verdictsOn({ ...options, files: histories }, { now: plan });
    addTouches(touches, past.touches);
    runs += past.executions;
  }
  const covered = coveredBy(plan, touches, runs);
  await print(options.json ? JSON.stringify(covered, null, 2) : coverageLines(covered).join('\n'));
}

function beside(playbook: string): string {
  const file = playbook.replace(/\.ya?ml$/i, '') + '.rehearsal.yaml';
  if (!fs.existsSync(file))
    throw new UsageError(
      `${file}: there is no such file; name --rehearsals, --histories or --against, or write one with \`noetl-temporal test --init ${path.normalize(playbook)}\``,
    );
  return file;
}

/** @returns the number of rehearsals of this playbook; those of others are not run */
function rehearse(file: string, playbook: string, touches: Touches): number {
  const { rehearsed, diagnostics, text } = readRehearsalFile(file);
  if (!rehearsed) throw new UsageError(formatDiagnostics(diagnostics, text));
  if (rehearsed.playbook.plan.metadata.path !== playbook) return 0;
  const coverage = new Coverage();
  for (const one of rehearsed.rehearsals) runRehearsal(one, rehearsed, (events) => coverage.take(events));
  addTouches(touches, coverage.touches);
  return rehearsed.rehearsals.length;
}
