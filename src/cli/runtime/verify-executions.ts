/** `verify`: another version of a playbook, or of all that changed, against past executions. */
import fs from 'node:fs';
import { type Plan } from '../../language/plan';
import { changesBetween, type Verification, verificationOf } from '../../offline/proof';
import { EXIT, UsageError } from '../errors';
import { formatIn } from '../input/format';
import { loadPlaybook } from '../input/playbook';
import { verificationAnnotations } from '../output/annotations';
import { print } from '../output/say';
import { verificationMarkdown } from '../output/verification-markdown';
import { verificationText } from '../output/verification-text';
import { changedPlaybooks, type PlaybookChange } from './changed-playbooks';
import { type Past, verdictsOn } from './past-executions';

export interface VerifyOptions extends Past {
  readonly format: string;
  /** Executions that cannot be answered count as different. */
  readonly strict?: boolean;
  /** The kind of calls to run where the recording has no answer: `python`. */
  readonly execute?: string;
  readonly sandbox?: string;
}

type Verifications = readonly Verification[];

const FORMATS: Readonly<Record<string, (all: Verifications, isAlone: boolean) => string>> = {
  text: (all) => all.map(verificationText).join('\n\n\n'),
  json: (all, isAlone) => JSON.stringify(isAlone ? all[0] : all, null, 2),
  markdown: (all) => all.map(verificationMarkdown).join('\n'),
  github: (all) => all.map(verificationAnnotations).join('\n'),
};

/** @returns the exit code: 1 if an execution would not be the same, or none could be judged */
export async function verifyExecutions(
  oldName: string,
  newName: string,
  options: VerifyOptions,
): Promise<number> {
  const format = formatIn(FORMATS, options.format);
  if (options.files.length === 0 && options.against === undefined)
    throw new UsageError("name history files, or past executions with --against 'path=… since=30d'");
  if (fs.statSync(newName, { throwIfNoEntry: false })?.isDirectory())
    return verifyChanged(await changedPlaybooks(oldName, newName), options, format);
  const [before, after] = [loadPlaybook(oldName), loadPlaybook(newName)];
  const [old, now] = [before.plan, after.plan];
  const changes = changesBetween(before.text, after.text);
  const verification = verificationOf(await verdicts(options, { old, now }), old, now, changes);
  await print(format([verification], true));
  return isProven(verification, options) ? EXIT.success : EXIT.failed;
}

/** Each against its own executions; one without any is nothing to fail for, except with `strict`. */
async function verifyChanged(
  changes: readonly PlaybookChange[],
  options: VerifyOptions,
  format: (all: Verifications, isAlone: boolean) => string,
): Promise<number> {
  const all: Verification[] = [];
  for (const { old, now, texts } of changes) {
    const { path } = old.metadata;
    const against = options.against === undefined ? undefined : `path=${path} ${options.against}`;
    const past = { ...options, of: path, ...(against !== undefined && { against }) };
    all.push(verificationOf(await verdicts(past, { old, now }), old, now, changesBetween(...texts)));
  }
  await print(all.length === 0 && options.format === 'text' ? 'no playbook changed' : format(all, false));
  const isFine = all.every((one) => isProven(one, options) || (one.executions === 0 && !options.strict));
  return isFine ? EXIT.success : EXIT.failed;
}

function isProven({ executions, counts, ok }: Verification, { strict }: VerifyOptions): boolean {
  return ok && executions > counts.unanswerable && !(strict && counts.unanswerable > 0);
}

async function verdicts(
  options: VerifyOptions,
  versions: { readonly old: Plan; readonly now: Plan },
): ReturnType<typeof verdictsOn> {
  const { execute: kinds, sandbox } = options;
  if (kinds === undefined) return await verdictsOn(options, versions);
  const { pythonExecution } = await import('./execute-python.js');
  const { execute, close } = pythonExecution(kinds, sandbox);
  try {
    return await verdictsOn(options, { ...versions, execute });
  } finally {
    await close();
  }
}
