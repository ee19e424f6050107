/** Two releases to run beside each other: this tree, and an older commit, built in a folder of its own. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isContracting } from '../../src/server/store/contracting';
import { ROOT } from '../support/process';

export interface Release {
  readonly name: string;
  /** The root of its files. */
  readonly folder: string;
}

/** The first commit with the state and the outcomes of 0.1.0: releases before it do not read its executions. */
export const FORMER = '42684da';

export const present: Release = { name: 'present', folder: ROOT };

export function cliOf({ folder }: Release): string {
  return path.join(folder, 'dist', 'src', 'cli', 'main.js');
}

export function bundleOf({ folder }: Release): string {
  return path.join(folder, 'dist', 'workflow-bundle.js');
}

/**
 * Checks the commit out below `below` and builds it. Packages are those of this tree if both have the same lock file.
 *
 * @throws Error of git, npm or the build
 */
export function builtRelease(commit: string, below: string): Release {
  const folder = path.join(below, 'former');
  git('worktree', 'add', '--detach', '--force', folder, commit);
  const lock = (root: string): string => fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(ROOT))
    fs.symlinkSync(fs.realpathSync(path.join(ROOT, 'node_modules')), path.join(folder, 'node_modules'));
  else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  run(process.execPath, [path.join('scripts', 'build.mjs')], folder);
  return { name: `former (${git('rev-parse', '--short', commit)})`, folder };
}

/** Whether it works on a schema that this tree has migrated: of what it lacks nothing takes away what it uses. */
export function sharesSchema({ folder }: Release): boolean {
  // Where it stands now, and where it stood before there were wings.
  const store = (root: string): string =>
    ['src/server/store', 'src/store'].map((room) => path.join(root, room)).find(fs.existsSync)!;
  const known = fs.readdirSync(path.join(store(folder), 'migrations'));
  const lacking = fs
    .readdirSync(path.join(store(ROOT), 'migrations'))
    .filter((one) => !known.includes(one))
    .map((one) => fs.readFileSync(path.join(store(ROOT), 'migrations', one), 'utf8'));
  const minds = !fs.existsSync(path.join(store(folder), 'contracting.ts'));
  return lacking.every((sql) => !minds && !isContracting(sql));
}

export function removeRelease({ folder }: Release): void {
  git('worktree', 'remove', '--force', folder);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

function run(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
