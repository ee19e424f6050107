/** Playbooks of a folder that changed since a commit, for `verify`. */
import path from 'node:path';
import { compile, formatDiagnostics, looksExecutable } from '../../language/dsl';
import { type Plan } from '../../language/plan';
import { runProgram } from '../../temporal/client';
import { UsageError } from '../errors';
import { extensions } from '../extensions';
import { loadPlaybook } from '../input/playbook';

const LIMIT_MS = 60_000;

/** Two versions of one playbook. */
export interface PlaybookChange {
  readonly old: Plan;
  readonly now: Plan;
  readonly texts: readonly [old: string, now: string];
}

/**
 * New and removed playbooks have nothing to be compared with. A playbook that was moved is the same one.
 *
 * @throws UsageError if git does not know the commit or the folder, or a version has errors
 */
export async function changedPlaybooks(commit: string, folder: string): Promise<PlaybookChange[]> {
  // Messages of git are looked at.
  const env = { ...process.env, LC_ALL: 'C' };
  const git = async (...args: string[]): Promise<string> => {
    const done = await runProgram('git', args, { cwd: folder, timeoutMs: LIMIT_MS, env }).catch(() => {
      throw new UsageError(
        `${commit}: git is needed to compare a folder with a commit, and is not installed`,
      );
    });
    if (done.code === 0) return done.stdout;
    throw new UsageError(gitFailure(commit, folder, done.stderr.trim().split('\n')[0] ?? ''));
  };
  const id = (await git('rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`)).trim();
  const listed = await git(
    'diff',
    '--name-status',
    '-z',
    '-M',
    '--diff-filter=MR',
    '--relative',
    id,
    '--',
    '.',
  );
  const changes: PlaybookChange[] = [];
  for (const [before, after] of filePairs(listed.split('\0'))) {
    if (!/\.ya?ml$/i.test(after)) continue;
    const text = await git('show', `${id}:./${before}`);
    if (!looksExecutable(text)) continue;
    const file = path.join(folder, after);
    const { plan, text: is } = loadPlaybook(file);
    changes.push({
      old: planAt(`${commit}:${path.join(folder, before)}`, text),
      now: plan,
      texts: [text, is],
    });
  }
  return changes;
}

function gitFailure(commit: string, folder: string, why: string): string {
  if (/not a git repository/.test(why))
    return `${folder} is in no git repository, so there is no ${commit} to compare it with: name two files, \`verify OLD.yaml NEW.yaml\``;
  if (/single revision|unknown revision|^$/.test(why))
    return `${commit}: there is no such commit here; \`git fetch origin ${commit}\` may bring it`;
  return `${commit}: ${why.replace(/^fatal: /, '')}`;
}

/** `M`, name; `R97`, old name, new name. */
function filePairs(words: readonly string[]): [before: string, after: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < words.length && words[at] !== '';) {
    const isRenamed = words[at]!.startsWith('R');
    pairs.push([words[at + 1]!, words[at + (isRenamed ? 2 : 1)]!]);
    at += isRenamed ? 3 : 2;
  }
  return pairs;
}

function planAt(file: string, text: string): Plan {
  const { plan, diagnostics } = compile(text, { file, kinds: extensions().kinds });
  if (plan) return plan;
  throw new UsageError(`${file} has errors, so it ran nothing:\n${formatDiagnostics(diagnostics, text)}`);
}
