/**
 * The command line of bubblewrap: a file system of nothing but the system's programs and libraries, in namespaces of its
 * own. It is a list of what is there; whatever it does not name does not exist for the task. Nothing in it is an
 * author's: neither the environment of bubblewrap, nor an argument before the command.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Isolation } from './level';
import { type SandboxLimits, limitsOf, readableFolders } from './allowance';
import { type Network } from './network';
import { ownFile } from './own-files';
import { programOf } from './programs';
import { callFilter, filtersCalls } from './system-calls';

/** Where a sandbox has the task's `files`. */
export const FILES_INSIDE = '/run/files';
/** Its only writable folder: home, working and temporary folder. */
export const HOME_INSIDE = '/tmp';

const SYSTEM = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** No key, no password: names, certificates of authorities, time zone, linker. A worker of root could read the rest. */
const SETTINGS = [
  ...['alternatives', 'ca-certificates', 'hosts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime'],
  ...[
    'mime.types',
    'nsswitch.conf',
    'passwd',
    'group',
    'pki/ca-trust/extracted',
    'pki/tls/certs',
    'protocols',
  ],
  ...['services', 'ssl/certs', 'ssl/cert.pem', 'ssl/openssl.cnf', 'timezone'],
].map((name) => `/etc/${name}`);

const RESOLV = '/etc/resolv.conf';

/** A file or folder of the worker that the sandbox has, read-only. */
export interface Mounted {
  readonly from: string;
  /** Default: the same path. */
  readonly to?: string;
}

export interface Inside {
  readonly level: Isolation;
  readonly mounts: readonly Mounted[];
  /** The filtered network that it enters; default: none for `strict`, otherwise that of the worker. */
  readonly network?: Network | undefined;
  /** Whether the program makes the namespaces of each of its tasks, and filters their system calls, itself. */
  readonly divides?: true;
}

/** Where bubblewrap reads the filter of system calls. */
export const FILTER_DESCRIPTOR = 4;

/** Opens it, to be given to bubblewrap as that descriptor; undefined where no filter is known. */
export function openFilter(): number | undefined {
  const filter = callFilter();
  return filter && fs.openSync(ownFile('system-calls', filter), 'r');
}

/** The program and arguments before the command. @throws Error if it is not installed */
export function bubblewrap({ level, mounts, network, divides }: Inside, env = process.env): string[] {
  const limits = limitsOf(env);
  const folders: readonly Mounted[] =
    level === 'strict' ? [] : readableFolders(env).map((from) => ({ from }));
  return [
    ...(network?.enter ?? []),
    // It may have begun before its parent can ask for this (process/background.ts).
    ...[programOf('nice'), '-n', String(os.constants.priority.PRIORITY_BELOW_NORMAL)],
    programOf('bwrap'),
    ...(!divides && filtersCalls() ? ['--seccomp', String(FILTER_DESCRIPTOR)] : []),
    ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
    ...(level === 'strict' && !divides ? ['--unshare-net'] : []),
    // One user namespace has both the mounts and the capability to make more of them.
    ...(divides
      ? ['--uid', '0', '--gid', '0', '--cap-add', 'CAP_SYS_ADMIN']
      : ['--uid', '65534', '--gid', '65534']),
    '--die-with-parent',
    ...['--ro-bind', '/usr', '/usr'],
    ...SYSTEM.flatMap(systemFolder),
    ...SETTINGS.flatMap((file) => ['--ro-bind-try', file, file]),
    ...(network ? ['--ro-bind', network.resolver, '/etc/resolv.conf'] : ['--ro-bind-try', RESOLV, RESOLV]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...temporary('/dev/shm', limits),
    ...temporary(HOME_INSIDE, limits),
    ...covered(env).flatMap((folder) => ['--tmpfs', folder]),
    ...['--dir', FILES_INSIDE],
    ...[...folders, ...mounts].flatMap(({ from, to }) => ['--ro-bind-try', from, to ?? from]),
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', HOME_INSIDE, '--'],
  ];
}

/** Commands of a shell in the sandbox that set its limits. */
export function limitCommands(env = process.env): string[] {
  const { memoryMb, processes } = limitsOf(env);
  // dash and ash call the limit of processes -p, others -u.
  const count = `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`;
  return ['ulimit -c 0', `ulimit -v ${memoryMb * 1024}`, count];
}

function temporary(folder: string, { tmpMb }: SandboxLimits): string[] {
  return ['--perms', '1777', '--size', String(tmpMb * 1024 * 1024), '--tmpfs', folder];
}

/** `/bin` is a folder, or a link into `/usr`. */
function systemFolder(folder: string): string[] {
  try {
    return ['--symlink', fs.readlinkSync(folder), folder];
  } catch {
    return ['--ro-bind-try', folder, folder];
  }
}

/** Folders of the worker that lie among the system's. */
function covered(env: NodeJS.ProcessEnv): string[] {
  const own = [process.cwd(), os.homedir(), path.resolve(env['NOETL_DATA_DIR'] ?? '.noetl')];
  return own.filter((folder) => folder.startsWith('/usr/') && fs.existsSync(folder));
}
