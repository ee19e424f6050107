/** Two releases to run beside each other: this tree, and an older one, built or installed in a folder of its own. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isContracting } from '../../src/server/store/contracting';
import { ROOT } from '../support/process';

export interface Release {
  readonly name: string;
  /** The root of its files. */
  readonly folder: string;
  /** Where its recorded histories are: packages do not have them. */
  readonly histories: string;
}

const HISTORIES = path.join('test', 'histories');

/** The first commit with the state and the outcomes of 0.1.0: releases before it do not read its executions. */
export const FORMER = '42684da';

export const present: Release = { name: 'present', folder: ROOT, histories: path.join(ROOT, HISTORIES) };

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
  const name = `former (${git('rev-parse', '--short', commit)})`;
  return { name, folder, histories: path.join(folder, HISTORIES) };
}

/** Whether it is a tarball, or a version on npm: not a commit. */
export function isPackage(release: string): boolean {
  return release.endsWith('.tgz') || release.startsWith('noetl-temporal@');
}

/** Installs a released package below `below`, as a user does. @throws Error of npm */
export function installedRelease(release: string, below: string): Release {
  const home = path.join(below, 'former');
  fs.mkdirSync(home);
  fs.writeFileSync(path.join(home, 'package.json'), '{"private": true}');
  const wanted = release.endsWith('.tgz') ? path.resolve(release) : release;
  run('npm', ['install', '--no-audit', '--no-fund', wanted], home);
  const folder = path.join(home, 'node_modules', 'noetl-temporal');
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { name: `former (${version})`, folder, histories: path.join(ROOT, HISTORIES, version) };
}

/** Whether it works on a schema that this tree has migrated: of what it lacks nothing takes away what it uses. */
export function sharesSchema({ folder }: Release): boolean {
  // Where it stands now, where it stood before there were wings, and where a package has it.
  const rooms = ['src/server/store', 'src/store', 'dist/src/server/store'];
  const store = (root: string): string =>
    rooms.map((room) => path.join(root, room)).find((room) => fs.existsSync(path.join(room, 'migrations')))!;
  const sqlOf = (root: string): string[] =>
    fs.readdirSync(path.join(store(root), 'migrations')).filter((name) => name.endsWith('.sql'));
  const known = sqlOf(folder);
  const lacking = sqlOf(ROOT)
    .filter((one) => !known.includes(one))
    .map((one) => fs.readFileSync(path.join(store(ROOT), 'migrations', one), 'utf8'));
  const minds = ['contracting.ts', 'contracting.js'].every(
    (name) => !fs.existsSync(path.join(store(folder), name)),
  );
  return lacking.every((sql) => !minds && !isContracting(sql));
}

/** What was installed goes with the folder of the whole. */
export function removeRelease({ folder }: Release): void {
  if (fs.existsSync(path.join(folder, '.git'))) git('worktree', 'remove', '--force', folder);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

function run(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
