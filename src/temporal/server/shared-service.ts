/** Shares a server with other processes of the same data folder (see keeper.ts). */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../../language/errors';
import { type KeeperOptions, type KeeperState, keeperCommand } from './keeper';
import { privateFolder } from './private-folder';
import { takeLock } from './lock';
import { PORT_RANGE } from './ports';
import { stopOrphan } from './orphan';

/** How to start the server if it is not running. */
export type ServiceCommand = Pick<
  KeeperOptions,
  'command' | 'args' | 'env' | 'cwd' | 'uid' | 'gid' | 'info' | 'ports'
>;

export interface ServiceSpec {
  /** For messages and file names, e.g. `temporal`. */
  readonly name: string;
  /** Folder of the state file, the lock and the log. */
  readonly folder: string;
  readonly stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  readonly stopLimitMs: number;
  /** Called under the start lock: chooses ports, creates what the server needs. */
  prepare(): Promise<ServiceCommand>;
}

/** A share in a running server. */
export interface ServiceHold {
  readonly info: Readonly<Record<string, string | number>>;
  readonly serverPid: number;
  readonly logFile: string;
  /** False if another process had started the server. */
  readonly started: boolean;
  /** Settles when the server has ended, whoever stopped it. */
  readonly ended: Promise<void>;
  /** Releases the share. The last holder stops the server and waits for its end. */
  release(): Promise<void>;
}

const JOIN_LIMIT_MS = 60_000;
const HANDSHAKE_LIMIT_MS = 3_000;
const KEEPER_START_LIMIT_MS = 15_000;
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * Joins the server that runs for this folder, or starts it. State files of dead processes are recognised by a
 * refused connection or a wrong response, and replaced.
 */
export async function holdService(spec: ServiceSpec): Promise<ServiceHold> {
  privateFolder(spec.folder);
  const files = filesOf(spec);
  const deadline = Date.now() + JOIN_LIMIT_MS;
  while (Date.now() < deadline) {
    const joined = await join(files.state, files.log, false);
    if (joined) return joined;
    const release = takeLock(files.lock);
    if (release) {
      try {
        return (await join(files.state, files.log, false)) ?? (await start(spec, files));
      } finally {
        release();
      }
    }
    await sleep(50);
  }
  throw new EnvironmentError(
    'SERVICE_BUSY',
    `Another process is starting ${spec.name} in ${spec.folder} and does not finish.`,
    [`Remove ${files.lock} if no such process runs.`],
  );
}

function filesOf(spec: ServiceSpec): { state: string; lock: string; log: string } {
  const file = (extension: string): string => path.join(spec.folder, `${spec.name}.${extension}`);
  return { state: file('state.json'), lock: file('lock'), log: file('log') };
}

async function start(spec: ServiceSpec, files: { state: string; log: string }): Promise<ServiceHold> {
  const stale = readState(files.state);
  if (stale) await stopOrphan(stale.serverPid, stale.command, spec.stopSignal);
  fs.rmSync(files.state, { force: true });
  rotate(files.log);
  const command = await spec.prepare();
  const token = randomBytes(16).toString('hex');
  const options: KeeperOptions = {
    ...command,
    token,
    logFile: files.log,
    stateFile: files.state,
    stopSignal: spec.stopSignal,
    stopLimitMs: spec.stopLimitMs,
    firstHolderMs: KEEPER_START_LIMIT_MS,
    portRange: PORT_RANGE,
  };
  const log = fs.openSync(files.log, 'a', 0o600);
  const { args, env } = keeperCommand(options);
  const keeper = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log], env });
  fs.closeSync(log);
  let hasExited = false;
  keeper.once('exit', () => (hasExited = true));
  keeper.once('error', () => (hasExited = true));
  keeper.unref();
  const deadline = Date.now() + KEEPER_START_LIMIT_MS;
  while (!hasExited && Date.now() < deadline) {
    const hold =
      readState(files.state)?.token === token ? await join(files.state, files.log, true) : undefined;
    if (hold) return hold;
    await sleep(10);
  }
  throw new EnvironmentError(
    'SERVICE_ENDED',
    `${spec.name} exited immediately after starting: ${lastLine(files.log)}`,
    [`Its log: ${files.log}`],
  );
}

/** Undefined if there is no server, or if it is about to end: then this waits for its end. */
function join(stateFile: string, logFile: string, started: boolean): Promise<ServiceHold | undefined> {
  const state = readState(stateFile);
  if (!state) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    // Our end stays open after the server's: we hold its ports as long as our clients may call them.
    const socket = net.connect({ host: '127.0.0.1', port: state.port, allowHalfOpen: true });
    const ended = new Promise<void>((settle) => {
      for (const event of ['end', 'close']) socket.once(event, () => settle());
    });
    const limit = setTimeout(() => socket.destroy(), HANDSHAKE_LIMIT_MS);
    let isHeld = false;
    void ended.then(() => {
      clearTimeout(limit);
      if (!isHeld) socket.destroy();
      resolve(undefined);
    });
    socket.on('error', () => socket.destroy());
    socket.write(state.token);
    socket.on('data', (answer) => {
      clearTimeout(limit);
      isHeld = String(answer) === 'held';
      if (isHeld) {
        socket.unref();
        const release = async (): Promise<void> => {
          socket.ref().end();
          await ended;
          socket.destroy();
        };
        resolve({ info: state.info, serverPid: state.serverPid, logFile, started, ended, release });
      } else if (String(answer) !== 'stopping') socket.destroy(); // another program listens on its old port
    });
  });
}

function readState(file: string): KeeperState | undefined {
  try {
    const state = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<KeeperState>;
    return typeof state.port === 'number' && typeof state.token === 'string'
      ? (state as KeeperState)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The server's last log line, for the error about its end. */
export function lastLine(log: string): string {
  const text = fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '';
  return text.trim().split('\n').at(-1)?.slice(0, 300) || 'it printed nothing';
}

function rotate(log: string): void {
  if ((fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES)
    fs.renameSync(log, `${log}.1`);
}
