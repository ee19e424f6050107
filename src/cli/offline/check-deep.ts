/** `check --deep`: explores every state of playbooks, and reports what is wrong in them. */
import fs from 'node:fs';
import path from 'node:path';
import { type Plan } from '../../language/plan';
import { checkDeep, type DeepFinding, runsShowing } from '../../offline/proof/deep';
import { isPassed, rehearsalOfRun } from '../../offline/rehearsal';
import { EXIT, UsageError } from '../errors';
import { extensions } from '../extensions';
import { type LoadedPlaybook, loadPlaybook, playbookFiles } from '../input/playbook';
import { type DeepFile, deepLines, deepSarif } from '../output/deep-text';
import { relativeTo } from '../output/relative';
import { print } from '../output/say';

export interface DeepFlags {
  readonly deep?: boolean;
  readonly json?: boolean;
  readonly sarif?: boolean;
  readonly bound: string;
  readonly sent?: readonly string[];
  readonly toRehearsal?: string;
}

/** @returns the exit code: 1 if there is an error or a warning */
export async function checkFilesDeep(names: readonly string[], flags: DeepFlags): Promise<number> {
  const bound = Number(flags.bound);
  if (!Number.isInteger(bound) || bound < 0 || bound > 10)
    throw new UsageError(`--bound ${flags.bound}: expected a number from 0 to 10`);
  const sent = new Set(flags.sent ?? []);
  const playbooks = playbookFiles(names).map((name) => loadPlaybook(name));
  const planOf = (of: string): Plan | undefined =>
    playbooks.find(({ plan }) => plan.metadata.path === of)?.plan;
  const options = { bound, sent, planOf };
  const checked = playbooks.map((one) => checkFile(one, options, flags.toRehearsal));
  if (flags.sarif) await print(JSON.stringify(deepSarif(checked), null, 2));
  else if (flags.json) await print(JSON.stringify(documentOf(checked), null, 2));
  else await print(checked.map((one) => deepLines(one).join('\n')).join('\n\n'));
  const isClean = checked.every(({ findings }) => findings.every(({ severity }) => severity === 'info'));
  return isClean ? EXIT.success : EXIT.failed;
}

/** @param to the folder for rehearsals */
function checkFile(
  { plan, file, text }: LoadedPlaybook,
  options: Parameters<typeof checkDeep>[1],
  to: string | undefined,
): DeepFile {
  const checked = checkDeep(plan, options);
  const rehearsals =
    to === undefined ? new Map<number, string>() : writeAll(to, { file, plan }, checked.findings);
  return { ...checked, file, lines: text.split(/\r?\n/), rehearsals };
}

/** A rehearsal per finding that a single run shows, and that passes as it was written. */
function writeAll(
  folder: string,
  playbook: { readonly file: string; readonly plan: Plan },
  findings: readonly DeepFinding[],
): Map<number, string> {
  fs.mkdirSync(folder, { recursive: true });
  const written = new Map<number, string>();
  for (const [index, finding] of findings.entries()) {
    const [first, ...others] = runsShowing(playbook.plan, finding);
    if (!first) continue;
    const base = `${path.basename(playbook.file).replace(/\.ya?ml$/i, '')}.${finding.step}.${finding.code.toLowerCase()}`;
    const file = path.join(folder, `${base}.rehearsal.yaml`);
    const text = rehearsalOfRun({ playbook: relativeTo(file, playbook.file), ...first }, ...others);
    if (!isPassed(text, { file, plan: playbook.plan, kinds: extensions().kinds })) continue;
    fs.writeFileSync(file, text);
    written.set(index, file);
  }
  return written;
}

function documentOf(checked: readonly DeepFile[]): object {
  return {
    ok: checked.every(({ findings }) => findings.every(({ severity }) => severity === 'info')),
    files: checked.map(({ file, findings, states, bound, complete, assumed, notCovered, rehearsals }) => ({
      file,
      states,
      bound,
      complete,
      assumed,
      not_covered: notCovered,
      findings: findings.map(({ code, severity, message, step, at, trace }, index) => ({
        code,
        severity,
        message,
        step,
        line: at[0],
        column: at[1],
        trace,
        ...(rehearsals.has(index) && { rehearsal: rehearsals.get(index) }),
      })),
    })),
  };
}
