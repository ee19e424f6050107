/** `check --deep`: explores every state of playbooks, and reports what is wrong in them. */
import fs from 'node:fs';
import path from 'node:path';
import { type Plan } from '../../language/plan';
import { checkDeep, type DeepFinding, witnessOf } from '../../offline/proof/deep';
import { readRehearsals, rehearsalOfRun, runRehearsal } from '../../offline/rehearsal';
import { EXIT, UsageError } from '../errors';
import { extensions } from '../extensions';
import { loadPlaybook, playbookFiles } from '../input/playbook';
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
  const checked = playbookFiles(names).map((file) => checkFile(file, { bound, sent, to: flags.toRehearsal }));
  if (flags.sarif) await print(JSON.stringify(deepSarif(checked), null, 2));
  else if (flags.json) await print(JSON.stringify(documentOf(checked), null, 2));
  else await print(checked.map((one) => deepLines(one).join('\n')).join('\n\n'));
  const isClean = checked.every(({ findings }) => findings.every(({ severity }) => severity === 'info'));
  return isClean ? EXIT.success : EXIT.failed;
}

interface DeepCheck {
  readonly bound: number;
  readonly sent: ReadonlySet<string>;
  /** The folder for rehearsals. */
  readonly to: string | undefined;
}

function checkFile(name: string, { bound, sent, to }: DeepCheck): DeepFile {
  const { plan, file, text } = loadPlaybook(name);
  const checked = checkDeep(plan, { bound, sent });
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
  for (const [index, { code, step, node, message }] of findings.entries()) {
    const witness = node && witnessOf(playbook.plan, node);
    if (!witness) continue;
    const base = `${path.basename(playbook.file).replace(/\.ya?ml$/i, '')}.${step}.${code.toLowerCase()}`;
    const file = path.join(folder, `${base}.rehearsal.yaml`);
    const text = rehearsalOfRun({ playbook: relativeTo(file, playbook.file), name: message, ...witness });
    if (!passes(text, file, playbook)) continue;
    fs.writeFileSync(file, text);
    written.set(index, file);
  }
  return written;
}

function passes(
  text: string,
  file: string,
  playbook: { readonly file: string; readonly plan: Plan },
): boolean {
  const { rehearsed } = readRehearsals(text, { file, load: () => playbook, kinds: extensions().kinds });
  return rehearsed?.rehearsals.every((one) => runRehearsal(one, rehearsed).ok) ?? false;
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
