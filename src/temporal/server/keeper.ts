/**
 * The keeper: a small process between us and a server we start. The server is shared by all processes with a
 * connection to the keeper; when the last connection closes (normal exit, crash or SIGKILL: the system closes it in
 * any case), the keeper stops the server and exits. So nothing is left behind, a second command shares the server
 * of the first, and Ctrl-C in a terminal, which signals the whole process group, does not stop the server under a
 * running workflow.
 *
 * A holder connects and sends the token; the answer is `held`, or `stopping`. It releases the server by ending its
 * side of the connection. The keeper ends the other side at once, or when the server has ended.
 *
 * A server may also end by itself. The clients of its holders then continue to call its address, and workers would take
 * tasks from a server of another data folder that is started there. And a port that was free when it was checked may be
 * taken before the server binds it, so that clients of one server talk to another. So the keeper holds the same ports on
 * a second loopback address, from before the check until the last holder has left; the system releases them if the
 * keeper is killed.
 */
import type ChildProcess from 'node:child_process';
import type Fs from 'node:fs';
import type Net from 'node:net';

export interface KeeperOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly logFile: string;
  readonly stateFile: string;
  /** Authorises holders of the server; stored in the state file, readable by its owner only. */
  readonly token: string;
  /** Details of the server for holders. */
  readonly info: Record<string, string | number>;
  /** Ports to claim by name, preferably these; 0 for any. They are added to `info`, and replace `{name}` in `args`. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Of other ports: the first, and one behind the last. */
  readonly portRange: readonly [number, number];
  readonly stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** Milliseconds from the stop signal to SIGKILL. */
  readonly stopLimitMs: number;
  /** Milliseconds after the start without any holder until the keeper exits. */
  readonly firstHolderMs: number;
}

/** Content of the state file. */
export interface KeeperState {
  readonly token: string;
  readonly port: number;
  readonly keeperPid: number;
  readonly serverPid: number;
  readonly command: string;
  readonly info: Record<string, string | number>;
}

/**
 * The command of a keeper: the options are passed in the environment, which unlike arguments only the owner can
 * read.
 */
export function keeperCommand(options: KeeperOptions): { args: string[]; env: NodeJS.ProcessEnv } {
  return {
    args: ['-e', `(${keep.toString()})(require, JSON.parse(process.env.NOETL_KEEPER))`],
    env: { ...process.env, NOETL_KEEPER: JSON.stringify(options) },
  };
}

/** Its source text is sent to another process: it must not refer to anything outside itself. */
async function keep(load: NodeJS.Require, options: KeeperOptions): Promise<void> {
  const fs = load('node:fs') as typeof Fs;
  const net = load('node:net') as typeof Net;
  const { spawn } = load('node:child_process') as typeof ChildProcess;

  delete process.env.NOETL_KEEPER;
  // Its database and its log are for nobody else.
  process.umask(0o077);
  const holders = new Set<Net.Socket>();
  const everybody = new Set<Net.Socket>();
  let stopping = false;
  let over = false;
  const guards: Net.Server[] = [];
  const listen = (host: string, port: number): Promise<Net.Server | string> =>
    new Promise((resolve) => {
      const one = net.createServer((socket) => socket.destroy());
      one.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
      one.listen({ host, port, exclusive: true }, () => resolve(one));
    });
  const claim = async (wish: number): Promise<number> => {
    const [first, end] = options.portRange;
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const port = wish > 0 && attempt === 0 ? wish : first + Math.floor(Math.random() * (end - first));
      // 127.0.0.2 exists on Linux and Windows, `::1` on macOS; where neither does, nothing guards the port.
      let guard = await listen('127.0.0.2', port);
      if (guard === 'EADDRNOTAVAIL') guard = await listen('::1', port);
      if (guard === 'EADDRINUSE' || guard === 'EACCES') continue;
      if (typeof guard !== 'string') guards.push(guard);
      const free = await listen('127.0.0.1', port);
      if (typeof free !== 'string') {
        await new Promise((resolve) => free.close(resolve));
        return port;
      }
      if (typeof guard !== 'string') guards.pop()?.close();
    }
    throw new Error('no free TCP port on 127.0.0.1');
  };
  const info = { ...options.info };
  for (const [name, wish] of Object.entries(options.ports ?? {})) info[name] = await claim(wish);
  const args = options.args.map((arg) => arg.replace(/^\{(\w+)\}$/, (_, name: string) => String(info[name])));
  const log = fs.openSync(options.logFile, 'a');
  const server = spawn(options.command, args, {
    stdio: ['ignore', log, log],
    env: options.env ?? process.env,
    cwd: options.cwd,
    uid: options.uid,
    gid: options.gid,
  });
  const exit = (): unknown => setTimeout(() => process.exit(0), 50);
  const ended = (): void => {
    over = true;
    fs.rmSync(options.stateFile, { force: true });
    listener.close();
    for (const socket of everybody) socket.end();
    if (holders.size === 0) exit();
  };
  const stop = (): void => {
    if (over) return void exit();
    if (stopping) return;
    stopping = true;
    server.kill(options.stopSignal);
    setTimeout(() => server.kill('SIGKILL'), options.stopLimitMs);
  };
  const release = (socket: Net.Socket): void => {
    if (!holders.delete(socket) || holders.size > 0) return;
    for (const one of guards.splice(0)) one.close();
    stop();
  };
  server.on('error', (error) => {
    fs.writeSync(log, `${error.message}\n`);
    ended();
  });
  server.on('exit', ended);

  const listener = net.createServer({ allowHalfOpen: true }, (socket) => {
    everybody.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      if (chunk.toString() !== options.token) return void socket.destroy();
      if (!stopping) holders.add(socket);
      socket.write(stopping ? 'stopping' : 'held');
    });
    socket.on('end', () => {
      release(socket);
      if (!stopping) socket.end();
    });
    socket.on('close', () => {
      everybody.delete(socket);
      release(socket);
    });
  });
  listener.listen(0, '127.0.0.1', () => {
    const address = listener.address() as Net.AddressInfo;
    const state: KeeperState = {
      token: options.token,
      port: address.port,
      keeperPid: process.pid,
      serverPid: server.pid ?? 0,
      command: options.command,
      info,
    };
    fs.writeFileSync(`${options.stateFile}.${process.pid}`, JSON.stringify(state), { mode: 0o600 });
    fs.renameSync(`${options.stateFile}.${process.pid}`, options.stateFile);
    setTimeout(() => {
      if (holders.size === 0) stop();
    }, options.firstHolderMs).unref();
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
}
