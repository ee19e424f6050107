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

/**
 * @returns the exit code: 1 if there is an error or a warning
 * @throws UsageError at the end, if a playbook does not compile: the others are checked
 */
export async function checkFilesDeep(names: readonly string[], flags: DeepFlags): Promise<number> {
  const bound = Number(flags.bound);
  if (!Number.isInteger(bound) || bound < 0 || bound > 10)
    throw new UsageError(`--bound ${flags.bound}: expected a number from 0 to 10`);
  const sent = new Set(flags.sent ?? []);
  const { playbooks, unread } = loaded(playbookFiles(names));
  const planOf = (of: string): Plan | undefined =>
    playbooks.find(({ plan }) => plan.metadata.path === of)?.plan;
  const options = { bound, sent, planOf };
  const checked = playbooks.map((one) => checkFile(one, options, flags.toRehearsal));
  if (checked.length > 0) await printChecked(checked, [...unread.keys()], flags);
  const [first] = unread.values();
  if (first && unread.size === 1) throw first;
  if (first) throw new UsageError(`${unread.size} playbooks were not checked: ${reasons(unread)}`);
  return checked.every(isClean) ? EXIT.success : EXIT.failed;
}

const reasons = (unread: ReadonlyMap<string, UsageError>): string =>
  [...unread.values()].map(({ message }) => message.replace(/; nothing was started$/, '')).join('; ');

const isClean = ({ findings }: DeepFile): boolean => findings.every(({ severity }) => severity === 'info');

/** What cannot be loaded is left for the end: a folder is checked whole. Its diagnostics are printed. */
function loaded(names: readonly string[]) {
  const playbooks: LoadedPlaybook[] = [];
  const unread = new Map<string, UsageError>();
  for (const name of names) {
    try {
      playbooks.push(loadPlaybook(name));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      unread.set(name, error);
    }
  }
  return { playbooks, unread };
}

async function printChecked(
  checked: readonly DeepFile[],
  unread: readonly string[],
  { sarif, json }: DeepFlags,
): Promise<void> {
  if (sarif) await print(JSON.stringify(deepSarif(checked), null, 2));
  else if (json) await print(JSON.stringify(documentOf(checked, unread), null, 2));
  else await print(checked.map((one) => deepLines(one).join('\n')).join('\n\n'));
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

function documentOf(checked: readonly DeepFile[], unread: readonly string[]): object {
  return {
    ok: unread.length === 0 && checked.every(isClean),
    ...(unread.length > 0 && { not_checked: unread }),
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
