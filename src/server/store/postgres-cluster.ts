/** The files of an embedded Postgres server, and the command that serves them. */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { EnvironmentError } from '../../language/errors';
import { privateFolder, runProgram, runs, type ServiceCommand } from '../../temporal/client';
import { isOpenToAll, postgresBinaries, type PostgresBinaries, reachableBinaries } from './postgres-binaries';
import { postgresUser, type ProcessUser } from './postgres-user';

export const POSTGRES_USER = 'noetl';
const INITDB_LIMIT_MS = 120_000;
/** Where root keeps files for the system user `postgres` if our own folders are not accessible to it. */
const SYSTEM_FOLDER = '/var/lib/noetl-temporal';

/** The password of the folder's server. */
export function clusterPassword(folder: string): string {
  return keptPassword(path.join(folder, 'password'));
}

/** Created once, and readable only by its owner. */
export function keptPassword(file: string): string {
  try {
    const text = randomBytes(24).toString('base64url');
    fs.writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return fs.readFileSync(file, 'utf8').trim();
  }
}

/** Creates the database files if missing, and returns the command that serves them on any port. */
export async function prepareCluster(folder: string, password: string, port = 0): Promise<ServiceCommand> {
  const user = await postgresUser();
  const bundled = postgresBinaries();
  const binaries = user.uid === undefined ? bundled : reachableBinaries(bundled, SYSTEM_FOLDER);
  const data = clusterFolder(folder, user);
  if (!fs.existsSync(path.join(data, 'PG_VERSION'))) await initialise(binaries, data, password, user);
  await removeStaleLock(data, binaries.postgres);
  // Errors of statements quote values, which may be secrets: they are returned to the client, not logged by the
  // server.
  const log = ['log_min_messages=log', 'log_min_error_statement=panic'];
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...log];
  return {
    command: binaries.postgres,
    args: ['-D', data, '-p', '{port}', ...settings.flatMap((setting) => ['-c', setting])],
    cwd: path.parse(data).root,
    info: {},
    ports: { port },
    ...user,
  };
}

/** `<folder>/data`; as root, if the server's user cannot access that, a system folder named after it. */
function clusterFolder(folder: string, user: ProcessUser): string {
  if (user.uid === undefined || isOpenToAll(folder)) return path.join(folder, 'data');
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return path.join(SYSTEM_FOLDER, `data-${digest}`);
}

/**
 * Postgres refuses to start while its old process id is in use by any program, even a zombie. We hold the folder's
 * start lock, so an id that is not a Postgres of ours is stale.
 */
async function removeStaleLock(data: string, command: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid');
  if (!fs.existsSync(file)) return;
  const pid = Number(fs.readFileSync(file, 'utf8').split('\n')[0]);
  if (!(await runs(pid, command))) fs.rmSync(file, { force: true });
}

/** In a temporary folder, renamed when complete: a killed start leaves nothing half done. */
async function initialise(
  binaries: PostgresBinaries,
  data: string,
  password: string,
  user: ProcessUser,
): Promise<void> {
  const staged = `${data}.new`;
  fs.rmSync(staged, { recursive: true, force: true });
  privateFolder(path.dirname(data));
  fs.mkdirSync(staged, { mode: 0o700 });
  const passwordFile = `${staged}.password`;
  fs.writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    if (user.uid !== undefined && user.gid !== undefined) {
      fs.chownSync(staged, user.uid, user.gid);
      fs.chownSync(passwordFile, user.uid, user.gid);
    }
    const locale = [
      '--no-locale',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ];
    const access = [`--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const done = await runProgram(binaries.initdb, [`--pgdata=${staged}`, ...access, ...locale], {
      timeoutMs: INITDB_LIMIT_MS,
      cwd: path.parse(data).root,
      ...user,
    });
    if (done.code !== 0) {
      const reason = done.timedOut ? 'it took too long' : done.stderr.trim().split('\n').at(-1);
      throw new EnvironmentError(
        'POSTGRES_INITDB',
        `Postgres could not create its files in ${data}: ${reason}`,
      );
    }
    fs.renameSync(staged, data);
  } finally {
    fs.rmSync(passwordFile, { force: true });
    fs.rmSync(staged, { recursive: true, force: true });
  }
}
