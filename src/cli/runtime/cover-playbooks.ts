/** `coverage`: what rehearsals and past executions touch of playbooks. */
import fs from 'node:fs';
import path from 'node:path';
import { formatDiagnostics } from '../../language/dsl';
import { type Plan } from '../../language/plan';
import { addTouches, Coverage, type Covered, coveredBy, type Touches } from '../../offline/proof';
import { runRehearsal } from '../../offline/rehearsal';
import { EXIT, UsageError } from '../errors';
import { formatIn } from '../input/format';
import { wholeNumber } from '../input/number';
import { readRehearsalFile, rehearsalFiles } from '../input/rehearsal';
import { loadPlaybook, playbookFiles } from '../input/playbook';
import { coverageAnnotations } from '../output/annotations';
import { coverageLines } from '../output/coverage-text';
import { print } from '../output/say';
import { verdictsOn } from './past-executions';

export interface CoverOptions {
  /** `true`: the file beside each playbook, as without any of these. */
  readonly rehearsals?: readonly string[] | true;
  readonly histories?: readonly string[];
  readonly against?: string;
  readonly data?: string;
  readonly storage?: string;
  readonly format: string;
  readonly json?: boolean;
  readonly atLeast?: string;
}

/** A playbook with what touches it. */
interface CoveredPlaybook {
  readonly file: string;
  readonly covered: Covered;
  /** It is touched less than it has to be. */
  readonly problem?: string;
}

const FORMATS: Readonly<Record<string, (all: readonly CoveredPlaybook[], isAlone: boolean) => string>> = {
  text: (all) =>
    all
      .map(({ covered, problem }) =>
        [...coverageLines(covered), ...(problem === undefined ? [] : [problem])].join('\n'),
      )
      .join('\n\n'),
  json: (all, isAlone) => {
    const documents = all.map(({ covered }) => covered);
    return JSON.stringify(isAlone ? documents[0] : documents, null, 2);
  },
  github: (all) =>
    all.map(({ file, covered, problem }) => coverageAnnotations(file, covered, problem)).join('\n'),
};

/**
 * @returns the exit code: 1 if less of a playbook is touched than `--at-least`
 * @throws UsageError if there is nothing to cover a playbook with that was named alone
 */
export async function coverPlaybooks(names: readonly string[], options: CoverOptions): Promise<number> {
  const format = formatIn(FORMATS, options.json ? 'json' : options.format);
  const least = options.atLeast === undefined ? 0 : wholeNumber(options.atLeast, '--at-least', 0);
  const files = playbookFiles(names);
  const isAlone = names.length === 1 && files[0] === names[0];
  const all: CoveredPlaybook[] = [];
  for (const name of files) {
    const { plan, file } = loadPlaybook(name);
    const covered = await coverageOf(plan, file, { ...options, isAlone });
    const { parts } = covered;
    const percent = Math.floor(
      (100 * parts.filter(({ count }) => count > 0).length) / Math.max(1, parts.length),
    );
    const problem =
      percent < least ? `${percent} % of ${file} is touched, and --at-least says ${least} %` : undefined;
    all.push({ file, covered, ...(problem !== undefined && { problem }) });
  }
  await print(format(all, isAlone));
  return all.some(({ problem }) => problem !== undefined) ? EXIT.failed : EXIT.success;
}

async function coverageOf(
  plan: Plan,
  file: string,
  options: CoverOptions & { readonly isAlone: boolean },
): Promise<Covered> {
  const { histories = [], against, isAlone } = options;
  const isPast = histories.length > 0 || against !== undefined;
  const touches: Touches = {};
  let runs = 0;
  if (options.rehearsals !== undefined || !isPast) {
    const { rehearsals = true } = options;
    const own = rehearsals === true ? beside(file, isAlone) : rehearsalFiles(rehearsals);
    for (const one of own) runs += rehearse(one, plan.metadata.path, touches);
  }
  if (isPast) {
    const of = isAlone ? {} : { of: plan.metadata.path };
    const past = await verdictsOn({ ...options, files: histories, ...of }, { now: plan });
    addTouches(touches, past.touches);
    runs += past.executions;
  }
  return coveredBy(plan, touches, runs);
}

/** Of many playbooks, some may have no rehearsal, which then counts as touched by none. */
function beside(playbook: string, isAlone: boolean): string[] {
  const file = playbook.replace(/\.ya?ml$/i, '') + '.rehearsal.yaml';
  if (fs.existsSync(file)) return [file];
  if (isAlone)
    throw new UsageError(
      `${file}: there is no such file; name --rehearsals, --histories or --against, or write one with \`noetl-temporal test --init ${path.normalize(playbook)}\``,
    );
  return [];
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
