/** The checks of `doctor`. Nothing is started or downloaded. */
import fs from 'node:fs';
import { postgresBinaries } from '../../server/store';
import { CodedError, messageOf } from '../../language/errors';
import { configuredAddress, obtainTemporalCli, runProgram } from '../../temporal/client';
import { clock } from './examine-clock';
import { sandbox } from './examine-sandbox';
import { database, keyFile, priorities, searchAttributes, storage, taskQueues } from './examine-services';
import { diedProcesses, examineStuck } from './examine-stuck';
import { type DoctorFinding, type Observed } from './finding';
import { dataFolder } from './data-folder';
import { atServer } from './reach';

export async function examine(data?: string): Promise<DoctorFinding[]> {
  const checks: [string, () => Promise<Observed | undefined> | Observed | undefined][] = [
    ['Node', node],
    ['Python', python],
    ['Temporal', temporal],
    ['Postgres', postgres],
    ['Data folder', () => folder(dataFolder(data))],
    ['Containers', containers],
    ['Sandbox', sandbox],
    ['Clock', clock],
    ['Search attributes', searchAttributes],
    ['Task queues', taskQueues],
    ['Stuck executions', examineStuck],
    ['Last process', () => diedProcesses(dataFolder(data))],
    ['Priorities', priorities],
    ['Database', database],
    ['Storage', storage],
    ['Key file', () => keyFile(dataFolder(data))],
  ];
  const findings = await Promise.all(
    checks.map(async ([subject, check]): Promise<DoctorFinding | undefined> => {
      try {
        const finding = await check();
        return finding && { subject, ...finding };
      } catch (error) {
        const fix = error instanceof CodedError ? error.hint : [];
        return { subject, status: 'missing', message: messageOf(error), ...(fix.length > 0 && { fix }) };
      }
    }),
  );
  return findings.filter((one) => one !== undefined);
}

function node(): Observed {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const good = major > 20 || (major === 20 && minor >= 19);
  return {
    status: good ? 'ok' : 'missing',
    message: `${process.version}${good ? '' : '; 20.19 or newer is needed'}`,
  };
}

/** Needed for `python` tasks, and for pip if the Temporal CLI must be installed from a wheel. */
async function python(): Promise<Observed> {
  const version = await version1('python3', ['--version']);
  if (!version) return { status: 'note', message: 'python3 was not found: `python` tasks will fail' };
  const where = await runProgram('python3', ['-c', 'import sys; print(sys.executable)'], {
    timeoutMs: 10_000,
  });
  return { status: 'ok', message: `${version} (${where.stdout.trim()})` };
}

async function temporal(): Promise<Observed> {
  const address = configuredAddress();
  if (address) {
    await atServer(() => Promise.resolve());
    return { status: 'ok', message: `server at ${address} (TEMPORAL_ADDRESS)` };
  }
  try {
    const binary = await obtainTemporalCli({ download: false });
    return {
      status: 'ok',
      message: `${(await version1(binary.path, ['--version'])) ?? 'temporal'}, ${binary.how} (${binary.path})`,
    };
  } catch {
    const hasPip = await version1('python3', ['-m', 'pip', '--version']);
    const message = hasPip
      ? 'not installed yet; the first run downloads it'
      : 'not installed yet, and pip is missing: only the download by the Temporal SDK remains';
    return { status: 'note', message };
  }
}

function postgres(): Observed {
  if (process.env.DATABASE_URL) return { status: 'ok', message: 'the one of DATABASE_URL' };
  try {
    const { version, postgres: program } = postgresBinaries();
    return { status: 'ok', message: `embedded, ${version} (${program})` };
  } catch (error) {
    return { status: 'note', message: `${messageOf(error)} Playbooks that use pg_local need DATABASE_URL.` };
  }
}

function folder(dir: string): Observed {
  const existing = fs.existsSync(dir) ? dir : parentOf(dir);
  fs.accessSync(existing, fs.constants.W_OK);
  return { status: 'ok', message: fs.existsSync(dir) ? dir : `${dir} (will be created)` };
}

function parentOf(dir: string): string {
  let parent = dir;
  while (!fs.existsSync(parent)) parent = parent.slice(0, Math.max(1, parent.lastIndexOf('/')));
  return parent;
}

/** Needed for `container` tasks only. */
async function containers(): Promise<Observed> {
  const named = process.env.DOCKER_HOST;
  const socket = '/var/run/docker.sock';
  const version = await version1('docker', ['version', '--format', '{{.Server.Version}}']);
  const where = named === undefined ? socket : `${named} (DOCKER_HOST)`;
  if (version) return { status: 'ok', message: `engine ${version} at ${where}` };
  if (named !== undefined || fs.existsSync(socket)) return { status: 'ok', message: where };
  return {
    status: 'note',
    message: `no engine: ${socket} does not exist and DOCKER_HOST is not set; \`container\` tasks will fail`,
  };
}

async function version1(program: string, args: string[]): Promise<string | undefined> {
  const done = await runProgram(program, args, { timeoutMs: 10_000 }).catch(() => undefined);
  return done?.code === 0 ? (done.stdout || done.stderr).trim().split('\n')[0] : undefined;
}
